"""What the models cost and how much they hold: one table, with its date.

A Claude that is not in it costs as much as the dearest of its family, so that caps in dollars hold for each. Any other
model has the price that the operator sets, or none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, NewType

Micros = NewType("Micros", int)  # money in millionths of a dollar: whole numbers add up exactly

PRICES_DATE = "2026-11-20"  # checked against the published price list
MILLION = 1_000_000
SEARCH_PRICE = Micros(10_000)  # one web search: $10 per thousand


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What requests came to, in tokens. The three kinds of input add up to the prompt's size."""

    requests: int = 1
    input: int = 0  # neither read from the cache nor written to it
    output: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    searches: int = 0

    @property
    def prompt(self) -> int:
        return self.input + self.tokens_in_cache

    @property
    def tokens_in_cache(self) -> int:
        """How much of the prompt the cache holds now."""
        return self.cache_read + self.cache_write_5m + self.cache_write_1h

    @property
    def new_tokens(self) -> int:
        """What token caps count: everything but what the cache gave back."""
        return self.prompt - self.cache_read + self.output


@dataclass(frozen=True, slots=True, kw_only=True)
class SubstituteUsage(Usage):
    """What a request came to that another model has answered, since the one that was asked declined: the tokens are
    those of the model that answered."""

    model: str
    declined: Usage  # what the attempts before came to

    @property
    def new_tokens(self) -> int:
        return self.prompt - self.cache_read + self.output + self.declined.new_tokens


def usage_of_substitute(model: str, usage: Usage, declined: Usage) -> SubstituteUsage:
    """Return a usage as that of a model that has answered in another's place. Both attempts are one request."""
    own = {field.name: getattr(usage, field.name) for field in fields(Usage)}
    return SubstituteUsage(**{**own, "requests": 1}, model=model, declined=replace(declined, requests=0))


def parse_usage(text: str) -> Usage:
    """Return the usage that was written down as JSON, with the tokens of all attempts in one."""
    return sum_attempts(json.loads(text))


def sum_attempts(written: Mapping[str, Any]) -> Usage:
    own = Usage(**{field.name: written[field.name] for field in fields(Usage) if field.name in written})
    return sum_usages([own, sum_attempts(written["declined"])]) if "declined" in written else own


