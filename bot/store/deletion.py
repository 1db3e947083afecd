"""Deleting a session: what hangs on it, and that it goes."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter

from bot.messages import Address, MessageId
from bot.store import archive, inbox, sessions
from bot.store.connection import Connection
from bot.store.retention import EMPTIED
from bot.turn import SessionId, TurnId

FOR_EVER = "9999"  # later than any moment

# When a session of an address was opened, or a turn in it. What was written after that is of this session's time, until
# another's comes: a chat that is a group's for a while goes back to an older session.
MOMENTS = """SELECT opened_at AS since, id AS session FROM sessions WHERE address = ?1 AND parent IS NULL
    UNION ALL SELECT turns.opened_at, turns.session FROM sessions CROSS JOIN turns ON turns.session = sessions.id
    WHERE sessions.address = ?1 AND sessions.parent IS NULL AND depth = 0"""
NAMED = "IN (SELECT value FROM json_each(?))"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """All that is one with a session: its turns, the delegations below them, and the sub-sessions of those, with every
    later turn that went on in one of them."""

    sessions: frozenset[SessionId]
    turns: frozenset[TurnId]

    @property
    def tops(self) -> list[TurnId]:
        """Those that are below no other of them."""
        return [turn for turn in self.turns if not any(above in self.turns for above in ancestors(turn))]


def ancestors(turn: TurnId) -> list[TurnId]:
    parts = turn.split("/")  # t7/2/0/4/1: each delegation has two parts more than the turn above it
    return [TurnId("/".join(parts[:length])) for length in range(1, len(parts), 2)]


def is_there(db: Connection, session: SessionId) -> bool:
    """Whether it is a conversation; a sub-session is part of one."""
    return db.one("SELECT 1 FROM sessions WHERE id = ? AND parent IS NULL", session) is not None


def is_newest(db: Connection, session: SessionId) -> bool:
    """Whether it is the one that its chat goes on with, or would if it were its group's again."""
    row = db.one(
        "SELECT max(rowid) = (SELECT rowid FROM sessions WHERE id = ?) AS is_newest FROM sessions"
        " WHERE parent IS NULL AND (address, group_name) = (SELECT address, group_name FROM sessions WHERE id = ?)",
        session,
        session,
    )
    return bool(row and row["is_newest"])


def open_next(db: Connection, session: SessionId, now: datetime) -> None:
    """Open an empty session in its chat, which goes on with that. It has a number of the inbox's, as none is given
    twice; a row that says nothing keeps that until it is swept."""
    (address, group), key = archive.place_of(db, session), MessageId(f"deleted:{session}")
    inbox.keep_bare(db, key, str(address), "", now, state="done")
    sessions.add(db, address, group, inbox.number_of(db, key), now)


def extent(db: Connection, session: SessionId) -> Extent:
    sessions: set[SessionId] = set()
    turns: set[TurnId] = set()
    ahead = {session}
    while ahead:
        sessions |= ahead
        writers = {turn for each in ahead for turn in archive.writers(db, each)}
        found = {each.turn for turn in writers - turns for each in archive.record(db, turn).tree}
        turns |= {turn.id for turn in found}
        ahead = {turn.session for turn in found} - sessions
    return Extent(sessions=frozenset(sessions), turns=frozenset(turns))


def begun_in(db: Connection, whole: Extent) -> SessionId | None:
    """Another conversation that began one of its sub-sessions, in which one of its turns has only gone on: what is
    there cannot go without a part of that."""
    for session in sorted(whole.sessions):
        row = db.one("SELECT parent FROM sessions WHERE id = ?", session)
        if row and row["parent"] and row["parent"] not in whole.turns:
            return archive.session_of(db, TurnId(row["parent"]))
    return None


def open_turns(db: Connection, whole: Extent) -> int:
    """How many of its turns have not ended, or have ended with a report that nobody has heard yet."""
    working = db.count(f"SELECT count(*) FROM turns WHERE id {NAMED} AND state != 'ended'", listed(whole.turns))
    waiting = f"SELECT count(*) FROM inbox WHERE key {NAMED} AND state IN ('received', 'taken')"
    return working + db.count(waiting, listed(reports(whole)))


def delete(db: Connection, session: SessionId, whole: Extent) -> None:
    """Of messages the ids stay, for a platform may send them again; and what was spent stays in the running totals."""
    turns, sessions = listed(whole.turns), listed(whole.sessions)
    forget_words_of_its_time(db, session)
    emptied = f"UPDATE inbox SET turn = NULL, why = '', state = 'done', {EMPTIED} WHERE"
    db.execute(f"{emptied} turn {NAMED}", (turns,))
    db.execute(f"{emptied} key {NAMED}", (listed(reports(whole)),))
    for top in whole.tops:
        for below in ("/", ":"):  # what it and those below it have said; and what was said about it
            db.execute("DELETE FROM outbox WHERE key > ? AND key < ?", (top + below, top + chr(ord(below) + 1)))
    for table in ("questions", "calls", "requests"):
        db.execute(f"DELETE FROM {table} WHERE turn {NAMED}", (turns,))
    chapters = db.all(f"SELECT DISTINCT prefix, next FROM chapters WHERE session {NAMED}", sessions)
    prefixes = {prefix for row in chapters for prefix in row if prefix}
    for table in ("entries", "chapters"):
        db.execute(f"DELETE FROM {table} WHERE session {NAMED}", (sessions,))
    db.execute(f"DELETE FROM turns WHERE id {NAMED}", (turns,))
    db.execute(f"DELETE FROM sessions WHERE id {NAMED}", (sessions,))
    in_use = "EXISTS (SELECT 1 FROM chapters WHERE prefix = hash) OR EXISTS (SELECT 1 FROM chapters WHERE next = hash)"
    db.execute(f"DELETE FROM prefixes WHERE hash {NAMED} AND NOT ({in_use})", (listed(prefixes),))


def forget_words_of_its_time(db: Connection, session: SessionId) -> None:
    """What no turn has taken, as answers and commands, and what the harness said to that."""
    address, _ = archive.place_of(db, session)
    taken = f"UPDATE inbox SET {EMPTIED} WHERE address = ? AND kept_at >= ? AND kept_at < ?"
    said = "DELETE FROM outbox WHERE address = ? AND said_at >= ? AND said_at < ?"
    for since, until in times_of(db, session, address):
        its_time = (str(address), since, until)
        db.execute(f"{taken} AND turn IS NULL AND state = 'done'", its_time)
        db.execute(f"{said} AND kind = 'notice' AND state IN ('sent', 'failed') AND key NOT GLOB 't[0-9]*'", its_time)


def times_of(db: Connection, session: SessionId, address: Address) -> list[tuple[str, str]]:
    """From when to when a session was the one that its address went on with."""
    moments = sorted(db.all(MOMENTS, str(address)), key=itemgetter("since"))
    runs = [(id, next(rows)["since"]) for id, rows in groupby(moments, itemgetter("session"))]
    ends = [since for _, since in runs[1:]] + [FOR_EVER]
    return [(since, until) for (id, since), until in zip(runs, ends, strict=True) if id == session]


def reports(whole: Extent) -> list[str]:
    """The ids of the messages that the reports of its background delegations are, if they are."""
    return [f"report:{turn}" for turn in whole.turns]


def listed(ids: Collection[str]) -> str:
    return json.dumps(sorted(ids))
