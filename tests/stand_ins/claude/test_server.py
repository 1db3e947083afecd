"""The stand-in for Claude, as the real SDK sees it: streams, tools, thinking, connections."""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from anthropic import APIConnectionError, AsyncAnthropic, BadRequestError, NotFoundError

from tests.stand_ins.claude import Asked, ClaudeStandIn, Hold, Reply, Script, Text, Thinking, ToolUse, reply
from tests.support.patience import PATIENCE

MODEL = "claude-sonnet-5-5"
SYSTEM: Any = [{"type": "text", "text": "You are the lead.", "cache_control": {"type": "ephemeral", "ttl": "1h"}}]
TOOLS: Any = [
    {"name": name, "description": name, "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}}}
    for name in ("list_dir", "read_file")
]


@pytest.fixture
async def server() -> AsyncIterator[ClaudeStandIn]:
    async with ClaudeStandIn() as running:
        yield running


@pytest.fixture
async def client(server: ClaudeStandIn) -> AsyncIterator[AsyncAnthropic]:
    async with AsyncAnthropic(base_url=server.base_url, api_key=server.api_key, max_retries=0) as made:
        yield made


async def ask(client: AsyncAnthropic, messages: list[Any], **more: Any) -> Any:
    """One streamed request, and its message."""
    body: dict[str, Any] = {"model": MODEL, "max_tokens": 16_000, "system": SYSTEM, "tools": TOOLS, **more}
    async with client.messages.stream(messages=messages, **body) as stream:
        return await stream.get_final_message()


def said(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def echo(message: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [block.to_dict() for block in message.content]}


def results(message: Any) -> dict[str, Any]:
    uses = [block for block in message.content if block.type == "tool_use"]
    return {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": use.id, "content": f"result of {use.name}"} for use in uses],
    }


async def test_without_a_script_it_says_what_it_heard(server: ClaudeStandIn, client: AsyncAnthropic) -> None:
    message = await ask(client, [said("hello")])
    assert message.content[0].text == "You said: hello"
    assert message.stop_reason == "end_turn"
    assert [request.billed.output for request in server.requests] == [message.usage.output_tokens]


async def test_without_a_stream_the_answer_is_the_same(server: ClaudeStandIn, client: AsyncAnthropic) -> None:
    server.script.say("Hello.", "Hello.")
    whole = await client.messages.create(model=MODEL, max_tokens=100, messages=[{"role": "user", "content": "hi"}])
    streamed = await ask(client, [said("hi")], system=[], tools=[])
    assert [block.to_dict() for block in whole.content] == echo(streamed)["content"]
    assert whole.usage.output_tokens == streamed.usage.output_tokens
    server.verify()


@pytest.mark.parametrize(("split", "together"), [(1, 1), (7, 1), (3, 5), (0, 4), (1000, 100)])
async def test_frames_may_be_cut_and_joined_anywhere(
    server: ClaudeStandIn, client: AsyncAnthropic, split: int, together: int
) -> None:
    server.split, server.together = split, together
    server.script.say(reply(Text("Grüße — 世界 🌍", 5), ToolUse("read_file", {"path": "ä 🌍"})))
    message = await ask(client, [said("hi")])
    assert message.content[0].text == "Grüße — 世界 🌍"
    assert message.content[1].input == {"path": "ä 🌍"}


async def test_a_conversation_with_tools_and_thinking_goes_on(server: ClaudeStandIn, client: AsyncAnthropic) -> None:
    server.script.say(
        reply(Thinking(), ToolUse("list_dir"), ToolUse("read_file", {"path": "a"})),
        reply(Thinking(), "I see.", Thinking(), ToolUse("read_file", {"path": "b"})),
        "Done.",
        "Again.",
    )
    messages: list[Any] = [said("look")]
    for _ in range(2):
        message = await ask(client, messages)
        assert message.stop_reason == "tool_use"
        messages += [echo(message), results(message)]
    message = await ask(client, messages)
    assert message.content[0].text == "Done."
    await ask(client, [*messages, echo(message), said("and now?")])
    server.verify()
    first, second, third, fourth = server.requests
    assert [second.extends, third.extends, fourth.extends] == [first, second, third]
    assert fourth.asked.turn_text == "and now?"
    assert second.asked.results == ["result of list_dir", "result of read_file"]


async def test_thinking_is_shown_only_if_asked_for(server: ClaudeStandIn, client: AsyncAnthropic) -> None:
    server.script.say(reply(Thinking("Hmm."), "Yes."), reply(Thinking("Hmm."), "Yes."))
    hidden = await ask(client, [said("hi")])
    shown = await ask(client, [said("hi")], thinking={"type": "adaptive", "display": "summarized"})
    assert [hidden.content[0].thinking, shown.content[0].thinking] == ["", "Hmm."]
    assert hidden.usage.output_tokens == shown.usage.output_tokens


async def test_a_rule_drives_a_conversation_of_its_own(server: ClaudeStandIn, client: AsyncAnthropic) -> None:
    def by_step(asked: Asked) -> Reply:
        return reply(ToolUse("read_file", {"path": "a"})) if asked.step < 2 else reply(f"After {asked.step}.")

    server.script.rule(by_step)
    messages: list[Any] = [said("look")]
    while (message := await ask(client, messages)).stop_reason == "tool_use":
        messages += [echo(message), results(message)]
    assert message.content[0].text == "After 2."


async def test_roles_have_scripts_of_their_own_in_any_order(server: ClaudeStandIn, client: AsyncAnthropic) -> None:
    server.script.say("I am the lead.", system="the lead")
    server.script.each(reply(ToolUse("list_dir")), "I am an analyst.", system="an analyst")
    analysts: list[list[Any]] = [[said("compare a")], [said("compare b")]]
    calls = await asyncio.gather(*(ask(client, one, system="You are an analyst.") for one in analysts))
    more = [[*one, echo(call), results(call)] for one, call in zip(analysts, calls, strict=True)]
    ends = await asyncio.gather(*(ask(client, one, system="You are an analyst.") for one in more))
    lead = await ask(client, [said("hi")])
    assert [end.content[0].text for end in [*ends, lead]] == [*["I am an analyst."] * 2, "I am the lead."]
    server.verify()


async def test_a_request_that_nobody_expected_is_found(server: ClaudeStandIn, client: AsyncAnthropic) -> None:
    server.script.say("One.")
    await ask(client, [said("hi")])
    await ask(client, [said("hi again")])
    with pytest.raises(AssertionError, match="not expected"):
        server.verify()


async def test_a_reply_can_be_held_and_seen_as_it_grows(server: ClaudeStandIn, client: AsyncAnthropic) -> None:
    go_on = asyncio.Event()
    server.script.say(reply("First.", Hold(go_on), "Second."))
    body: Any = {"model": MODEL, "max_tokens": 100, "messages": [said("hi")]}
    async with client.messages.stream(**body) as stream:
        texts = []
        async for text in stream.text_stream:
            texts.append(text)
            if "".join(texts) == "First.":
                assert server.answering == set(server.requests)
                go_on.set()
    assert "".join(texts) == "First.Second."


async def test_a_stop_closes_every_connection(server: ClaudeStandIn, client: AsyncAnthropic) -> None:
    never = asyncio.Event()
    server.script.each(reply("Begun.", Hold(never), "Never said."))
    asking = [asyncio.create_task(ask(client, [said(f"part {n}")])) for n in range(3)]
    await server.until(lambda: sum(request.streaming.is_set() for request in server.requests) == 3)
    for task in asking:
        task.cancel()
    await asyncio.gather(*asking, return_exceptions=True)
    async with asyncio.timeout(PATIENCE):
        await server.until(lambda: not server.answering and not server.open_connections)
    assert server.most_at_once == 3
    assert all(request.hung_up for request in server.requests)
    assert all(1 <= request.billed.output <= 3 and request.billed.prompt for request in server.requests)


async def test_a_head_can_be_held(server: ClaudeStandIn, client: AsyncAnthropic) -> None:
    go_on = asyncio.Event()
    server.script.say(reply("Now.", hold_head=go_on))
    asking = asyncio.create_task(ask(client, [said("hi")]))
    await server.until(lambda: bool(server.answering))
    assert not server.requests[0].streaming.is_set()
    go_on.set()
    assert (await asking).content[0].text == "Now."
    await server.requests[0].over.wait()


async def test_the_models_are_listed_and_described(client: AsyncAnthropic) -> None:
    listed = [model.id async for model in client.models.list()]
    assert {MODEL, "claude-haiku-5-5"} <= set(listed)
    model = await client.models.retrieve(MODEL)
    assert (model.lifecycle, model.max_input_tokens, model.max_tokens) == ("active", 1_000_000, 128_000)
    assert (await client.models.retrieve("claude-sonnet-4-5")).lifecycle == "deprecated"
    with pytest.raises(NotFoundError, match="model: claude-none"):
        await client.models.retrieve("claude-none")


async def test_tokens_are_counted_as_they_are_billed(server: ClaudeStandIn, client: AsyncAnthropic) -> None:
    body: Any = {"model": MODEL, "messages": [said("hi")], "system": SYSTEM, "tools": TOOLS}
    counted = await client.messages.count_tokens(**body)
    await client.messages.create(max_tokens=10, **body)
    assert counted.input_tokens == server.requests[0].billed.prompt


async def test_a_stream_has_its_request_id_and_its_limits(server: ClaudeStandIn, client: AsyncAnthropic) -> None:
    body: Any = {"model": MODEL, "max_tokens": 100, "messages": [said("hi")]}
    async with client.messages.stream(**body) as stream:
        await stream.until_done()
        assert stream.request_id == "req_000001"
        assert stream.response.headers["anthropic-ratelimit-requests-limit"] == "1000"


async def test_while_it_is_away_connections_are_refused(server: ClaudeStandIn, client: AsyncAnthropic) -> None:
    await ask(client, [said("hi")])
    async with server.away():
        with pytest.raises(APIConnectionError):
            await ask(client, [said("hi")])
    assert (await ask(client, [said("back")])).content[0].text == "You said: back"


async def test_unknown_fields_of_a_dump_are_found(server: ClaudeStandIn, client: AsyncAnthropic) -> None:
    server.script.say(reply("I see.", ToolUse("list_dir")))
    message = await ask(client, [said("hi")])
    dumped = {"role": "assistant", "content": [block.model_dump() for block in message.content]}
    with pytest.raises(BadRequestError, match="toolset_name: Extra inputs are not permitted"):
        await ask(client, [said("hi"), dumped, results(message)])


async def test_it_runs_by_hand_with_a_script(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('[{"replies": [{"text": "From a file.", "tools": [{"name": "look"}]}]}]')
    run = (sys.executable, "-m", "tests.stand_ins.claude", "--key", "k", "--script", str(script))
    process = await asyncio.create_subprocess_exec(*run, stdout=asyncio.subprocess.PIPE)
    assert process.stdout
    try:
        base_url = (await process.stdout.readline()).decode().strip()
        async with AsyncAnthropic(base_url=base_url, api_key="k", max_retries=0) as client:
            message = await ask(client, [said("hi")])
    finally:
        process.terminate()
        await process.wait()
    assert [block.type for block in message.content] == ["text", "tool_use"]


def test_a_script_with_a_misspelt_key_is_refused() -> None:
    with pytest.raises(ValueError, match="a reply has no txet; it has"):
        Script().read([{"replies": [{"txet": "hi"}]}])
