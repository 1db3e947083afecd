"""What the stand-in refuses of the service's own tools, and of what is no text: each rule broken alone."""

from base64 import b64encode
from typing import Any

import pytest

from tests.stand_ins.bodies import CALLED, HI, OK, SERVED, assistant, body, result, says, text, tools, user
from tests.stand_ins.claude import Cited, ClaudeStandIn, Fetch, Harsh, Page, Search, ToolUse, reply
from tests.stand_ins.raw import send
from tests.support.sample_media import jpeg, pdf, png

SEARCH = {"type": "web_search_20260318", "name": "web_search", "allowed_callers": ["direct"]}
FETCH = {"type": "web_fetch_20260318", "name": "web_fetch"}
ERROR = {"type": "web_search_tool_result_error", "error_code": "unavailable"}
PAGE = Page("https://a.example/", "A", "words")


def found(content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "web_search_tool_result", "tool_use_id": SERVED["id"], "content": content, **more}


def fetched(content: Any) -> dict[str, Any]:
    use = {**SERVED, "name": "web_fetch", "input": {"url": "https://a.example/"}}
    return assistant(use, {"type": "web_fetch_tool_result", "tool_use_id": use["id"], "content": content})


def served(**changes: Any) -> dict[str, Any]:
    return {"tools": [{**SEARCH, **changes}]}


def picture(**changes: Any) -> dict[str, Any]:
    source = {"type": "base64", "media_type": "image/png", "data": b64encode(png()).decode(), **changes}
    return {"type": "image", "source": source}


def of_pdf(data: bytes, **changes: Any) -> dict[str, Any]:
    source = {"type": "base64", "media_type": "application/pdf", "data": b64encode(data).decode(), **changes}
    return {"type": "document", "source": source}


LARGE = b64encode(png(padding=4 * 2**20)).decode()
ANSWERED = (HI, assistant(SERVED, found(ERROR)), HI)
CASES: list[tuple[str, dict[str, Any], str]] = [
    ("version", served(type="web_search_20240101"), "tools.0: Input tag 'web_search_20240101' found using 'type'"),
    ("field", served(max_pages=3), "tools.0.web_search_20260318.max_pages: Extra inputs are not permitted"),
    ("field of another tool", served(max_content_tokens=3), "max_content_tokens: Extra inputs are not permitted"),
    ("no uses", served(max_uses=0), "tools.0.web_search_20260318.max_uses: Input should be greater than 0"),
    ("callers", served(allowed_callers=["anybody"]), "allowed_callers: Input should be"),
    ("both lists", served(allowed_domains=["a"], blocked_domains=["b"]), "only one of allowed_domains and"),
    ("by code", {"model": "claude-haiku-4-5", "tools": [FETCH]}, "does not support programmatic tool calling"),
    ("id", says(HI, assistant({**SERVED, "id": "toolu_1"}), HI), "server_tool_use.id: String should match pattern"),
    ("input", says(HI, assistant({**SERVED, "input": "x"}), HI), "server_tool_use.input: Input should be a valid"),
    ("no result", says(HI, assistant(SERVED), HI), "was found without a corresponding `web_search_tool_result` block"),
    (
        "text beside results",
        says(HI, assistant(SERVED, *CALLED[1]["content"][:1]), user(result("a"), text("x")), **tools({})),
        "was found without a corresponding `web_search_tool_result` block",
    ),
    (
        "never answered",
        says(HI, assistant(SERVED, *CALLED[1]["content"][:1]), user(result("a")), OK, HI, **tools({})),
        "was found without a corresponding `web_search_tool_result` block",
    ),
    ("stray result", says(HI, assistant(found(ERROR)), HI), "unexpected `tool_use_id` found in a server tool's result"),
    ("result of the user's", says(user(found(ERROR))), "blocks can only be in `assistant` messages"),
    (
        "no tools to answer with",
        says(HI, assistant(SERVED), **served(), tool_choice={"type": "none"}),
        f"harsh: {Harsh.PENDING.value}",
    ),
    ("error code", says(HI, assistant(SERVED, found({**ERROR, "error_code": "tired"})), HI), "a known error_code"),
    ("field of an error", says(HI, assistant(SERVED, found({**ERROR, "why": "x"})), HI), "content.why: Extra inputs"),
    (
        "made up content",
        says(
            HI,
            assistant(
                SERVED,
                found([{"type": "web_search_result", "url": "u", "title": "t", "encrypted_content": "bm9uZQ=="}]),
            ),
            HI,
        ),
        "content.0: Invalid `encrypted_content` in `web_search_tool_result` block",
    ),
    ("odd page", says(HI, fetched({"type": "web_fetch_result", "url": "u"}), HI), "Input should be a document"),
    ("odd fetch", says(HI, fetched({"type": "web_fetch_result", "age": 1}), HI), "content.age: Extra inputs"),
    (
        "made up citation",
        says(
            HI,
            assistant(
                text("a", citations=[{"type": "web_search_result_location", "url": "u", "encrypted_index": "x"}])
            ),
            HI,
        ),
        "text.citations.0: Invalid `encrypted_index` in citation",
    ),
    ("media type", says(user(picture(media_type="image/bmp"))), "image.source.base64.media_type: Input should be"),
    ("another type", says(user(picture(data=b64encode(jpeg()).decode()))), "appears to be a image/jpeg image"),
    ("no base64", says(user(picture(data="%%%"))), "image.source.base64.data: Input should be valid base64"),
    ("too large", says(user(picture(data=LARGE))), "image exceeds 5 MB maximum"),
    ("too wide", says(user(picture(data=b64encode(png(8_001)).decode()))), "exceed max allowed size: 8000 pixels"),
    (
        "too wide for many",
        says(user(*[picture()] * 20, picture(data=b64encode(png(2_001)).decode()))),
        "exceed max allowed size: 2000 pixels",
    ),
    ("too many", says(user(*[picture()] * 101)), "messages: at most 100 images and documents"),
    ("not decoded", says(user(picture(data=b64encode(b"none").decode()))), "Could not process image"),
    ("source", says(user(picture(type="kept"))), "Input tag 'kept' found using 'type'"),
    ("field of a source", says(user(picture(call="t1"))), "image.source.base64.call: Extra inputs are not permitted"),
    ("no PDF", says(user(of_pdf(b"none"))), "The PDF specified was not valid"),
    ("long PDF", says(user(of_pdf(pdf(101)))), "A maximum of 100 PDF pages may be provided"),
    ("PDF as another", says(user(of_pdf(pdf(), media_type="image/png"))), "document.source.base64.media_type: Input"),
    (
        "in a result",
        says(HI, CALLED[1], user(result("a", content=[picture(data="%")]), result("b")), **tools({})),
        "messages.2.content.0.tool_result.content.0.image.source.base64.data: Input should be valid base64",
    ),
]


