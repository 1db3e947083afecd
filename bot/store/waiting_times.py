"""How long people have been waiting, and when one last wrote: quick queries for `retinue health`, another process."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from bot.store.connection import Connection

IN_NAMED_CHANNELS_SQL = "substr(address, 1, instr(address, ':') - 1) IN (SELECT value FROM json_each(:channels))"
OPEN_TURN_SQL = "SELECT 1 FROM turns WHERE turns.state != 'ended'"
RECEIVED_TIMES_SQL, TAKEN_TIMES_SQL = (
    f"SELECT kept_at FROM inbox WHERE state = '{state}' AND held_until IS NULL AND {IN_NAMED_CHANNELS_SQL}"
    for state in ("received", "taken")
)
UNANSWERED_TIMES_SQL = f"{RECEIVED_TIMES_SQL} UNION ALL {TAKEN_TIMES_SQL}"
UNATTENDED_TIMES_SQL = (
    f"{RECEIVED_TIMES_SQL} AND NOT EXISTS ({OPEN_TURN_SQL} AND turns.address = inbox.address AND depth = 0)"
    f" UNION ALL {TAKEN_TIMES_SQL} AND NOT EXISTS ({OPEN_TURN_SQL} AND turns.id = inbox.turn)"
)
MUST_BE_SENT_SQL = "is_cosmetic = 0 AND channel IN (SELECT value FROM json_each(:channels))"
MAX_NEWEST_ROWS_SEARCHED = 2_000  # rows: messages being sent, and the last that came in, are among them
LAST_INBOUND_MESSAGE_TIME_SQL = (
    f"SELECT kept_at FROM (SELECT * FROM inbox ORDER BY seq DESC LIMIT {MAX_NEWEST_ROWS_SEARCHED})"
    f" WHERE kind != 'report' AND person != '' AND {IN_NAMED_CHANNELS_SQL} LIMIT 1"
)
UNSENT_TIMES_SQL = (
    f"SELECT said_at FROM outbox WHERE state IN ('queued', 'unknown') AND {MUST_BE_SENT_SQL} UNION ALL"
    f" SELECT said_at FROM (SELECT * FROM outbox ORDER BY seq DESC LIMIT {MAX_NEWEST_ROWS_SEARCHED})"
    f" WHERE state = 'sending' AND {MUST_BE_SENT_SQL}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OldestWaitingTimes:
    """When the oldest item of each kind began to wait; None if none waits."""

    unanswered_since: datetime | None  # a message without an answer, even if a turn works on it
    unattended_since: datetime | None  # a message that no open turn works on
    unsent_since: datetime | None  # a message to people that is not cosmetic


def load_oldest_waiting_times(db: Connection, channels: Collection[str]) -> OldestWaitingTimes:
    """Return the oldest waits in these channels. Work elsewhere, as in the terminal, waits for its own user."""
    return OldestWaitingTimes(
        unanswered_since=fetch_oldest_moment(db, UNANSWERED_TIMES_SQL, channels),
        unattended_since=fetch_oldest_moment(db, UNATTENDED_TIMES_SQL, channels),
        unsent_since=fetch_oldest_moment(db, UNSENT_TIMES_SQL, channels),
    )


def fetch_oldest_moment(db: Connection, query: str, channels: Collection[str]) -> datetime | None:
    moments = db.execute(query, {"channels": frozenset(channels)}).fetchall()
    return min((datetime.fromisoformat(row[0]) for row in moments), default=None)


def last_inbound_message_at(db: Connection, channels: Collection[str]) -> datetime | None:
    """Return when a permitted person last wrote in these channels; None if the newest
    MAX_NEWEST_ROWS_SEARCHED rows do not say."""
    return fetch_oldest_moment(db, LAST_INBOUND_MESSAGE_TIME_SQL, channels)
