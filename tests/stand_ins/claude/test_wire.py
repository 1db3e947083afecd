"""The stand-in by plain HTTP: keys, headers, bodies, what it takes without a word, and its golden stream."""

from typing import Any

import pytest

from tests.stand_ins.bodies import (
    CALLED,
    HI,
    OK,
    assistant,
    body,
    call,
    formatted,
    harness,
    result,
    says,
    schema,
    text,
    tools,
    user,
)
from tests.stand_ins.claude import ClaudeStandIn, Harsh
from tests.stand_ins.raw import send

EFFORT = {"anthropic-beta": "mid-conversation-output-config-2026-07-01"}


def sets(config: dict[str, Any]) -> dict[str, Any]:
    """A message of the system that sets what it sets, and says nothing."""
    spoken: dict[str, Any] = {"role": "system", "content": [], "output_config": config}
    return {"messages": [{"role": "user", "content": "hello"}, spoken]}


BETA = [
    ("6 unknown", {"anthropic-beta": "time-travel-2030-01-01"}, {}, "Unexpected value(s) `time-travel-2030-01-01` for"),
    (
        "42 small budget",
        {"anthropic-beta": "task-budgets-2026-03-13"},
        {"output_config": {"task_budget": {"type": "tokens", "total": 19_999}}},
        "output_config.task_budget.total: Input should be greater than or equal to 20000",
    ),
    (
        "42 no budget there",
        {"anthropic-beta": "task-budgets-2026-03-13"},
        {"model": "claude-sonnet-5", "output_config": {"task_budget": {"type": "tokens", "total": 20_000}}},
        "task budgets are not supported on this model",
    ),
    (
        "43 nothing to summarise",
        {"anthropic-beta": "compact-2026-09-04"},
        {"compaction": {"type": "summarize"}},
        "there is nothing to summarize",
    ),
    (
        "43 stop sequences",
        {"anthropic-beta": "compact-2026-09-04"},
        {"compaction": {"type": "summarize"}, "stop_sequences": ["x"]},
        "stop_sequences cannot be used together with compaction",
    ),
    ("35 spoken effort", EFFORT, sets(config={"effort": "huge"}), "messages.1.output_config.effort: Input should be"),
    ("35 spoken format", EFFORT, sets(config={"format": {}}), "messages.1.output_config.format: Extra inputs"),
    ("35 nothing spoken", EFFORT, sets(config={}), "messages.1.content: a system message needs content or"),
    (
        "35 spoken between tools",
        EFFORT,
        {**sets(config={"effort": "low"}), "thinking": {"type": "between_tools"}},
        'messages.1.output_config: not supported with thinking type "between_tools"',
    ),
    ("7 spoken without its header", {}, sets(config={"effort": "low"}), "messages.1.output_config: Extra inputs"),
    ("1 no version", {"anthropic-version": ""}, {}, "anthropic-version: header is required"),
    ("content type", {"content-type": "text/plain"}, {}, "content-type"),
]


@pytest.mark.parametrize(("headers", "changes", "message"), [case[1:] for case in BETA], ids=[case[0] for case in BETA])
async def test_a_header_decides(headers: dict[str, str], changes: dict[str, Any], message: str) -> None:
    async with ClaudeStandIn() as server:
        answer = await send(server, body(**changes), headers=headers)
    assert answer.status == 400
    assert message in answer.json["error"]["message"]


@pytest.mark.parametrize(
    "key", [{"authorization": ""}, {"authorization": "Bearer other"}, {"x-api-key": "", "authorization": "x"}]
)
async def test_a_wrong_key_is_refused(key: dict[str, str]) -> None:
    async with ClaudeStandIn() as server:
        answer = await send(server, body(), headers=key)
    assert answer.status == 401
    assert answer.json["error"] == {"type": "authentication_error", "message": "invalid x-api-key"}


async def test_the_old_header_for_the_key_is_taken() -> None:
    async with ClaudeStandIn() as server:
        answer = await send(server, body(), headers={"authorization": "", "x-api-key": server.api_key})
    assert answer.status == 200


async def test_an_unknown_model_and_an_unknown_path_are_not_found() -> None:
    async with ClaudeStandIn() as server:
        model = await send(server, body(model="claude-none"))
        path = await send(server, method="GET", path="/v1/nowhere")
    assert (model.status, model.json["error"]) == (404, {"type": "not_found_error", "message": "model: claude-none"})
    assert (path.status, path.json["error"]["type"]) == (404, "not_found_error")


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b'{"a": NaN}', b"\xff", rb'{"model": "\ud800", "max_tokens": 1, "messages": []}'],
    ids=["empty", "cut", "a list", "NaN", "not UTF-8", "lone surrogate"],
)
async def test_a_body_that_is_not_json_is_refused(data: bytes) -> None:
    async with ClaudeStandIn() as server:
        answer = await send(server, data)
    assert (answer.status, answer.json["error"]["type"]) == (400, "invalid_request_error")


async def test_a_body_over_32_megabytes_is_too_large() -> None:
    async with ClaudeStandIn() as server:
        answer = await send(server, b" " * (32 * 1024 * 1024 + 1))
    assert (answer.status, answer.json["error"]["type"]) == (413, "request_too_large")


LENIENT = [
    ("user neighbours", says(HI, HI, OK, HI)),
    ("harness after results", says(*CALLED, user(result("a"), result("b")), harness(), **tools({}))),
    ("an interjection after the results", says(*CALLED, user(result("b"), result("a"), text("wait")), **tools({}))),
    ("no tool may be called", {**tools({}), "tool_choice": {"type": "none"}}),
    ("forced on haiku", {**tools({}), "model": "claude-haiku-5-5", "tool_choice": {"type": "any"}}),
    ("disabled on haiku", {"model": "claude-haiku-5-5", "thinking": {"type": "disabled"}}),
    ("prefill on an old model", {**says(HI, OK), "model": "claude-haiku-4-5"}),
    ("a warm-up", {"max_tokens": 0}),
    ("a closed schema", formatted(schema(properties={"minimum": {"type": "integer"}}))),
    ("source code that speaks of NUL", says(user(text("\\u0000")))),
    ("an empty result", says(HI, assistant(call("a")), user(result("a", content="")), **tools({}))),
]


@pytest.mark.parametrize("changes", [case[1] for case in LENIENT], ids=[case[0] for case in LENIENT])
async def test_requests_that_the_service_takes_are_taken(changes: dict[str, Any]) -> None:
    async with ClaudeStandIn() as server:
        answer = await send(server, body(**changes))
    assert answer.status == 200, answer.body


async def test_a_harsh_rule_can_be_left_out() -> None:
    async with ClaudeStandIn(lenient={Harsh.USER_ID}) as server:
        answer = await send(server, body(metadata={"user_id": "ann@example.org"}))
    assert answer.status == 200


async def test_the_golden_stream() -> None:
    async with ClaudeStandIn() as server:
        answer = await send(server, body(stream=True))
    frames = answer.body.decode().split("\n\n")
    assert frames.pop() == ""
    assert [frame.split("\n")[0] for frame in frames] == [
        "event: message_start",
        "event: content_block_start",
        "event: ping",
        "event: content_block_delta",
        "event: content_block_delta",
        "event: content_block_stop",
        "event: message_delta",
        "event: message_stop",
    ]
    assert all(frame.count("\n") == 1 and frame.split("\n")[1].startswith("data: {") for frame in frames)
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
