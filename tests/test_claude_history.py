"""The stand-in remembers: thinking is bound to its history, the cache has its rules and its clock, waste is found."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.servers.claude import ClaudeStandIn, Harsh, Request, Thinking, ToolUse, reply
from tests.servers.raw import Answer, send

MODEL = "claude-sonnet-5-5"
LONG = "You are the lead. " + "Be kind to people and honest with them. " * 60
HOUR = {"type": "ephemeral", "ttl": "1h"}
TOOLS = [{"name": name, "description": name, "input_schema": {"type": "object"}} for name in ("look", "read")]
CHANGED = "blocks in the latest assistant message cannot be modified"
UNBOUND = "The block is bound to a different conversation."


class Talk:
    """A conversation by hand: it sends its messages, and takes over what it is told."""

    def __init__(self, server: ClaudeStandIn, **body: Any) -> None:
        self.server = server
        system = [{"type": "text", "text": LONG, "cache_control": HOUR}]
        self.body = {
            "model": MODEL,
            "max_tokens": 1000,
            "system": system,
            "tools": TOOLS,
            "cache_control": HOUR,
            **body,
        }
        self.messages: list[Any] = []

    async def send(self, **changes: Any) -> Answer:
        # A copy by way of JSON, as a client would have it from its disk.
        body = json.loads(json.dumps({**self.body, "messages": self.messages, **changes}))
        headers = {"anthropic-beta": changes["betas"]} if (changes := body.pop("headers", {})) else {}
        return await send(self.server, body, headers=headers)

    async def say(self, words: str = "go on", **changes: Any) -> Request:
        """One exchange; calls are answered in the next."""
        results = [
            {"type": "tool_result", "tool_use_id": block["id"], "content": "seen"}
            for block in (self.messages[-1]["content"] if self.messages else ())
            if block["type"] == "tool_use"
        ]
        self.messages.append({"role": "user", "content": results or [{"type": "text", "text": words}]})
        answer = await self.send(**changes)
        assert answer.status == 200, answer.body
        self.messages.append({"role": "assistant", "content": answer.json["content"]})
        return self.server.requests[-1]

    async def refusal(self, **changes: Any) -> str:
        answer = await self.send(**changes)
        assert answer.status == 400, answer.body
        return str(answer.json["error"]["message"])


@pytest.fixture
async def server() -> AsyncIterator[ClaudeStandIn]:
    async with ClaudeStandIn() as running:
        yield running


async def two_steps(server: ClaudeStandIn, **body: Any) -> Talk:
    """A turn in its middle: asked, thought, called, and about to be answered."""
    server.script.say(reply(Thinking(), ToolUse("look")), reply(Thinking(), ToolUse("read")), "Done.")
    talk = Talk(server, **body)
    await talk.say("look")
    await talk.say()
    uses = [block["id"] for block in talk.messages[-1]["content"] if block["type"] == "tool_use"]
    talk.messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": uses[0]}]})
    return talk


def lenient(*rules: Harsh) -> ClaudeStandIn:
    return ClaudeStandIn(lenient={Harsh.CHURN, Harsh.PREFIX, Harsh.CACHE_MISSED, *rules})


async def test_an_edited_message_unbinds_the_thinking_after_it(server: ClaudeStandIn) -> None:
    talk = await two_steps(server)
    talk.messages[0]["content"][0]["text"] = "look!"
    assert (await talk.refusal()).startswith(
        "messages.1.content.0: Invalid `signature` in `thinking` block. " + UNBOUND
    )


@pytest.mark.parametrize("change", [{"system": LONG + "Now."}, {"tools": [*TOOLS, {**TOOLS[0], "name": "more"}]}])
async def test_another_prompt_or_tool_unbinds_all_thinking(server: ClaudeStandIn, change: dict[str, Any]) -> None:
    talk = await two_steps(server)
    assert UNBOUND in await talk.refusal(**change)


async def test_marks_and_order_of_tools_and_effort_are_outside(server: ClaudeStandIn) -> None:
    talk = await two_steps(server)
    plain = [{"type": "text", "text": LONG}]
    answer = await talk.send(
        tools=TOOLS[::-1], system=plain, output_config={"effort": "low"}, tool_choice={"type": "none"}, max_tokens=9
    )
    assert answer.status == 200, answer.body


async def test_later_messages_are_outside_too(server: ClaudeStandIn) -> None:
    talk = await two_steps(server)
    talk.messages = [*talk.messages[:2], {"role": "user", "content": talk.messages[2]["content"]}]
    assert (await talk.send()).status == 200


async def test_thinking_of_the_latest_turn_must_stay(server: ClaudeStandIn) -> None:
    talk = await two_steps(server)
    removed = talk.messages[3]["content"].pop(0)
    assert CHANGED in await talk.refusal()
    talk.messages[3]["content"].insert(0, {**removed, "thinking": "Changed."})
    assert CHANGED in await talk.refusal()


async def test_thinking_that_an_edit_unbound_may_be_left_out() -> None:
    async with lenient() as server:
        talk = await two_steps(server)
        talk.messages[0]["content"][0]["text"] = "look!"
        for message in talk.messages[1::2]:
            message["content"] = [block for block in message["content"] if block["type"] != "thinking"]
        assert (await talk.send()).status == 200


async def test_unbound_blocks_are_dropped_if_that_is_asked_for() -> None:
    async with lenient() as server:
        talk = await two_steps(server)
        talk.messages[0]["content"][0]["text"] = "look!"
        thinking = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}
        answer = await talk.send(thinking=thinking, headers={"betas": "thinking-binding-controls-2026-08-01"})
        assert answer.status == 200, answer.body
        assert answer.json["input_transformations"] == [
            {"type": "thinking_dropped", "reason": "prefix_binding_mismatch", "path": f"messages.{n}.content.0"}
            for n in (1, 3)
        ]


async def test_another_models_thinking_is_dropped_without_a_word() -> None:
    async with lenient() as server:
        talk = await two_steps(server)
        answer = await talk.send(model="claude-opus-5-5")
        assert answer.status == 200, answer.body
        assert "input_transformations" not in answer.json
        assert [one["reason"] for one in server.requests[-1].transformations] == ["model_binding_mismatch"] * 2


async def test_an_old_model_does_not_bind_its_thinking() -> None:
    async with lenient() as server:
        talk = await two_steps(server, model="claude-opus-5")
        talk.messages[0]["content"][0]["text"] = "look!"
        assert (await talk.send()).status == 200


async def test_a_history_without_thinking_must_be_an_extension_too(server: ClaudeStandIn) -> None:
    server.script.say(reply(ToolUse("look")), "Done.")
    talk = Talk(server)
    await talk.say("look")
    await talk.say()
    talk.messages[2]["content"][0]["content"] = "cut"
    talk.messages.append({"role": "user", "content": "and?"})
    message = await talk.refusal()
    assert message == f"harsh: {Harsh.CHURN.value}: something before messages.3 is not as it was"


async def test_tools_and_system_stay_as_they_were(server: ClaudeStandIn) -> None:
    talk = Talk(server)
    await talk.say("hello")
    talk.messages.append({"role": "user", "content": "and?"})
    assert (await talk.refusal(tools=TOOLS[:1])) == f"harsh: {Harsh.PREFIX.value}: since messages.1"


async def test_a_split_of_one_users_words_is_the_same_history(server: ClaudeStandIn) -> None:
    talk = Talk(server)
    await talk.say("one")
    talk.messages[0] = {"role": "user", "content": "one"}  # the short form
    await talk.say("two")
    assert server.requests[1].extends is server.requests[0]


async def test_a_paused_reply_is_sent_back_as_it_is(server: ClaudeStandIn) -> None:
    server.script.say(reply("Searching.", stop_reason="pause_turn"), "Found.")
    talk = Talk(server)
    await talk.say("search")
    assert (await talk.send()).json["content"][0]["text"] == "Found."


# The cache


async def test_each_request_reads_what_the_one_before_wrote(server: ClaudeStandIn) -> None:
    talk = Talk(server)
    before = await talk.say("hello")
    assert before.billed.read == 0
    assert before.billed.write_1h == before.billed.prompt > 512
    for _ in range(9):
        after = await talk.say("and then?")
        assert after.billed.read == before.billed.read + before.billed.write_1h
        assert after.billed.input == after.billed.write_5m == 0
        before = after
    whole = server.billed
    assert whole.read / whole.prompt > 0.8


@pytest.mark.parametrize(
    ("ttl", "minutes", "is_read"), [("5m", 4, True), ("5m", 6, False), ("1h", 59, True), ("1h", 61, False)]
)
async def test_what_is_written_lapses(server: ClaudeStandIn, ttl: str, minutes: int, is_read: bool) -> None:
    mark = {"type": "ephemeral", "ttl": ttl}
    talk = Talk(server, system=[{"type": "text", "text": LONG}], cache_control=mark)
    await talk.say("hello")
    server.clock.advance(minutes * 60)
    request = await talk.say("and then?")
    assert bool(request.billed.read) is is_read
    written = request.billed.write_5m if ttl == "5m" else request.billed.write_1h
    assert written == request.billed.prompt - request.billed.read


async def test_a_read_lets_it_live_on(server: ClaudeStandIn) -> None:
    talk = Talk(server, system=[{"type": "text", "text": LONG, "cache_control": {"type": "ephemeral"}}])
    talk.body["cache_control"] = {"type": "ephemeral"}
    await talk.say("hello")
    for _ in range(3):
        server.clock.advance(240)
        assert (await talk.say("and then?")).billed.read


async def test_two_lives_are_billed_apart(server: ClaudeStandIn) -> None:
    talk = Talk(server, cache_control={"type": "ephemeral"})
    first = await talk.say("hello")
    assert first.billed.write_1h > first.billed.write_5m > 0
    server.clock.advance(360)  # the messages' five minutes are over, the prompt's hour is not
    second = await talk.say("and then?")
    assert second.billed.read == first.billed.write_1h
    assert second.billed.write_5m == second.billed.prompt - second.billed.read


async def test_the_split_stands_in_the_start_of_the_message(server: ClaudeStandIn) -> None:
    talk = Talk(server, stream=True)
    talk.messages = [{"role": "user", "content": "hello"}]
    frames = [json.loads(line[6:]) for line in (await talk.send()).body.decode().split("\n") if line[:5] == "data:"]
    usage = frames[0]["message"]["usage"]
    assert usage["cache_creation"] == {
        "ephemeral_5m_input_tokens": 0,
        "ephemeral_1h_input_tokens": usage["cache_creation_input_tokens"],
    }
    assert "cache_creation" not in frames[-2]["usage"]


async def test_a_short_prompt_is_not_cached(server: ClaudeStandIn) -> None:
    talk = Talk(server, system="Be brief.", tools=[])
    assert [(await talk.say("hello")).billed.prompt - server.requests[-1].billed.input for _ in range(2)] == [0, 0]


@pytest.mark.parametrize(
    ("change", "what_is_left"),
    [
        ({"model": "claude-opus-5-5"}, "nothing"),
        ({"tools": TOOLS[:1]}, "nothing"),
        ({"tool_choice": {"type": "none"}}, "system"),
        ({"output_config": {"effort": "low"}}, "system"),
        ({"output_config": {"effort": "high"}}, "all"),  # which is the default
        ({"max_tokens": 7}, "all"),
        ({"metadata": {"user_id": "f00"}}, "all"),
    ],
)
async def test_what_a_change_costs(change: dict[str, Any], what_is_left: str) -> None:
    async with lenient() as server:
        talk = Talk(server)
        first = await talk.say("hello")
        second = await talk.say("and then?", **change)
        if what_is_left == "system":
            assert 0 < second.billed.read < first.billed.write_1h
        else:
            assert second.billed.read == (first.billed.write_1h if what_is_left == "all" else 0)


@pytest.mark.parametrize(("blocks", "is_found"), [(18, True), (19, True), (20, False), (30, False)])
async def test_the_look_back_ends_after_twenty_positions(server: ClaudeStandIn, blocks: int, is_found: bool) -> None:
    talk = Talk(server, system=[{"type": "text", "text": LONG}])
    talk.messages = [{"role": "user", "content": [{"type": "text", "text": "a"}]}]
    await talk.send()
    talk.messages[0]["content"] += [{"type": "text", "text": str(n)} for n in range(blocks)]
    await talk.send()
    assert bool(server.requests[1].billed.read) is is_found


async def test_a_run_of_calls_is_one_position(server: ClaudeStandIn) -> None:
    server.script.say(reply(*[ToolUse("look")] * 30), "Done.")
    talk = Talk(server, system=[{"type": "text", "text": LONG}])
    first = await talk.say("look everywhere")
    assert (await talk.say()).billed.read == first.billed.write_1h


async def test_a_fan_out_reads_only_what_has_begun_to_stream(server: ClaudeStandIn) -> None:
    go_on = asyncio.Event()
    server.script.say(*[reply(word, hold_head=go_on) for word in ("One.", "Two.")], "Three.")
    talks = [Talk(server) for _ in range(3)]
    first = [asyncio.ensure_future(talk.say("hello")) for talk in talks[:2]]
    await server.until(lambda: len(server.requests) == 2)
    go_on.set()
    await asyncio.gather(*first)
    await talks[2].say("hello")
    assert [bool(request.billed.read) for request in server.requests] == [False, False, True]


async def test_a_later_request_that_misses_the_cache_is_found(server: ClaudeStandIn) -> None:
    talk = Talk(server)
    await talk.say("hello")
    talk.messages.append({"role": "user", "content": "and then?"})
    unmarked = [{"type": "text", "text": LONG}, {"type": "text", "text": "x"}]
    assert Harsh.PREFIX.value in await talk.refusal(system=unmarked)
    server.cache.entries.clear()  # as if the client had spoilt it in a way that nobody thought of
    assert Harsh.CACHE_MISSED.value in await talk.refusal()


async def test_an_hour_later_a_miss_is_nobodys_fault(server: ClaudeStandIn) -> None:
    talk = Talk(server)
    await talk.say("hello")
    server.clock.advance(3601)
    assert (await talk.say("still there?")).billed.read == 0


async def test_the_last_request_of_a_turn_may_forbid_tools_and_spare_its_mark(server: ClaudeStandIn) -> None:
    talk = await two_steps(server)
    del talk.body["cache_control"]
    answer = await talk.send(tool_choice={"type": "none"})
    assert answer.status == 200, answer.body
    assert server.requests[-1].billed.write_1h == 0 < server.requests[-1].billed.read
