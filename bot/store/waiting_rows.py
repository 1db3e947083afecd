"""What has not come to its end, or to a good one: messages without an answer, open questions, messages that were not
delivered, and turns that failed."""

from dataclasses import dataclass
from datetime import datetime

from bot.core.messages import Address
from bot.store.connection import Connection
from bot.store.row_mapping import dataclass_from_row

MAX_TURNS_LOOKED_AT = 10_000  # for those that failed: no index has them


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedMessage:
    """A message, or a question, with what is known about why it has not come to its end."""

    key: str
    address: Address
    at: datetime
    who: str  # who wrote it or is asked; empty: nobody in particular
    text: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion(NotedMessage):
    """An open question to a person: `who` is their account, and `why` is empty."""

    options: tuple[str, ...]


def list_unanswered_messages(db: Connection, most: int) -> list[NotedMessage]:
    """Return what people wrote and no turn has finished with, oldest first."""
    sql = (
        "SELECT key, address, kept_at AS at, name AS who, text, state AS why FROM inbox"
        " WHERE state IN ('received', 'taken') AND origin = 'person' ORDER BY seq LIMIT ?"
    )
    return [dataclass_from_row(NotedMessage, row) for row in db.fetch_rows(sql, most)]


def list_messages_aside(db: Connection, most: int) -> list[NotedMessage]:
    """Return the messages that were set aside, with the reason, newest first."""
    sql = (
        "SELECT key, address, kept_at AS at, name AS who, text, why FROM inbox WHERE state = 'aside'"
        " ORDER BY seq DESC LIMIT ?"
    )
    return [dataclass_from_row(NotedMessage, row) for row in db.fetch_rows(sql, most)]


def list_undelivered_messages(db: Connection, most: int) -> list[NotedMessage]:
    """Return what the bot has said and nobody has seen, because its delivery failed, newest first."""
    sql = (
        "SELECT key, address, said_at AS at, ifnull(role, '') AS who, text, reason AS why FROM outbox"
        " WHERE state = 'failed' ORDER BY seq DESC LIMIT ?"
    )
    return [dataclass_from_row(NotedMessage, row) for row in db.fetch_rows(sql, most)]


def list_failed_turns(db: Connection, most: int) -> list[NotedMessage]:
    """Return the newest turns of the last MAX_TURNS_LOOKED_AT that ended by a fault or at a limit: `key` is the turn,
    `who` its role, `text` its task or the message that began it, and `why` how it ended."""
    sql = (
        "SELECT id AS key, address, ended_at AS at, role AS who, status || ': ' || reason AS why,"
        " CASE WHEN depth > 0 THEN task ELSE"
        " ifnull((SELECT text FROM inbox WHERE seq = CAST(substr(turns.id, 2) AS INTEGER)), '') END AS text"
        " FROM turns WHERE state = 'ended' AND status IN ('failed', 'budget', 'timeout')"
        " AND rowid > (SELECT max(rowid) FROM turns) - ? ORDER BY rowid DESC LIMIT ?"
    )
    return [dataclass_from_row(NotedMessage, row) for row in db.fetch_rows(sql, MAX_TURNS_LOOKED_AT, most)]


def list_asked_questions(db: Connection, most: int) -> list[AskedQuestion]:
    """Return the open questions to people, oldest first: those of turns, and those about calls that are held."""
    sql = (
        "SELECT questions.id AS key, questions.address AS address, said_at AS at, questions.person AS who,"
        " questions.text AS text, '' AS why, questions.options AS options"
        " FROM questions JOIN outbox ON outbox.key = questions.id"
        " WHERE questions.state = 'open' AND questions.kind = 'question' ORDER BY questions.rowid LIMIT ?"
    )
    return [dataclass_from_row(AskedQuestion, row) for row in db.fetch_rows(sql, most)]
