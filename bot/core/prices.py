"""The prices and sizes of the models: one table with its date. A Claude model that is not in the table costs as much as
the dearest of its family, so caps in dollars hold. Any other model has the price that the operator sets, or none."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import NewType

from bot.core.languages import Dollars

Micros = NewType("Micros", int)  # money in millionths of a dollar: whole numbers add up exactly

PRICES_DATE = "2026-11-20"  # checked against the published price list
MILLION = 1_000_000
MAX_CACHED_MODEL_IDS = 256
MICROS_PER_WEB_SEARCH = Micros(10_000)  # one web search: $10 per thousand


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What requests used, in tokens. `input`, `cache_read` and the cache writes add up to the prompt's size."""

    requests: int = 1
    input: int = 0  # neither read from the cache nor written to it
    output: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    searches: int = 0
    # The part of `cache_write_1h` that the cache probably held, if the server reported no usage: it costs as much as a
    # write, and does not count for token caps.
    expected_cache_read: int = 0

    @property
    def prompt_tokens(self) -> int:
        return self.input + self.tokens_in_cache

    @property
    def tokens_in_cache(self) -> int:
        """Return the tokens of the prompt that the cache holds now."""
        return self.cache_read + self.cache_write_5m + self.cache_write_1h

    @property
    def tokens_without_cache_reads(self) -> int:
        """Return the tokens that count for token caps: all except those that were read from the cache."""
        return self.prompt_tokens - self.cache_read - self.expected_cache_read + self.output


@dataclass(frozen=True, slots=True, kw_only=True)
class SubstituteUsage(Usage):
    """The usage of a request that another model has answered. The token counts are of the model that answered."""

    model: str
    declined: Usage  # the usage of the models that declined

    @property
    def tokens_without_cache_reads(self) -> int:
        own = self.prompt_tokens - self.cache_read - self.expected_cache_read + self.output
        return own + self.declined.tokens_without_cache_reads


def make_substitute_usage(model: str, usage: Usage, declined: Usage) -> SubstituteUsage:
    """Return `usage` as that of a substitute that answered after `declined`. Together they count as one request."""
    own = {field.name: getattr(usage, field.name) for field in fields(Usage)}
    return SubstituteUsage(**{**own, "requests": 1}, model=model, declined=replace(declined, requests=0))


def total_usage_from_json(text: str) -> Usage:
    """Return the usage from its stored JSON, with the tokens of all attempts added up."""
    attempts, written = [], json.loads(text)
    while written is not None:
        attempts.append(Usage(**{each.name: written[each.name] for each in fields(Usage) if each.name in written}))
        written = written.get("declined")
    return sum_usages(attempts)


