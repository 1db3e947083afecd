"""Fetch the files that come with messages: several side by side, each until it is there or given up.

Rows say what is to be fetched, so a start continues where a kill has interrupted. Each step may be repeated: a file is
fetched into a folder of the data, under a name that is the same at each try; from there it is copied into the inbox of
its workspace, whole or not at all; then one transaction notes it and lets its message go on."""

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
from bot.core.limits import GetCurrentTerms
from bot.core.messages import Draft
from bot.core.texts import logs, model_files, people_files
from bot.core.transcriber import Transcriber
from bot.documents.file_types import FileKind
from bot.documents.inspection import InspectedFile, inspect_file
from bot.engine.file_arrivals import (
    KeptFile,
    MissingFile,
    let_arrived_messages_go_on,
    set_arriving_message_aside,
    settle_file,
)
from bot.engine.message_folder import file_scope_of_message
from bot.journal.bus import Bus
from bot.journal.incoming_files import megabytes
from bot.journal.languages import language_of_sender
from bot.journal.openings import RoleResolver
from bot.store import Store, inbox
from bot.store import incoming_files as rows
from bot.store.connection import FILES_WAITING_TOPIC, Connection
from bot.store.incoming_files import WaitingFile
from bot.store.people import forget_known_settings
from bot.tools.inbox_folder import inbox_path, put_into_workspace
from bot.tools.workspace_scope import folder_of_scope

MAX_FETCHES, MAX_FETCHES_PER_CHAT = 4, 2  # at the same time
MAX_FILES_LISTED = 1_000
MAX_RETRY_SECONDS = 60.0
LONGEST_TIMER_SECONDS = 60.0  # if the clock is set back, a file waits at most this much longer
MAX_SAID_CHARACTERS = 20_000  # of a recording, in the prompt
SPOOL_FOLDER = "incoming"  # in the data folder: files on their way

log = logging.getLogger(__name__)


class TooLarge(Exception):
    """More bytes have come than a file may have."""


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
        self.transcriber = transcriber
        self._at_work: dict[FileId, WaitingFile] = {}

    async def run(self) -> None:
        await asyncio.to_thread(self.clear_spool, {each.id for each in await self.list_waiting()})
        with self.bus.subscribe(FILES_WAITING_TOPIC) as changed:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self.show_typing_regularly(), name="typing for files")
                while True:
                    changed.take_names_and_clear()
                    waiting = await self.list_waiting()
                    for file in self.choose_next(waiting):
                        self._at_work[file.id] = file
                        self.show_typing(file)
                        tasks.create_task(self.fetch_and_forget(file), name=f"fetch {file.id}")
                    with suppress(TimeoutError):
                        async with asyncio.timeout(self.seconds_until_retry(waiting)):
                            await changed.wait()

    async def list_waiting(self) -> list[WaitingFile]:
        return await self.store.read(rows.list_waiting_files, MAX_FILES_LISTED)

    def choose_next(self, waiting: Sequence[WaitingFile]) -> list[WaitingFile]:
        """Return the files to fetch now: oldest first, but of each chat only a few at a time."""
        at_work = Counter(str(file.address.whole_chat) for file in self._at_work.values())
        chosen = list[WaitingFile]()
        for file in waiting:
            chat, is_due = str(file.address.whole_chat), not file.retry_at or file.retry_at <= self.terms().now
            if len(self._at_work) + len(chosen) >= MAX_FETCHES:
                break
            if file.id not in self._at_work and is_due and at_work[chat] < MAX_FETCHES_PER_CHAT:
                at_work[chat] += 1
                chosen.append(file)
        return chosen

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
            await self.fetch_file(file)
        except StoreDamaged:
            raise
        except Exception as error:  # a bug: it must cost one message only
            log.exception(logs.FILE_NOT_TAKEN_IN, file.id)
            await self.let_all_but_broken_message_go_on(file, type(error).__name__)
        finally:
            del self._at_work[file.id]
            self.bus.wake_subscriber(FILES_WAITING_TOPIC)

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

    async def fetch_file(self, file: WaitingFile) -> None:
        """Fetch a file and let its message go on, or note when to try again."""
        spooled = self.spool_path(file.id)
        try:
            async with asyncio.timeout(self.terms().timings.file_timeout_seconds):
                await self.download(file, spooled)
            outcome = await self.examine_and_keep(file, spooled)
        except TooLarge:
            most = megabytes(self.terms().settings.files.max_bytes)
            outcome = MissingFile(state=FileState.FAILED, why=why_too_large(file.file.name, most))
        except (FetchError, OSError) as error:
            if await self.note_failure_or_give_up(file, error):
                return
            outcome = MissingFile(state=FileState.FAILED, why=why_missing(file.file.name, error))
        await self.store.write(settle_file, file, outcome, self.resolver, self.terms())
        await asyncio.to_thread(spooled.unlink, missing_ok=True)

    async def note_failure_or_give_up(self, file: WaitingFile, error: FetchError | OSError) -> bool:
        """Note when to try again, and return True. Return False if there is no hope, or no patience left."""
        terms = self.terms()
        patience = timedelta(seconds=terms.timings.file_patience_seconds)
        is_hopeless = isinstance(error, FetchError) and error.seconds is None
        if is_hopeless or (file.failing_since and terms.now - file.failing_since >= patience):
            return False
        pause = min(MAX_RETRY_SECONDS, terms.timings.file_retry_seconds * 2**file.failures)
        pause = max(pause, error.seconds or 0.0) if isinstance(error, FetchError) else pause
        latest = (file.failing_since or terms.now) + patience
        again = min(terms.now + timedelta(seconds=pause), latest)
        log.info(logs.FILE_TRIED_AGAIN, file.id, error)
        await self.store.write(rows.note_failed_fetch, file.id, terms.now, again)
        return True

    async def download(self, file: WaitingFile, path: Path) -> None:
        """Fetch a file into the spool, unless a try before has done that. Raise FetchError, OSError or TooLarge."""
        if await asyncio.to_thread(path.exists):
            return
        channel = self.channels.get(file.address.channel)
        if channel is None:
            raise FetchError(why_not_fetched(file.file.name))
        most, count = self.terms().settings.files.max_bytes, 0
        async with channel.open_file(file.file) as pieces:
            part = await asyncio.to_thread(open_part_of_spooled_file, path)
            with part:
                async for piece in pieces:
                    count += len(piece)
                    if count > most:
                        raise TooLarge
                    await asyncio.to_thread(part.write, piece)
                await asyncio.to_thread(finish_spooled_file, part, path)

    async def examine_and_keep(self, file: WaitingFile, spooled: Path) -> KeptFile | MissingFile:
        """Find out what a fetched file is, and put it into the inbox of its workspace. Raise OSError."""
        name = sanitize_file_name(file.file.name) if file.file.name else str(model_files.KINDS[file.file.kind])
        found = await inspect_file(spooled, name=name)
        scope, folder = await self.store.read(self.find_folder, file)
        path = inbox_path(file.id, file.file.name, found.media_type) if folder else ""
        text_path = f"{path}.md" if path and found.markdown else ""
        digest, size = await asyncio.to_thread(hash_file, spooled)
        if folder:
            await asyncio.to_thread(put_into_workspace, folder, path, spooled)
        if folder and text_path:
            text = spooled.with_suffix(".md")
            await asyncio.to_thread(text.write_text, found.markdown, encoding="utf-8", errors="surrogatepass")
            await asyncio.to_thread(put_into_workspace, folder, text_path, text)
            await asyncio.to_thread(text.unlink, missing_ok=True)
        content, media = describe_content(found, size, text_path), found.media
        if self.transcriber and (found.kind is FileKind.AUDIO or file.file.kind is IncomingFileKind.VOICE):
            content = await turn_into_text(self.transcriber, file, spooled, content)
        data = media.data if media and content.shown_type else None
        return KeptFile(content=content, scope=scope if path else "", path=path, sha256=digest, media=data)

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

    def clear_spool(self, waiting: set[FileId]) -> None:
        """Delete what an earlier process has left of files that are no longer to be fetched."""
        expected = {self.spool_path(id).name for id in waiting}
        with suppress(OSError):
            for path in self.spool.iterdir():
                if path.name not in expected:
                    path.unlink(missing_ok=True)


