"""Delete rows: a session with everything that belongs to it, and old rows.

Transcripts stay until their session is deleted. Messages that were set aside or failed stay, too.
"""

from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter

from bot.core.messages import Address
from bot.core.turn import SessionId, TurnId
from bot.store import conversation_passages, forks, inbox, incoming_files, session_records
from bot.store.connection import Connection

END_OF_TIME = "9999"  # later than any moment

# The moments when a session of an address, or a root turn in it, was opened. Each begins a period of its session, until
# another session's moment. A session may have several: a chat that was a group's for a while returns to its older one.
SESSION_PERIOD_STARTS_SQL = """SELECT opened_at AS since, id AS session FROM sessions WHERE address = ?1 AND
    parent IS NULL UNION ALL SELECT turns.opened_at, turns.session FROM sessions CROSS JOIN turns
    ON turns.session = sessions.id WHERE sessions.address = ?1 AND sessions.parent IS NULL AND depth = 0"""
IN_IDS_SQL = "IN (SELECT value FROM json_each(?))"
CLEAR_CONTENT_COLUMNS_SQL = "text = '', written = NULL, name = '', quotes = '[]', attachments = '[]'"
# SQLite uses the index `inbox_content` only for a condition with exactly these words.
HAS_CONTENT_SQL = "text != '' OR quotes != '[]' OR attachments != '[]'"
MAX_ROWS_PER_SWEEP = 500  # rows that one sweep forgets at most, so that it does not hold up the chat


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionTree:
    """All that is deleted with a session: its turns, the delegations below them, the sub-sessions of those, every later
    turn that continued one of these sub-sessions, and its forks."""

    sessions: frozenset[SessionId]
    turns: frozenset[TurnId]

    @property
    def topmost_turns(self) -> list[TurnId]:
        """Return the turns that are not below another turn of the tree."""
        return [turn for turn in self.turns if not any(above in self.turns for above in list_ancestor_turn_ids(turn))]


def list_ancestor_turn_ids(turn: TurnId) -> list[TurnId]:
    parts = turn.split("/")  # t7/2/0/4/1: each delegation has two parts more than the turn above it
    return [TurnId("/".join(parts[:length])) for length in range(1, len(parts), 2)]


def is_conversation(db: Connection, session: SessionId) -> bool:
    """Return True if there is such a session, and it is not a sub-session."""
    return db.has_rows("SELECT 1 FROM sessions WHERE id = ? AND parent IS NULL", session)


def is_newest_conversation(db: Connection, session: SessionId) -> bool:
    """Return True if this is the newest conversation of its address and group: the one that goes on there."""
    same = "(address, group_name) = (SELECT address, group_name FROM sessions WHERE id = ?1)"
    newest = f"SELECT max(rowid) FROM sessions WHERE parent IS NULL AND {same}"
    return db.has_rows(f"SELECT 1 FROM sessions WHERE id = ?1 AND rowid = ({newest})", session)


def find_session_tree(db: Connection, session: SessionId) -> SessionTree:
    sessions: set[SessionId] = set()
    turns: set[TurnId] = set()
    ahead = {session, *forks.list_forks(db, [session])}
    while ahead:
        sessions |= ahead
        writers = {turn for each in ahead for turn in session_records.list_turn_ids_in_session(db, each)}
        trees = [session_records.load_turn_record_tree(db, turn) for turn in writers - turns]
        found = {each.turn for tree in trees for each in tree.records_of_tree}
        turns |= {turn.id for turn in found}
        ahead = {turn.session for turn in found} - sessions
    return SessionTree(sessions=frozenset(sessions), turns=frozenset(turns))


def find_other_parent_conversation(db: Connection, whole: SessionTree) -> SessionId | None:
    """Return another conversation that began one of these sub-sessions; None if there is none. This session continued
    one of that conversation's delegations, so deleting it would delete a part of that conversation."""
    for session in sorted(whole.sessions):
        row = db.fetch_row("SELECT parent FROM sessions WHERE id = ?", session)
        if row and row["parent"] and row["parent"] not in whole.turns:
            return session_records.find_conversation_of_turn(db, TurnId(row["parent"]))
    return None


def count_open_turns_and_unread_reports(db: Connection, whole: SessionTree) -> int:
    """Return how many of its turns have not ended, plus how many of their reports are still to be read. A report that
    waits for a person's next message does not count: that may never come."""
    working = f"SELECT count(*) FROM turns WHERE id {IN_IDS_SQL} AND state != 'ended'"
    waiting = (
        f"SELECT count(*) FROM inbox WHERE key {IN_IDS_SQL} AND state IN ('received', 'taken') AND held_until IS NOT ?"
    )
    reports = db.fetch_number(waiting, report_message_ids_of_tree(whole), inbox.UNTIL_NEXT_MESSAGE)
    return db.fetch_number(working, whole.turns) + reports


def delete_session_rows(db: Connection, session: SessionId, whole: SessionTree) -> None:
    """Delete all rows of a session. The ids of messages stay, since a platform may send them again. What was spent
    stays in the running totals."""
    clear_turnless_messages_and_notices(db, session)
    delete_turn_and_session_rows(db, whole)


