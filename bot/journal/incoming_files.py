"""The rules about files that people send: which are fetched, what their senders are told, and which are removed."""

from dataclasses import replace
from datetime import timedelta
from math import ceil

from bot.core.file_blocks import sanitize_file_name
from bot.core.incoming_files import FileState, IncomingFile, IncomingFileKind, number_of_file
from bot.core.languages import Number
from bot.core.limits import DecisionTerms
from bot.core.messages import Address, InboundMessage, MessageId, MessageMark
from bot.core.texts import people_files as texts
from bot.journal import marks
from bot.journal.bus import Urgency, post_notice
from bot.store import inbox
from bot.store import incoming_files as rows
from bot.store.connection import Connection

MAX_FILES_PER_MESSAGE = 20
MAX_FILES_PER_CHAT_AND_HOUR = 60
FLOOD_NOTICE_ID_PREFIX = "files"
VOICE_NOTICE_ID_PREFIX = "voice"


def keep_files_of_message(
    db: Connection, message: InboundMessage, platform_max_bytes: int | None, terms: DecisionTerms, *, first: int = 0
) -> bool:
    """Write down the files of a new message, and tell its sender at once which of them are not fetched. Number them
    from `first` on. Return True if there is any to fetch."""
    volume = rows.measure_volume_of_chat(db, message.address.whole_chat, terms.now - timedelta(hours=1))
    files, size = volume.files, volume.bytes
    said, left_out = list[str](), max(0, len(message.files) - MAX_FILES_PER_MESSAGE)
    is_flooded = has_no_transcriber = False
    for number, file in enumerate(message.files):
        why = size_refusal(message, file, platform_max_bytes, terms)
        if file.kind is IncomingFileKind.VOICE and not terms.settings.voice.is_set:
            why, has_no_transcriber = texts.VOICE_NOT_SUPPORTED(), True
        elif why:
            said.append(why)
        elif number >= MAX_FILES_PER_MESSAGE:
            why = texts.TOO_MANY_FILES_AT_ONCE(left_out, most=MAX_FILES_PER_MESSAGE)
        elif files >= MAX_FILES_PER_CHAT_AND_HOUR or size + (file.size_bytes or 0) > terms.settings.files.chat_bytes:
            most = terms.settings.files.chat_megabytes
            why, is_flooded = texts.TOO_MANY_FILES_IN_CHAT(files=MAX_FILES_PER_CHAT_AND_HOUR, most=most), True
        else:
            files, size = files + 1, size + (file.size_bytes or 0)
        rows.add_incoming_file(db, message.id, first + number, message.address, file, why, terms.now)
    if left_out:
        said.append(texts.TOO_MANY_FILES_AT_ONCE(left_out, most=MAX_FILES_PER_MESSAGE))
    if has_no_transcriber:
        tell_that_voice_is_not_supported(db, message, terms)
    if said:
        tell_about_files(db, message, said, terms, "refused")
    if is_flooded:  # once an hour: somebody who sends a thousand albums must not get a thousand notices
        most = terms.settings.files.chat_megabytes
        flooded = texts.TOO_MANY_FILES_IN_CHAT(files=MAX_FILES_PER_CHAT_AND_HOUR, most=most)
        id = f"{FLOOD_NOTICE_ID_PREFIX}:{message.address}:{terms.now:%Y-%m-%dT%H}"
        post_notice(db, id, message.address, flooded, terms.now)
    return rows.has_waiting_files(db, message.id)


def change_files_of_edited_message(
    db: Connection, edit: InboundMessage, platform_max_bytes: int | None, terms: DecisionTerms
) -> None:
    """If an edit has changed the files of a message that waits, let it have those, and let it wait for the new ones.
    What it quotes stays: an edit changes only its own files, and may come without the others."""
    before = rows.list_announced_files(db, edit.id)
    gone = {id: file for id, file in before.items() if not file.is_quoted}
    added = list[IncomingFile]()
    for file in (each for each in edit.files if not each.is_quoted):
        same = next((id for id, other in gone.items() if traits_of_file(other) == traits_of_file(file)), None)
        if same is None:
            added.append(file)
        else:
            del gone[same]
    count = len(before) - len(gone) + len(added)
    if not (gone or added) or not rows.set_file_count_of_unread_message(db, edit.id, count):
        return
    rows.drop_files(db, gone)
    number = 1 + max((number_of_file(id) for id in before), default=-1)
    if keep_files_of_message(db, replace(edit, files=tuple(added)), platform_max_bytes, terms, first=number):
        inbox.hold_message_until_files_arrive(db, edit.id)


