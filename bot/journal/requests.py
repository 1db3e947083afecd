"""Open a turn's next request and pay for it in advance; at a limit open its last one, let it wait, or end it."""

from bot.core import phrases
from bot.core.content_blocks import text_block
from bot.core.limits import DecisionTerms, LimitKind
from bot.core.texts import model, reasons
from bot.core.turn import PaidModelRequest, Turn, TurnId, TurnOutcome
from bot.journal import boards, chapters, payments, turn_rights
from bot.journal.budgets import BudgetKind
from bot.journal.endings import end_turn_in_harness_words
from bot.journal.results import unavailable_results_for_server_uses
from bot.journal.turn_messages import post_update_message, text_not_posted_yet
from bot.store import ledger, sessions, transcript, turns
from bot.store.connection import Connection


def open_next_request(
    db: Connection, id: TurnId, terms: DecisionTerms, *, after: PaidModelRequest | None = None, doubled: bool = False
) -> None:
    """Pay for a turn's next request in advance. At a limit, the next request is the last, and its calls are not run. If
    no budget can pay even for that, the turn ends with the text there is. If only open requests of others use up the
    money, the turn waits. `after` is the failed request that this one repeats. What the turn's person may not do any
    more is not offered to the model."""
    turn = turn_rights.withdraw_lost_rights(db, turns.get_turn(db, id), terms)
    open_request_of_turn(db, turn, terms, after=after, doubled=doubled)


def open_request_of_turn(
    db: Connection, turn: Turn, terms: DecisionTerms, *, after: PaidModelRequest | None = None, doubled: bool = False
) -> None:
    """Do what `open_next_request` does, for a turn that was just read or written."""
    chapter = sessions.get_current_chapter(db, turn.session).with_cache_as_of(terms.now)
    attempt = after.attempt + 1 if after else 1
    limit = after.limit if after else None
    if limit is None and not chapter.is_closing:
        limit = payments.find_reached_limit(db, turn, chapter, terms)
    short = payments.reserve_and_open_request(db, turn, chapter, terms, limit=limit, attempt=attempt, doubled=doubled)
    if short and not short.may_wait and limit is None and not chapter.is_closing:
        limit = LimitKind.DOLLARS
        short = payments.reserve_and_open_request(db, turn, chapter, terms, limit=limit, attempt=attempt, doubled=False)
    if short and not short.may_wait and chapter.is_closing and short.budget is BudgetKind.TURN:
        chapters.begin_chapter_without_summary(db, turn, terms)
        open_request_of_turn(db, turn, terms)
        return
    if limit and short is None and ledger.count_final_requests(db, turn.id) == 1:
        announce_final_request(db, turn, limit, terms, leaves_pause=chapter.is_paused or chapter.is_pending)
    waits_for = short.budget.value if short and short.may_wait else ""
    if turn.waits_for != waits_for:
        turns.update_turn_columns(db, turn.id, waits_for=waits_for)
        if turn.waits_for in payments.DAY_BUDGET_NAMES:
            payments.wake_oldest_turn_per_day_budget(db)  # this turn had its chance; now wake the next one
    if short and not short.may_wait:
        why = reasons.NO_MONEY[short.budget.value](time_zone=str(terms.resolved_settings.operator_time_zone))
        if limit and limit is not LimitKind.DOLLARS and short.budget is BudgetKind.TURN:
            why = phrases.limit_reached_text(limit, turn.limits)
        end_turn_in_harness_words(db, turn, TurnOutcome.for_limit(limit or LimitKind.DOLLARS), why, terms)


def open_request_after_wait(db: Connection, id: TurnId, terms: DecisionTerms) -> None:
    """Open the request that a turn waits to make. If the turn rested after a failure, repeat the failed request."""
    turn = turns.get_turn(db, id)
    failed = ledger.find_newest_request(db, id) if turn.rests_until or turn.failing_since else None
    if turn.rests_until:
        turns.update_turn_columns(db, id, waits_for="", rests_until=None)
        if not turn.is_root:
            boards.post_or_revise_board(db, turn, terms)
    open_next_request(db, id, terms, after=failed, doubled=failed is not None and failed.is_doubled)


def leave_fallback_model(db: Connection, turn: Turn) -> None:
    """Ask the turn's own model again, since a new chapter has begun."""
    if turn.is_on_fallback:
        turns.update_turn_columns(db, turn.id, is_on_fallback=False)


def announce_final_request(
    db: Connection, turn: Turn, limit: LimitKind, terms: DecisionTerms, *, leaves_pause: bool
) -> None:
    """Tell the model that its next reply is the turn's last. The tools stay in the request so that the cache still
    works; the model is told in words. A reply that paused for server tools does not continue. The results that they
    owe are written first. The text so far is sent to the chat here, since the rest comes as another reply."""
    said = [text_block(model.LAST_WORDS(reason=phrases.limit_reached_text(limit, turn.limits)))]
    if not leaves_pause:
        transcript.append_entry(db, turn, "system", said)
        return
    if turn.is_root and (text := text_not_posted_yet(db, turn)):
        post_update_message(db, turn, f"{turn.id}/{sessions.get_current_chapter(db, turn.session).seq}", text, terms)
    if owed := unavailable_results_for_server_uses(db, turn):
        transcript.append_entry(db, turn, "assistant", owed)
    transcript.append_entry(db, turn, "user", said)
