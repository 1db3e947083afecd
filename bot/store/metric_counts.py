"""Count rows for metrics: what was done since the first look, and what is open now. Older rows are never read.

`MetricCounts` remembers the newest row of each table, and the rows that were not finished. Each look reads only these
and the newer rows, at most `MAX_ROWS_PER_COUNT` of a table.
"""

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from bot.core.prices import total_usage_from_json
from bot.store.connection import Connection

MAX_ROWS_PER_COUNT = 5_000  # rows of a table that one look reads; the next look continues there
UNFINISHED_ROW_IDS_SQL_BY_TABLE = {  # the unfinished rows of each table, by an index that holds only these
    "turns": "SELECT rowid FROM turns WHERE state != 'ended'",
    "requests": "SELECT id FROM requests WHERE state = 'open'",
    "outbox": "SELECT seq FROM outbox WHERE state IN ('queued', 'unknown')"
    " UNION ALL SELECT seq FROM outbox WHERE state = 'sending'",
    "inbox": "",  # an inbound message counts at once
}
COUNTED_COLUMNS = {
    "turns": "depth, state, status",
    "requests": "model, state, cost, usage",
    "outbox": "channel, kind, state",
    "inbox": "substr(address, 1, instr(address, ':') - 1) AS channel, kind, person",
}
COSMETIC_KINDS = ("draft", "board")  # these show work, and do not count as messages
COUNT_BY_CHANNEL_SQL = (
    "SELECT channel, count(*) AS many FROM ({}) WHERE channel IN (SELECT value FROM json_each(?)) GROUP BY channel"
)


@dataclass
class MetricCounts:
    """What was done since the first look: turns by ("turn" | "delegation", status); messages and failures by channel;
    requests by (model, "settled" | "lost"), `tokens` by (model, kind), `micros` by model."""

    ended_turns: Counter[tuple[str, str]] = field(default_factory=Counter)
    received_messages: Counter[str] = field(default_factory=Counter)
    sent_messages: Counter[str] = field(default_factory=Counter)
    failed_messages: Counter[str] = field(default_factory=Counter)
    closed_requests: Counter[tuple[str, str]] = field(default_factory=Counter)
    tokens_by_kind: Counter[tuple[str, str]] = field(default_factory=Counter)
    cost_micros: Counter[str] = field(default_factory=Counter)
    _newest_counted: dict[str, int] = field(default_factory=dict)  # the newest row of each table
    _unfinished: dict[str, set[int]] = field(default_factory=dict)  # its rows that were not finished

    def count_from_zero(self) -> None:
        """Count every row from now on, in a new file."""
        self._newest_counted = dict.fromkeys(UNFINISHED_ROW_IDS_SQL_BY_TABLE, 0)
        self._unfinished = {table: set() for table in UNFINISHED_ROW_IDS_SQL_BY_TABLE}

    def count_newly_finished_rows(self, db: Connection) -> None:
        """Count what has finished since the last look. The first look counts nothing."""
        for table, is_open in UNFINISHED_ROW_IDS_SQL_BY_TABLE.items():
            if table not in self._newest_counted:
                self._newest_counted[table] = db.fetch_number(f"SELECT max(rowid) FROM {table}")
                self._unfinished[table] = {row[0] for row in db.fetch_rows(is_open)} if is_open else set()
        for row in self.read_newly_finished_rows(db, "turns"):
            self.ended_turns["delegation" if row["depth"] else "turn", row["status"]] += 1
        for row in self.read_newly_finished_rows(db, "requests"):
            model, usage = row["model"], total_usage_from_json(row["usage"] or "{}")
            self.closed_requests[model, row["state"]] += 1
            self.cost_micros[model] += row["cost"] or 0
            for kind in ("input", "output", "cache_read", "cache_write_5m", "cache_write_1h"):
                self.tokens_by_kind[model, kind] += getattr(usage, kind)
        for row in self.read_newly_finished_rows(db, "outbox"):
            if row["kind"] not in COSMETIC_KINDS:
                (self.failed_messages if row["state"] == "failed" else self.sent_messages)[row["channel"]] += 1
        for row in self.read_newly_finished_rows(db, "inbox"):
            if row["kind"] != "report" and row["person"]:  # its sender may speak
                self.received_messages[row["channel"]] += 1

    def read_newly_finished_rows(self, db: Connection, table: str) -> Iterator[sqlite3.Row]:
        """Yield the rows that have finished since the last look."""
        was, columns = self._unfinished[table], f"SELECT rowid AS number, {COUNTED_COLUMNS[table]} FROM {table}"
        newest = db.fetch_number(f"SELECT max(rowid) FROM {table}")
        seen = min(
            self._newest_counted[table], newest
        )  # the newest row may have been deleted, and its number used again
        rows = db.fetch_rows(f"{columns} WHERE rowid > ? ORDER BY rowid LIMIT {MAX_ROWS_PER_COUNT}", seen)
        if was:
            rows += db.fetch_rows(f"{columns} WHERE rowid IN (SELECT value FROM json_each(?))", was)
        self._newest_counted[table] = max([seen, *(row["number"] for row in rows)])
        self._unfinished[table] = set()
        for row in rows:
            if table == "inbox" or row["state"] in ("ended", "settled", "lost", "sent", "failed"):
                yield row
            else:
                self._unfinished[table].add(row["number"])


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueDepths:
    """What is open now: turns by ("turn" | "delegation", state), and waiting messages by channel."""

    open_turns: Counter[tuple[str, str]]
    waiting_inbound: Counter[str]
    waiting_outbound: Counter[str]


def count_queue_depths(db: Connection, channels: Collection[str]) -> QueueDepths:
    open_turns = "SELECT depth > 0 AS is_below, state, count(*) AS many FROM turns WHERE state != 'ended' GROUP BY 1, 2"
    come = f"SELECT {COUNTED_COLUMNS['inbox']} FROM inbox WHERE state = 'received' AND held_until IS NULL"
    said = "SELECT channel FROM outbox WHERE state IN ('queued', 'unknown')"
    rows = db.fetch_rows(open_turns)
    turns = {("delegation" if row["is_below"] else "turn", row["state"]): row["many"] for row in rows}
    inbox, outbox = (
        {row["channel"]: row["many"] for row in db.fetch_rows(COUNT_BY_CHANNEL_SQL.format(query), frozenset(channels))}
        for query in (come, said)
    )
    return QueueDepths(open_turns=Counter(turns), waiting_inbound=Counter(inbox), waiting_outbound=Counter(outbox))
