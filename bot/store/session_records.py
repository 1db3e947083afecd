"""The sessions as an operator sees them: the list, the turns of one with their costs, and its whole transcript."""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.core.messages import Address, GroupName, MessageId, RoleName
from bot.core.model import TranscriptEntry
from bot.core.prices import Micros, Usage, sum_usages, total_usage_from_json
from bot.core.turn import SessionId, Turn, TurnId
from bot.store import transcript, turns
from bot.store.connection import Connection
from bot.store.row_mapping import dataclass_from_row

ALL = -1  # rows of a query, instead of a limit
IS_CONVERSATION_SQL = "parent IS NULL AND chapter > 0"  # a session that is a conversation with at least one chapter


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPlace:
    """The address of a session, its group there, and when it was opened."""

    address: Address
    group: GroupName
    opened_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOverview:
    """One line of the list of sessions."""

    id: SessionId
    group: GroupName  # the group that it belongs to; NO_GROUP if the lead answers
    opened_at: datetime
    newest_turn_at: datetime  # when its newest turn was opened
    root_turn_count: int  # root turns, or the turn of a client
    delegation_count: int
    cost: Micros  # of all these turns
    is_open: bool  # one of them has not ended
    first_words: str  # the first words of its first turn


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRecord:
    """A turn with its usage and cost, and the delegations below it."""

    turn: Turn
    task_excerpt: str  # its first words
    begun_at: datetime  # when it began to work; until then, when it was opened
    ended_at: datetime | None
    usage: Usage
    cost: Micros
    delegations: tuple["TurnRecord", ...] = ()

    @property
    def state(self) -> str:
        """Return the status that the turn ended with; until it ends, its state."""
        return str(self.turn.status or self.turn.state)

    @property
    def duration_seconds(self) -> float | None:
        """Return the seconds from its beginning to its end; None if it has not ended."""
        return (self.ended_at - self.begun_at).total_seconds() if self.ended_at else None

    @property
    def records_of_tree(self) -> Sequence["TurnRecord"]:
        """Return this record and all below it, each before those below it."""
        return [self, *(each for record in self.delegations for each in record.records_of_tree)]

    @property
    def tree_usage(self) -> Usage:
        return sum_usages(record.usage for record in self.records_of_tree)

    @property
    def tree_cost(self) -> Micros:
        return Micros(sum(record.cost for record in self.records_of_tree))


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
    """Return the conversations with the newest turns first, at most `most`."""
    roots_of = "SELECT id FROM turns WHERE session = sessions.id AND id = root"
    last_at = f"ifnull((SELECT max(opened_at) FROM turns WHERE root IN ({roots_of})), opened_at)"
    columns = "id, group_name, opened_at"
    newest = f"SELECT {columns} FROM sessions WHERE {IS_CONVERSATION_SQL} ORDER BY {last_at} DESC, rowid DESC LIMIT ?"
    chosen = db.fetch_rows(newest, most)
    roots: dict[str, list[sqlite3.Row]] = {row["id"]: [] for row in chosen}
    in_chosen = "id = root AND session IN (SELECT value FROM json_each(?))"
    for row in db.fetch_rows(f"SELECT id, session, task FROM turns WHERE {in_chosen} ORDER BY rowid", [*roots]):
        roots[row["session"]].append(row)
    return [build_session_overview(db, row, roots[row["id"]]) for row in chosen]


def build_session_overview(db: Connection, session: sqlite3.Row, roots: Sequence[sqlite3.Row]) -> SessionOverview:
    turns_of_tree = f"SELECT opened_at, state FROM turns WHERE {turn_in_tree_condition_sql('id')}"
    counted = [row for root in roots for row in db.fetch_rows(turns_of_tree, root["id"])]
    cost_of_tree = f"SELECT total(cost) FROM requests WHERE {turn_in_tree_condition_sql('turn')}"
    return SessionOverview(
        id=SessionId(session["id"]),
        group=GroupName(session["group_name"]),
        opened_at=datetime.fromisoformat(session["opened_at"]),
        newest_turn_at=datetime.fromisoformat(max([row["opened_at"] for row in counted], default=session["opened_at"])),
        root_turn_count=len(roots),
        delegation_count=len(counted) - len(roots),
        cost=Micros(sum(db.fetch_number(cost_of_tree, root["id"]) for root in roots)),
        is_open=any(row["state"] != "ended" for row in counted),
        first_words=roots[0]["task"] if roots else "",
    )


def list_conversation_ids(db: Connection) -> list[str]:
    """Return the ids of all conversations, newest first."""
    rows = db.fetch_rows(f"SELECT id FROM sessions WHERE {IS_CONVERSATION_SQL} ORDER BY rowid DESC")
    return [row["id"] for row in rows]


def list_turn_ids(db: Connection) -> list[str]:
    """Return the ids of all turns, newest first."""
    return [row["id"] for row in db.fetch_rows("SELECT id FROM turns ORDER BY rowid DESC")]


def load_session_place(db: Connection, session: SessionId) -> SessionPlace:
    row = db.fetch_row("SELECT * FROM sessions WHERE id = ?", session)
    if row is None:
        raise LookupError(f"no session {session}")
    return dataclass_from_row(SessionPlace, row, group=GroupName(row["group_name"]))


