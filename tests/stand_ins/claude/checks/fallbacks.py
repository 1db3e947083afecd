"""Fallback models for declined requests: how a request names them, and how their replies come back."""

from typing import Any

from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.canonical import Json, blocks_of
from tests.stand_ins.claude.checks import messages, thinking
from tests.stand_ins.claude.checks.fields import only
from tests.stand_ins.claude.checks.harsh import Harsh
from tests.stand_ins.claude.errors import ApiError
from tests.stand_ins.claude.models import ModelCard, card_of

BETA = "server-side-fallback-2026-07-01"
BLOCK = "fallback"
ENTRY = {"model", "max_tokens", "output_config", "speed", "thinking"}
MOST = 3
MODELS_OWN = ("thinking", "redacted_thinking", "connector_text", "tool_use")
THINKING = MODELS_OWN[:2]


def check(asked: Asked, card: ModelCard, harsh: frozenset[Harsh]) -> None:
    check_echoes(asked)
    named = asked.body.get("fallbacks")
    if named is None:
        return
    if not card.fallbacks:
        raise ApiError(f"'{card.id}' does not support the `fallbacks` parameter")
    if named == "default":
        return
    if not isinstance(named, list) or not 1 <= len(named) <= MOST:
        raise ApiError(f"fallbacks: Input should be 'default' or a list of 1 to {MOST} entries")
    known = [asked.model]
    for place, entry in enumerate(named):
        known.append(check_entry(f"fallbacks.{place}", entry, asked, card, harsh))
    if len(set(known)) < len(known):
        raise ApiError("fallbacks: each model must be distinct from the others and from the requested model")


def check_entry(where: str, entry: Any, asked: Asked, card: ModelCard, harsh: frozenset[Harsh]) -> str:
    """Return the model that the entry names. Raise unless this model would accept the request too."""
    if not isinstance(entry, dict) or not isinstance(entry.get("model"), str):
        raise ApiError(f"{where}.model: Field required")
    only(where, entry, ENTRY)
    model: str = entry["model"]
    if model not in card.fallbacks and model != card.id:
        raise ApiError(f"{where}.model: '{model}' is not an allowed fallback model for '{card.id}'")
    other = card_of(model)
    changed = {name: value for name, value in entry.items() if value is not None}
    whole = Asked({**asked.body, **changed}, asked.headers)
    messages.check(whole, other, harsh)
    thinking.check(whole, other)
    return model


def check_echoes(asked: Asked) -> None:
    """Check that nothing before a reply's last handover can be used only by the model that declined."""
    for number, message in enumerate(asked.messages):
        blocks = blocks_of(message["content"])
        handovers = [place for place, block in enumerate(blocks) if block["type"] == BLOCK]
        for place in handovers:
            check_block(f"messages.{number}.content.{place}", message["role"], blocks[place])
        before = blocks[: handovers[-1]] if handovers else []
        answered = {block.get("tool_use_id") for block in before}
        for place, block in enumerate(before):
            is_open = block["type"] == "server_tool_use" and block["id"] not in answered
            if block["type"] in MODELS_OWN or is_open:
                raise ApiError(
                    f"messages.{number}.content.{place}: `{block['type']}` blocks from before the final `{BLOCK}` block"
                    " must be left out"
                )
        if handovers and all(block["type"] == BLOCK for block in blocks):
            raise ApiError(f"messages.{number}: all messages must have non-empty content")


def check_block(where: str, role: str, block: Json) -> None:
    if role != "assistant":
        raise ApiError(f"{where}: `{BLOCK}` blocks can only be in `assistant` messages")
    for name in ("from", "to"):
        handover = block.get(name)
        if not isinstance(handover, dict) or not isinstance(handover.get("model"), str):
            raise ApiError(f"{where}.{BLOCK}.{name}.model: Field required")
        only(f"{where}.{BLOCK}.{name}", handover, {"model"})
    if not isinstance(block.get("trigger"), dict | None):
        raise ApiError(f"{where}.{BLOCK}.trigger: Input should be a valid dictionary")


def check_seams(where: str, blocks: list[Json], issued: list[Json]) -> None:
    """If a reply's thinking comes back, its thinking and handovers must keep their order."""
    kinds = (*THINKING, BLOCK)
    was, now = ([block["type"] for block in each if block["type"] in kinds] for each in (issued, blocks))
    if BLOCK in was and any(kind in THINKING for kind in now) and now != was:
        raise ApiError(f"{where}: the `{BLOCK}` blocks of this turn must stay in their original positions")
