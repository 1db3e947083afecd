"""What the terminal itself says to the person before it."""

from bot.messages import Cost, OutboundKind, OutboundMessage

ASKING = (OutboundKind.QUESTION, OutboundKind.APPROVAL)
MILLION = 1_000_000

HELP = "Alt-Enter: a new line · /help, Tab: the commands · Ctrl-C: stop, and twice: leave · exit: leave"
HELP_OF_LINES = "Enter sends a line · /help: the commands · Ctrl-C: stop, and leave · exit, Ctrl-D: leave"
NOTHING_AT_WORK = "Nothing is at work. Once more leaves."
PROMPT = "> "
EARLIER = "Earlier in this conversation:"
END_OF_EARLIER = "The conversation goes on here."
LEFT_OVER = "From an earlier run:"
STILL_OPEN = "Still open, from an earlier run:"
AGAIN = "What stands above was a draft. This is what I say:"
CHOOSE = "Type a number or words, then Enter."
WRITE = "Type your answer, then Enter."
WAITS_FOR_ANSWER = "waits for your answer · Ctrl-C stops"
FREE = "free (demo)"
NO_PRICE = "price not known"


def how_to_answer(question: OutboundMessage) -> str:
    return CHOOSE if question.options else WRITE


AT_MOST = "at most "


def cost_line(cost: Cost | None, *, is_free: bool) -> str:
    """Return it as "$0.0123 · 12.3 k tokens · 8 s"; nothing if there was none, since the model was not asked."""
    if cost is None or not (cost.tokens or cost.cost):
        return ""
    if is_free and not cost.cost:
        return FREE
    price = f"{AT_MOST * cost.is_most}${cost.cost / MILLION:.4f}" if cost.cost else NO_PRICE
    return f"{price} · {tokens(cost.tokens)} tokens · {duration(cost.seconds)}"


def tokens(count: int) -> str:
    return f"{count / 1_000:.1f} k" if count >= 1_000 else str(count)


def duration(seconds: float) -> str:
    return f"{clock(seconds)} min" if seconds >= 60 else f"{seconds:.0f} s"


def clock(seconds: float) -> str:
    return f"{int(max(0.0, seconds)) // 60}:{int(max(0.0, seconds)) % 60:02d}"
