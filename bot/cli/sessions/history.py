"""The conversations in lines: which there are, and who worked for one, how long and for what."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from bot.phrases import shown
from bot.prices import dollars
from bot.store.archive import Overview, Record
from bot.turn import SessionId


def listed(overviews: Sequence[Overview], count: int) -> Iterator[str]:
    """A line for each of those that are shown, of `count` that there are."""
    width = max((len(each.id) for each in overviews), default=0)
    for each in overviews:
        done = ", ".join(
            [
                *([f"group {each.group}"] if each.group else []),
                counted(each.turns, "turn"),
                *([counted(each.delegations, "delegation")] if each.delegations else []),
                dollars(each.cost),
                *(["at work"] if each.is_open else []),
            ]
        )
        yield f"{each.id:<{width}}  {local(each.last_at)}  {done}: {each.gist}"
    if count > len(overviews):
        yield f"({counted(count - len(overviews), 'older one')} left out: --limit 0 lists all)"


def of_session(id: SessionId, opened_at: datetime, records: Sequence[Record]) -> Iterator[str]:
    """The facts of a conversation, and the tree of its turns and their delegations."""
    below = sum(len(record.tree) - 1 for record in records)
    tokens = sum(record.all_usage.new for record in records)
    cost = sum(record.all_cost for record in records)
    parts = [counted(len(records), "turn"), counted(below, "delegation"), f"{tokens:,} new tokens", dollars(cost)]
    yield f"{id}, opened {local(opened_at)}: {', '.join(parts)}"
    for record in records:
        yield ""
        yield from tree(record)


def tree(record: Record, indent: str = "") -> Iterator[str]:
    """A line for a turn, and below it one for each delegation."""
    yield indent + line(record)
    for each in record.below:
        yield from tree(each, f"{indent}  ")


def line(record: Record) -> str:
    """`t7/2/0  Researcher: completed, 38 s, $0.03: Find out …`. What it came to is with all below it."""
    turn = record.turn
    name = shown(turn.role) + (" in the background" if turn.background else "")
    why = f" ({turn.reason})" if turn.reason else ""
    took = f", {record.seconds:.0f} s" if record.seconds is not None else ""
    return f"{turn.id}  {name}: {record.state}{why}{took}, {dollars(record.all_cost)}: {record.task}"


def counted(number: int, one: str) -> str:
    return f"{number:,} {one}{'s' * (number != 1)}"


def local(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"
