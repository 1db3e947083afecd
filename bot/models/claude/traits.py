"""What each model's requests may hold: by the table here, or by the Models API for a Claude that is not in it. Requests
to servers other than Anthropic's hold less."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.core.prices import canonical_model_id, is_claude_model
from bot.core.prompt_prefix import EFFORTS, PromptPrefix
from bot.models.claude.optional_parts import OptionalRequestPart

if TYPE_CHECKING:
    from anthropic.types import ModelInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTraits:
    """What a model's requests may hold. Facts that the Models API does not tell are checked with the price table."""

    has_thinking: bool = True  # takes adaptive thinking and effort
    efforts: frozenset[str] = frozenset(EFFORTS)
    default_effort: str = "high"  # empty: unknown, so requests always name the effort
    has_system_entries: bool = True  # takes system entries in mid-conversation
    has_caching: bool = True
    has_automatic_caching: bool = True  # one cache mark on the whole request marks its end
    has_web_tools: bool = True  # the server runs tools for the web
    has_enforced_schemas: bool = True  # the server holds arguments and replies to a schema
    has_notes_in_thinking: bool = False  # its notes before a call come as thinking, which is empty unless we ask for it
    has_substitutes: bool = True  # the server may let another model answer what it declines, if we pay for that
    has_streamed_arguments: bool = True  # a call's arguments come while they are written, if the tool asks for that

    def may_change_effort(self, prefix: PromptPrefix) -> bool:
        """Return True if an entry before each reply may name the effort of that reply."""
        return self.has_thinking and self.has_system_entries and bool(prefix.light_effort)


TRAITS_WITHOUT_SYSTEM_ENTRIES = ModelTraits(has_system_entries=False)
TRAITS_OF_4_6_MODELS = replace(TRAITS_WITHOUT_SYSTEM_ENTRIES, efforts=frozenset(EFFORTS) - {"xhigh"})
TRAITS_OF_4_5_MODELS = replace(TRAITS_WITHOUT_SYSTEM_ENTRIES, has_thinking=False, efforts=frozenset())
TRAITS_BY_MODEL = {
    "claude-fable-5": replace(TRAITS_WITHOUT_SYSTEM_ENTRIES, has_notes_in_thinking=True),
    "claude-opus-5-5": ModelTraits(default_effort="medium", has_notes_in_thinking=True),
    "claude-opus-4-8": TRAITS_WITHOUT_SYSTEM_ENTRIES,
    "claude-opus-4-7": TRAITS_WITHOUT_SYSTEM_ENTRIES,
    "claude-opus-4-6": TRAITS_OF_4_6_MODELS,
    "claude-opus-4-5": TRAITS_OF_4_5_MODELS,
    "claude-sonnet-5": TRAITS_WITHOUT_SYSTEM_ENTRIES,
    "claude-sonnet-4-6": TRAITS_OF_4_6_MODELS,
    "claude-haiku-5-5": ModelTraits(default_effort="medium"),
    "claude-haiku-4-5": TRAITS_OF_4_5_MODELS,
    **dict.fromkeys(
        ("claude-fable-5-2", "claude-mythos-5-2", "claude-fable-5-1"), ModelTraits(has_notes_in_thinking=True)
    ),
    "claude-opus-5": ModelTraits(),
    "claude-sonnet-5-5": ModelTraits(has_notes_in_thinking=True),
}
# A Claude that we know nothing about yet
UNLISTED_CLAUDE_TRAITS = replace(
    TRAITS_OF_4_5_MODELS, has_web_tools=False, has_enforced_schemas=False, has_substitutes=False, default_effort=""
)
OTHER_MODEL_TRAITS = replace(
    UNLISTED_CLAUDE_TRAITS, has_caching=False, has_automatic_caching=False, has_streamed_arguments=False
)


def traits_from_table(model: str) -> ModelTraits:
    """Return the traits from the table. A Claude that is not in it has few, any other model even fewer."""
    unlisted = UNLISTED_CLAUDE_TRAITS if is_claude_model(model) else OTHER_MODEL_TRAITS
    return TRAITS_BY_MODEL.get(canonical_model_id(model), unlisted)


def is_unlisted_claude(model: str) -> bool:
    """Return True for a Claude that is not in the table: the Models API must be asked about it."""
    return is_claude_model(model) and canonical_model_id(model) not in TRAITS_BY_MODEL


def traits_from_models_api(info: ModelInfo) -> ModelTraits:
    if not (has := info.capabilities):
        return UNLISTED_CLAUDE_TRAITS
    thinks = has.thinking.supported and has.thinking.types.adaptive.supported
    has_web = has.server_tools.supported and has.server_tools.web_search.supported
    efforts = efforts_from_models_api(info)
    known = replace(UNLISTED_CLAUDE_TRAITS, has_thinking=thinks, efforts=efforts, has_web_tools=has_web)
    return replace(known, has_enforced_schemas=has.structured_outputs.supported)


def efforts_from_models_api(info: ModelInfo) -> frozenset[str]:
    """Return the efforts that a model has; empty if the Models API does not tell."""
    has = info.capabilities.effort if info.capabilities else None
    levels = {each: getattr(has, each) for each in EFFORTS} if has and has.supported else {}
    return frozenset(each for each, level in levels.items() if level and level.supported)


def traits_without_parts(traits: ModelTraits, without: Collection[OptionalRequestPart]) -> ModelTraits:
    """Return the traits without the parts that the server has refused."""
    return replace(
        traits,
        has_thinking=traits.has_thinking and OptionalRequestPart.THINKING not in without,
        has_system_entries=traits.has_system_entries and OptionalRequestPart.REMINDERS not in without,
        has_substitutes=traits.has_substitutes and OptionalRequestPart.SUBSTITUTES not in without,
        has_caching=traits.has_caching and OptionalRequestPart.MARKS not in without,
        has_web_tools=traits.has_web_tools and OptionalRequestPart.WEB not in without,
        has_enforced_schemas=traits.has_enforced_schemas
        and OptionalRequestPart.THINKING not in without,  # both are in `output_config`
    )


def reduce_traits_for_other_server(traits: ModelTraits) -> ModelTraits:
    """Return the traits for a server that is not Anthropic's. Some gateways refuse everything that is left out here."""
    less = replace(traits, has_automatic_caching=False, has_substitutes=False, has_streamed_arguments=False)
    return replace(less, has_thinking=False, has_system_entries=False, has_web_tools=False, has_enforced_schemas=False)
