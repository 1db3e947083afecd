"""The delegations that a turn may know of, and what is said of an id that is none of them."""

from bot.delegation import texts
from bot.errors import ToolError
from bot.phrases import shown
from bot.prefix import Prefix
from bot.store import delegations, sessions
from bot.store.connection import Connection, Read
from bot.store.delegations import Delegation
from bot.turn import Turn

LONGEST = 80  # characters of an unknown id that are repeated
MOST_NAMED = 10  # where an id is none of them


class Knowing:
    def __init__(self, read: Read) -> None:
        self.read = read

    async def one(self, asking: Turn, id: str) -> Delegation:
        """The delegation of that id. Raises ToolError for one that this conversation has not: it may be another's."""
        found = await self.read(delegations.find, asking, id.strip())
        if found is None:
            some = await self.read(delegations.known, asking, MOST_NAMED)
            known = ", ".join(f"{each.turn.id} ({shown(each.turn.role)}, {each.state})" for each in some)
            if not known:
                raise ToolError(texts.UNKNOWN_ID_OF_NONE(delegation=id.strip()[:LONGEST]))
            raise ToolError(texts.UNKNOWN_ID(delegation=id.strip()[:LONGEST], known=known))
        return found

    async def prefix(self, turn: Turn) -> Prefix:
        """What a delegation that goes on is shown: what it was shown last, whoever went on with its session since."""
        return await self.read(prefix_of, turn)


def prefix_of(db: Connection, turn: Turn) -> Prefix:
    return sessions.prefix(db, sessions.last_prefix_of(db, turn.session, turn.id))
