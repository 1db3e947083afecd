"""What a message does once its files are there: what any message does at once. Each function is one transaction."""

from dataclasses import dataclass, fields
from typing import NamedTuple

from bot.core.incoming_files import FileContent, FileState
from bot.core.languages import speaking
from bot.core.limits import DecisionTerms
from bot.core.messages import MessageId, MessageMark
from bot.core.prices import Micros
from bot.core.texts import people
from bot.engine import intake
from bot.engine.file_intake import end_mark_of_receipt
from bot.journal import incoming_files, marks, openings, payments
from bot.journal.bus import post_notice
from bot.journal.languages import language_of_sender
from bot.store import inbox
from bot.store import incoming_files as rows
from bot.store.connection import Connection
from bot.store.incoming_files import WaitingFile

MAX_AT_ONCE = 1_000  # messages of one person that go on together


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFile:
    """A file that was fetched, and lies at `path` in the folder that `scope` names; at no path if it lies nowhere."""

    content: FileContent
    scope: str = ""
    path: str = ""
    sha256: str = ""
    kept_bytes: int = 0  # on the disk, with the text beside it
    media: bytes | None = None  # the picture or PDF that the model sees


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingFile:
    """A file that could not be fetched."""

    state: FileState
    reason: str


class WaitingWork(NamedTuple):
    """The files that are to be fetched, and messages that are held up although their writer waits for no file."""

    files: list[WaitingFile]
    stalled: list[MessageId]


def look_for_waiting_files(db: Connection, most: int) -> WaitingWork:
    return WaitingWork(rows.list_waiting_files(db, most), inbox.list_messages_behind_no_file(db))


def settle_file(
    db: Connection,
    waiting: WaitingFile,
    outcome: KeptFile | MissingFile,
    resolver: openings.RoleResolver,
    terms: DecisionTerms,
) -> None:
    """Note what became of a file, unless nobody wants it any more: its message was deleted. If it was the last one that
    its message waited for, let the message go on."""
    if isinstance(outcome, MissingFile):
        is_new = rows.settle_file_as_failed(db, waiting.id, outcome.state, outcome.reason)
    else:
        columns = {field.name: getattr(outcome, field.name) for field in fields(outcome) if field.name != "content"}
        is_new = rows.settle_file_as_kept(db, waiting.id, outcome.content, **columns)
        sent = inbox.find_kept_message(db, waiting.message)  # its chat may have moved meanwhile
        if sent and (cost := Micros(outcome.content.said_cost_micros)):
            payments.book_transcription(db, sent.address, sent.sender.id, cost, terms.today)
        if sent and is_new:
            incoming_files.remove_oldest_files_beyond_volume(db, sent.address, terms)
    if is_new:
        let_arrived_messages_go_on(db, waiting.message, resolver, terms)


def let_arrived_messages_go_on(
    db: Connection, message: MessageId, resolver: openings.RoleResolver, terms: DecisionTerms, most: int = MAX_AT_ONCE
) -> int:
    """Let the messages of this one's writer go on, in their order, up to the first one that still waits for a file, or
    for the rest of its album; at most so many. Return how many went on."""
    addresses, count = set(), 0
    arriving = inbox.list_arriving_messages_of_writer(db, message)
    waiting = {each.id for each in arriving if rows.has_waiting_files(db, each.id)}
    albums = {each.album for each in arriving if each.album and each.id in waiting}
    for id, album in arriving[:most]:
        if id in waiting or album in albums:
            break
        count += 1
        inbox.release_arrived_message(db, id)
        if arrived := inbox.find_kept_message(db, id):
            addresses.add(str(arrived.address))
            with speaking(language_of_sender(db, arrived, terms)):
                incoming_files.tell_what_is_missing(db, arrived, terms)
            if incoming_files.needs_turn(arrived):
                number = inbox.inbox_number_of_message(db, id)
                with speaking(language_of_sender(db, arrived, terms)):
                    intake.route_message(db, arrived, resolver, terms, written_as=number)
                end_mark_of_receipt(db, arrived)
            else:
                incoming_files.close_message_without_turn(db, arrived)
    openings.open_root_turns(db, resolver, terms, addresses)
    return count


def set_arriving_message_aside(db: Connection, message: MessageId, why: str, terms: DecisionTerms) -> MessageId | None:
    """Set aside the first message of this one's writer that files hold up, and give up its files. Tell the chat.
    Return its id; None if there is none."""
    for id, _ in inbox.list_arriving_messages_of_writer(db, message)[:1]:
        rows.give_up_files_of_message(db, id)
        if found := inbox.find_kept_message(db, id):
            with speaking(language_of_sender(db, found, terms)):
                post_notice(db, f"{id}:sorry", found.address, people.UNREADABLE(), terms.now)
            marks.mark_messages(db, found.address, [id], MessageMark.FAILED)
        inbox.set_message_aside(db, id, why)
        return id
    return None
