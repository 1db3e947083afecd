"""How the channels are doing, for `retinue health` and `retinue doctor`, which are other processes."""

from dataclasses import dataclass
from datetime import datetime

from bot.store.connection import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    name: str
    good_at: datetime | None  # the last good poll, or acknowledged heartbeat
    fault: str  # empty: none
    fault_since: datetime | None


def note(db: Connection, name: str, good_at: datetime | None, fault: str, now: datetime) -> bool:
    """Write down how a channel is doing; True if its fault is a new one."""
    was = next((pulse for pulse in all_of(db) if pulse.name == name), None)
    is_new = bool(fault) and (was is None or was.fault != fault)
    since = None if not fault else now if is_new or was is None else was.fault_since
    db.execute(
        "INSERT INTO channels (name, good_at, fault, fault_since) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE"
        " SET good_at = ifnull(excluded.good_at, good_at), fault = excluded.fault, fault_since = excluded.fault_since",
        (name, good_at and good_at.isoformat(), fault, since and since.isoformat()),
    )
    return is_new


def all_of(db: Connection) -> list[Pulse]:
    return [
        Pulse(
            name=row["name"],
            good_at=datetime.fromisoformat(row["good_at"]) if row["good_at"] else None,
            fault=row["fault"],
            fault_since=datetime.fromisoformat(row["fault_since"]) if row["fault_since"] else None,
        )
        for row in db.all("SELECT * FROM channels ORDER BY name")
    ]
