"""What must be done now and then: hear of other processes' orders, say that we are alive, forget what is old."""

import asyncio

from bot.journal import endings, forgetting, pairing
from bot.limits import TermsNow
from bot.store import Store, orders, retention, turns
from bot.store.connection import Connection
from bot.store.lock import Lock
from bot.texts import logs, people_access, reasons
from bot.turn import SessionId, Status

SECOND = 1.0
HOUR = 3600.0


class Housekeeping:
    def __init__(self, store: Store, lock: Lock, terms: TermsNow) -> None:
        self.store = store
        self.lock = lock
        self.terms = terms

    async def run(self) -> None:
        """Until cancelled, or the file is gone. Looking for orders costs no query: SQLite counts others' commits."""
        known, swept = -1, -HOUR
        while True:
            self.store.is_there()
            self.lock.touch()
            changes = await self.store.foreign_changes()
            if changes != known:
                await self.store.write(orders.obey_all, self.known_orders())
                known = changes
            now = asyncio.get_running_loop().time()
            if now - swept >= HOUR:
                await self.sweep()
                swept = now
            await asyncio.sleep(SECOND)

    def known_orders(self) -> dict[str, orders.Obey]:
        """What another process may ask for."""
        terms = self.terms()
        return {
            "stop": stop,
            "pair": lambda db, said: pairing.by_code(db, said["code"], people_access.OPERATOR, terms),
            "delete": lambda db, said: forgetting.session(db, SessionId(said["session"]), terms),
            "revoke": lambda db, said: pairing.revoke(db, said["person"], terms),
        }

    async def sweep(self) -> None:
        while await self.store.write(retention.sweep, self.terms().now, self.terms().settings.keep_days):
            pass


def stop(db: Connection, arguments: dict[str, str]) -> str:
    """The operator's /stop: every turn, in every chat."""
    tops = [turn for turn in turns.unfinished(db) if turn.id == turn.root]
    for turn in tops:
        endings.mark(db, turn.id, Status.CANCELLED, reasons.STOPPED_BY_OPERATOR)
    return logs.TURNS_STOPPED(turns=len(tops))