def why_missing(name: str, error: FetchError | OSError) -> str:
    """Return what the sender and the model read about a file that could not be had."""
    if isinstance(error, FetchError) and str(error):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        if name:
            return people_files.FILE_NOT_KEPT(name=sanitize_file_name(name), reason=error.strerror)
        return people_files.UNNAMED_FILE_NOT_KEPT(reason=error.strerror)
    return why_not_fetched(name)


def why_not_fetched(name: str) -> str:
    if name:
        return people_files.FILE_NOT_FETCHED(name=sanitize_file_name(name))
    return people_files.UNNAMED_FILE_NOT_FETCHED()


def why_too_large(name: str, most: str) -> str:
    if name:
        return people_files.FILE_GREW_TOO_LARGE(name=sanitize_file_name(name), most=most)
    return people_files.UNNAMED_FILE_GREW_TOO_LARGE(most=most)


async def turn_into_text(transcriber: Transcriber, file: WaitingFile, path: Path, content: FileContent) -> FileContent:
    """Return the content of a recording with what is said in it. Raise FetchError if another try may succeed."""
    try:
        heard = await transcriber.transcribe(path, seconds=file.file.seconds)
    except TranscriptionFailed as failed:
        if failed.fault:
            log.warning(logs.NOT_TURNED_INTO_TEXT, file.id, failed.fault)
        if failed.seconds is not None:
            raise FetchError(str(failed), seconds=failed.seconds) from None
        return replace(content, note=str(failed))
    if not heard.text.strip():
        return replace(content, note=model_files.NOTHING_SAID, said_cost_micros=heard.cost)
    return replace(content, note="", said=heard.text[:MAX_SAID_CHARACTERS], said_cost_micros=heard.cost)


def describe_content(found: InspectedFile, size: int, text_path: str) -> FileContent:
    media = found.media
    return FileContent(
        media_type=found.media_type,
        size_bytes=size,
        note=found.refusal,
        beginning=found.first_lines,
        is_cut=found.has_more,
        text_path=text_path,
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
