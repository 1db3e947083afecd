"""The fault menu, as the real SDK meets it without retries of its own."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import anthropic
import httpx2
import pytest
from anthropic import AsyncAnthropic

from tests.stand_ins.claude import ClaudeStandIn, Fault, Text, Thinking, ToolUse, reply
from tests.stand_ins.claude.faults import ANSWERS
from tests.support.patience import PATIENCE

MODEL = "claude-sonnet-5-5"
TOOLS: Any = [{"name": "read_file", "description": "Read.", "input_schema": {"type": "object"}}]
BODY: Any = {"model": MODEL, "max_tokens": 1000, "tools": TOOLS, "messages": [{"role": "user", "content": "hi"}]}
CALL = reply(Thinking(), "Let me look.", ToolUse("read_file", {"path": "a"}))


@pytest.fixture
async def server() -> AsyncIterator[ClaudeStandIn]:
    async with ClaudeStandIn() as running:
        yield running


@pytest.fixture
async def client(server: ClaudeStandIn) -> AsyncIterator[AsyncAnthropic]:
    async with AsyncAnthropic(base_url=server.base_url, api_key=server.api_key, max_retries=0) as made:
        yield made


async def ask(client: AsyncAnthropic) -> Any:
    async with client.messages.stream(**BODY) as stream:
        return await stream.get_final_message()


ERRORS: dict[Fault, tuple[int, type[anthropic.APIStatusError]]] = {
    Fault.BAD_REQUEST: (400, anthropic.BadRequestError),
    Fault.BAD_REQUEST_RETRYABLE: (400, anthropic.BadRequestError),
    Fault.PROMPT_TOO_LONG: (400, anthropic.BadRequestError),
    Fault.UNAUTHORIZED: (401, anthropic.AuthenticationError),
    Fault.PAYMENT_REQUIRED: (402, anthropic.APIStatusError),
    Fault.CREDIT_TOO_LOW: (400, anthropic.BadRequestError),
    Fault.FORBIDDEN: (403, anthropic.PermissionDeniedError),
    Fault.NO_SUCH_MODEL: (404, anthropic.NotFoundError),
    Fault.TIMED_OUT: (408, anthropic.APIStatusError),
    Fault.CONFLICT: (409, anthropic.ConflictError),
    Fault.TOO_LARGE: (413, anthropic.APIStatusError),
    Fault.RATE_LIMITED: (429, anthropic.RateLimitError),
    Fault.RATE_LIMITED_MILLISECONDS: (429, anthropic.RateLimitError),
    Fault.RATE_LIMITED_WITHOUT_HEADER: (429, anthropic.RateLimitError),
    Fault.RATE_LIMITED_FOR_AN_HOUR: (429, anthropic.RateLimitError),
    Fault.RATE_LIMITED_FOR_GOOD: (429, anthropic.RateLimitError),
    Fault.SPEND_LIMIT: (429, anthropic.RateLimitError),
    Fault.CONTRACT_SPEND_LIMIT: (429, anthropic.RateLimitError),
    Fault.LINKED_SPEND_LIMIT: (429, anthropic.RateLimitError),
    Fault.RAMP_LIMIT: (429, anthropic.RateLimitError),
    Fault.API_ERROR: (500, anthropic.InternalServerError),
    Fault.UNAVAILABLE: (503, anthropic.InternalServerError),
    Fault.GATEWAY_TIMEOUT: (504, anthropic.InternalServerError),
    Fault.OVERLOADED: (529, anthropic.InternalServerError),
}


@pytest.mark.parametrize("fault", list(ERRORS), ids=str)
async def test_an_error_answer(server: ClaudeStandIn, client: AsyncAnthropic, fault: Fault) -> None:
    status, kind = ERRORS[fault]
    server.faults.append(fault)
    server.script.say("Hello.")
    with pytest.raises(kind) as raised:
        await ask(client)
    assert raised.value.status_code == server.requests[0].status == status
    assert raised.value.request_id == "req_000001"
    assert server.billed.prompt == 0
    # The reply was not lost: a client that asks again gets it.
    assert (await ask(client)).content[0].text == "Hello."
    server.verify()


def test_every_error_answer_of_the_menu_is_shown() -> None:
    assert set(ERRORS) == set(ANSWERS)


async def test_a_rate_limit_has_its_headers_and_type(server: ClaudeStandIn, client: AsyncAnthropic) -> None:
    named = {
        Fault.RATE_LIMITED: ("retry-after", "1"),
        Fault.RATE_LIMITED_MILLISECONDS: ("retry-after-ms", "200"),
        Fault.RATE_LIMITED_FOR_AN_HOUR: ("retry-after", "3600"),
        Fault.RATE_LIMITED_FOR_GOOD: ("x-should-retry", "false"),
    }
    for fault, (name, value) in named.items():
        server.faults.append(fault)
        with pytest.raises(anthropic.RateLimitError) as raised:
            await ask(client)
        assert raised.value.response.headers[name] == value
        assert raised.value.type == "rate_limit_error"


async def test_a_spend_limit_has_its_code_and_no_time(server: ClaudeStandIn, client: AsyncAnthropic) -> None:
    codes = []
    for fault in (Fault.SPEND_LIMIT, Fault.CONTRACT_SPEND_LIMIT, Fault.LINKED_SPEND_LIMIT, Fault.RAMP_LIMIT):
        server.faults.append(fault)
        with pytest.raises(anthropic.RateLimitError) as raised:
            await ask(client)
        assert "retry-after" not in raised.value.response.headers
        codes.append(raised.value.error_code)
    limits = [f"{whose}_spend_limit_reached" for whose in ("enforced", "contract", "linked_organization")]
    assert codes == [*limits, "ramp_limit_exceeded"]


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault.STREAM_OVERLOADED, "overloaded_error"),
        (Fault.STREAM_RATE_LIMIT, "rate_limit_error"),
        (Fault.STREAM_API_ERROR, "api_error"),
    ],
)
async def test_an_error_within_a_stream(server: ClaudeStandIn, client: AsyncAnthropic, fault: Fault, kind: str) -> None:
    server.faults.append(fault)
    with pytest.raises(anthropic.APIStatusError) as raised:
        await ask(client)
    assert (raised.value.status_code, raised.value.type) == (200, kind)
    assert 1 <= server.requests[0].billed.output < 10  # what had been written is billed


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault.CUT_AFTER_DELTA, httpx2.RemoteProtocolError),
        (Fault.NO_TERMINATOR, httpx2.RemoteProtocolError),
        (Fault.RESET_AFTER_DELTA, httpx2.ReadError),
        (Fault.RESET_BEFORE_HEAD, anthropic.APIConnectionError),
        (Fault.INDEX_GAP, IndexError),
        (Fault.INVALID_TOOL_JSON, ValueError),
    ],
)
async def test_a_broken_stream(
    server: ClaudeStandIn, client: AsyncAnthropic, fault: Fault, error: type[Exception]
) -> None:
    server.faults.append(fault)
    with pytest.raises(error):
        await ask(client)
    assert (await ask(client)).stop_reason == "end_turn"


@pytest.mark.parametrize("fault", [Fault.END_AFTER_DELTA, Fault.END_IN_TOOL_JSON])
async def test_a_clean_end_too_soon(server: ClaudeStandIn, client: AsyncAnthropic, fault: Fault) -> None:
    server.script.say(CALL)
    server.faults.append(fault)
    message = await ask(client)
    assert message.stop_reason is None
    assert message.content[-1].type == ("text" if fault is Fault.END_AFTER_DELTA else "tool_use")
    assert (await ask(client)).stop_reason == "tool_use"
    server.verify()


async def test_an_end_before_the_stop(server: ClaudeStandIn, client: AsyncAnthropic) -> None:
    server.faults.append(Fault.END_BEFORE_MESSAGE_STOP)
    async with client.messages.stream(**BODY) as stream:
        types = [event.type async for event in stream]
    assert types[-1] == "message_delta"


async def test_frames_without_their_names(server: ClaudeStandIn, client: AsyncAnthropic) -> None:
    server.faults.append(Fault.UNNAMED_FRAMES)
    with pytest.raises(AssertionError):
        await ask(client)


@pytest.mark.parametrize("fault", [Fault.STALL_BEFORE_HEAD, Fault.STALL, Fault.STALL_WITH_PINGS])
async def test_a_stall_lasts_until_the_client_gives_up(
    server: ClaudeStandIn, client: AsyncAnthropic, fault: Fault
) -> None:
    server.faults.append(fault)
    asking = asyncio.create_task(ask(client))
    await server.until(lambda: bool(server.requests))
    if fault is not Fault.STALL_BEFORE_HEAD:
        await server.requests[0].streaming.wait()
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    assert asking.cancelled()
    async with asyncio.timeout(PATIENCE):
        await server.until(lambda: not server.answering and not server.open_connections)
    assert server.requests[0].hung_up
    assert bool(server.billed.prompt) is (fault is not Fault.STALL_BEFORE_HEAD)


async def test_pings_outlive_a_read_timeout_and_silence_does_not(server: ClaudeStandIn, client: AsyncAnthropic) -> None:
    impatient = client.with_options(timeout=0.3)
    server.faults.append(Fault.STALL, Fault.STALL_BEFORE_HEAD, Fault.STALL_WITH_PINGS)
    with pytest.raises(httpx2.ReadTimeout):
        await ask(impatient)
    with pytest.raises(anthropic.APITimeoutError):
        await ask(impatient)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.8):
            await ask(impatient)


@pytest.mark.parametrize(
    ("fault", "stop", "value"),
    [
        (Fault.TRUNCATED_TOOL_JSON, "max_tokens", {"path": "/tmp/a", "mode": "w"}),
        (Fault.TWO_JSON_VALUES, "tool_use", {"a": 1}),
        (Fault.ARRAY_INPUT, "tool_use", [1, 2]),
        (Fault.WRONG_INPUT, "tool_use", {"no_such_argument": [1]}),
    ],
)
async def test_a_call_that_must_not_be_run(
    server: ClaudeStandIn, client: AsyncAnthropic, fault: Fault, stop: str, value: Any
) -> None:
    server.script.say(CALL)
    server.faults.append(fault)
    message = await ask(client)
    assert (message.stop_reason, message.content[-1].input) == (stop, value)


async def test_a_tool_that_is_not_there(server: ClaudeStandIn, client: AsyncAnthropic) -> None:
    server.faults.append(Fault.UNKNOWN_TOOL, Fault.WRONG_CASE_TOOL)
    assert [(await ask(client)).content[-1].name for _ in range(2)] == ["no_such_tool", "Read_File"]


@pytest.mark.parametrize(
    ("fault", "stop", "types"),
    [
        (Fault.EMPTY, "end_turn", []),
        (Fault.THINKING_ONLY, "end_turn", ["thinking"]),
        (Fault.MAX_TOKENS, "max_tokens", ["text"]),
        (Fault.MAX_TOKENS_IN_THINKING, "max_tokens", ["thinking"]),
        (Fault.REFUSAL, "refusal", []),
        (Fault.REFUSAL_AFTER_TEXT, "refusal", ["text"]),
        (Fault.WINDOW_EXCEEDED, "model_context_window_exceeded", ["text"]),
        (Fault.PAUSE_TURN, "pause_turn", ["text"]),
        (Fault.UNKNOWN_STOP_REASON, "enlightened", ["thinking", "text", "tool_use"]),
        (Fault.UNKNOWN_BLOCK, "tool_use", ["thinking", "text", "tool_use", "hologram"]),
    ],
)
async def test_an_odd_end(
    server: ClaudeStandIn, client: AsyncAnthropic, fault: Fault, stop: str, types: list[str]
) -> None:
    server.script.say(CALL)
    server.faults.append(fault)
    message = await ask(client)
    assert message.stop_reason == stop
    assert [block.type for block in message.content] == types
    assert (message.stop_details is not None) is (stop == "refusal")


async def test_an_unknown_block_may_come_back(server: ClaudeStandIn, client: AsyncAnthropic) -> None:
    server.faults.append(Fault.UNKNOWN_BLOCK)
    content = [block.to_dict() for block in (await ask(client)).content]
    more: Any = [*BODY["messages"], {"role": "assistant", "content": content}, {"role": "user", "content": "and?"}]
    async with client.messages.stream(**{**BODY, "messages": more}) as stream:
        assert await stream.get_final_text() == "You said: and?"


@pytest.mark.parametrize("fault", [Fault.UNKNOWN_EVENT, Fault.UNKNOWN_DELTA, Fault.DUPLICATE_MESSAGE_DELTA], ids=str)
async def test_unknown_events_may_be_skipped(server: ClaudeStandIn, client: AsyncAnthropic, fault: Fault) -> None:
    server.script.say(reply(Text("Hello.", 2)))
    server.faults.append(fault)
    assert (await ask(client)).content[0].text == "Hello."


async def test_a_ping_before_the_start(server: ClaudeStandIn, client: AsyncAnthropic) -> None:
    server.faults.append(Fault.EARLY_PING)
    assert (await ask(client)).stop_reason == "end_turn"


async def test_faults_by_number_by_rule_and_for_good(server: ClaudeStandIn, client: AsyncAnthropic) -> None:
    async def status() -> int:
        try:
            await ask(client)
        except anthropic.APIStatusError as error:
            return error.status_code
        return 200

    server.faults.append(None, Fault.UNAVAILABLE)
    server.faults.at(4, Fault.CONFLICT)
    assert [await status() for _ in range(5)] == [200, 503, 200, 409, 200]
    server.faults.when(lambda asked: asked.system == "other", Fault.FORBIDDEN)
    server.faults.always(Fault.OVERLOADED)
    assert [await status() for _ in range(3)] == [529] * 3
    server.faults.always(None)
    assert await status() == 200
    assert [request.fault for request in server.requests[:4]] == ["", "unavailable", "", "conflict"]
