"""The stand-in remembers what it said: thinking is bound to its history, and history only grows."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.stand_ins.claude import ClaudeStandIn, Harsh, ToolUse, reply
from tests.stand_ins.talk import LONG, TOOLS, Talk, lenient, two_steps

CHANGED = "blocks in the latest assistant message cannot be modified"
UNBOUND = "The block is bound to a different conversation."


@pytest.fixture
async def server() -> AsyncIterator[ClaudeStandIn]:
    async with ClaudeStandIn() as running:
        yield running


async def test_an_edited_message_unbinds_the_thinking_after_it(server: ClaudeStandIn) -> None:
    talk = await two_steps(server)
    talk.messages[0]["content"][0]["text"] = "look!"
    of_the_first = f"messages.1.content.0: Invalid `signature` in `thinking` block. {UNBOUND}"
    assert (await talk.refusal()).startswith(of_the_first)


@pytest.mark.parametrize("change", [{"system": LONG + "Now."}, {"tools": [*TOOLS, {**TOOLS[0], "name": "more"}]}])
async def test_another_prompt_or_tool_unbinds_all_thinking(server: ClaudeStandIn, change: dict[str, Any]) -> None:
    talk = await two_steps(server)
    assert UNBOUND in await talk.refusal(**change)


async def test_marks_and_order_of_tools_and_effort_are_outside() -> None:
    async with ClaudeStandIn(lenient={Harsh.CACHE_MISSED}) as server:
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


async def test_a_client_may_write_the_models_words_itself(server: ClaudeStandIn) -> None:
    server.script.say("Hello.", "Hello. More was never read.", "Goodbye.")
    await Talk(server).say("hi")
    other = Talk(server)
    await other.say("ho")
    other.messages[1]["content"][0]["text"] = "Hello."  # what had come when it was stopped, and what the other was told
    await other.say("and?")
    assert server.requests[-1].extends is None


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