def sum_usages(usages: Iterable[Usage]) -> Usage:
    """What several came to; of none, nothing."""
    several = list(usages)
    return Usage(**{field.name: sum(getattr(usage, field.name) for usage in several) for field in fields(Usage)})


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceCard:
    """Micros per million tokens."""

    input: int
    output: int
    write_5m: int
    write_1h: int
    read: int

    def cost_of(self, usage: Usage) -> Micros:
        parts = (
            usage.input * self.input,
            usage.output * self.output,
            usage.cache_write_5m * self.write_5m,
            usage.cache_write_1h * self.write_1h,
            usage.cache_read * self.read,
        )
        return Micros(-(-sum(parts) // MILLION) + usage.searches * SEARCH_PRICE)

    def is_within(self, other: PriceCard) -> bool:
        """Return True if no request costs more at worst than by another card."""
        return self.write_1h <= other.write_1h and self.output <= other.output

    def worst_cost(self, prompt: int, output: int) -> Micros:
        """Return the price of a request that is not in the cache yet and is written to it for an hour."""
        return Micros(-(-(prompt * self.write_1h + output * self.output) // MILLION))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pricing:
    """One model: its card, the dearer one for a long prompt if it has one, and what it can hold."""

    card: PriceCard
    window: int = 1_000_000
    most_output: int = 128_000  # tokens that one reply may have
    compact_above: int = 100_000  # prompt tokens: a longer chapter is summarised before the next turn
    long_above: int | None = None
    long_card: PriceCard | None = None

    def card_for(self, prompt: int) -> PriceCard:
        if self.long_card and self.long_above is not None and prompt > self.long_above:
            return self.long_card
        return self.card


def make_price_card(input: float, output: float, read: float) -> PriceCard:
    """A card from dollars per million tokens; a cache write costs 1.25 and 2 times the input."""
    each = (input, output, input * 1.25, input * 2, read)
    whole = [round(dollars * MILLION) for dollars in each]
    return PriceCard(input=whole[0], output=whole[1], write_5m=whole[2], write_1h=whole[3], read=whole[4])


OPUS_PRICING = Pricing(card=make_price_card(5, 25, 0.50))
PRICES: dict[str, Pricing] = {
    "claude-fable-5-2": Pricing(card=make_price_card(8, 40, 0.20)),
    "claude-mythos-5-2": Pricing(card=make_price_card(8, 40, 0.20)),
    "claude-fable-5-1": Pricing(card=make_price_card(10, 50, 0.25)),
    "claude-fable-5": Pricing(card=make_price_card(10, 50, 1.00)),
    "claude-opus-5-5": Pricing(card=make_price_card(4, 20, 0.20)),
    "claude-opus-5": OPUS_PRICING,
    "claude-opus-4-8": OPUS_PRICING,
    "claude-opus-4-7": OPUS_PRICING,
    "claude-opus-4-6": OPUS_PRICING,
    "claude-opus-4-5": Pricing(card=make_price_card(5, 25, 0.50), window=200_000, most_output=64_000),
    "claude-sonnet-5-5": Pricing(card=make_price_card(2, 10, 0.10)),
    "claude-sonnet-5": Pricing(card=make_price_card(2, 10, 0.20)),
    "claude-sonnet-4-6": Pricing(card=make_price_card(3, 15, 0.30)),
    "claude-haiku-5-5": Pricing(
        card=make_price_card(0.10, 0.50, 0.01),
        compact_above=80_000,
        long_above=100_000,
        long_card=make_price_card(0.50, 2.50, 0.05),
    ),
    "claude-haiku-4-5": Pricing(
        card=make_price_card(1, 5, 0.10), window=200_000, most_output=64_000, compact_above=80_000
    ),
}

# Their server may have another model answer what they decline. It picks that one by what it took the request for, among
# models that have no such classifiers; the dearest of those is an older Opus.
SUBSTITUTABLE_MODELS = frozenset(
    {"claude-fable-5-2", "claude-mythos-5-2", "claude-fable-5-1", "claude-fable-5"}
    | {"claude-opus-5-5", "claude-opus-5", "claude-sonnet-5-5"}
)

# The dearest that each family has had, of retired models too; and what is known of none of them but by asking.
DEAREST = {
    "haiku": make_price_card(1, 5, 0.10),
    "sonnet": make_price_card(6, 22.50, 0.60),  # of a long prompt, once
    "opus": make_price_card(15, 75, 1.50),
    "fable": make_price_card(10, 50, 1.00),
    "mythos": make_price_card(25, 125, 2.50),
}
LEAST_WINDOW, LEAST_OUTPUT = 200_000, 4_096
CLAUDE_ID = re.compile(r"claude-[a-z0-9.-]*[a-z0-9]")
VERSION_SUFFIX = re.compile(r"(?:-latest|-\d{8})?(?:-v\d+)?$")


@dataclass(frozen=True, slots=True)
class ModelExtent:
    """How much a model can hold and write, in tokens, as its server tells."""

    window: int
    most_output: int


OPERATOR_PRICES: dict[str, Pricing] = {}  # what the operator of this process has set, by the model's id
SERVER_EXTENTS: dict[str, ModelExtent] = {}  # and what the server has told of models that are not in the table


def set_operator_prices(prices: Mapping[str, Pricing]) -> None:
    """Take these as the operator's prices, and forget what servers have told."""
    OPERATOR_PRICES.clear()
    OPERATOR_PRICES.update(prices)
    SERVER_EXTENTS.clear()


def note_model_extent(model: str, window: int | None, most_output: int | None) -> None:
    """Note what the server tells of a model."""
    SERVER_EXTENTS[model] = ModelExtent(window or LEAST_WINDOW, most_output or LEAST_OUTPUT)


def plain_model_name(model: str) -> str:
    """Return a Claude's id as Anthropic writes it, without a vendor's prefix and without a date; any other as it is."""
    found = CLAUDE_ID.search(model.lower())
    return VERSION_SUFFIX.sub("", found[0].replace(".", "-")) if found else model


def is_claude_model(model: str) -> bool:
    return plain_model_name(model).startswith("claude-")


def model_family(model: str) -> str:
    """Return a Claude's family, such as "opus"; empty for any other model."""
    return next((each for each in DEAREST if is_claude_model(model) and each in plain_model_name(model).split("-")), "")


def model_version(model: str) -> tuple[int, ...]:
    """Return a Claude's version, such as (5, 5); empty for any other model."""
    return (
        tuple(int(part) for part in plain_model_name(model).split("-") if part.isdigit())
        if is_claude_model(model)
        else ()
    )


def sort_models(models: Iterable[str]) -> list[str]:
    """Return models by family, the newest of each first; those that are no Claude last."""
    newest_first = sorted(sorted(models), key=model_version, reverse=True)
    return sorted(newest_first, key=lambda model: (not model_family(model), model_family(model)))


def newest_of_family(family: str, models: Iterable[str]) -> str:
    """Return the newest of these models that is of a family; empty if none is."""
    return next((model for model in sort_models(models) if family and model_family(model) == family), "")


def find_pricing(model: str) -> Pricing | None:
    """Return what a model costs and how much it holds; None if nobody knows its price."""
    name = plain_model_name(model)
    if known := OPERATOR_PRICES.get(model) or PRICES.get(name):
        return known
    if not is_claude_model(model):
        return None
    family = max((DEAREST[each] for each in DEAREST if each in name), default=None, key=lambda each: each.output)
    extent = SERVER_EXTENTS.get(model, ModelExtent(LEAST_WINDOW, LEAST_OUTPUT))
    return Pricing(
        card=family or max(DEAREST.values(), key=lambda each: each.output),
        window=extent.window,
        most_output=extent.most_output,
    )


def substitute_card(model: str) -> PriceCard | None:
    """Return the dearest card of the models that may answer what this one declines; None if none may."""
    pricing = find_pricing(model)
    if pricing is None or plain_model_name(model) not in SUBSTITUTABLE_MODELS:
        return None
    return max(pricing.card, OPUS_PRICING.card, key=lambda each: each.output)


def cost_of_usage(model: str, usage: Usage, longest: int | None = None) -> Micros:
    """What a request came to; nothing for a model without a price, whose tokens alone are counted. `longest`: how long
    its prompt may have become, where the usage is the sum of several that the server has read."""
    before = 0
    if isinstance(usage, SubstituteUsage):
        before = cost_of_usage(model, usage.declined, longest)
        model, longest = usage.model, None
    pricing = find_pricing(model)
    prompt = usage.prompt if longest is None else min(usage.prompt, longest)
    return Micros(before + (pricing.card_for(prompt).cost_of(usage) if pricing else 0))


def format_dollars(amount: int) -> str:
    return f"${amount / MILLION:.2f}"
