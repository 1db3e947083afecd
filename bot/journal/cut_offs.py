"""Handle a request or a step that was cut off: charge what it has used, and open what comes next."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from bot.core import phrases
from bot.core.content_blocks import text_block
from bot.core.errors import RetryableModelFailure
from bot.core.limits import DecisionTerms
from bot.core.messages import role_display_name
from bot.core.texts import model, people_models
from bot.core.turn import MODEL_SERVER_WAIT_REASON, CallKind, CallState, PaidModelRequest, Turn, TurnId, TurnOutcome
from bot.journal import boards, chapters, payments, requests, steps
from bot.journal.bus import post_notice
from bot.journal.endings import CutOffRequestRecord, end_turn_in_harness_words
from bot.journal.results import unavailable_results_for_server_uses
from bot.store import health_rows, sessions, transcript, turns
from bot.store.connection import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class CutOffRequest:
    """A request that failed or was stopped, and what it used until then."""

    turn: TurnId
    request: PaidModelRequest
    record: CutOffRequestRecord
    worked_seconds: float  # seconds of work that are in no row yet


CutOffHandler = Callable[[Connection, CutOffRequest, DecisionTerms], None]


def make_retry_handler(failed: RetryableModelFailure) -> CutOffHandler:
    """Return the handler of a request that failed in a way that may pass. It makes the request again, as a new one,
    after the turn has rested. If the rest is long, the chat is told why nothing happens."""

    def again(db: Connection, cut: CutOffRequest, terms: DecisionTerms) -> None:
        turn = charge_cut_off_request(db, cut)
        if turn is None:
            return
        if failed.fault and not turn.failing_since:  # the first failure's time stays
            turns.update_turn_columns(db, turn.id, failing_since=terms.now)
        if failed.seconds > 0:
            until = terms.now + timedelta(seconds=failed.seconds)
            turns.update_turn_columns(db, turn.id, waits_for=MODEL_SERVER_WAIT_REASON, rests_until=until)
            if failed.seconds >= terms.timings.announced_wait_seconds and not boards.is_begun_in_background(turn.root):
                said = people_models.TRYING_AGAIN(reason=role_display_name(str(failed)))
                post_notice(db, f"{turn.root}:rest", turn.address, said, terms.now)  # once a turn
            if not turn.is_root:
                boards.post_or_revise_board(db, turn, terms)
        else:
            requests.open_next_request(db, turn.id, terms, after=cut.request, doubled=cut.request.is_doubled)

    return again


def switch_to_fallback_model(db: Connection, cut: CutOffRequest, terms: DecisionTerms) -> None:
    """Let the fallback model answer for the rest of the turn, because the turn's own model does not. While a
    chapter is closing, only its summary comes from the fallback: the next chapter may have a model of its own."""
    if turn := charge_cut_off_request(db, cut):
        turns.update_turn_columns(db, turn.id, is_on_fallback=True, failing_since=None)
        sessions.update_current_chapter(db, turn.session, cached=0)  # no cache holds it for another model
        if (
            not boards.is_begun_in_background(turn.root)
            and not sessions.get_current_chapter(db, turn.session).is_closing
        ):
            once = f"fallback:{turn.address}:{health_rows.longest_model_fault_began_at(db)}"
            post_notice(db, once, turn.address, people_models.OTHER_MODEL(), terms.now)
        first = replace(cut.request, attempt=0)
        requests.open_next_request(db, turn.id, terms, after=first, doubled=first.is_doubled)


def open_final_request_at_timeout(db: Connection, cut: CutOffRequest, terms: DecisionTerms) -> None:
    """Open the turn's last request, because its seconds are used up. The text written so far becomes the first part
    of a reply. So the model reads it, and the chat gets it before the last words."""
    if turn := charge_cut_off_request(db, cut):
        count_whole_time_as_used(db, turn)
        if cut.record.written_text.strip():
            content = [*unavailable_results_for_server_uses(db, turn), text_block(cut.record.written_text)]
            transcript.append_entry(db, turn, "assistant", content, is_paused=True)
        requests.open_next_request(db, turn.id, terms)


def end_turn_without_final_reply(db: Connection, cut: CutOffRequest, terms: DecisionTerms) -> None:
    """End the turn in the harness's words, with the text there is, because its last request failed."""
    turn = charge_cut_off_request(db, cut)
    if turn and cut.request.limit:
        reason = phrases.limit_reached_text(cut.request.limit, turn.limits)
        status, text = TurnOutcome.for_limit(cut.request.limit), cut.record.written_text
        end_turn_in_harness_words(db, turn, status, reason, terms, text)


def make_failed_summary_handler(*, is_late: bool) -> CutOffHandler:
    """Return the handler of a summary that failed, or came too late: the next chapter begins without it."""

    def leave(db: Connection, cut: CutOffRequest, terms: DecisionTerms) -> None:
        if turn := charge_cut_off_request(db, cut):
            if is_late:
                count_whole_time_as_used(db, turn)
            chapters.begin_chapter_without_summary(db, turn, terms)
            requests.leave_fallback_model(db, turn)
            requests.open_next_request(db, turn.id, terms)

    return leave


def fail_open_calls_at_turn_timeout(db: Connection, id: TurnId, worked: float, terms: DecisionTerms) -> None:
    """Fail the turn's open calls, because its seconds are used up. Calls that others carry out go on."""
    turns.add_work_seconds(db, id, worked)
    if not turns.is_turn_running(db, id):
        return
    count_whole_time_as_used(db, turns.get_turn(db, id))
    for call in transcript.list_open_calls(db, id):
        if call.kind is not CallKind.WAIT:
            never_began = call.kind is CallKind.CHANGE and call.state is CallState.PLANNED
            result = model.NO_TIME_FOR_CALL if never_began else model.CALL_OUT_OF_TIME
            steps.write_call_result(db, call.id, result, terms, is_error=True)


def count_whole_time_as_used(db: Connection, turn: Turn) -> None:
    """Count the turn's whole time as used. Its clock may show a little less than the limit when the time runs out."""
    turns.add_work_seconds(db, turn.id, max(0.0, turn.limits.seconds - turn.spent.seconds))


def charge_cut_off_request(db: Connection, cut: CutOffRequest) -> Turn | None:
    """Charge a request that was cut off. Return its turn if the turn goes on, else None."""
    turns.add_work_seconds(db, cut.turn, cut.worked_seconds)
    payments.settle_request(db, turns.get_turn(db, cut.turn), cut.request.id, cut.record.usage, cut.record.sent)
    return turns.get_turn(db, cut.turn) if turns.is_turn_running(db, cut.turn) else None
