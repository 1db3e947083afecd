"""Which mark stands below a person's message. A transaction notes it as a wake-up, so it costs no statement."""

from collections.abc import Iterable
from datetime import datetime

from bot.core.messages import Address, MessageId, MessageMark
from bot.core.page_words import PAGE_MESSAGE_ID_PREFIX
from bot.core.turn import REPORT_MESSAGE_ID_PREFIX, SCHEDULE_MESSAGE_ID_PREFIX, TurnOutcome
from bot.store import inbox
from bot.store.connection import MARKS_TOPIC, Connection

MARK_SEPARATOR = "\n"
MARKS_BY_OUTCOME = {TurnOutcome.COMPLETED: MessageMark.DONE, TurnOutcome.CANCELLED: MessageMark.NONE}
MAX_MARKS_SHOWN_AGAIN = 50


def mark_messages(db: Connection, address: Address, messages: Iterable[MessageId], mark: MessageMark) -> None:
    """Have a mark shown below these messages once this transaction commits."""
    for message in messages:
        if is_of_chat(message):
            db.add_wake_up(MARKS_TOPIC, MARK_SEPARATOR.join((mark, str(address), message)))


def is_of_chat(message: MessageId) -> bool:
    """Return True if a person wrote the message in the chat, so that it can have a mark there."""
    return not message.startswith((REPORT_MESSAGE_ID_PREFIX, SCHEDULE_MESSAGE_ID_PREFIX, PAGE_MESSAGE_ID_PREFIX))


def mark_answered_messages(
    db: Connection, address: Address, messages: Iterable[MessageId], outcome: TurnOutcome
) -> None:
    mark_messages(db, address, messages, mark_of_outcome(outcome))


def mark_of_outcome(outcome: TurnOutcome) -> MessageMark:
    """Return the mark of a message whose turn has ended so. What a person has stopped is neither done nor failed."""
    return MARKS_BY_OUTCOME.get(outcome, MessageMark.FAILED)


def parse_mark_name(name: str) -> tuple[Address, MessageId, MessageMark]:
    """Return what `mark_messages` has put into the name of a wake-up."""
    mark, address, message = name.split(MARK_SEPARATOR, 2)
    return Address.parse(address), MessageId(message), MessageMark(mark)


def list_marks_of_last_turns(db: Connection, since: datetime) -> list[tuple[Address, MessageId, MessageMark]]:
    """Return the marks of the messages that were answered after `since`, the newest, at most MAX_MARKS_SHOWN_AGAIN."""
    found = inbox.list_messages_answered_since(db, since, MAX_MARKS_SHOWN_AGAIN)
    return [(address, id, mark_of_outcome(outcome)) for address, id, outcome in found if is_of_chat(id)]
