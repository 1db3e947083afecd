"""Read one chat, or the whole file, from a process that does not run the bot."""

import sqlite3
from collections.abc import Callable, Collection
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from bot.core.errors import ConfigError
from bot.core.messages import Address, Asker, LastExchange, MessageId, OutboundId, OutboundMessage, RoleName, TurnCost
from bot.core.texts import operators
from bot.core.turn import Turn, TurnId, TurnState
from bot.store import file_errors, inbox, outbox, schema, turns
from bot.store.connection import Connection, open_database_file
from bot.store.schema import is_migrated_to_this_version, migrate

R = TypeVar("R")
SQLITE_VERSION = sqlite3.sqlite_version
IS_SQLITE_TOO_OLD = sqlite3.sqlite_version_info < (3, 35, 0)  # the first version that has RETURNING
REPLY_ID_SUFFIX = ":reply"  # ends the id of a turn's reply; the rest is the turn's id
COUNT_WHOLE_OUTBOX_UNSENT_SQLS = (
    "SELECT count(*) FROM outbox WHERE state IN ('queued', 'unknown')",
    "SELECT count(*) FROM outbox WHERE state = 'sending'",
)
UNSENT_MESSAGE_SQLS = tuple(  # two, so that each can use its own partial index
    f"SELECT key, reply_to FROM outbox WHERE address = ? AND {state} AND NOT is_cosmetic"
    for state in ("state IN ('queued', 'unknown')", "state = 'sending'")
)
UNSHOWN_REPLY_SQL = "SELECT 1 FROM outbox WHERE key = turns.id || ':reply' AND state NOT IN ('sent', 'failed')"


@dataclass(frozen=True, slots=True, kw_only=True)
class RowHighWaterMarks:
    """How far the tables have grown. If two marks are equal, nothing was received or sent between them. All fields
    except `step` are None if the file is at an earlier migration step."""

    step: int  # the migration step; 0 if there is no database yet
    received: int | None = None  # the number of the newest inbound message
    said: int | None = None  # the number of the newest outbound message
    unsent: int | None = None  # how many outbound messages wait or are being sent


class ChatReader:
    """Read one chat. Each call opens the file again, changes nothing, and reads the rows as of one moment. A missing
    file counts as empty. A call does not wait for the writer, and takes well under a millisecond."""

    def __init__(self, path: Path, address: Address) -> None:
        self.path = path
        self.address = address

    def list_unanswered_message_ids(self) -> list[MessageId]:
        """Return the messages of the chat that are being answered or wait, in order."""
        return query_database_file(self.path, lambda db: load_unanswered_message_ids(db, self.address), [])

    def list_open_question_messages(self) -> list[OutboundMessage]:
        """Return the open questions of the chat, oldest first."""
        return query_database_file(self.path, lambda db: load_open_question_messages(db, self.address), [])

    def find_asker(self, question: OutboundId) -> Asker | None:
        """Return the delegation that asks a question; None if the lead does."""
        sql = (
            "SELECT turns.* FROM turns JOIN questions ON turns.id = questions.turn WHERE questions.id = ? AND depth > 0"
        )

        def load_asker(db: Connection) -> Asker | None:
            row = db.fetch_row(sql, question)
            if row is None:
                return None
            turn = turns.turn_from_row(row)
            # No call waits for a direct turn, but the message that it works on is not over before it ends.
            return Asker(number=turn.number, is_in_background=turn.background and not turn.is_direct)

        return query_database_file(self.path, load_asker, None)

    def list_background_roles(self) -> list[RoleName]:

        def load_roles(db: Connection) -> list[RoleName]:
            delegations = turns.list_queued_and_running_delegations(db, self.address)
            return [turn.role for turn in delegations if turn.background]

        return query_database_file(self.path, load_roles, [])

    def is_over(self, message: MessageId, shown: Collection[OutboundId]) -> bool:
        """Return True if a message is closed, or a delegation at work has it, and all that is said about it is shown.
        If a direct turn has it, whether it opened that turn or came later, it is over when that turn has ended. `shown`
        are messages that have just been shown: their rows may not say so yet."""
        return query_database_file(
            self.path, lambda db: is_message_over(db, self.address, message, shown), nothing=False
        )

    def is_answered(self, message: MessageId) -> bool:
        """Return True if the turn that took this message has completed."""
        sql = "SELECT 1 FROM turns JOIN inbox ON turns.id = inbox.turn WHERE inbox.key = ? AND status = 'completed'"
        return query_database_file(self.path, lambda db: db.has_rows(sql, message), nothing=False)

    def find_reply_of_direct_turn(self, message: MessageId) -> OutboundId | None:
        """Return the id of the reply that ends the direct turn that has a message; None if no direct turn has it."""

        def find_reply(db: Connection) -> OutboundId | None:
            turn = find_turn_of_message(db, message)
            return OutboundId(f"{turn.id}{REPLY_ID_SUFFIX}") if turn and turn.is_direct else None

        return query_database_file(self.path, find_reply, None)

    def last_exchange(self) -> LastExchange | None:
        return query_database_file(self.path, lambda db: load_last_exchange(db, self.address), None)

    def find_turn_cost_of_reply(self, reply: OutboundId) -> TurnCost | None:
        return query_database_file(self.path, lambda db: load_turn_cost_of_reply(db, reply), None)


