"""The stand-in's cache: what is written, read and billed, by its rules and its clock; and waste is found."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.stand_ins.claude import ClaudeStandIn, Fetch, Harsh, ToolUse, reply
from tests.stand_ins.talk import LONG, TOOLS, Talk, lenient, two_steps

CLOSED = {"type": "object", "properties": {}, "additionalProperties": False}
EFFORT_BETA = "mid-conversation-output-config-2026-07-01"
LOW = {"effort": "low"}


@pytest.fixture
async def server() -> AsyncIterator[ClaudeStandIn]:
    async with ClaudeStandIn() as running:
        yield running


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
async def test_a_cache_entry_expires(server: ClaudeStandIn, ttl: str, minutes: int, is_read: bool) -> None:
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
        ({"output_config": {"format": {"type": "json_schema", "schema": CLOSED}}}, "system"),
        ({"max_tokens": 7}, "all"),
        ({"metadata": {"user_id": "f00"}}, "all"),
    ],
)
async def test_each_change_keeps_its_part_of_the_cache(change: dict[str, Any], what_is_left: str) -> None:
    async with lenient() as server:
        talk = Talk(server)
        first = await talk.say("hello")
        second = await talk.say("and then?", **change)
        if what_is_left == "system":
            assert 0 < second.billed.read < first.billed.write_1h
        else:
            assert second.billed.read == (first.billed.write_1h if what_is_left == "all" else 0)


@pytest.mark.parametrize("stays", [True, False])
async def test_an_effort_on_the_way_keeps_the_cache_as_long_as_it_stays(stays: bool) -> None:
    async with lenient() as server:
        talk = Talk(server, headers={"betas": EFFORT_BETA})
        talk.messages = [{"role": "user", "content": "hello"}, {"role": "system", "content": [], "output_config": LOW}]
        for _ in range(2):
            assert (await talk.send()).status == 200
            talk.messages += [{"role": "assistant", "content": server.requests[-1].reply}]
            talk.messages += [{"role": "user", "content": "and then?"}]
        talk.messages[1:2] = talk.messages[1:2] if stays else []
        assert (await talk.send()).status == 200
        before, after = (request.billed for request in server.requests[1:])
        assert (after.read == before.read + before.write_1h) is stays


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


@pytest.mark.parametrize("change", [{"tool_choice": {"type": "none"}}, {"cache_control": None}], ids=str)
async def test_a_request_that_reads_less_than_the_one_before_left_is_found(
    server: ClaudeStandIn, change: dict[str, Any]
) -> None:
    talk = await two_steps(server)
    talk.body |= change
    talk.body = {name: value for name, value in talk.body.items() if value is not None}
    assert Harsh.CACHE_MISSED.value in await talk.refusal()


async def test_results_of_the_services_own_tools_are_cached(server: ClaudeStandIn) -> None:
    server.script.say(reply(Fetch("https://a.example/", "word " * 4_000), "It says so."), "and on")
    talk = Talk(
        server, tools=[*TOOLS, {"name": "web_fetch", "type": "web_fetch_20260318", "allowed_callers": ["direct"]}]
    )
    await talk.say("fetch it")
    assert (await talk.say("and?")).billed.read > 4_000
