"""Forgetting a conversation for good, because the operator says so."""

from bot.limits import Terms
from bot.program import retinue_command
from bot.store import deletion
from bot.store.connection import Connection
from bot.texts import logs
from bot.turn import SessionId

DELETED_PREFIX = "deleted"  # how what is said begins where it was done


def delete_conversation(db: Connection, id: SessionId, terms: Terms, *, is_running: bool = True) -> str:
    """Delete a session with all that hangs on it, unless something of it is open, or stands in a delegation of
    another; gives what was done, or why not.

    The chat's next message does not go on in an older conversation for that: a new one is opened in its place.
    """
    if not deletion.is_conversation(db, id):
        return logs.NO_SUCH_CONVERSATION(id=id)
    whole = deletion.find_session_extent(db, id)
    if number := deletion.count_open_turns(db, whole):
        if is_running:
            return logs.CONVERSATION_AT_WORK(number, id=id, command=retinue_command("stop"))
        return logs.CONVERSATION_OPEN(number, id=id, command=retinue_command("stop"))
    if other := deletion.session_begun_elsewhere(db, whole):
        return logs.CONVERSATION_HELD(id=id, other=other)
    if deletion.is_newest_conversation(db, id):
        deletion.open_empty_session(db, id, terms.now)
    deletion.delete_session_rows(db, id, whole)
    roots = sum("/" not in turn for turn in whole.turns)
    return logs.CONVERSATION_DELETED(roots, id=id, below=len(whole.turns) - roots)
