"""What intake does with a message that brings files: it waits until they are there. `file_arrivals.py` goes on then."""

from bot.core.incoming_files import IncomingFile
from bot.core.limits import DecisionTerms
from bot.core.messages import InboundKind, InboundMessage, MessageMark
from bot.engine import delegation_steering
from bot.journal import incoming_files, marks
from bot.store import inbox
from bot.store.connection import Connection


def files_to_take_in(message: InboundMessage) -> tuple[IncomingFile, ...]:
    """Return the files of a message that are fetched. A command that hands on no words has no use for any, and must
    not wait for them."""
    if not message.files or message.kind is InboundKind.TEXT:
        return message.files
    hands_on_words = message.kind is InboundKind.COMMAND and delegation_steering.split_words_from_tell(message.text)[1]
    return message.files if hands_on_words else ()


def end_mark_of_receipt(db: Connection, message: InboundMessage) -> None:
    """Show that a message with files is dealt with if it leads to no turn: it has answered a question, for example."""
    if inbox.is_message_done(db, message.id):
        mark = MessageMark.DONE if message.kind is InboundKind.TEXT else MessageMark.NONE
        marks.mark_messages(db, message.address, [message.id], mark)


def take_in_files(
    db: Connection, message: InboundMessage, max_download_bytes: int | None, terms: DecisionTerms, *, is_behind: bool
) -> InboundMessage | None:
    """Write down the files of a new message. Return the message if none is to be fetched; None if it waits for some, or
    is done because all that it holds was refused. `is_behind`: it waits for those of earlier messages too."""
    marks.mark_messages(db, message.address, [message.id], MessageMark.RECEIVED)
    has_files_to_fetch = incoming_files.keep_files_of_message(db, message, max_download_bytes, terms)
    if has_files_to_fetch or is_behind or message.album:  # the rest of an album may be fetched
        inbox.hold_message_until_files_arrive(db, message.id)
        return None
    found = inbox.find_kept_message(db, message.id)
    if found and not incoming_files.needs_turn(found):
        incoming_files.close_message_without_turn(db, found)
        return None
    return found