@pytest.mark.parametrize(("changes", "message"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
async def test_a_broken_rule_is_refused(changes: dict[str, Any], message: str) -> None:
    async with ClaudeStandIn() as server:
        answer = await send(server, body(**changes))
    assert (answer.status, server.requests) == (400, [])
    assert message in answer.json["error"]["message"]


async def test_a_request_that_keeps_the_rules_is_taken() -> None:
    async with ClaudeStandIn() as server:
        assert (await send(server, body(**says(*ANSWERED), **served(max_uses=1)))).status == 200
        assert (
            await send(server, body(**says(user(picture(), of_pdf(pdf()))), cache_control={"type": "ephemeral"}))
        ).status == 200


async def test_search_results_must_come_back_unchanged() -> None:
    async with ClaudeStandIn() as server:
        server.script.say(reply(Search("a", (PAGE,)), Cited("so", (PAGE,))))
        blocks = (await send(server, body(**served()))).json["content"]
        assert (await send(server, body(**says(HI, assistant(*blocks), HI), **served()))).status == 200
        for place, inner, name in ((1, "content", "title"), (2, "citations", "url")):
            spoilt = [dict(block) for block in blocks]
            spoilt[place][inner] = [{**spoilt[place][inner][0], name: "https://b.example/"}]
            answer = await send(server, body(**says(HI, assistant(*spoilt), HI), **served()))
            assert "Invalid `encrypted" in answer.json["error"]["message"]


async def test_it_counts_and_caps_what_the_tools_are_used_for() -> None:
    async with ClaudeStandIn() as server:
        server.script.say(
            reply(*[Search("a", (PAGE,))] * 3, Fetch(PAGE.url, "x" * 100), Fetch(PAGE.url, error="unavailable"))
        )
        shown = [{**SEARCH, "max_uses": 2}, {**FETCH, "max_content_tokens": 10}]
        told = (await send(server, body(tools=shown))).json
    assert told["usage"]["server_tool_use"] == {"web_search_requests": 2, "web_fetch_requests": 1}
    results = [block["content"] for block in told["content"] if block["type"].endswith("_tool_result")]
    assert results[2] == {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}
    assert results[3]["content"]["source"]["data"] == "x" * 35
    assert results[4]["error_code"] == "unavailable"


async def test_the_next_reply_answers_a_pending_tool_first() -> None:
    async with ClaudeStandIn() as server:
        server.script.say(reply(Search("a", comes=False), ToolUse("look")), "done")
        shown = {"tools": [SEARCH, *tools({})["tools"]]}
        blocks = (await send(server, body(**shown))).json["content"]
        asked = says(HI, assistant(*blocks), user(result(blocks[1]["id"])), **shown)
        told = (await send(server, body(**asked))).json["content"]
    assert [block["type"] for block in told] == ["web_search_tool_result", "text"]
    assert told[0]["tool_use_id"] == blocks[0]["id"]
