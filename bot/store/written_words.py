"""What a person has written: to a request, and in a conversation. Quotes and files are not among it."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.messages import InboundOrigin, PersonId
from bot.core.turn import SCHEDULE_MESSAGE_ID_PREFIX, SessionId, TurnId
from bot.store.connection import Connection

# What an agent hands to a delegation, and what a schedule is to do, are rows of the same kinds.
IS_WRITTEN_SQL = (
    f"kind IN ('text', 'command') AND origin = '{InboundOrigin.PERSON}'"
    f" AND key NOT GLOB '{SCHEDULE_MESSAGE_ID_PREFIX}*'"
)
# Answers in words of their own: who picks an option has not written it.
IS_TYPED_ANSWER_SQL = (
    "kind = 'question' AND state = 'answered' AND person = ?1 AND arguments IS NULL"
    " AND answer NOT IN (SELECT value FROM json_each(options))"
)


def add_written_words(db: Connection) -> None:
    """Add to a message and to an answer what of its text a person has written, if that is not all of it."""
    db.execute("ALTER TABLE inbox ADD COLUMN written TEXT")
    db.execute("ALTER TABLE questions ADD COLUMN written TEXT")


@dataclass(frozen=True, slots=True)
class WrittenText:
    text: str
    is_of_request: bool  # it was written to this request, not to an earlier one of the conversation


def list_written_texts(db: Connection, person: PersonId, session: SessionId, top: TurnId) -> Sequence[WrittenText]:
    """Return what a person wrote in a conversation, oldest first: in messages, and as answers to questions. A request
    is the turn `top` with all turns below it."""
    is_below = "({turn} = ?3 OR ({turn} > ?4 AND {turn} < ?5))"
    turn, root = is_below.format(turn="turn"), is_below.format(turn="root")
    below = "SELECT id FROM turns WHERE id = ?3 UNION SELECT id FROM turns WHERE id > ?4 AND id < ?5"
    within = f"SELECT id FROM turns WHERE session = ?2 AND depth = 0 UNION {below}"
    rows = db.fetch_rows(
        f"SELECT ifnull(written, text) AS text, {turn} AS is_own, kept_at AS at FROM inbox"
        f" WHERE turn IN ({within}) AND person = ?1 AND {IS_WRITTEN_SQL}"
        f" UNION ALL SELECT ifnull(written, answer), {root}, deadline FROM questions"
        f" WHERE root IN ({within}) AND {IS_TYPED_ANSWER_SQL} ORDER BY at",
        person,
        session,
        top,
        f"{top}/",
        f"{top}0",
    )
    return [WrittenText(row["text"], bool(row["is_own"])) for row in rows]


def list_reports_taken_by_turn(db: Connection, turn: TurnId) -> list[str]:
    """Return the keys of the reports of background delegations that a turn has read."""
    return [row["key"] for row in db.fetch_rows("SELECT key FROM inbox WHERE turn = ? AND kind = 'report'", turn)]
