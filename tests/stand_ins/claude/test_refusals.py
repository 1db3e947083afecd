"""What the stand-in refuses: each rule broken by hand-made JSON, alone, over the socket."""

from typing import Any

import pytest

from tests.stand_ins.bodies import (
    CALLED,
    DEFERRED,
    EPHEMERAL,
    HI,
    HOUR,
    MODEL,
    NODE,
    OK,
    SERVED,
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

CASES: list[tuple[str, dict[str, Any], str]] = [
    ("3 no model", {"model": ...}, "model: Field required"),
    ("3 no max_tokens", {"max_tokens": ...}, "max_tokens: Field required"),
    ("3 no messages", {"messages": ...}, "messages: Field required"),
    ("3 max_tokens of another type", {"max_tokens": "9"}, "max_tokens: Input should be a valid integer"),
    ("4 top-level field", {"mood": "good"}, "mood: Extra inputs are not permitted"),
    ("4 field of a message", says({**HI, "timestamp": 1}), "messages.0.timestamp: Extra inputs are not permitted"),
    ("4 field of a block", says(user(text("a", _meta=1))), "messages.0.content.0.text._meta: Extra inputs are not"),
    ("4 field of a system block", {"system": [text("a", id=1)]}, "system.0.text.id: Extra inputs are not permitted"),
    ("4 field of a tool", tools({"parameters": {}}), "tools.0.custom.parameters: Extra inputs are not permitted"),
    ("4 field of metadata", {"metadata": {"chat": "1"}}, "metadata.chat: Extra inputs are not permitted"),
    ("4 unknown block", says(user({"type": "poem"})), "messages.0.content.0: Input tag 'poem' found using 'type'"),
    ("5 temperature", {"temperature": 1}, "temperature: this parameter was removed"),
    ("5 top_p", {"top_p": 1}, "top_p: this parameter was removed"),
    ("5 top_k", {"top_k": 1}, "top_k: this parameter was removed"),
    ("7 compaction", {"compaction": {"type": "summarize"}}, "compaction: Extra inputs are not permitted"),
    ("7 context_management", {"context_management": {}}, "context_management: Extra inputs are not permitted"),
    ("7 task_budget", {"output_config": {"task_budget": {}}}, "output_config.task_budget: Extra inputs are not"),
    (
        "7 block_binding",
        {"thinking": {"type": "adaptive", "block_binding": {}}},
        "thinking.block_binding: Extra inputs are not permitted",
    ),
    ("7 display", {"thinking": {"type": "adaptive", "display": "updates"}}, "thinking.display: Input should be"),
    ("7 clear_at", says(HI, {**harness(), "clear_at": "next_user_message"}), "messages.1.clear_at: Extra inputs"),
    (
        "8 max_tokens",
        {"max_tokens": 128_001, "stream": True},
        f"max_tokens: 128001 > 128000, which is the maximum allowed number of output tokens for {MODEL}",
    ),
    ("8 no tokens, streamed", {"max_tokens": 0, "stream": True}, "max_tokens: 0 is not allowed"),
    ("9 window", says({"role": "user", "content": "x" * 3_600_000}), "tokens > 1000000 maximum"),
    ("10 address", {"metadata": {"user_id": "ann@example.org"}}, f"harsh: {Harsh.USER_ID.value}"),
    ("10 telephone", {"metadata": {"user_id": "+43 660 1234567"}}, f"harsh: {Harsh.USER_ID.value}"),
    ("10 long", {"metadata": {"user_id": "x" * 257}}, "metadata.user_id: String should have at most 256"),
    ("11 unstreamed", {"max_tokens": 21_334}, f"harsh: {Harsh.UNSTREAMED.value}"),
    ("12 none", says(), "messages: at least one message is required"),
    ("12 first", says(OK, HI), "messages.0: "),
    ("13 role", says({"role": "tool", "content": "x"}), "messages.0.role: Input should be"),
    ("14 results split", says(*CALLED, user(result("a")), user(result("b")), **tools({})), Harsh.SPLIT_RESULTS.value),
    ("14 two replies", says(HI, OK, OK, HI), f"harsh: {Harsh.NEIGHBOURS.value}"),
    ("15 empty", says(HI, assistant(), HI), "messages.1: all messages must have non-empty content except for the"),
    ("16 empty text", says(user(text(""))), "messages: text content blocks must be non-empty"),
    ("17 blank text", says(user(text(" \n"))), "messages: text content blocks must contain non-whitespace text"),
    ("18 prefill", says(HI, OK), "This model does not support assistant message prefill. The conversation must end"),
    (
        "19 model",
        says(HI, harness(), model="claude-sonnet-5"),
        "role 'system' is not supported on this model",
    ),
    ("19 first", says(harness(), HI), "messages.0: "),
    ("19 after a reply", says(HI, OK, harness()), "messages.2: role 'system' must follow"),
    (
        "19 before the user",
        says(HI, harness(), HI),
        "messages.1: role 'system' must precede an 'assistant' message or end the array",
    ),
    ("19 text only", says(HI, {"role": "system", "content": [{"type": "image", "source": {}}]}), "only text"),
    ("20 document", says(HI, assistant({"type": "document", "source": {}}), HI), "`document` blocks are not allowed"),
    ("20 citations", says(user(text("a", citations=[{"type": "x"}]))), "citations are not allowed"),
    ("21 NUL", says(user(text("a\0b"))), "The request body is not valid JSON: str should not contain NUL"),
    ("22 too many", says(*[HI] * 100_001), "messages: at most 100000"),
    (
        "23 unanswered",
        says(*CALLED, HI, **tools({})),
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a, b. Each `tool_use`"
        " block must have a corresponding `tool_result` block in the next message.",
    ),
    ("23 one is missing", says(*CALLED, user(result("a")), **tools({})), "immediately after: b. Each"),
    ("23 text first", says(*CALLED, user(text("x"), result("a"), result("b")), **tools({})), "immediately after: a, b"),
    (
        "24 unasked",
        says(HI, OK, user(result("z")), **tools({})),
        "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: z. Each `tool_result` block"
        " must have a corresponding `tool_use` block in the previous message.",
    ),
    (
        "25 one id twice",
        says(HI, assistant(call("a"), call("a")), user(result("a")), **tools({})),
        "messages.1.content.1: `tool_use` ids must be unique",
    ),
    (
        "26 two results",
        says(*CALLED, user(result("a"), result("b"), result("a")), **tools({})),
        "each tool_use must have a single result. Found multiple `tool_result` blocks with id: a",
    ),
    ("27 names", tools({}, {}), "tools: Tool names must be unique."),
    ("27 name", tools({"name": "look at"}), "tools.0.custom.name: String should match pattern"),
    ("27 description", tools({"description": 1}), "tools.0.custom.description: Input should be a valid string"),
    ("27 no schema", tools({"input_schema": None}), "tools.0.custom.input_schema: Field required"),
    ("27 schema", tools({"input_schema": {"type": "array"}}), "tools.0.custom.input_schema.type: Input should be"),
    (
        "28 input",
        says(HI, assistant(call("a", input=[1])), user(result("a")), **tools({})),
        "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
    ),
    (
        "29 any",
        {**tools({}), "tool_choice": {"type": "any"}},
        'tool_choice: type "tool" and "any" are not supported for this model.',
    ),
    (
        "29 tool",
        {**tools({}), "tool_choice": {"type": "tool", "name": "look"}},
        'tool_choice: type "tool" and "any" are not supported for this model.',
    ),
    (
        "29 no such tool",
        {**tools({}), "model": "claude-haiku-5-5", "tool_choice": {"type": "tool", "name": "leap"}},
        "tool_choice: Tool 'leap' not found in provided tools",
    ),
    ("29 no tools", {"tool_choice": {"type": "none"}}, "tool_choice: tool_choice may only be specified while"),
    ("30 tools gone", says(HI, assistant(call("a")), user(result("a"))), f"harsh: {Harsh.NO_TOOLS.value}"),
    ("31 deferred", tools(DEFERRED), "At least one tool must have defer_loading=false. All tools cannot be deferred."),
    (
        "32 a server's tool",
        says(HI, assistant(SERVED), HI),
        "`web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block",
    ),
    ("33 open", formatted({"type": "object"}), "'additionalProperties' must be explicitly set to false"),
    ("33 open tool", tools({"strict": True}), "tools.0.custom.input_schema: For 'object' type, 'additionalProperties'"),
    (
        "33 bounds",
        formatted(schema(properties={"n": {"type": "integer", "minimum": 1}})),
        "For 'integer' type, property 'minimum' is not supported",
    ),
    (
        "33 too many optional",
        formatted(schema(properties={f"f{n}": {"type": "null"} for n in range(25)})),
        "Schemas contain too many optional parameters (25; at most 24)",
    ),
    (
        "33 too many unions",
        formatted(schema(properties={f"f{n}": {"anyOf": [{"type": "null"}]} for n in range(17)})),
        "Schemas contain too many parameters with union types (17; at most 16)",
    ),
    (
        "33 recursion",
        formatted({**schema(properties={"next": NODE}), "$defs": {"node": schema(properties={"next": NODE})}}),
        "Recursive schemas are not supported",
    ),
    ("34 disabled", {"thinking": {"type": "disabled"}}, 'thinking: type "disabled" is not supported for this model.'),
    (
        "34 enabled",
        {"thinking": {"type": "enabled", "budget_tokens": 2000}},
        'thinking: type "enabled" is not supported for this model.',
    ),
    (
        "34 between_tools and more",
        {"thinking": {"type": "between_tools", "display": "omitted"}},
        "thinking.between_tools.display: Extra inputs are not permitted",
    ),
    ("34 unknown", {"thinking": {"type": "deep"}}, "thinking: Input tag 'deep' found using 'type'"),
    ("35 effort", {"output_config": {"effort": "huge"}}, "output_config.effort: Input should be"),
    (
        "35 effort without thinking",
        {"model": "claude-haiku-5-5", "thinking": {"type": "disabled"}, "output_config": {"effort": "xhigh"}},
        "output_config.effort 'xhigh' is not supported when thinking is disabled on this model. Use effort 'high' or"
        " below, or enable thinking.",
    ),
    (
        "36 forged",
        says(HI, assistant({"type": "thinking", "thinking": "", "signature": "abc"}), HI),
        "messages.1.content.0: Invalid `signature` in `thinking` block",
    ),
    (
        "39 five marks",
        {
            "system": [text(word, cache_control=EPHEMERAL) for word in "abcd"],
            "cache_control": EPHEMERAL,
        },
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    (
        "40 on empty text",
        says(user(text("", cache_control=EPHEMERAL))),
        "messages.0.content.0.text: cache_control cannot be set for empty text blocks",
    ),
    (
        "40 on thinking",
        says(HI, assistant({"type": "thinking", "thinking": "", "signature": "", "cache_control": EPHEMERAL}), HI),
        "messages.1.content.0.thinking.cache_control",
    ),
    ("40 on a deferred tool", tools({}, {**DEFERRED, "name": "b", "cache_control": EPHEMERAL}), "defer_loading=true"),
    (
        "41 5m before 1h",
        {"system": [text("a", cache_control=EPHEMERAL), text("b", cache_control=HOUR)]},
        "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block",
    ),
    ("41 automatic", says(user(text("a", cache_control=HOUR)), cache_control=EPHEMERAL), "with another ttl"),
    ("uncached", {"system": "x" * 2000}, f"harsh: {Harsh.UNCACHED.value}"),
    ("clock in the system prompt", {"system": "It is 14:05."}, f"harsh: {Harsh.VOLATILE.value}: a clock time, '14:05'"),
    ("date in the system prompt", {"system": "Since 2026-11-22T14:05Z"}, "a date with its time"),
    ("UUID in the system prompt", {"system": "123e4567-e89b-12d3-a456-426614174000"}, "a UUID"),
    ("nulls", says(user(text("a", citations=None))), f"harsh: {Harsh.NULLS.value}: messages.0.content.0.citations"),
]


@pytest.mark.parametrize(("changes", "message"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
async def test_a_broken_rule_is_refused(changes: dict[str, Any], message: str) -> None:
    async with ClaudeStandIn() as server:
        answer = await send(server, body(**changes))
    error = answer.json["error"]
    assert (answer.status, error["type"]) == (400, "invalid_request_error")
    assert message in error["message"]
    assert answer.json["request_id"] == answer.headers["request-id"]
    assert server.requests == []
    assert [refusal.message for refusal in server.refused] == [error["message"]]