def query_database_file(path: Path, work: Callable[[Connection], R], nothing: R, *, at_any_step: bool = False) -> R:
    """Return the result of `work`. Return `nothing` if there is no file, or if this version has not migrated the file
    yet and `at_any_step` is False. Raise StoreDamaged, or ConfigError if the file cannot be opened or is from a newer
    version."""
    with file_errors.translate_all_file_errors(path):
        if not path.exists():
            return nothing
        with closing(open_database_file(path, "ro")) as db:
            db.execute("BEGIN")  # so that all reads see the same moment
            return work(db) if is_migrated_to_this_version(db) or at_any_step else nothing


def migrate_database(path: Path) -> tuple[int, int]:
    """Run the missing migration steps, if the file is undamaged. Return the step before and the step after. Raise
    StoreDamaged, or ConfigError if the file cannot be opened or is from a newer version."""
    try:
        with file_errors.translate_damage_errors(path), closing(open_database_file(path, "rw")) as db:
            if damage := file_errors.find_file_damage(db):
                raise file_errors.file_damaged_error(path, damage)
            was = db.fetch_number("PRAGMA user_version")
            migrate(db)
            return was, db.fetch_number("PRAGMA user_version")
    except sqlite3.DatabaseError as error:
        raise ConfigError(operators.CANNOT_USE_DATA(path=path, reason=error)) from None


def find_schema_differences(path: Path) -> tuple[list[str], list[str]]:
    """Return two lists of names: our tables and indexes that are missing or different, and those that are not ours.
    Raise the same errors as `query_database_file`. The file may be at any migration step that this version knows."""

    def list_odd_tables(db: Connection) -> tuple[list[str], list[str]]:
        return schema.list_changed_tables(db), schema.list_unknown_tables(db)

    nothing: tuple[list[str], list[str]] = ([], [])
    return query_database_file(path, list_odd_tables, nothing, at_any_step=True)


def load_row_high_water_marks(path: Path) -> RowHighWaterMarks:
    """Return the row marks of a file. Raise StoreDamaged, or ConfigError if it cannot be opened or is from a newer
    version."""

    def load_marks(db: Connection) -> RowHighWaterMarks:
        step = db.fetch_number("PRAGMA user_version")
        if not is_migrated_to_this_version(db):
            return RowHighWaterMarks(step=step)
        received, said = (db.fetch_number(f"SELECT max(seq) FROM {table}") for table in ("inbox", "outbox"))
        unsent = sum(db.fetch_number(sql) for sql in COUNT_WHOLE_OUTBOX_UNSENT_SQLS)
        return RowHighWaterMarks(step=step, received=received, said=said, unsent=unsent)

    return query_database_file(path, load_marks, RowHighWaterMarks(step=0), at_any_step=True)


def load_unanswered_message_ids(db: Connection, address: Address) -> list[MessageId]:
    root = turns.find_open_root_turn(db, address)
    at_work = inbox.messages_taken_by_turn(db, root.id) if root else []
    return [message.id for message in (*at_work, *inbox.list_waiting_messages(db, address))]


