"""Fetch the files that come with messages: several side by side. Each is tried until it is there, or is given up.

Rows say what is to be fetched, so a start continues where a kill has interrupted. Each step may be repeated: a file is
fetched into a folder of the data, under a name that is the same at each try; its row says where it is going to lie, and
then it is copied into the inbox of its workspace, whole or not at all; last, one transaction notes it and lets its
message go on. So no file lies in an inbox without a row that names it."""

import asyncio
import hashlib
import logging
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import IO

from bot.core import durable_files
from bot.core.channel import Channel
from bot.core.errors import FetchError, StoreDamaged, TranscriptionFailed
from bot.core.file_blocks import sanitize_file_name
from bot.core.incoming_files import FileContent, FileId, FileState, IncomingFileKind
from bot.core.languages import Language, set_language
from bot.core.languages.said_again import say_again
from bot.core.limits import GetCurrentTerms
from bot.core.messages import Draft
from bot.core.texts import logs, people_files
from bot.core.transcriber import Transcriber
from bot.documents.file_types import FileKind
from bot.documents.inspection import InspectedFile, inspect_file
from bot.engine.file_arrivals import (
    KeptFile,
    MissingFile,
    let_arrived_messages_go_on,
    look_for_waiting_files,
    set_arriving_message_aside,
    settle_file,
)
from bot.engine.message_folder import file_scope_of_message
from bot.engine.transcriptions import MAX_SAID_CHARACTERS, MAX_TRANSCRIPTIONS, Transcriptions, cut_what_is_said
from bot.journal.bus import Bus
from bot.journal.incoming_files import megabytes
from bot.journal.languages import language_of_sender
from bot.journal.openings import RoleResolver
from bot.store import Store, inbox
from bot.store import incoming_files as rows
from bot.store.connection import FILES_REMOVED_TOPIC, FILES_WAITING_TOPIC, Connection
from bot.store.incoming_files import WaitingFile
from bot.store.people import forget_known_settings
from bot.tools.inbox_folder import inbox_path, put_into_workspace
from bot.tools.workspace_scope import folder_of_scope

MAX_FETCHES, MAX_FETCHES_PER_CHAT = 4, 2  # at the same time
MAX_FILES_LISTED = 1_000
MAX_RETRY_SECONDS = 60.0
LONGEST_TIMER_SECONDS = 60.0  # if the clock is set back, a file waits at most this much longer
RECORDING_KINDS = (IncomingFileKind.VOICE, IncomingFileKind.AUDIO)
TEXT_SUFFIX = ".md"  # of the text of a document, beside it
SPOOL_FOLDER = "incoming"  # in the data folder: files on their way

log = logging.getLogger(__name__)


class TooLarge(Exception):
    """More bytes have come than a file may have."""


class TriedAgain(Exception):
    """A row says when a file is tried again."""


