"""What was done since a moment, counted from rows for metrics, and what is under way. History is never read.

A tally remembers the newest row of each table, and the rows that were not over. Each look reads only these and the
newer rows, at most `MOST_ROWS` of a table.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from bot.core.prices import parse_usage
from bot.store.connection import Connection

MOST_ROWS = 5_000  # rows of a table at one look: the next one goes on where it ends
OPEN_ROWS_SQL = {  # of each table, what is not over, by an index that holds nothing else
    "turns": "SELECT rowid FROM turns WHERE state != 'ended'",
    "requests": "SELECT id FROM requests WHERE state = 'open'",
    "outbox": "SELECT seq FROM outbox WHERE state IN ('queued', 'unknown')"
    " UNION ALL SELECT seq FROM outbox WHERE state = 'sending'",
    "inbox": "",  # what has come in has come in
}
COLUMNS = {
    "turns": "depth, state, status",
    "requests": "model, state, cost, usage",
    "outbox": "channel, kind, state",
    "inbox": "substr(address, 1, instr(address, ':') - 1) AS channel, kind, person",
}
COSMETIC_KINDS = ("draft", "board")  # what is shown of work, and is no message
IN_CHANNELS_SQL = "channel IN (SELECT value FROM json_each(?))"


@dataclass
class Tally:
    """Counted since the first look. Turns by ("turn" | "delegation", status); messages and failures by channel;
    requests by (model, "settled" | "lost"), `tokens` by (model, kind), `micros` by model."""

    turns: Counter[tuple[str, str]] = field(default_factory=Counter)
    received: Counter[str] = field(default_factory=Counter)
    sent: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    requests: Counter[tuple[str, str]] = field(default_factory=Counter)
    tokens: Counter[tuple[str, str]] = field(default_factory=Counter)
    micros: Counter[str] = field(default_factory=Counter)
    _seen: dict[str, int] = field(default_factory=dict)  # the newest row of each table
    _open: dict[str, set[int]] = field(default_factory=dict)  # its rows that were not over

    def start_from_zero(self) -> None:
        """Count everything that a new file will hold."""
        self._seen = dict.fromkeys(OPEN_ROWS_SQL, 0)
        self._open = {table: set() for table in OPEN_ROWS_SQL}

    def count_new_rows(self, db: Connection) -> None:
        """Count what is new; at the first look nothing is."""
        for table, is_open in OPEN_ROWS_SQL.items():
            if table not in self._seen:
                self._seen[table] = db.fetch_number(f"SELECT max(rowid) FROM {table}")
                self._open[table] = {row[0] for row in db.fetch_rows(is_open)} if is_open else set()
        for row in self.new_finished_rows(db, "turns"):
            self.turns["delegation" if row["depth"] else "turn", row["status"]] += 1
        for row in self.new_finished_rows(db, "requests"):
            model, usage = row["model"], parse_usage(row["usage"] or "{}")
            self.requests[model, row["state"]] += 1
            self.micros[model] += row["cost"] or 0
            for kind in ("input", "output", "cache_read", "cache_write_5m", "cache_write_1h"):
                self.tokens[model, kind] += getattr(usage, kind)
        for row in self.new_finished_rows(db, "outbox"):
            if row["kind"] not in COSMETIC_KINDS:
                (self.failed if row["state"] == "failed" else self.sent)[row["channel"]] += 1
        for row in self.new_finished_rows(db, "inbox"):
            if row["kind"] != "report" and row["person"]:  # of somebody who may speak
                self.received[row["channel"]] += 1

    def new_finished_rows(self, db: Connection, table: str) -> Iterator[sqlite3.Row]:
        """Yield the rows that are over now, and were not at the last look."""
        was, columns = self._open[table], COLUMNS[table]
        newest = db.fetch_number(f"SELECT max(rowid) FROM {table}")
        seen = min(self._seen[table], newest)  # the newest may have been deleted, and its number given again
        rows = db.fetch_rows(
            f"SELECT rowid AS number, {columns} FROM {table} WHERE rowid > ? ORDER BY rowid LIMIT {MOST_ROWS}", seen
        )
        if was:
            which = "rowid IN (SELECT value FROM json_each(?))"
            rows += db.fetch_rows(
                f"SELECT rowid AS number, {columns} FROM {table} WHERE {which}", json.dumps(list(was))
            )
        self._seen[table] = max([seen, *(row["number"] for row in rows)])
        self._open[table] = set()
        for row in rows:
            if table == "inbox" or row["state"] in ("ended", "settled", "lost", "sent", "failed"):
                yield row
            else:
                self._open[table].add(row["number"])


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueDepths:
    """What is there now: turns by ("turn" | "delegation", state); messages that wait, by channel."""

    turns: Counter[tuple[str, str]]
    inbox: Counter[str]
    outbox: Counter[str]


def count_queue_depths(db: Connection, channels: Collection[str]) -> QueueDepths:
    names = json.dumps(sorted(channels))
    at_work = db.fetch_rows(
        "SELECT depth > 0 AS is_below, state, count(*) AS many FROM turns WHERE state != 'ended' GROUP BY 1, 2"
    )
    come = f"SELECT {COLUMNS['inbox']} FROM inbox WHERE state = 'received'"
    said = "SELECT channel FROM outbox WHERE state IN ('queued', 'unknown')"
    return QueueDepths(
        turns=Counter({("delegation" if row["is_below"] else "turn", row["state"]): row["many"] for row in at_work}),
        inbox=count_by_channel(db, come, names),
        outbox=count_by_channel(db, said, names),
    )


def count_by_channel(db: Connection, query: str, names: str) -> Counter[str]:
    rows = db.fetch_rows(
        f"SELECT channel, count(*) AS many FROM ({query}) WHERE {IN_CHANNELS_SQL} GROUP BY channel", names
    )
    return Counter({row["channel"]: row["many"] for row in rows})