def find_conversation_of_turn(db: Connection, turn: TurnId) -> SessionId:
    """Return the conversation that a turn is part of, however deep. A direct turn is part of the one that began the
    delegation which it continues."""
    top = turns.get_turn(db, TurnId(turn.partition("/")[0]))
    parent = db.fetch_row("SELECT parent FROM sessions WHERE id = ? AND parent IS NOT NULL", top.session)
    return find_conversation_of_turn(db, TurnId(parent["parent"])) if parent else top.session


def load_root_turn_records(db: Connection, session: SessionId) -> list[TurnRecord]:
    """Return the root turns of a conversation and its direct turns in order, each with all turns below it."""
    return load_turn_records_with_direct_turns(db, list_turn_ids_in_session(db, session))


def load_turn_records_with_direct_turns(db: Connection, roots: Iterable[TurnId]) -> list[TurnRecord]:
    """Return these turns in order, and the direct turns that continue what they have delegated, each with all turns
    below it."""
    found = {id: load_turn_record_tree(db, id) for id in roots}
    ahead = list(found.values())
    while ahead:
        sessions = [each.turn.session for record in ahead for each in record.records_of_tree]
        direct = [id for id in list_direct_turn_ids_in_sessions(db, sessions) if id not in found]
        ahead = [load_turn_record_tree(db, id) for id in direct]
        found |= dict(zip(direct, ahead, strict=True))
    return sorted(found.values(), key=lambda record: int(record.turn.id.removeprefix("t")))


def list_direct_turn_ids_in_sessions(db: Connection, sessions: Sequence[SessionId]) -> list[TurnId]:
    sql = (
        "SELECT id FROM turns WHERE session IN (SELECT value FROM json_each(?))"
        " AND depth > 0 AND instr(id, '/') = 0 ORDER BY rowid"
    )
    return [TurnId(row["id"]) for row in db.fetch_rows(sql, sessions)]


def load_turn_record_tree(db: Connection, id: TurnId) -> TurnRecord:
    """Return a turn with all turns below it, also those in the background. Raise LookupError if there is none."""
    rows = db.fetch_rows(f"SELECT * FROM turns WHERE {turn_in_tree_condition_sql('id')} ORDER BY rowid", id)
    requests: dict[str, list[sqlite3.Row]] = {row["id"]: [] for row in rows}
    children: dict[str, list[sqlite3.Row]] = {}
    for row in rows:
        children.setdefault(turns.turn_from_row(row).parent_id if row["id"] != id else "", []).append(row)
    in_turns = "turn IN (SELECT value FROM json_each(?))"
    for request in db.fetch_rows(f"SELECT turn, cost, usage FROM requests WHERE {in_turns}", [*requests]):
        requests[request["turn"]].append(request)

    def build_record(row: sqlite3.Row) -> TurnRecord:
        made = requests[row["id"]]
        return TurnRecord(
            turn=turns.turn_from_row(row),
            task_excerpt=row["task"],
            begun_at=datetime.fromisoformat(row["begun_at"] or row["opened_at"]),
            ended_at=row["ended_at"] and datetime.fromisoformat(row["ended_at"]),
            # The usage of a lost request is unknown; its cost is an estimate.
            usage=sum_usages(total_usage_from_json(each["usage"]) if each["usage"] else Usage() for each in made),
            cost=Micros(sum(each["cost"] or 0 for each in made)),
            delegations=tuple(map(build_record, children.get(row["id"], []))),
        )

    if "" not in children:
        raise LookupError(f"no turn {id}")
    return build_record(children[""][0])


def load_located_entries(
    db: Connection, session: SessionId, after: tuple[int, int] = (0, 0), most: int = ALL
) -> list[LocatedEntry]:
    """Return the entries of a session or sub-session in order, at most `most`, behind a chapter and number."""
    rows = db.fetch_rows(
        "SELECT chapter, model, entries.seq, turn, turns.role AS turns_role, entries.role, body FROM entries"
        " JOIN chapters USING (session, chapter) JOIN turns ON turns.id = turn"
        " WHERE entries.session = ? AND (chapter, entries.seq) > (?, ?) ORDER BY chapter, entries.seq LIMIT ?",
        session,
        *after,
        most,
    )
    return [dataclass_from_row(LocatedEntry, row, entry=transcript.entry_from_row(row)) for row in rows]


def list_turn_ids_in_session(db: Connection, session: SessionId) -> list[TurnId]:
    """Return the turns that have written in a session or sub-session, in order. Each writes when it is opened."""
    rows = db.fetch_rows("SELECT turn, min(seq) FROM entries WHERE session = ? GROUP BY turn ORDER BY 2", session)
    return [TurnId(row["turn"]) for row in rows]


def find_turn_that_took_message(db: Connection, message: MessageId) -> TurnId | None:
    """Return the turn that took this message; None if no turn has, as with a command."""
    row = db.fetch_row("SELECT turn FROM inbox WHERE key = ?", message)
    return TurnId(row["turn"]) if row and row["turn"] else None


def load_notice_texts_about_message(db: Connection, message: MessageId) -> list[str]:
    """Return what the harness itself said about a message, for example what a command has done."""
    sql = "SELECT text FROM outbox WHERE key > ?1 || ':' AND key < ?1 || ';' ORDER BY seq"
    return [row["text"] for row in db.fetch_rows(sql, message)]


def turn_in_tree_condition_sql(column: str) -> str:
    """Return the SQL condition for a turn (?1) and all turns below it: their ids go on with a slash. 0 follows the
    slash."""
    return f"({column} = ?1 OR ({column} > ?1 || '/' AND {column} < ?1 || '0'))"
