"""What each model's requests may hold: by the table here, or by the Models API for a Claude that is not in it. Requests
to servers other than Anthropic's hold less."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.core.prices import is_claude_model, plain_model_name
from bot.core.prompt_prefix import EFFORTS
from bot.models.claude.optional_parts import OptionalPart

if TYPE_CHECKING:
    from anthropic.types import ModelInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What a model's requests may hold. Facts that the Models API does not tell are checked with the price table."""

    thinks: bool = True  # takes adaptive thinking and effort
    efforts: frozenset[str] = frozenset(EFFORTS)
    default_effort: str = "high"  # empty: unknown, so requests always name the effort
    hears_system: bool = True  # takes system entries in mid-conversation
    caches: bool = True
    marks_itself: bool = True  # one cache mark on the whole request marks its end
    has_web: bool = True  # the server runs tools for the web
    has_grammars: bool = True  # the server holds arguments and replies to a schema
    hides_notes: bool = False  # its notes before a call come as thinking, which is empty unless we ask for it
    has_substitutes: bool = True  # the server may let another model answer what it declines, if we pay for that
    streams_calls: bool = True  # a call's arguments come while they are written, if the tool asks for that


OLDER_TRAITS = Traits(hears_system=False)
OF_4_6 = replace(OLDER_TRAITS, efforts=frozenset(EFFORTS) - {"xhigh"})
OF_4_5 = replace(OLDER_TRAITS, thinks=False, efforts=frozenset())
TRAITS = {
    "claude-fable-5": replace(OLDER_TRAITS, hides_notes=True),
    "claude-opus-5-5": Traits(default_effort="medium", hides_notes=True),
    "claude-opus-4-8": OLDER_TRAITS,
    "claude-opus-4-7": OLDER_TRAITS,
    "claude-opus-4-6": OF_4_6,
    "claude-opus-4-5": OF_4_5,
    "claude-sonnet-5": OLDER_TRAITS,
    "claude-sonnet-4-6": OF_4_6,
    "claude-haiku-5-5": Traits(default_effort="medium"),
    "claude-haiku-4-5": OF_4_5,
    **dict.fromkeys(("claude-fable-5-2", "claude-mythos-5-2", "claude-fable-5-1"), Traits(hides_notes=True)),
    "claude-opus-5": Traits(),
    "claude-sonnet-5-5": Traits(hides_notes=True),
}
# A Claude that we know nothing about yet
NEW_CLAUDE_TRAITS = replace(OF_4_5, has_web=False, has_grammars=False, has_substitutes=False, default_effort="")
UNKNOWN_TRAITS = replace(NEW_CLAUDE_TRAITS, caches=False, marks_itself=False, streams_calls=False)


def traits_of(model: str) -> Traits:
    """Return the traits from the table. A Claude that is not in it has few, any other model even fewer."""
    return TRAITS.get(plain_model_name(model), NEW_CLAUDE_TRAITS if is_claude_model(model) else UNKNOWN_TRAITS)


def is_model_known(model: str) -> bool:
    """Return False for a Claude that is not in the table: the Models API must be asked about it."""
    return plain_model_name(model) in TRAITS or not is_claude_model(model)


def traits_from_info(info: ModelInfo) -> Traits:
    if not (has := info.capabilities):
        return NEW_CLAUDE_TRAITS
    thinks = has.thinking.supported and has.thinking.types.adaptive.supported
    has_web = has.server_tools.supported and has.server_tools.web_search.supported
    known = replace(NEW_CLAUDE_TRAITS, thinks=thinks, efforts=efforts_of(info), has_web=has_web)
    return replace(known, has_grammars=has.structured_outputs.supported)


def efforts_of(info: ModelInfo) -> frozenset[str]:
    """Return the efforts that a model has; empty if the Models API does not tell."""
    has = info.capabilities.effort if info.capabilities else None
    levels = {each: getattr(has, each) for each in EFFORTS} if has and has.supported else {}
    return frozenset(each for each, level in levels.items() if level and level.supported)


def traits_without(traits: Traits, without: Collection[OptionalPart]) -> Traits:
    """Return the traits without the parts that the server has refused."""
    return replace(
        traits,
        thinks=traits.thinks and OptionalPart.THINKING not in without,
        hears_system=traits.hears_system and OptionalPart.REMINDERS not in without,
        has_substitutes=traits.has_substitutes and OptionalPart.SUBSTITUTES not in without,
        caches=traits.caches and OptionalPart.MARKS not in without,
        has_web=traits.has_web and OptionalPart.WEB not in without,
        has_grammars=traits.has_grammars and OptionalPart.THINKING not in without,  # both are in `output_config`
    )


def traits_at_other_server(traits: Traits) -> Traits:
    """Return the traits for a server that is not Anthropic's. Some gateways refuse everything that is left out here."""
    less = replace(traits, thinks=False, hears_system=False, has_web=False, has_grammars=False)
    return replace(less, marks_itself=False, has_substitutes=False, streams_calls=False)