class FileFetcher:
    def __init__(
        self,
        store: Store,
        bus: Bus,
        channels: Sequence[Channel],
        resolver: RoleResolver,
        terms: GetCurrentTerms,
        data: Path,
        transcriber: Transcriber | None = None,
    ) -> None:
        self.store = store
        self.bus = bus
        self.channels: Mapping[str, Channel] = {channel.name: channel for channel in channels}
        self.resolver = resolver
        self.terms = terms
        self.spool = data / SPOOL_FOLDER
        self.transcriptions = Transcriptions(store, transcriber, terms) if transcriber else None
        self._at_work: dict[FileId, WaitingFile] = {}
        self._recordings = set[FileId]()  # of these, those that are being turned into text
        self._tried = set[FileId]()  # these wait for their next try, and may lie in the spool

    async def run(self) -> None:
        self._tried = {each.id for each in await self.list_waiting()}
        await asyncio.to_thread(self.clear_spool, self._tried)
        with self.bus.subscribe(FILES_WAITING_TOPIC) as changed:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self.show_typing_regularly(), name="typing for files")
                while True:
                    changed.take_names_and_clear()
                    waiting = await self.list_waiting()
                    await self.delete_files_of_deleted_messages(waiting)
                    for file in self.choose_next(waiting):
                        self._at_work[file.id] = file
                        self.show_typing(file)
                        tasks.create_task(self.fetch_and_forget(file), name=f"fetch {file.id}")
                    with suppress(TimeoutError):
                        async with asyncio.timeout(self.seconds_until_retry(waiting)):
                            await changed.wait()

    async def list_waiting(self) -> list[WaitingFile]:
        """Return the files that are to be fetched. Let messages go on that wait for no file any more."""
        found = await self.store.read(look_for_waiting_files, MAX_FILES_LISTED)
        for message in found.stalled:
            await self.store.write(let_arrived_messages_go_on, message, self.resolver, self.terms())
        return found.files

    async def delete_files_of_deleted_messages(self, waiting: Sequence[WaitingFile]) -> None:
        """Delete from the spool what waited there for its next try and is no longer wanted."""
        if len(waiting) == MAX_FILES_LISTED:
            return  # the others are not known
        for id in self._tried - {file.id for file in waiting} - self._at_work.keys():
            await asyncio.to_thread(self.delete_spooled_file, id)
            self._tried.discard(id)

    def choose_next(self, waiting: Sequence[WaitingFile]) -> list[WaitingFile]:
        """Return the files to fetch now: oldest first, but of each chat only a few at a time. Recordings have slots of
        their own, because it takes minutes to turn them into text, and pictures must not wait for that."""
        all_at_work, of_chats = Counter[bool](), Counter[tuple[bool, str]]()
        for file in self._at_work.values():
            is_recording, chat = self.is_recording(file), str(file.address.whole_chat)
            all_at_work[is_recording] += 1
            of_chats[is_recording, chat] += 1
        chosen = list[WaitingFile]()
        for file in waiting:
            is_recording, chat = self.is_recording(file), str(file.address.whole_chat)
            most = MAX_TRANSCRIPTIONS if is_recording else MAX_FETCHES
            has_slot = all_at_work[is_recording] < most and of_chats[is_recording, chat] < MAX_FETCHES_PER_CHAT
            is_due = not file.retry_at or file.retry_at <= self.terms().now
            if file.id not in self._at_work and is_due and has_slot:
                all_at_work[is_recording] += 1
                of_chats[is_recording, chat] += 1
                chosen.append(file)
        return chosen

    def is_recording(self, file: WaitingFile) -> bool:
        """Return True if a file is, or most likely will be, turned into text."""
        return file.id in self._recordings or (self.transcriptions is not None and file.file.kind in RECORDING_KINDS)

    def seconds_until_retry(self, waiting: Sequence[WaitingFile]) -> float | None:
        """Return the seconds until the next file is due that could not be fetched before; None if there is none."""
        now = self.terms().now
        later = [file.retry_at for file in waiting if file.retry_at and file.retry_at > now]
        return min(LONGEST_TIMER_SECONDS, (min(later) - now).total_seconds()) if later else None

    async def show_typing_regularly(self) -> None:
        """Show that something happens where a message waits for a file."""
        while True:
            await asyncio.sleep(self.terms().timings.typing_interval_seconds)
            for file in self._at_work.values():
                self.show_typing(file)

    def show_typing(self, file: WaitingFile) -> None:
        self.bus.hand_draft_to_courier(Draft(turn=file.message, address=file.address, text=""))

    async def fetch_and_forget(self, file: WaitingFile) -> None:
        try:
            set_language(await self.store.read(self.find_language, file))
            if outcome := await self.fetch_file_or_give_up(file):
                await self.settle_file(file, outcome)
            await asyncio.to_thread(self.delete_spooled_file, file.id)
        except TriedAgain:
            self._tried.add(file.id)
        finally:
            del self._at_work[file.id]
            self.bus.wake_subscriber(FILES_WAITING_TOPIC)
            self.bus.wake_subscriber(FILES_REMOVED_TOPIC)  # its message may be deleted by now

    async def settle_file(self, file: WaitingFile, outcome: KeptFile | MissingFile) -> None:
        """Note what became of a file. A bug must cost its own message only."""
        try:
            await self.store.write(settle_file, file, outcome, self.resolver, self.terms())
        except StoreDamaged:
            raise
        except Exception as error:
            log.exception(logs.FILE_NOT_TAKEN_IN, file.id)
            await self.let_all_but_broken_message_go_on(file, type(error).__name__)

    def is_at_work(self, id: FileId) -> bool:
        """Return True while a file is on its way. If it is to be deleted, that has to wait."""
        return id in self._at_work

    async def let_all_but_broken_message_go_on(self, file: WaitingFile, why: str) -> None:
        """Set aside the first message of a writer, which cannot go on, and let those behind it go on one by one."""
        while await self.store.write(set_arriving_message_aside, file.message, why, self.terms()):
            try:
                arguments = file.message, self.resolver, self.terms()
                while await self.store.write(let_arrived_messages_go_on, *arguments, most=1):
                    pass
                return
            except StoreDamaged:
                raise
            except Exception:  # the next one is broken too
                log.exception(logs.FILE_NOT_TAKEN_IN, file.id)

    async def fetch_file_or_give_up(self, file: WaitingFile) -> KeptFile | MissingFile | None:
        try:
            return await self.fetch_file(file)
        except (StoreDamaged, TriedAgain):
            raise
        except Exception:  # a bug, which must cost this file only
            log.exception(logs.FILE_GIVEN_UP, file.id)
            return MissingFile(state=FileState.FAILED, reason=not_fetched_reason(file.file.name))

    async def fetch_file(self, file: WaitingFile) -> KeptFile | MissingFile | None:
        """Fetch a file and keep it. Return None if nobody wants it any more. Raise TriedAgain if its row says when."""
        spooled, name = self.spool_path(file.id), file.file.name
        try:
            async with asyncio.timeout(self.terms().timings.file_timeout_seconds):
                await self.download(file, spooled)
            return await self.examine_and_keep(file, spooled)
        except TooLarge:
            most = megabytes(self.terms().settings.files.max_bytes)
            return MissingFile(state=FileState.FAILED, reason=too_large_reason(name, most))
        except (FetchError, OSError) as error:
            if not isinstance(error, FetchError) or error.seconds is not None:
                await self.try_again_unless_out_of_patience(file, error, getattr(error, "seconds", 0.0))
            return MissingFile(state=FileState.FAILED, reason=missing_reason(name, error))

    async def try_again_unless_out_of_patience(self, file: WaitingFile, error: Exception, seconds: float) -> None:
        """Note when to try again, in that many seconds or later, and raise TriedAgain. Return if it has been tried for
        long enough."""
        terms = self.terms()
        patience = terms.timings.file_patience_seconds
        latest = (file.failing_since or terms.now) + timedelta(seconds=patience)
        if file.failing_since and terms.now >= latest:
            return
        pause = max(seconds, min(MAX_RETRY_SECONDS, terms.timings.file_retry_seconds * 2**file.failures))
        again = min(terms.now + timedelta(seconds=min(pause, patience)), latest)  # a server may name any number
        log.info(logs.FILE_TRIED_AGAIN, file.id, error)
        await self.store.write(rows.note_failed_fetch, file.id, terms.now, again)
        raise TriedAgain

    async def download(self, file: WaitingFile, path: Path) -> None:
        """Fetch a file into the spool, unless a try before has done that. Raise FetchError, OSError or TooLarge."""
        if await asyncio.to_thread(path.exists):
            return
        channel = self.channels.get(file.address.channel)
        if channel is None:
            raise FetchError(not_fetched_reason(file.file.name))
        most, count = self.terms().settings.files.max_bytes, 0
        async with channel.open_file(file.file) as pieces:
            with open_part_of_spooled_file(path) as part:  # in no thread: nobody would close it after a cancellation
                async for piece in pieces:
                    count += len(piece)
                    if count > most:
                        raise TooLarge
                    await asyncio.to_thread(part.write, piece)
                await asyncio.to_thread(finish_spooled_file, part, path)

    async def examine_and_keep(self, file: WaitingFile, spooled: Path) -> KeptFile | None:
        """Find out what a fetched file is, and put it into the inbox of its workspace. Return None if nobody wants it
        any more. Raise OSError, or TriedAgain."""
        name = sanitize_file_name(file.file.name) if file.file.name else people_files.UNNAMED_FILE()
        found = await inspect_file(spooled, name=name)
        digest, size = await asyncio.to_thread(hash_file, spooled)
        content, media = describe_content(found, size), found.media
        markdown = (
            "" if found.kind is FileKind.ARCHIVE else found.markdown
        )  # an archive's files are listed when it is read
        text = markdown.encode(errors="surrogatepass")
        if self.transcriptions and (found.kind is FileKind.AUDIO or file.file.kind is IncomingFileKind.VOICE):
            content = await self.turn_into_text(self.transcriptions, file, spooled, digest, content)
            if len(content.said) > MAX_SAID_CHARACTERS:
                text = content.said.encode(errors="surrogatepass")
            content = cut_what_is_said(content)
        scope, folder = await self.store.read(self.find_folder, file)
        path = inbox_path(file.id, file.file.name, found.media_type) if folder else ""
        if folder:
            content = replace(content, text_path=f"{path}.md" if text else "")
            if not await self.store.write(rows.note_place_of_file, file.id, scope, path, content.text_path):
                return None
            await asyncio.to_thread(put_into_workspace, folder, path, spooled)
        if folder and text:
            beside = spooled.with_suffix(TEXT_SUFFIX)
            await asyncio.to_thread(beside.write_bytes, text)
            await asyncio.to_thread(put_into_workspace, folder, content.text_path, beside)
        kept = size + (len(text) if folder else 0)
        data = media.data if media and content.shown_type else None
        return KeptFile(content=content, scope=scope, path=path, sha256=digest, kept_bytes=kept, media=data)

    async def turn_into_text(
        self, transcriptions: Transcriptions, file: WaitingFile, path: Path, sha256: str, content: FileContent
    ) -> FileContent:
        """Return the content of a recording with what is said in it, or why that is not known. Raise TriedAgain."""
        self._recordings.add(file.id)
        self.bus.wake_subscriber(FILES_WAITING_TOPIC)  # it takes no slot of a picture now
        try:
            return await transcriptions.add_what_is_said(content, file, path, sha256)
        except TranscriptionFailed as failed:
            if failed.fault:
                log.warning(logs.NOT_TURNED_INTO_TEXT, file.id, failed.fault)
            if failed.seconds is not None:
                await self.try_again_unless_out_of_patience(file, failed, failed.seconds)
            return replace(content, note=str(failed))
        finally:
            self._recordings.discard(file.id)

    def find_language(self, db: Connection, file: WaitingFile) -> Language:
        """Return the language in which the sender of a file is spoken to."""
        message, terms = inbox.find_kept_message(db, file.message), self.terms()
        forget_known_settings(db)  # this connection does not hear of changes
        return language_of_sender(db, message, terms) if message else terms.operator_language

    def find_folder(self, db: Connection, file: WaitingFile) -> tuple[str, Path | None]:
        """Return the folder that the files of a message's turn lie in, and its name in rows; None if there is none."""
        message, terms = inbox.find_kept_message(db, file.message), self.terms()
        if message is None:
            return "", None
        groups = self.resolver.last_loaded_groups()
        scope = file_scope_of_message(db, message, groups, terms)
        return scope, folder_of_scope(scope, terms.resolved_settings.writable_workspace, message.address, groups)

    def spool_path(self, id: FileId) -> Path:
        return self.spool / hashlib.sha256(id.encode()).hexdigest()[:32]

    def delete_spooled_file(self, id: FileId) -> None:
        path = self.spool_path(id)
        for each in (path, durable_files.partial_file_path(path), path.with_suffix(TEXT_SUFFIX)):
            with suppress(OSError):  # the next start deletes it
                each.unlink(missing_ok=True)

    def clear_spool(self, waiting: set[FileId]) -> None:
        """Delete what an earlier process has left of files that are no longer to be fetched."""
        expected = {self.spool_path(id).name for id in waiting}
        with suppress(OSError):
            for path in self.spool.iterdir():
                if path.name not in expected:
                    path.unlink(missing_ok=True)


