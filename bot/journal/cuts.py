"""When a request or a step is cut off: it is charged as far as it came, and what comes next is made due."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from bot import phrases
from bot.blocks import unavailable, words
from bot.errors import RequestFailed
from bot.journal import chapters, requests, steps
from bot.journal.endings import end_unasked
from bot.limits import Terms
from bot.prices import Usage
from bot.store import boards, ledger, outbox, pulse, sessions, transcript, turns, waiting
from bot.store.connection import Connection
from bot.texts import model, people_models
from bot.turn import CallKind, CallState, Request, Status, Turn, TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class CutOff:
    """A request that came to nothing, and what it has used all the same."""

    turn: TurnId
    request: Request
    usage: Usage
    text: str  # what the model had written
    worked: float  # seconds since the turn's clock was last written down


Cut = Callable[[Connection, CutOff, Terms], None]


def try_again(failed: RequestFailed) -> Cut:
    """A request failed in a way that may pass: it is made again, as a new one, once the turn has rested."""

    def again(db: Connection, cut: CutOff, terms: Terms) -> None:
        turn = charge(db, cut)
        if turn is None:
            return
        if failed.fault:
            waiting.failing(db, turn, terms.now)
        if failed.seconds > 0:
            waiting.rest(db, turn, terms.now + timedelta(seconds=failed.seconds))
            say_if_long(db, turn, failed, terms)
        else:
            requests.open_next(db, turn.id, terms, after=cut.request, doubled=cut.request.is_doubled)

    return again


def say_if_long(db: Connection, turn: Turn, failed: RequestFailed, terms: Terms) -> None:
    """Who waits for an answer hears, once a turn, why nothing happens for a while."""
    if failed.seconds >= terms.settings.silent_seconds and not boards.is_background(turn.root):
        said = people_models.TRYING_AGAIN(reason=phrases.shown(str(failed)))
        outbox.notice(db, f"{turn.root}:rest", turn.address, said, terms.now)
    if not turn.is_root:
        boards.revise(db, turn, terms.now)


def fall_back(db: Connection, cut: CutOff, terms: Terms) -> None:
    """The model does not answer, and another does so in its place for the rest of the turn; or, while a chapter is
    closing, for its summary: the next chapter may have a model of its own."""
    if turn := charge(db, cut):
        waiting.fall_back(db, turn.id)
        sessions.forget_cache(db, turn.session)
        if not boards.is_background(turn.root) and not sessions.chapter_of(db, turn.session).is_closing:
            once = f"fallback:{turn.address}:{pulse.failing_since(db)}"
            outbox.notice(db, once, turn.address, people_models.OTHER_MODEL, terms.now)
        requests.open_next(db, turn.id, terms, after=replace(cut.request, attempt=0), doubled=cut.request.is_doubled)


def out_of_time(db: Connection, cut: CutOff, terms: Terms) -> None:
    """The turn's seconds are over: its last request is due. What was written of the reply is kept as the first part of
    one, so the model reads it, and it is said before the last words come."""
    if turn := charge(db, cut):
        use_up_time(db, turn)
        if cut.text.strip():
            owed = [unavailable(use) for use in transcript.pending_uses(db, turn)]
            transcript.append(db, turn, "assistant", [*owed, words(cut.text)], is_paused=True)
        requests.open_next(db, turn.id, terms)


def give_up(db: Connection, cut: CutOff, terms: Terms) -> None:
    """The last request that a turn may make came to nothing: the harness answers, with what there is."""
    turn = charge(db, cut)
    if turn and cut.request.limit:
        reason = phrases.limit_reached(cut.request.limit, turn.limits)
        end_unasked(db, turn, Status.at(cut.request.limit), reason, terms, cut.text)


def leave_chapter(*, is_late: bool) -> Cut:
    """A chapter's summary is not to be had, or not in time: the next one begins without it."""

    def leave(db: Connection, cut: CutOff, terms: Terms) -> None:
        if turn := charge(db, cut):
            if is_late:
                use_up_time(db, turn)
            chapters.turn_over_unsummarised(db, turn, terms)
            waiting.fall_forward(db, turn)
            requests.open_next(db, turn.id, terms)

    return leave


def calls_out_of_time(db: Connection, id: TurnId, worked: float) -> None:
    """The turn's seconds are over while it runs calls: those are answered with an error, unless others do them."""
    turns.worked(db, id, worked)
    if not turns.is_running(db, id):
        return
    use_up_time(db, turns.get(db, id))
    for call in transcript.open_calls(db, id):
        if call.kind is not CallKind.WAIT:
            never_began = call.kind is CallKind.CHANGE and call.state is CallState.PLANNED
            result = model.NO_TIME_FOR_CALL if never_began else model.CALL_OUT_OF_TIME
            steps.finish(db, call.id, result, is_error=True)


def use_up_time(db: Connection, turn: Turn) -> None:
    """The clock that ran out may show a little less than the limit: nothing is left all the same."""
    turns.worked(db, turn.id, max(0.0, turn.limits.seconds - turn.spent.seconds))


def charge(db: Connection, cut: CutOff) -> Turn | None:
    """Charge a request that was cut off; gives its turn, if that is to go on."""
    turns.worked(db, cut.turn, cut.worked)
    ledger.settle(db, turns.get(db, cut.turn), cut.request.id, cut.usage)
    return turns.get(db, cut.turn) if turns.is_running(db, cut.turn) else None
