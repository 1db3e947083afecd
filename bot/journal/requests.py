"""How a turn's next request becomes due: paid for in advance, or its last, or its end."""

from bot import phrases
from bot.blocks import unavailable, words
from bot.journal import chapters
from bot.journal.endings import end_unasked
from bot.journal.saying import say_update
from bot.limits import Limit, Terms
from bot.store import ledger, sessions, transcript, turns
from bot.store.connection import Connection
from bot.store.ledger import Budget
from bot.turn import Request, Status, Turn, TurnId


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
    if short and not short.may_wait and chapter.is_closing and short.budget is Budget.TURN:
        chapters.turn_over_unsummarised(db, turn, terms)
        open_next(db, id, terms)
        return
    if limit and short is None and (chapter.is_paused or chapter.is_pending):
        leave_pause(db, turn, terms)
    waits_for = short.budget.value if short and short.may_wait else ""
    turns.wait_for_money(db, id, waits_for)
    if turn.waits_for == Budget.DAY.value != waits_for:
        turns.wake_next_short_of_day(db)  # it was its turn; now it is the next one's
    if short and not short.may_wait:
        end_unasked(db, turn, Status.at(limit or Limit.DOLLARS), phrases.NO_MONEY[short.budget.value], terms)


def leave_pause(db: Connection, turn: Turn, terms: Terms) -> None:
    """The last request has no tools, so a reply that was paused for some of the server's does not go on with it: what
    they owe is answered, and the model is asked for its words. What it has said so far is said here, since the rest
    comes as another reply."""
    if turn.is_root and (text := transcript.unsaid_by(db, turn)):
        say_update(db, turn, f"{turn.id}/{sessions.chapter_of(db, turn.session).seq}", text, terms)
    if owed := [unavailable(use) for use in transcript.pending_uses(db, turn)]:
        transcript.append(db, turn, "assistant", owed)
    transcript.append(db, turn, "user", [words(phrases.SPEAK)])
