"""How a turn's next request becomes due: paid for in advance, or its last, or its end."""

from bot import phrases
from bot.blocks import unavailable, words
from bot.journal import chapters
from bot.journal.endings import end_unasked
from bot.journal.saying import say_update
from bot.limits import Limit, Terms
from bot.store import boards, ledger, sessions, transcript, turns, waiting
from bot.store.budgets import Budget
from bot.store.connection import Connection
from bot.texts import model, reasons
from bot.turn import Request, Status, Turn, TurnId

OF_ALL = {Budget.DAY.value, Budget.SHARED_DAY.value}  # many may wait for these


def open_next(db: Connection, id: TurnId, terms: Terms, *, after: Request | None = None, doubled: bool = False) -> None:
    """Pay for a turn's next request in advance. At a limit it is the last, whose calls are not run; where no budget can
    pay even for that, the turn ends with what there is; where only open requests of others stand in the way, it waits.

    `after`: the request that failed, and that this one makes again.
    """
    turn = turns.get(db, id)
    chapter = sessions.chapter_of(db, turn.session).as_of(terms.now)
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
    if limit and short is None and ledger.count_last_requests(db, id) == 1:
        tell_last(db, turn, limit, terms, leaves_pause=chapter.is_paused or chapter.is_pending)
    waits_for = short.budget.value if short and short.may_wait else ""
    waiting.wait_for_money(db, id, waits_for)
    if turn.waits_for in OF_ALL and turn.waits_for != waits_for:
        waiting.wake_next_short_of_day(db)  # it was its turn; now it is the next one's
    if short and not short.may_wait:
        why = reasons.NO_MONEY[short.budget.value](time_zone=terms.settings.time_zone)
        if limit and limit is not Limit.DOLLARS and short.budget is Budget.TURN:
            why = phrases.limit_reached(limit, turn.limits)
        end_unasked(db, turn, Status.at(limit or Limit.DOLLARS), why, terms)


def go_on(db: Connection, id: TurnId, terms: Terms) -> None:
    """Open the request that a turn waits to make: as the repetition of the one that has failed, if it rested."""
    turn = turns.get(db, id)
    failed = ledger.newest_request_of(db, id) if turn.rests_until or turn.failing_since else None
    if turn.rests_until:
        waiting.rested(db, turn)
        if not turn.is_root:
            boards.revise(db, turn, terms.now)
    open_next(db, id, terms, after=failed, doubled=failed is not None and failed.is_doubled)


def tell_last(db: Connection, turn: Turn, limit: Limit, terms: Terms, *, leaves_pause: bool) -> None:
    """Tell the model that its next reply is the turn's last. The tools are shown all the same, or nothing would be read
    from the cache, so it is told in words. A reply that was paused for some of the server's own does not go on: what
    they owe is answered first, and what it has said so far is said here, since the rest comes as another reply."""
    said = [words(model.LAST_WORDS(reason=phrases.limit_reached(limit, turn.limits)))]
    if not leaves_pause:
        transcript.append(db, turn, "system", said)
        return
    if turn.is_root and (text := transcript.unsaid_by(db, turn)):
        say_update(db, turn, f"{turn.id}/{sessions.chapter_of(db, turn.session).seq}", text, terms)
    if owed := [unavailable(use) for use in transcript.pending_uses(db, turn)]:
        transcript.append(db, turn, "assistant", owed)
    transcript.append(db, turn, "user", said)
