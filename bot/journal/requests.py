"""How a turn's next request becomes due: paid for in advance, or its last, or its end."""

from bot import phrases
from bot.journal.endings import end_unasked
from bot.limits import Limit, Terms
from bot.store import ledger, sessions, turns
from bot.store.connection import Connection
from bot.store.ledger import Budget
from bot.turn import Request, Status, TurnId


def open_next(db: Connection, id: TurnId, terms: Terms, *, after: Request | None = None, doubled: bool = False) -> None:
    """Pay for a turn's next request in advance. At a limit it is the last, without tools; where no budget can pay
    even for that, the turn ends with what there is; where only open requests of others stand in the way, it waits.

    `after`: the request that failed, and that this one makes again.
    """
    turn = turns.get(db, id)
    chapter = sessions.chapter_of(db, turn.session)
    attempt = after.attempt + 1 if after else 1
    limit = after.limit if after else None
    if limit is None and not chapter.is_closing:
        limit = ledger.limit_reached(db, turn, chapter, terms)
    short = ledger.open_request(db, turn, chapter, terms, limit=limit, attempt=attempt, doubled=doubled)
    if short and not short.may_wait and limit is None and not chapter.is_closing:
        limit = Limit.DOLLARS
        short = ledger.open_request(db, turn, chapter, terms, limit=limit, attempt=attempt, doubled=False)
    waits_for = short.budget.value if short and short.may_wait else ""
    turns.wait_for_money(db, id, waits_for)
    if turn.waits_for == Budget.DAY.value != waits_for:
        turns.wake_next_short_of_day(db)  # it was its turn; now it is the next one's
    if short and not short.may_wait:
        end_unasked(db, turn, Status.at(limit or Limit.DOLLARS), phrases.NO_MONEY[short.budget.value], terms)
