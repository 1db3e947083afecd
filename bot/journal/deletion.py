"""Delete what is not to be kept: a conversation on the operator's order, and old rows by themselves."""

from datetime import datetime, timedelta

from bot.core.limits import DecisionTerms
from bot.core.program_names import retinue_command
from bot.core.texts import logs
from bot.core.turn import SessionId
from bot.journal import openings
from bot.store import deletion, schedules
from bot.store.connection import Connection
from bot.store.file_rewrite import note_words_forgotten
from bot.store.orders import OrderAnswer

MAX_SCHEDULES_SWEPT_AT_ONCE = 200
MIN_DAYS_MESSAGE_IDS_STAY = 7  # a platform may repeat an event for so many days, so its id must stay


def delete_conversation(db: Connection, id: SessionId, terms: DecisionTerms, *, is_running: bool = True) -> OrderAnswer:
    """Delete a session with all its rows, unless one of its turns is open, or another conversation began one of its
    delegations. If it was the chat's newest one, open an empty one, so the chat does not go back to an older one."""
    if not deletion.is_conversation(db, id):
        return OrderAnswer(logs.NO_SUCH_CONVERSATION(id=id), is_done=False)
    whole = deletion.find_session_tree(db, id)
    if number := deletion.count_open_turns_and_unread_reports(db, whole):
        if is_running:
            return OrderAnswer(logs.CONVERSATION_AT_WORK(number, id=id, command=retinue_command("stop")), is_done=False)
        return OrderAnswer(logs.CONVERSATION_OPEN(number, id=id, command=retinue_command("stop")), is_done=False)
    if other := deletion.find_other_parent_conversation(db, whole):
        return OrderAnswer(logs.CONVERSATION_HELD(id=id, other=other), is_done=False)
    openings.leave_conversation(db, id, terms.now)
    deletion.delete_session_rows(db, id, whole)
    note_words_forgotten(db)
    roots = sum("/" not in turn for turn in whole.turns)
    return OrderAnswer(logs.CONVERSATION_DELETED(roots, id=id, below=len(whole.turns) - roots))


def sweep_some_old_rows(db: Connection, now: datetime, keep_days: int) -> bool:
    """Forget rows older than `keep_days`; none if it is 0. Return True if there may be more to forget."""
    if not keep_days:
        return False
    ids_old = now - timedelta(days=max(keep_days, MIN_DAYS_MESSAGE_IDS_STAY))
    has_swept = schedules.sweep_old_schedules(db, now, keep_days, MAX_SCHEDULES_SWEPT_AT_ONCE) > 0
    return has_swept or deletion.delete_or_clear_old_rows(db, now - timedelta(days=keep_days), ids_old)
