"""Format figures for the terminal: times, and the cost of an answer."""

from bot.core.messages import TurnCost
from channels.terminal import people_texts

MILLION = 1_000_000


def format_cost_line(cost: TurnCost | None, *, is_free: bool) -> str:
    """Return the cost as "$0.0123 · 12.3 k tokens · 8 s". Return "" if the model was not asked."""
    if cost is None or not (cost.tokens or cost.cost):
        return ""
    if is_free and not cost.cost:
        return people_texts.FREE
    return " · ".join([format_price(cost), format_token_count(cost.tokens), format_duration(cost.seconds)])


def format_price(cost: TurnCost) -> str:
    if not cost.cost:
        return people_texts.NO_PRICE
    usd = cost.cost / MILLION
    return people_texts.PRICE_AT_MOST(usd=usd) if cost.is_most else people_texts.PRICE(usd=usd)


def format_token_count(count: int) -> str:
    return people_texts.THOUSAND_TOKENS(thousands=count / 1_000) if count >= 1_000 else people_texts.TOKENS(count)


def format_duration(seconds: float) -> str:
    return people_texts.MINUTES(time=format_clock(seconds)) if seconds >= 60 else people_texts.SECONDS(seconds=seconds)


def format_clock(seconds: float) -> str:
    return f"{int(max(0.0, seconds)) // 60}:{int(max(0.0, seconds)) % 60:02d}"