def traits_of_file(file: IncomingFile) -> tuple[object, ...]:
    """Return by what a file is recognised. A platform may give it another reference with each event."""
    return file.kind, file.name, file.size_bytes, file.seconds


def tell_that_voice_is_not_supported(db: Connection, message: InboundMessage, terms: DecisionTerms) -> None:
    """Tell the sender of a voice note that nothing turns it into text: once in each chat at length, then in short."""
    once, at, about = (
        f"{VOICE_NOTICE_ID_PREFIX}:{message.address.whole_chat}",
        message.address,
        message_told_about(message),
    )
    if not post_notice(db, once, at, texts.VOICE_NOT_SUPPORTED_AT_LENGTH(), terms.now, reply_to=about):
        post_notice(db, f"{message.id}:voice", at, texts.VOICE_NOT_SUPPORTED(), terms.now, reply_to=about)


def message_told_about(message: InboundMessage) -> MessageId | None:
    """Return the message that a notice replies to. In private there is no doubt who it is for."""
    return message.id if message.group_chat else None


def size_refusal(
    message: InboundMessage, file: IncomingFile, platform_max_bytes: int | None, terms: DecisionTerms
) -> str:
    """Return why a file is too large to be fetched, by the size that its platform names; empty if it is not."""
    own, size, name = terms.settings.files.max_bytes, file.size_bytes or 0, sanitize_file_name(file.name)
    if platform_max_bytes is not None and size > platform_max_bytes <= own:
        said, most, platform = megabytes(size), megabytes(platform_max_bytes), message.address.channel.title()
        if file.name:
            return texts.FILE_TOO_LARGE_FOR_PLATFORM(name=name, size=said, most=most, platform=platform)
        return texts.UNNAMED_FILE_TOO_LARGE_FOR_PLATFORM(size=said, most=most, platform=platform)
    if size > own:
        said, most = megabytes(size), megabytes(own)
        if file.name:
            return texts.FILE_TOO_LARGE(name=name, size=said, most=most)
        return texts.UNNAMED_FILE_TOO_LARGE(size=said, most=most)
    return ""


def megabytes(size: int) -> Number:
    """Return a size in megabytes: rounded up, with a decimal below ten."""
    exact = size / 2**20
    return Number(f"{ceil(exact * 10) / 10:g}" if exact < 10 else f"{ceil(exact):,}")


def tell_about_files(db: Connection, message: InboundMessage, said: list[str], terms: DecisionTerms, what: str) -> None:
    id, text, first = f"{message.id}:files:{what}", "\n".join(said), Urgency.ACKNOWLEDGEMENT  # before the answer
    about = message_told_about(message)
    post_notice(db, id, message.address, text, terms.now, rings=True, urgency=first, reply_to=about)


def tell_what_is_missing(db: Connection, message: InboundMessage, terms: DecisionTerms) -> None:
    """Tell the sender which files of a message could not be fetched. Those that were refused at once are told already.
    What cannot be shown or read is told too if no turn follows in which the model would say so."""
    said = [file.why for file in message.arrived_files if file.state is FileState.FAILED]
    if not needs_turn(message):
        said += [file.content.note for file in message.arrived_files if file.content.note]
    if said:
        tell_about_files(db, message, said, terms, "failed")


def needs_turn(message: InboundMessage) -> bool:
    """Return True if a message whose files have been dealt with holds anything for the model. If not, its sender has
    been told all that there is to say."""
    if message.text.strip() or message.attachments:
        return True
    readable = [each for each in message.arrived_files if each.state is FileState.KEPT and not each.content.note]
    if all(each.is_quoted for each in message.arrived_files):
        quoted = [each for each in message.quotes if not (each.only_names_files or each.is_earlier_talk)]
        return bool(quoted or readable)
    return any(not each.is_quoted for each in readable)  # what it replies to is no reason if all of its own is lost


def close_message_without_turn(db: Connection, message: InboundMessage) -> None:
    """Close a message that holds nothing for the model."""
    inbox.mark_message_done(db, message.id)
    marks.mark_messages(db, message.address, [message.id], MessageMark.FAILED)


def remove_oldest_files_beyond_volume(db: Connection, address: Address, terms: DecisionTerms) -> None:
    """Let the oldest files of a chat go if it has more than it may keep. They are deleted soon after."""
    oldest = rows.list_files_beyond_volume(db, address.whole_chat, terms.settings.files.chat_bytes)
    rows.mark_files_removed(db, oldest)