def missing_reason(name: str, error: FetchError | OSError) -> str:
    """Return what the sender and the model read about a file that could not be fetched."""
    if isinstance(error, FetchError) and str(error) and error.seconds is None:  # it says what is wrong with the file
        shown = sanitize_file_name(name) if name else ""
        return people_files.ABOUT_FILE(name=shown, reason=str(error)) if shown not in str(error) else str(error)
    if isinstance(error, OSError) and error.strerror:
        if name:
            return people_files.FILE_NOT_KEPT(name=sanitize_file_name(name), reason=say_again(error.strerror))
        return people_files.UNNAMED_FILE_NOT_KEPT(reason=say_again(error.strerror))
    return not_fetched_reason(name)


def not_fetched_reason(name: str) -> str:
    if name:
        return people_files.FILE_NOT_FETCHED(name=sanitize_file_name(name))
    return people_files.UNNAMED_FILE_NOT_FETCHED()


def too_large_reason(name: str, most: str) -> str:
    if name:
        return people_files.FILE_GREW_TOO_LARGE(name=sanitize_file_name(name), most=most)
    return people_files.UNNAMED_FILE_GREW_TOO_LARGE(most=most)


def describe_content(found: InspectedFile, size: int) -> FileContent:
    media = found.media
    return FileContent(
        media_type=found.media_type,
        size_bytes=size,
        note=found.refusal,
        beginning=found.first_lines,
        is_cut=found.has_more,
        shown_type=media.type if media else "",
        shown_bytes=len(media.data) if media else 0,
        tokens=media.tokens if media else 0,
        pages=media.pages if media else 0,
    )


def open_part_of_spooled_file(path: Path) -> IO[bytes]:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    return open(os.open(durable_files.partial_file_path(path), flags, durable_files.OWNER_ONLY_FILE_MODE), "wb")


def finish_spooled_file(part: IO[bytes], path: Path) -> None:
    part.flush()
    os.fsync(part.fileno())
    durable_files.partial_file_path(path).rename(path)


def hash_file(path: Path) -> tuple[str, int]:
    """Return the SHA-256 of a file, and its size."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest(), os.fstat(file.fileno()).st_size