def is_message_over(db: Connection, address: Address, message: MessageId, shown: Collection[OutboundId]) -> bool:
    if message in load_unanswered_message_ids(db, address):
        return False
    turn, reply = find_turn_of_message(db, message), None
    if turn and turn.is_direct:
        if turn.state is not TurnState.ENDED:
            return False
        reply = f"{turn.id}{REPLY_ID_SUFFIX}"  # it replies to the first message of the turn only
    unsent = [row for sql in UNSENT_MESSAGE_SQLS for row in db.fetch_rows(sql, address) if row["key"] not in shown]
    return not any(
        row["reply_to"] == message or row["key"] == reply or row["key"].startswith(f"{message}:") for row in unsent
    )


def find_turn_of_message(db: Connection, message: MessageId) -> Turn | None:
    row = db.fetch_row("SELECT turns.* FROM inbox JOIN turns ON turns.id = inbox.turn WHERE inbox.key = ?", message)
    return turns.turn_from_row(row) if row else None


def load_open_question_messages(db: Connection, address: Address) -> list[OutboundMessage]:
    sql = "SELECT outbox.* FROM questions JOIN outbox ON outbox.key = questions.id"
    where = "questions.address = ? AND questions.state = 'open' AND questions.kind != 'button'"
    rows = db.fetch_rows(f"{sql} WHERE {where} ORDER BY questions.rowid", address)
    return [outbox.outbound_message_from_row(row) for row in rows]


def load_last_exchange(db: Connection, address: Address) -> LastExchange | None:
    """Return the last exchange of the newest conversation at an address, without answers that are not shown yet; None
    if there is none."""
    asked = db.fetch_row(
        "SELECT rowid, id, session, task FROM turns WHERE depth = 0 AND session ="
        " (SELECT id FROM sessions WHERE address = ? AND parent IS NULL ORDER BY rowid DESC LIMIT 1)"
        " AND EXISTS (SELECT 1 FROM inbox WHERE inbox.turn = turns.id AND kind = 'text') ORDER BY rowid DESC LIMIT 1",
        address,
    )
    if asked is None:
        return None
    messages = inbox.select_inbound_messages(db, "turn = ? AND kind = 'text' ORDER BY seq", asked["id"])
    said = "\n".join(filter(None, (message.text_or_attachments for message in messages)))
    where = "session = ? AND depth = 0 AND rowid >= ? AND state = 'ended' AND report != ''"
    sql = f"SELECT report FROM turns WHERE {where} AND NOT EXISTS ({UNSHOWN_REPLY_SQL}) ORDER BY rowid"
    ended = db.fetch_rows(sql, asked["session"], asked["rowid"])
    return LastExchange(person_text=said or asked["task"], answers=tuple(row["report"] for row in ended))


def load_turn_cost_of_reply(db: Connection, reply: OutboundId) -> TurnCost | None:
    """Return the cost of the turn that this reply ended; None if the message ended no turn."""
    row = db.fetch_row("SELECT * FROM turns WHERE id = ? AND ended_at IS NOT NULL", reply.removesuffix(REPLY_ID_SUFFIX))
    if row is None or not reply.endswith(REPLY_ID_SUFFIX):
        return None
    turn = turns.turn_from_row(row)
    assert turn.ended_at, "it has ended"
    is_most = db.has_rows("SELECT 1 FROM requests WHERE root = ? AND state = 'lost' LIMIT 1", turn.root)
    seconds = turn.seconds_taken(turn.ended_at)
    return TurnCost(cost_micros=turn.spent.cost, tokens=turn.spent.tokens, seconds=seconds, is_upper_bound=is_most)


def load_lead_update_texts(db: Connection, turn: TurnId) -> list[str]:
    """Return the texts that the lead wrote beside its calls in a turn, in order, except what its reply repeats."""
    replaced = "SELECT replaces FROM outbox WHERE key = ?1 || ':reply' AND replaces IS NOT NULL"
    where = "kind = 'update' AND role IS NULL AND text != '' AND files = '[]' AND key > ?1 || '/' AND key < ?1 || '0'"
    sql = f"SELECT text FROM outbox WHERE {where} AND key NOT IN ({replaced}) ORDER BY seq"
    return [row["text"] for row in db.fetch_rows(sql, turn)]
