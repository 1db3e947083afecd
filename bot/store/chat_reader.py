"""What the rows say, for processes that only read: of one chat, or of the whole file."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from bot.core.errors import ConfigError
from bot.core.messages import Address, LastExchange, MessageId, OutboundId, OutboundMessage, RoleName, TurnCost
from bot.core.texts import operators
from bot.core.turn import TurnId, TurnStatus
from bot.store import inbox, outbox, schema, turns
from bot.store.connection import Connection
from bot.store.schema import is_of_this_version, migrate
from bot.store.writer import file_damaged_error, is_damage, sqlite_error_code

R = TypeVar("R")
OLDEST_SQLITE = (3, 35, 0)  # the first version that has RETURNING
REPLY_SUFFIX = ":reply"  # how the id of a message ends that ends a turn; the rest is its turn's
UNSHOWN_REPLY_SQL = (
    "SELECT 1 FROM outbox WHERE key = turns.id || ':reply' AND state IN ('queued', 'sending', 'unknown')"
)


class ChatReader:
    """Read one chat. Each look opens the file again, changes nothing, and shows one moment.

    A missing file counts as empty. A look does not wait for the writer, and takes well under a millisecond.
    """

    def __init__(self, path: Path, address: Address) -> None:
        self.path = path
        self.address = address

    def find_unanswered(self) -> list[MessageId]:
        """Return the messages of the chat that are being answered or wait, in order."""
        return read_database(self.path, lambda db: load_unanswered(db, self.address), [])

    def open_questions(self) -> list[OutboundMessage]:
        """Return the open questions of the chat, oldest first."""
        return read_database(self.path, lambda db: load_open_questions(db, self.address), [])

    def roles_in_background(self) -> list[RoleName]:
        """Return the roles that work in the background of the chat."""

        def load_roles(db: Connection) -> list[RoleName]:
            return [turn.role for turn in turns.list_open_delegations(db, self.address) if turn.background]

        return read_database(self.path, load_roles, [])

    def is_answered(self, message: MessageId) -> bool:
        """Return True if the turn that took this message has completed."""
        sql = "SELECT 1 FROM turns JOIN inbox ON turns.id = inbox.turn WHERE inbox.key = ? AND status = ?"
        return read_database(
            self.path, lambda db: db.fetch_row(sql, message, TurnStatus.COMPLETED) is not None, nothing=False
        )

    def last_exchange(self) -> LastExchange | None:
        return read_database(self.path, lambda db: load_last_exchange(db, self.address), None)

    def cost_of(self, reply: OutboundId) -> TurnCost | None:
        return read_database(self.path, lambda db: cost_of_reply(db, reply), None)


def read_database(path: Path, work: Callable[[Connection], R], nothing: R, *, at_any_step: bool = False) -> R:
    """Return what `work` reads. Return `nothing` if there is no file yet, or if this version has not been started with
    it; the latter does not matter if `at_any_step`.

    Raise StoreDamaged if the file is damaged. Raise ConfigError if it cannot be opened or is from a newer version.
    """
    try:
        if not path.exists():
            return nothing
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, factory=Connection)) as db:
            db.row_factory = sqlite3.Row
            db.execute("BEGIN")  # all that `work` reads is of one moment
            return work(db) if is_of_this_version(db) or at_any_step else nothing
    except OSError as error:
        raise ConfigError(operators.CANNOT_USE_DATA(path=path, reason=error.strerror)) from None
    except sqlite3.DatabaseError as error:
        if is_damage(error) or sqlite_error_code(error) == sqlite3.SQLITE_ERROR:  # the tables are gone
            raise file_damaged_error(path, str(error)) from error
        raise ConfigError(operators.CANNOT_USE_DATA(path=path, reason=error)) from None


def migrate_database(path: Path) -> tuple[int, int]:
    """Run the missing migration steps, if the file is undamaged. Return the step before and the step after.

    Only the tables change. Raise StoreDamaged if the file is damaged. Raise ConfigError if the file cannot be opened
    or is from a newer version.
    """
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, factory=Connection)) as db:
            db.isolation_level = None
            db.row_factory = sqlite3.Row
            if damage := find_damage(db):
                raise file_damaged_error(path, damage)
            was = db.fetch_number("PRAGMA user_version")
            migrate(db)
            return was, db.fetch_number("PRAGMA user_version")
    except sqlite3.DatabaseError as error:
        if is_damage(error):
            raise file_damaged_error(path, str(error)) from error
        raise ConfigError(operators.CANNOT_USE_DATA(path=path, reason=error)) from None


def find_odd_tables(path: Path) -> tuple[list[str], list[str]]:
    """Return the names of what is missing or different in the file, and of what is there and is not ours.

    Raise as `read_database` does. The file may be of any step that this version knows.
    """

    def compare(db: Connection) -> tuple[list[str], list[str]]:
        return schema.list_changed_tables(db), schema.list_unknown_tables(db)

    nothing: tuple[list[str], list[str]] = ([], [])
    return read_database(path, compare, nothing, at_any_step=True)


def sqlite_version() -> str:
    return sqlite3.sqlite_version


def is_sqlite_too_old() -> bool:
    return sqlite3.sqlite_version_info < OLDEST_SQLITE


def find_damage(db: Connection) -> str:
    """Read the file from end to end. Return what is wrong with it, in SQLite's words; empty if it is whole."""
    found = str(db.fetch_rows("PRAGMA quick_check(1)")[0][0])
    return "" if found == "ok" else found


