"""Format figures for the terminal: times, and the cost of an answer."""

from bot.core.messages import TurnCost
from channels.terminal import people_texts

MICROS_PER_DOLLAR = 1_000_000


def format_cost_line(cost: TurnCost | None, *, is_free: bool) -> str:
    """Return the cost as "$0.0123 · 12.3 k tokens · 8 s". Return "" if the model was not asked."""
    if cost is None or not (cost.tokens or cost.cost_micros):
        return ""
    if is_free and not cost.cost_micros:
        return people_texts.FREE()
    usd = cost.cost_micros / MICROS_PER_DOLLAR
    if not usd:
        price: str = people_texts.NO_PRICE()
    else:
        price = people_texts.PRICE_AT_MOST(usd=usd) if cost.is_upper_bound else people_texts.PRICE(usd=usd)
    if cost.tokens < 1_000:
        tokens = people_texts.TOKENS(cost.tokens)
    else:
        tokens = people_texts.THOUSAND_TOKENS(thousands=cost.tokens / 1_000)
    if cost.seconds < 60:
        time = people_texts.SECONDS(seconds=cost.seconds)
    else:
        time = people_texts.MINUTES(time=format_minutes_and_seconds(cost.seconds))
    return " · ".join([price, tokens, time])


def format_bytes(count: int) -> str:
    """Return a size as "1.2 MB"."""
    if count < 1_000:
        return people_texts.BYTES(count)
    return people_texts.MEGABYTES(size=count / 1e6) if count >= 1_000_000 else people_texts.KILOBYTES(size=count / 1e3)


def format_minutes_and_seconds(seconds: float) -> str:
    minutes, rest = divmod(int(max(0.0, seconds)), 60)
    return f"{minutes}:{rest:02d}"
