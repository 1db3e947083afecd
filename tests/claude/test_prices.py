"""What a request costs: the published prices, to the millionth of a dollar."""

from dataclasses import replace
from fractions import Fraction

import pytest

from bot.core.prices import PRICING_BY_MODEL, PriceCard, Usage, cost_of_usage

# Dollars per million tokens: input, output, cache write for 5 minutes, for an hour, cache read. The published table.
PUBLISHED = {
    "claude-fable-5-2": ("8", "40", "10", "16", "0.20"),
    "claude-mythos-5-2": ("8", "40", "10", "16", "0.20"),
    "claude-fable-5-1": ("10", "50", "12.5", "20", "0.25"),
    "claude-fable-5": ("10", "50", "12.5", "20", "1.00"),
    "claude-opus-5-5": ("4", "20", "5", "8", "0.20"),
    "claude-opus-5": ("5", "25", "6.25", "10", "0.50"),
    "claude-opus-4-8": ("5", "25", "6.25", "10", "0.50"),
    "claude-opus-4-7": ("5", "25", "6.25", "10", "0.50"),
    "claude-opus-4-6": ("5", "25", "6.25", "10", "0.50"),
    "claude-opus-4-5": ("5", "25", "6.25", "10", "0.50"),
    "claude-sonnet-5-5": ("2", "10", "2.50", "4", "0.10"),
    "claude-sonnet-5": ("2", "10", "2.50", "4", "0.20"),
    "claude-sonnet-4-6": ("3", "15", "3.75", "6", "0.30"),
    "claude-haiku-5-5": ("0.10", "0.50", "0.125", "0.20", "0.01"),
    "claude-haiku-4-5": ("1", "5", "1.25", "2", "0.10"),
}
LONG_HAIKU = ("0.50", "2.50", "0.625", "1.00", "0.05")  # for a prompt of more than 100,000 tokens
KINDS = ("input", "output", "cache_write_5m", "cache_write_1h", "cache_read")


def exactly(prices: tuple[str, ...], usage: Usage) -> Fraction:
    """The sum in millionths of a dollar, without rounding."""
    tokens = sum(
        (Fraction(price) * getattr(usage, kind) for price, kind in zip(prices, KINDS, strict=True)), Fraction()
    )
    return tokens + usage.searches * 10_000


def test_every_model_in_the_table_has_its_published_price() -> None:
    assert PRICING_BY_MODEL.keys() == PUBLISHED.keys()


@pytest.mark.parametrize(("model", "prices"), PUBLISHED.items(), ids=list(PUBLISHED))
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_token_has_its_published_price(model: str, prices: tuple[str, ...], kind: str) -> None:
    usage = Usage(**{kind: 100_000})
    assert cost_of_usage(model, usage) == exactly(prices, usage)


def test_haiku_is_dearer_for_prompts_above_a_hundred_thousand_tokens() -> None:
    at_the_edge = Usage(input=40_000, cache_write_1h=30_000, cache_read=30_000, output=1_000)
    beyond = replace(at_the_edge, cache_read=30_001)
    assert cost_of_usage("claude-haiku-5-5", at_the_edge) == exactly(PUBLISHED["claude-haiku-5-5"], at_the_edge)
    assert cost_of_usage("claude-haiku-5-5", beyond) == -(-exactly(LONG_HAIKU, beyond) // 1)


def test_the_length_of_the_reply_does_not_make_haiku_dearer() -> None:
    usage = Usage(input=100_000, output=50_000)
    assert cost_of_usage("claude-haiku-5-5", usage) == exactly(PUBLISHED["claude-haiku-5-5"], usage)


def test_a_search_costs_a_cent() -> None:
    assert cost_of_usage("claude-sonnet-5-5", Usage(searches=3)) == 30_000


@pytest.mark.parametrize("model", PUBLISHED)
def test_a_cost_is_the_exact_sum_rounded_up_by_less_than_a_millionth(model: str) -> None:
    for tokens in range(0, 2_000, 37):
        usage = Usage(input=tokens, output=tokens // 3, cache_read=7 * tokens, cache_write_5m=tokens // 7, searches=1)
        exact = exactly(PUBLISHED[model], usage)
        assert exact <= cost_of_usage(model, usage) < exact + 1


def test_a_model_without_a_price_costs_nothing_and_its_tokens_are_counted() -> None:
    usage = Usage(input=1_000, output=10, cache_read=500)
    assert (cost_of_usage("some/local-model", usage), usage.tokens_without_cache_reads) == (0, 1_010)


def test_a_reservation_covers_the_dearest_charge_for_a_prompt() -> None:
    card: PriceCard = PRICING_BY_MODEL["claude-sonnet-5-5"].card
    for usage in (Usage(input=999, output=99), Usage(cache_write_1h=999, output=99), Usage(cache_read=999, output=99)):
        assert card.worst_case_cost(999, 99) >= card.cost_of(usage)