def load_unanswered(db: Connection, address: Address) -> list[MessageId]:
    root = turns.find_open_root(db, address)
    at_work = inbox.messages_of_turn(db, root.id) if root else []
    return [message.id for message in (*at_work, *inbox.waiting_messages(db, address))]


def load_open_questions(db: Connection, address: Address) -> list[OutboundMessage]:
    rows = db.fetch_rows(
        "SELECT outbox.* FROM questions JOIN outbox ON outbox.key = questions.id"
        " WHERE questions.address = ? AND questions.state = 'open' AND questions.kind != 'button'"
        " ORDER BY questions.rowid",
        str(address),
    )
    return [outbox.read_outbound_message(row) for row in rows]


def load_last_exchange(db: Connection, address: Address) -> LastExchange | None:
    """Return the last exchange of the newest conversation there; None if nothing was said in it. An answer that is
    still to be shown is not in it."""
    asked = db.fetch_row(
        "SELECT rowid, id, session, task FROM turns WHERE depth = 0 AND session ="
        " (SELECT id FROM sessions WHERE address = ? AND parent IS NULL ORDER BY rowid DESC LIMIT 1)"
        " AND EXISTS (SELECT 1 FROM inbox WHERE inbox.turn = turns.id AND kind = 'text') ORDER BY rowid DESC LIMIT 1",
        str(address),
    )
    if asked is None:
        return None
    rows = db.fetch_rows("SELECT * FROM inbox WHERE turn = ? AND kind = 'text' ORDER BY seq", asked["id"])
    said = "\n".join(filter(None, (inbox.read_inbound_message(row).gist for row in rows)))
    ended = db.fetch_rows(
        "SELECT report FROM turns WHERE session = ? AND depth = 0 AND rowid >= ? AND state = 'ended' AND report != ''"
        f" AND NOT EXISTS ({UNSHOWN_REPLY_SQL}) ORDER BY rowid",
        asked["session"],
        asked["rowid"],
    )
    return LastExchange(said=said or asked["task"], answers=tuple(row["report"] for row in ended))


def cost_of_reply(db: Connection, reply: OutboundId) -> TurnCost | None:
    """Return the cost of the turn that this reply has ended; None if it is no such reply."""
    row = db.fetch_row("SELECT * FROM turns WHERE id = ? AND ended_at IS NOT NULL", reply.removesuffix(REPLY_SUFFIX))
    if row is None or not reply.endswith(REPLY_SUFFIX):
        return None
    turn = turns.read_turn(row)
    assert turn.ended_at, "it has ended"
    lost = db.fetch_row("SELECT 1 FROM requests WHERE root = ? AND state = 'lost' LIMIT 1", turn.root)
    seconds = turn.seconds_taken(turn.ended_at)
    return TurnCost(cost=turn.spent.cost, tokens=turn.spent.tokens, seconds=seconds, is_most=lost is not None)


def lead_updates_of(db: Connection, turn: TurnId) -> list[str]:
    """Return what the lead has said beside its calls in a turn, in order. An update that it repeated as its answer is
    left out."""
    replaced = "SELECT replaces FROM outbox WHERE key = ? || ':reply' AND replaces IS NOT NULL"
    rows = db.fetch_rows(
        "SELECT text FROM outbox WHERE kind = 'update' AND role IS NULL AND text != ''"
        f" AND key > ? || '/' AND key < ? || '0' AND key NOT IN ({replaced}) ORDER BY seq",
        turn,
        turn,
        turn,
    )
    return [row["text"] for row in rows]
