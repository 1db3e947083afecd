"""The sessions as an operator sees them: the list, the turns of one with their costs, and its whole transcript."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.core.messages import Address, GroupName, MessageId, RoleName
from bot.core.model import TranscriptEntry
from bot.core.prices import Micros, Usage, parse_usage, sum_usages
from bot.core.turn import SessionId, Turn, TurnId
from bot.store import transcript, turns
from bot.store.connection import Connection

HAS_BEGUN_SQL = "parent IS NULL AND chapter > 0"  # of sessions: a conversation in which something was said


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOverview:
    """One line of the list."""

    id: SessionId
    group: GroupName  # whose it is; NO_GROUP where the lead answers
    opened_at: datetime
    last_at: datetime  # when its newest turn was opened
    turns: int  # root turns
    delegations: int
    cost: Micros  # of all of them
    is_open: bool  # one of them has not ended
    gist: str  # the first words of its first turn


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRecord:
    """A turn with its usage and cost, and the delegations below it. `tree_usage` and `tree_cost` are those of the
    whole tree."""

    turn: Turn
    task: str  # its first words
    since: datetime  # when it began to work; until then, when it was opened
    ended_at: datetime | None
    usage: Usage
    cost: Micros
    below: tuple["TurnRecord", ...] = ()

    @property
    def state(self) -> str:
        """Return how it ended; until then, where it stands."""
        return str(self.turn.status or self.turn.state)

    @property
    def seconds(self) -> float | None:
        """Return the seconds from its beginning to its end; None if it has not ended."""
        return (self.ended_at - self.since).total_seconds() if self.ended_at else None

    @property
    def tree(self) -> Sequence["TurnRecord"]:
        """Return itself and all below it, each before those below it."""
        return [self, *(each for record in self.below for each in record.tree)]

    @property
    def tree_usage(self) -> Usage:
        return sum_usages(record.usage for record in self.tree)

    @property
    def tree_cost(self) -> Micros:
        return Micros(sum(record.cost for record in self.tree))


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedEntry:
    """One entry of a transcript, with its chapter and number, and the turn that wrote it."""

    chapter: int
    model: str
    seq: int
    turn: TurnId
    turns_role: RoleName
    entry: TranscriptEntry


def list_session_overviews(db: Connection, most: int) -> list[SessionOverview]:
    """Return the conversations with the newest turns first, at most so many."""
    roots_of = "SELECT id FROM turns WHERE session = sessions.id AND depth = 0"
    last_at = f"ifnull((SELECT max(opened_at) FROM turns WHERE root IN ({roots_of})), opened_at)"
    chosen = db.fetch_rows(
        f"SELECT id, group_name, opened_at FROM sessions WHERE {HAS_BEGUN_SQL}"
        f" ORDER BY {last_at} DESC, rowid DESC LIMIT ?",
        most,
    )
    named = json.dumps([row["id"] for row in chosen])
    roots: dict[str, list[sqlite3.Row]] = {row["id"]: [] for row in chosen}
    for row in db.fetch_rows(
        "SELECT id, session, task FROM turns WHERE depth = 0 AND session IN (SELECT value FROM json_each(?))"
        " ORDER BY rowid",
        named,
    ):
        roots[row["session"]].append(row)
    return [build_session_overview(db, row, roots[row["id"]]) for row in chosen]


def build_session_overview(db: Connection, session: sqlite3.Row, roots: Sequence[sqlite3.Row]) -> SessionOverview:
    counted = [
        row
        for root in roots
        for row in db.fetch_rows(
            f"SELECT opened_at, depth, state FROM turns WHERE {in_tree_sql('id')}", *tree_id_bounds(root["id"])
        )
    ]
    costs = [
        db.fetch_number(f"SELECT total(cost) FROM requests WHERE {in_tree_sql('turn')}", *tree_id_bounds(row["id"]))
        for row in roots
    ]
    return SessionOverview(
        id=SessionId(session["id"]),
        group=GroupName(session["group_name"]),
        opened_at=datetime.fromisoformat(session["opened_at"]),
        last_at=datetime.fromisoformat(max([row["opened_at"] for row in counted], default=session["opened_at"])),
        turns=len(roots),
        delegations=sum(row["depth"] > 0 for row in counted),
        cost=Micros(sum(costs)),
        is_open=any(row["state"] != "ended" for row in counted),
        gist=roots[0]["task"] if roots else "",
    )


def count_conversations(db: Connection) -> int:
    """Return the number of conversations."""
    return db.fetch_number(f"SELECT count(*) FROM sessions WHERE {HAS_BEGUN_SQL}")


def list_session_ids(db: Connection) -> list[str]:
    """Return the ids of all conversations, newest first."""
    return [row["id"] for row in db.fetch_rows(f"SELECT id FROM sessions WHERE {HAS_BEGUN_SQL} ORDER BY rowid DESC")]


def list_turn_ids(db: Connection) -> list[str]:
    """Return the ids of all turns, newest first."""
    return [row["id"] for row in db.fetch_rows("SELECT id FROM turns ORDER BY rowid DESC")]


def session_opened_at(db: Connection, session: SessionId) -> datetime:
    row = db.fetch_row("SELECT opened_at FROM sessions WHERE id = ?", session)
    if row is None:
        raise LookupError(f"no session {session}")
    return datetime.fromisoformat(row["opened_at"])


def session_location(db: Connection, session: SessionId) -> tuple[Address, GroupName]:
    """Return where a session is, and which group it belongs to there."""
    row = db.fetch_row("SELECT address, group_name FROM sessions WHERE id = ?", session)
    if row is None:
        raise LookupError(f"no session {session}")
    return Address.parse(row["address"]), GroupName(row["group_name"])


def session_of_turn(db: Connection, turn: TurnId) -> SessionId:
    """Return the conversation that a turn is part of, however deep."""
    root = turns.get_turn(db, TurnId(turn.partition("/")[0]))
    return root.session


def load_turn_records(db: Connection, session: SessionId) -> list[TurnRecord]:
    """Return the root turns of a conversation in order, each with all turns below it."""
    return [load_turn_record(db, id) for id in list_turns_in_session(db, session)]


def load_turn_record(db: Connection, id: TurnId) -> TurnRecord:
    """Return a turn with all turns below it, also those in the background. Raise LookupError if there is none."""
    rows = db.fetch_rows(f"SELECT * FROM turns WHERE {in_tree_sql('id')} ORDER BY rowid", *tree_id_bounds(id))
    spent = spending_by_turn(db, [row["id"] for row in rows])
    children: dict[str, list[sqlite3.Row]] = {}
    for row in rows:
        children.setdefault(turns.read_turn(row).parent if row["id"] != id else "", []).append(row)

    def made(row: sqlite3.Row) -> TurnRecord:
        usage, cost = spent.get(row["id"], (sum_usages([]), Micros(0)))
        return TurnRecord(
            turn=turns.read_turn(row),
            task=row["task"],
            since=datetime.fromisoformat(row["begun_at"] or row["opened_at"]),
            ended_at=row["ended_at"] and datetime.fromisoformat(row["ended_at"]),
            usage=usage,
            cost=cost,
            below=tuple(map(made, children.get(row["id"], []))),
        )

    if "" not in children:
        raise LookupError(f"no turn {id}")
    return made(children[""][0])


def spending_by_turn(db: Connection, ids: Sequence[str]) -> dict[str, tuple[Usage, Micros]]:
    """Return the usage and cost of each of these turns' requests. Of a lost request only the cost is known, as an
    estimate."""
    rows = db.fetch_rows(
        "SELECT turn, cost, usage FROM requests WHERE turn IN (SELECT value FROM json_each(?))", json.dumps(ids)
    )
    found: dict[str, tuple[list[Usage], int]] = {}
    for row in rows:
        usages, cost = found.setdefault(row["turn"], ([], 0))
        usages.append(parse_usage(row["usage"]) if row["usage"] else Usage())
        found[row["turn"]] = (usages, cost + (row["cost"] or 0))
    return {turn: (sum_usages(usages), Micros(cost)) for turn, (usages, cost) in found.items()}


def load_located_entries(db: Connection, session: SessionId) -> list[LocatedEntry]:
    """Return every entry of a session or sub-session, from its first chapter on."""
    rows = db.fetch_rows(
        "SELECT chapter, model, entries.seq, turn, turns.role AS turns_role, entries.role, body FROM entries"
        " JOIN chapters USING (session, chapter) JOIN turns ON turns.id = turn"
        " WHERE entries.session = ? ORDER BY chapter, entries.seq",
        session,
    )
    return [
        LocatedEntry(
            chapter=row["chapter"],
            model=row["model"],
            seq=row["seq"],
            turn=TurnId(row["turn"]),
            turns_role=RoleName(row["turns_role"]),
            entry=transcript.read_entry(row),
        )
        for row in rows
    ]


def list_turns_in_session(db: Connection, session: SessionId) -> list[TurnId]:
    """Return the turns that have written in a session or sub-session, in order. Each writes when it is opened."""
    rows = db.fetch_rows("SELECT turn, min(seq) FROM entries WHERE session = ? GROUP BY turn ORDER BY 2", session)
    return [TurnId(row["turn"]) for row in rows]


def turn_of_message(db: Connection, message: MessageId) -> TurnId | None:
    """Return the turn that took this message; None if no turn has, as with a command."""
    row = db.fetch_row("SELECT turn FROM inbox WHERE key = ?", message)
    return TurnId(row["turn"]) if row and row["turn"] else None


def notices_about(db: Connection, message: MessageId) -> list[str]:
    """Return what the harness itself said about a message, for example what a command has done."""
    rows = db.fetch_rows(
        "SELECT text FROM outbox WHERE key > ? || ':' AND key < ? || ';' ORDER BY seq", message, message
    )
    return [row["text"] for row in rows]


def in_tree_sql(column: str) -> str:
    """Return the condition that a row belongs to a turn or to one below it: their ids go on after its own with a slash.
    It takes `tree_id_bounds`."""
    return f"({column} = ? OR ({column} > ? AND {column} < ?))"


def tree_id_bounds(id: str) -> tuple[str, str, str]:
    return id, f"{id}/", f"{id}0"  # 0 comes right after the slash