def sum_usages(usages: Iterable[Usage]) -> Usage:
    several = list(usages)
    return Usage(**{field.name: sum(getattr(usage, field.name) for usage in several) for field in fields(Usage)})


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceCard:
    """A model's prices, in micros per million tokens."""

    input: int
    output: int
    cache_write_5m: int
    cache_write_1h: int
    cache_read: int

    def cost_of(self, usage: Usage) -> Micros:
        parts = (
            usage.input * self.input,
            usage.output * self.output,
            usage.cache_write_5m * self.cache_write_5m,
            usage.cache_write_1h * self.cache_write_1h,
            usage.cache_read * self.cache_read,
        )
        return Micros(-(-sum(parts) // MILLION) + usage.searches * MICROS_PER_WEB_SEARCH)

    def is_worst_case_no_dearer_than(self, other: "PriceCard") -> bool:
        """Return True if the worst case of every request costs at most as much as with the other card."""
        return self.cache_write_1h <= other.cache_write_1h and self.output <= other.output

    def worst_case_cost(self, prompt: int, output: int) -> Micros:
        """Return the cost of a request that reads nothing from the cache and writes its prompt there for an hour."""
        return Micros(-(-(prompt * self.cache_write_1h + output * self.output) // MILLION))


@dataclass(frozen=True, slots=True, kw_only=True)
class PricingAndSizes:
    """One model's price card, a dearer card for long prompts if it has one, and its sizes in tokens."""

    card: PriceCard
    window_tokens: int = 1_000_000
    most_output_tokens: int = 128_000  # tokens of one reply
    compact_above_tokens: int = 100_000  # prompt tokens: a longer chapter is summarised before the next turn
    long_prompt_above_tokens: int | None = None
    long_prompt_card: PriceCard | None = None

    def card_for_prompt(self, prompt: int) -> PriceCard:
        above = self.long_prompt_above_tokens
        if self.long_prompt_card and above is not None and prompt > above:
            return self.long_prompt_card
        return self.card


def make_price_card(input: float, output: float, read: float) -> PriceCard:
    """Return a card from dollars per million tokens. A cache write for 5 min (1 h) costs 1.25 (2) times the input."""
    each = {"input": input, "output": output, "cache_read": read}
    each |= {"cache_write_5m": input * 1.25, "cache_write_1h": input * 2}
    return PriceCard(**{name: round(dollars * MILLION) for name, dollars in each.items()})


OPUS_5_PRICING = PricingAndSizes(card=make_price_card(5, 25, 0.50))
PRICING_BY_MODEL: dict[str, PricingAndSizes] = {
    "claude-fable-5-2": PricingAndSizes(card=make_price_card(8, 40, 0.20)),
    "claude-mythos-5-2": PricingAndSizes(card=make_price_card(8, 40, 0.20)),
    "claude-fable-5-1": PricingAndSizes(card=make_price_card(10, 50, 0.25)),
    "claude-fable-5": PricingAndSizes(card=make_price_card(10, 50, 1.00)),
    "claude-opus-5-5": PricingAndSizes(card=make_price_card(4, 20, 0.20)),
    "claude-opus-5": OPUS_5_PRICING,
    "claude-opus-4-8": OPUS_5_PRICING,
    "claude-opus-4-7": OPUS_5_PRICING,
    "claude-opus-4-6": OPUS_5_PRICING,
    "claude-opus-4-5": PricingAndSizes(card=OPUS_5_PRICING.card, window_tokens=200_000, most_output_tokens=64_000),
    "claude-sonnet-5-5": PricingAndSizes(card=make_price_card(2, 10, 0.10)),
    "claude-sonnet-5": PricingAndSizes(card=make_price_card(2, 10, 0.20)),
    "claude-sonnet-4-6": PricingAndSizes(card=make_price_card(3, 15, 0.30)),
    "claude-haiku-5-5": PricingAndSizes(
        card=make_price_card(0.10, 0.50, 0.01),
        compact_above_tokens=80_000,
        long_prompt_above_tokens=100_000,
        long_prompt_card=make_price_card(0.50, 2.50, 0.05),
    ),
    "claude-haiku-4-5": PricingAndSizes(
        card=make_price_card(1, 5, 0.10), window_tokens=200_000, most_output_tokens=64_000, compact_above_tokens=80_000
    ),
}

# If one of these models declines, its server may let another model answer. The server picks it by the category of the
# refusal, among models without such classifiers. The dearest of those is an older Opus.
MODELS_WITH_SUBSTITUTES = frozenset(
    {"claude-fable-5-2", "claude-mythos-5-2", "claude-fable-5-1", "claude-fable-5"}
    | {"claude-opus-5-5", "claude-opus-5", "claude-sonnet-5-5"}
)

# Including retired models and former prices. The sizes of an unknown model are only known by asking.
DEAREST_CARD_BY_FAMILY = {
    "haiku": make_price_card(1, 5, 0.10),
    "sonnet": make_price_card(6, 22.50, 0.60),  # a former price for long prompts
    "opus": make_price_card(15, 75, 1.50),
    "fable": make_price_card(10, 50, 1.00),
    "mythos": make_price_card(25, 125, 2.50),
}
UNKNOWN_MODEL_WINDOW_TOKENS, UNKNOWN_MODEL_OUTPUT_TOKENS = 200_000, 4_096
CLAUDE_ID_PATTERN = re.compile(r"claude-[a-z0-9.-]*[a-z0-9]")
MODEL_DATE_SUFFIX_PATTERN = re.compile(r"(?:-latest|-\d{8})?(?:-v\d+)?$")


OPERATOR_PRICING_BY_MODEL: dict[str, PricingAndSizes] = {}  # the operator's prices, by the model's id
# What servers report of models that are not in the table: the tokens of the window, and of one reply.
REPORTED_SIZES_BY_MODEL: dict[str, tuple[int, int]] = {}


def set_operator_prices_and_forget_sizes(prices: Mapping[str, PricingAndSizes]) -> None:
    """Set the operator's prices, and forget what servers have reported."""
    OPERATOR_PRICING_BY_MODEL.clear()
    OPERATOR_PRICING_BY_MODEL.update(prices)
    REPORTED_SIZES_BY_MODEL.clear()


def record_reported_model_sizes(model: str, window: int | None, most_output: int | None) -> None:
    REPORTED_SIZES_BY_MODEL[model] = window or UNKNOWN_MODEL_WINDOW_TOKENS, most_output or UNKNOWN_MODEL_OUTPUT_TOKENS


@lru_cache(MAX_CACHED_MODEL_IDS)
def canonical_model_id(model: str) -> str:
    """Return a Claude model's id without a vendor's prefix and without a date; return any other id unchanged."""
    found = CLAUDE_ID_PATTERN.search(model.lower())
    return MODEL_DATE_SUFFIX_PATTERN.sub("", found[0].replace(".", "-")) if found else model


def is_claude_model(model: str) -> bool:
    return canonical_model_id(model).startswith("claude-")


def model_family(model: str) -> str:
    """Return a Claude model's family, such as "opus"; empty for any other model."""
    parts = canonical_model_id(model).split("-") if is_claude_model(model) else []
    return next((each for each in DEAREST_CARD_BY_FAMILY if each in parts), "")


def model_version(model: str) -> tuple[int, ...]:
    """Return a Claude model's version, such as (5, 5); empty for any other model."""
    parts = canonical_model_id(model).split("-") if is_claude_model(model) else []
    return tuple(int(part) for part in parts if part.isdigit())


def sort_models(models: Iterable[str]) -> list[str]:
    """Return models by family, the newest of each first. Models that are no Claude models are last."""
    newest_first = sorted(sorted(models), key=model_version, reverse=True)
    return sorted(newest_first, key=lambda model: (not model_family(model), model_family(model)))


def newest_model_of_family(family: str, models: Iterable[str]) -> str:
    return next((model for model in sort_models(models) if family and model_family(model) == family), "")


def find_pricing(model: str) -> PricingAndSizes | None:
    """Return a model's pricing; None if its price is unknown."""
    name = canonical_model_id(model)
    if known := OPERATOR_PRICING_BY_MODEL.get(model) or PRICING_BY_MODEL.get(name):
        return known
    if not is_claude_model(model):
        return None
    cards = [card for family, card in DEAREST_CARD_BY_FAMILY.items() if family in name]
    dearest = max(cards or DEAREST_CARD_BY_FAMILY.values(), key=lambda each: each.output)
    window, most_output = REPORTED_SIZES_BY_MODEL.get(model, (UNKNOWN_MODEL_WINDOW_TOKENS, UNKNOWN_MODEL_OUTPUT_TOKENS))
    return PricingAndSizes(card=dearest, window_tokens=window, most_output_tokens=most_output)


def dearest_substitute_card(model: str) -> PriceCard | None:
    """Return the dearest card of the models that may answer if this one declines; None if none may."""
    pricing = find_pricing(model)
    if pricing is None or canonical_model_id(model) not in MODELS_WITH_SUBSTITUTES:
        return None
    return max(pricing.card, OPUS_5_PRICING.card, key=lambda each: each.output)


def cost_of_usage(model: str, usage: Usage, longest: int | None = None) -> Micros:
    """Return the cost of a request; 0 if the model has no price. If the server has read several prompts for it, `usage`
    is their sum; `longest` is then the most tokens of one prompt."""
    before = 0
    if isinstance(usage, SubstituteUsage):
        before = cost_of_usage(model, usage.declined, longest)
        model, longest = usage.model, None
    pricing = find_pricing(model)
    prompt = usage.prompt_tokens if longest is None else min(usage.prompt_tokens, longest)
    return Micros(before + (pricing.card_for_prompt(prompt).cost_of(usage) if pricing else 0))


def format_micro_dollars(amount: int) -> Dollars:
    return Dollars(f"${amount / MILLION:,.2f}")
