"""What the stand-in takes and refuses of `fallbacks`, and of the blocks that come back."""

from typing import Any

import pytest

from bot.core import prices
from bot.models.claude.substitutes import SUBSTITUTES_BETA_HEADER
from tests.stand_ins.bodies import HI, assistant, body, call, result, says, text, tools, user
from tests.stand_ins.claude import ClaudeStandIn, HandOver, Thinking, reply
from tests.stand_ins.claude.models import MODELS
from tests.stand_ins.raw import send

LEAD, OTHER = "claude-sonnet-5-5", "claude-opus-4-8"
SEAM = {"type": "fallback", "from": {"model": LEAD}, "to": {"model": OTHER}, "trigger": {"type": "refusal"}}
THOUGHT = {"type": "thinking", "thinking": "", "signature": "x"}
WITH_BETA = {"anthropic-beta": SUBSTITUTES_BETA_HEADER}


@pytest.mark.parametrize("model", MODELS)
def test_the_table_agrees_with_the_stand_in(model: str) -> None:
    assert (prices.dearest_substitute_card(model) is not None) == bool(MODELS[model].fallbacks)


REFUSED: list[tuple[str, dict[str, Any], dict[str, str], str]] = [
    ("no beta", {"fallbacks": "default"}, {}, "fallbacks: Extra inputs are not permitted"),
    ("haiku", {"fallbacks": "default", "model": "claude-haiku-5-5"}, WITH_BETA, "does not support the `fallbacks` par"),
    ("older", {"fallbacks": "default", "model": "claude-sonnet-5"}, WITH_BETA, "does not support the `fallbacks` par"),
    ("word", {"fallbacks": "any"}, WITH_BETA, "fallbacks: Input should be 'default' or a list"),
    ("empty", {"fallbacks": []}, WITH_BETA, "fallbacks: Input should be 'default' or a list"),
    ("no model", {"fallbacks": [{}]}, WITH_BETA, "fallbacks.0.model: Field required"),
    ("key", {"fallbacks": [{"model": OTHER, "system": "x"}]}, WITH_BETA, "fallbacks.0.system: Extra inputs are not"),
    ("not allowed", {"fallbacks": [{"model": "claude-haiku-5-5"}]}, WITH_BETA, "is not an allowed fallback model"),
    ("twice", {"fallbacks": [{"model": OTHER}] * 2}, WITH_BETA, "must be distinct"),
    (
        "not for that model",
        {"fallbacks": [{"model": OTHER}], **says(HI, {"role": "system", "content": "It is Monday."})},
        WITH_BETA,
        "role 'system' is not supported",
    ),
    ("block without beta", says(HI, assistant(text("a"), SEAM), HI), {}, "Input tag 'fallback' found using 'type'"),
    ("block of the user", says(user(SEAM)), WITH_BETA, "blocks can only be in `assistant` messages"),
    ("block's shape", says(HI, assistant({**SEAM, "to": "x"}, text("a")), HI), WITH_BETA, "fallback.to.model: Field"),
    ("block's field", says(HI, assistant({**SEAM, "at": 1}, text("a")), HI), WITH_BETA, "fallback.at: Extra inputs"),
    ("handover alone", says(HI, assistant(SEAM), HI), WITH_BETA, "all messages must have non-empty content"),
    ("thinking before", says(HI, assistant(THOUGHT, SEAM, text("a")), HI), WITH_BETA, "must be left out"),
    (
        "call before",
        says(HI, assistant(call("a"), SEAM, text("a")), user(result("a")), **tools({})),
        WITH_BETA,
        "must be left out",
    ),
]


@pytest.mark.parametrize(("changes", "headers", "message"), [case[1:] for case in REFUSED], ids=[c[0] for c in REFUSED])
async def test_the_stand_in_refuses(changes: dict[str, Any], headers: dict[str, str], message: str) -> None:
    async with ClaudeStandIn() as server:
        answer = await send(server, body(**changes), headers=headers)
    assert answer.status == 400
    assert message in answer.json["error"]["message"]


@pytest.mark.parametrize("fallbacks", ["default", [{"model": OTHER, "max_tokens": 10, "thinking": None}]])
async def test_the_stand_in_takes_both_forms(fallbacks: Any) -> None:
    async with ClaudeStandIn() as server:
        server.script.say(reply("x", HandOver(), "y"))
        answer = await send(server, body(fallbacks=fallbacks), headers=WITH_BETA)
        models = await send(server, method="GET", path=f"/v1/models/{LEAD}", headers=WITH_BETA)
        plain = await send(server, method="GET", path=f"/v1/models/{LEAD}")
    assert [block["type"] for block in answer.json["content"]] == ["fallback", "text"]
    assert [each["type"] for each in answer.json["usage"]["iterations"]] == ["message", "fallback_message"]
    assert models.json["allowed_fallback_models"] == [OTHER]
    assert "allowed_fallback_models" not in plain.json


async def test_a_reply_with_thinking_comes_back_with_its_seam_where_it_was() -> None:
    async with ClaudeStandIn() as server:
        server.script.say(reply("x", HandOver(), Thinking(), "y"))
        first = await send(server, body(fallbacks="default", messages=[HI]), headers=WITH_BETA)
        seam, thought, said = first.json["content"]
        moved = [[thought, said], [thought, seam, said], [seam, thought, said]]
        answers = [await send(server, body(**says(HI, assistant(*each), HI)), headers=WITH_BETA) for each in moved]
    without, after, right = answers
    assert "original positions" in str(without.json)
    assert "must be left out" in str(after.json)
    assert right.status == 200
