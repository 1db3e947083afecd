"""Forgetting a conversation for good, because the operator says so."""

from bot.limits import Terms
from bot.program import command
from bot.store import deletion
from bot.store.connection import Connection
from bot.turn import SessionId

DELETED = "deleted"  # how what is said begins where it was done
HOW_TO_STOP = "/stop in its chat ends that, or {} all that the bot is at; then delete it"
NOBODY_RUNS = "no bot is running, and the next start would go on with it: start the bot, then "


def session(db: Connection, id: SessionId, terms: Terms, *, is_running: bool = True) -> str:
    """Delete a session with all that hangs on it, unless something of it is open, or stands in a delegation of
    another; gives what was done, or why not.

    The chat's next message does not go on in an older conversation for that: a new one is opened in its place.
    """
    if not deletion.is_there(db, id):
        return f"there is no conversation {id}"
    whole = deletion.extent(db, id)
    if number := deletion.open_turns(db, whole):
        way = ("" if is_running else NOBODY_RUNS) + HOW_TO_STOP.format(command("stop"))
        return f"{id} is at work ({number} of its turns {'is' if number == 1 else 'are'} open): {way}"
    if other := deletion.begun_in(db, whole):
        return f"{id} went on with a delegation of {other}, which holds what was said then: delete {other} first"
    if deletion.is_newest(db, id):
        deletion.open_next(db, id, terms.now)
    deletion.delete(db, id, whole)
    roots = sum("/" not in turn for turn in whole.turns)
    return f"{DELETED} {id}: {roots} turn{'s' * (roots != 1)}, {len(whole.turns) - roots} below"
