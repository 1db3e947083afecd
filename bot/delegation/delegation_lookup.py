"""Look up the delegations that a turn may know, and answer for unknown ids."""

from bot.core.errors import ToolError
from bot.core.phrases import role_display_name
from bot.core.prompt_prefix import Prefix
from bot.core.turn import Turn
from bot.delegation import texts
from bot.store import delegations, sessions
from bot.store.connection import Connection, ReadRows
from bot.store.delegations import Delegation

LONGEST_UNKNOWN_ID = 80  # characters of an unknown id that the error repeats
MOST_SUGGESTED = 10  # ids that the error lists


async def require_delegation(read: ReadRows, asking: Turn, id: str) -> Delegation:
    """Return the delegation with this id. Raise ToolError if this conversation has none: it may be another's."""
    found = await read(delegations.find_known_delegation, asking, id.strip())
    if found is None:
        some = await read(delegations.list_known_delegations, asking, MOST_SUGGESTED)
        known = ", ".join(f"{each.turn.id} ({role_display_name(each.turn.role)}, {each.state})" for each in some)
        if not known:
            raise ToolError(texts.UNKNOWN_ID_OF_NONE(delegation=id.strip()[:LONGEST_UNKNOWN_ID]))
        raise ToolError(texts.UNKNOWN_ID(delegation=id.strip()[:LONGEST_UNKNOWN_ID], known=known))
    return found


def load_last_prefix(db: Connection, turn: Turn) -> Prefix:
    """Return the prefix for continuing a delegation: its last one, even if its session was continued since."""
    return sessions.load_prefix(db, sessions.last_prefix_of(db, turn.session, turn.id))
