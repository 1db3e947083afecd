"""Format conversations as lines: a list of them, and who worked for one, how long and at what cost."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from bot.cli.sessions import texts
from bot.core.phrases import role_display_name
from bot.core.prices import format_dollars
from bot.core.turn import SessionId
from bot.store.session_records import SessionOverview, TurnRecord


def format_overviews(overviews: Sequence[SessionOverview], count: int) -> Iterator[str]:
    """Yield a line for each overview. `count` is the number of all conversations: say how many of them are left out."""
    width = max((len(each.id) for each in overviews), default=0)
    for each in overviews:
        done = ", ".join(
            [
                *([texts.OF_GROUP(group=each.group)] if each.group else []),
                texts.TURNS(each.turns),
                *([texts.DELEGATIONS(each.delegations)] if each.delegations else []),
                format_dollars(each.cost),
                *([texts.AT_WORK] if each.is_open else []),
            ]
        )
        yield texts.CONVERSATION_LINE(
            id=each.id.ljust(width), time=format_local_minute(each.last_at), facts=done, gist=each.gist
        )
    if count > len(overviews):
        yield texts.OLDER_LEFT_OUT(count - len(overviews))


def format_session(id: SessionId, opened_at: datetime, records: Sequence[TurnRecord]) -> Iterator[str]:
    """Yield the facts of a conversation, then the tree of its turns and their delegations."""
    below = sum(len(record.tree) - 1 for record in records)
    tokens = sum(record.tree_usage.new_tokens for record in records)
    cost = sum(record.tree_cost for record in records)
    parts = [texts.TURNS(len(records)), texts.DELEGATIONS(below), texts.NEW_TOKENS(tokens), format_dollars(cost)]
    yield texts.CONVERSATION(id=id, time=format_local_minute(opened_at), facts=", ".join(parts))
    for record in records:
        yield ""
        yield from format_turn_tree(record)


def format_turn_tree(record: TurnRecord, indent: str = "") -> Iterator[str]:
    """Yield a line for a turn, and below it, indented, a line for each delegation."""
    yield indent + format_turn_line(record)
    for each in record.below:
        yield from format_turn_tree(each, f"{indent}  ")


def format_turn_line(record: TurnRecord) -> str:
    """Return a line like `t7/2/0  Researcher: completed, 38 s, $0.03: Find out …`.

    The cost includes all turns below this one.
    """
    turn = record.turn
    role = role_display_name(turn.role)
    facts = [texts.STATE_AND_REASON(state=record.state, reason=turn.reason) if turn.reason else record.state]
    if record.seconds is not None:
        facts.append(texts.SECONDS(seconds=record.seconds))
    facts.append(format_dollars(record.tree_cost))
    name = texts.IN_BACKGROUND(role=role) if turn.background else role
    return texts.TURN(id=turn.id, role=name, facts=", ".join(facts), task=record.task)


def format_local_minute(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"
