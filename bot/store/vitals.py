"""How long people have been waiting, and who wrote last, for `retinue health`: a process of its own, and quick."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from bot.store.connection import Connection

HERE = "substr(address, 1, instr(address, ':') - 1) IN (SELECT value FROM json_each(:channels))"
OPEN = "SELECT 1 FROM turns WHERE turns.state != 'ended'"
RECEIVED, TAKEN = (f"SELECT kept_at FROM inbox WHERE state = '{state}' AND {HERE}" for state in ("received", "taken"))
UNANSWERED = f"{RECEIVED} UNION ALL {TAKEN}"
UNATTENDED = (
    f"{RECEIVED} AND NOT EXISTS ({OPEN} AND turns.address = inbox.address AND depth = 0)"
    f" UNION ALL {TAKEN} AND NOT EXISTS ({OPEN} AND turns.id = inbox.turn)"
)
MUST_GO = "is_cosmetic = 0 AND channel IN (SELECT value FROM json_each(:channels))"
NEWEST = 2_000  # rows: what is on its way now is among them, and no index tells which it is; and what came in last
LAST = (
    f"SELECT kept_at FROM (SELECT * FROM inbox ORDER BY seq DESC LIMIT {NEWEST})"
    f" WHERE kind != 'report' AND person != '' AND {HERE} LIMIT 1"
)
UNSENT = (
    f"SELECT said_at FROM outbox WHERE state IN ('queued', 'unknown') AND {MUST_GO} UNION ALL"
    f" SELECT said_at FROM (SELECT * FROM outbox ORDER BY seq DESC LIMIT {NEWEST})"
    f" WHERE state = 'sending' AND {MUST_GO}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """Since when the oldest of each kind waits; None where nothing does."""

    unanswered: datetime | None  # a message that is not answered yet, though somebody may be at it
    unattended: datetime | None  # one that nobody is at: no turn is open for it
    unsent: datetime | None  # something said that must be delivered


def waits(db: Connection, channels: Collection[str]) -> Waits:
    """Of these channels alone: what was begun elsewhere, as in the terminal, waits for whoever goes on there."""
    return Waits(
        unanswered=oldest(db, UNANSWERED, channels),
        unattended=oldest(db, UNATTENDED, channels),
        unsent=oldest(db, UNSENT, channels),
    )


def oldest(db: Connection, query: str, channels: Collection[str]) -> datetime | None:
    moments = db.execute(query, {"channels": json.dumps(sorted(channels))}).fetchall()
    return min((datetime.fromisoformat(row[0]) for row in moments), default=None)


def last_message_at(db: Connection, channels: Collection[str]) -> datetime | None:
    """When somebody who may speak last wrote in these channels; None if nobody has, or not for long."""
    return oldest(db, LAST, channels)