def delete_turn_and_session_rows(db: Connection, whole: SessionTree) -> None:
    """Delete these sessions and turns with all that belongs to them. A turn may not have entries in other sessions."""
    turns, sessions = whole.turns, whole.sessions
    conversation_passages.delete_words_of_sessions(db, sessions)
    incoming_files.forget_files_of_messages(db, f"SELECT key FROM inbox WHERE turn {IN_IDS_SQL}", turns)
    emptied = f"UPDATE inbox SET turn = NULL, why = '', state = 'done', {CLEAR_CONTENT_COLUMNS_SQL} WHERE"
    db.execute(f"{emptied} turn {IN_IDS_SQL}", (turns,))
    db.execute(f"{emptied} key {IN_IDS_SQL}", (report_message_ids_of_tree(whole),))
    for top in whole.topmost_turns:
        for below in ("/", ":"):  # updates of it and of turns below it; then its reply, draft, board and notices
            db.execute("DELETE FROM outbox WHERE key > ? AND key < ?", (top + below, top + chr(ord(below) + 1)))
    for table in ("questions", "calls", "requests"):
        db.execute(f"DELETE FROM {table} WHERE turn {IN_IDS_SQL}", (turns,))
    chapters = db.fetch_rows(f"SELECT DISTINCT prefix, next FROM chapters WHERE session {IN_IDS_SQL}", sessions)
    prefixes = {prefix for row in chapters for prefix in row if prefix}
    for table in ("entries", "chapters", "known_values"):
        db.execute(f"DELETE FROM {table} WHERE session {IN_IDS_SQL}", (sessions,))
    db.execute(f"DELETE FROM turns WHERE id {IN_IDS_SQL}", (turns,))
    db.execute(f"DELETE FROM sessions WHERE id {IN_IDS_SQL}", (sessions,))
    in_use = "EXISTS (SELECT 1 FROM chapters WHERE prefix = hash) OR EXISTS (SELECT 1 FROM chapters WHERE next = hash)"
    db.execute(f"DELETE FROM prefixes WHERE hash {IN_IDS_SQL} AND NOT ({in_use})", (prefixes,))


def clear_turnless_messages_and_notices(db: Connection, session: SessionId) -> None:
    """Empty the messages that no turn took, such as commands, and delete the notices of that time."""
    address = session_records.load_session_place(db, session).address
    taken = f"UPDATE inbox SET {CLEAR_CONTENT_COLUMNS_SQL} WHERE address = ? AND kept_at >= ? AND kept_at < ?"
    said = "DELETE FROM outbox WHERE address = ? AND said_at >= ? AND said_at < ?"
    for since, until in find_session_periods(db, session, address):
        its_time = (address, since, until)
        without_turn = "address = ? AND kept_at >= ? AND kept_at < ? AND +turn IS NULL AND state = 'done'"
        incoming_files.forget_files_of_messages(db, f"SELECT key FROM inbox WHERE {without_turn}", *its_time)
        db.execute(f"{taken} AND turn IS NULL AND state = 'done'", its_time)
        db.execute(f"{said} AND kind = 'notice' AND state IN ('sent', 'failed') AND key NOT GLOB 't[0-9]*'", its_time)


def find_session_periods(db: Connection, session: SessionId, address: Address) -> list[tuple[str, str]]:
    """Return the periods (start, end) in which an address used this session."""
    moments = sorted(db.fetch_rows(SESSION_PERIOD_STARTS_SQL, address), key=itemgetter("since"))
    runs = [(id, next(rows)["since"]) for id, rows in groupby(moments, itemgetter("session"))]
    ends = [since for _, since in runs[1:]] + [END_OF_TIME]
    return [(since, until) for (id, since), until in zip(runs, ends, strict=True) if id == session]


def report_message_ids_of_tree(whole: SessionTree) -> list[str]:
    """Return the ids of the inbox messages that report these turns, if they ran in the background."""
    return [f"report:{turn}" for turn in whole.turns]


def delete_or_clear_old_rows(db: Connection, old: datetime, ids_old: datetime) -> bool:
    """Forget what is from before `old`, and the ids of messages from before `ids_old`, at most MAX_ROWS_PER_SWEEP
    rows of each kind. Return True if there may be more."""
    emptied = f"UPDATE inbox SET {CLEAR_CONTENT_COLUMNS_SQL}"
    changed = [
        delete_or_clear_rows(db, emptied, "inbox", f"state = 'done' AND ({HAS_CONTENT_SQL}) AND kept_at < ?", old),
        delete_or_clear_rows(db, "DELETE FROM inbox", "inbox", "state = 'done' AND kept_at < ?", ids_old),
        delete_or_clear_rows(db, "DELETE FROM outbox", "outbox", "state = 'sent' AND said_at < ?", old),
        delete_or_clear_rows(
            db, "DELETE FROM outbox", "outbox", "state = 'failed' AND is_cosmetic AND said_at < ?", old
        ),
        delete_or_clear_rows(db, "DELETE FROM questions", "questions", "kind = 'pairing' AND deadline < ?", old),
        delete_or_clear_rows(db, "DELETE FROM orders", "orders", "answer IS NOT NULL AND given_at < ?", old),
        incoming_files.clear_old_files(db, old, MAX_ROWS_PER_SWEEP),
    ]
    return max(changed) == MAX_ROWS_PER_SWEEP


def delete_or_clear_rows(db: Connection, change: str, table: str, where: str, before: datetime) -> int:
    """Run `change` on the rows of a table from before a moment, at most MAX_ROWS_PER_SWEEP. Return how many changed."""
    found = f"SELECT rowid FROM {table} WHERE {where} LIMIT {MAX_ROWS_PER_SWEEP}"
    return db.execute(f"{change} WHERE rowid IN ({found})", (before,)).rowcount
