"""Examine a file in a process of its own, and say what it comes to for the model.

The process has little memory and time, and one runs at a time: a file may be made to take all there is of either.
"""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bot.core import bounded_process
from bot.core.images_and_pdfs import (
    MAX_IMAGE_BYTES,
    MAX_IMAGE_SIDE_PIXELS,
    MAX_PDF_BYTES,
    MAX_PDF_PAGES,
    TOKENS_PER_PDF_PAGE,
    Media,
    estimate_image_tokens,
)
from bot.core.languages.said_again import say_again
from bot.documents import people_texts, texts
from bot.documents.examiner_answers import Answer, unpack_answer
from bot.documents.file_types import BYTES_READ_TO_RECOGNISE, UNKNOWN, FileKind, FileType, recognise

EXAMINER_PATH = Path(__file__).with_name("examiner.py")
EXAMINATION_SECONDS = 20
EXAMINER_EXECUTOR = ThreadPoolExecutor(max_workers=1, thread_name_prefix="examiner")
MAX_FIRST_LINES = 20
MAX_FIRST_CHARACTERS = 1_500


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectedFile:
    """What a file is by its content, and what of it a model can see or read.

    `media` is set for an image or a PDF: the bytes for the model, as `read_file` returns them. For an image that is too
    large, turned or full of notes, they are a copy; the file itself never changes. `markdown` is the whole text of a
    document, or the list of an archive's files. `first_lines` is the beginning of a text or of `markdown`, and
    `has_more` says whether it goes on. `refusal` is a sentence for the person and the model if the file can be neither
    shown nor read; sound and videos have one too.
    """

    kind: FileKind
    media_type: str
    media: Media | None = None
    markdown: str = ""
    first_lines: str = ""
    has_more: bool = False
    refusal: str = ""


async def inspect_file(path: Path, *, name: str) -> InspectedFile:
    """Return what a file is, by its content. `name` is what sentences call it. Raise OSError if it cannot be opened.
    Nothing is written. One file is examined at a time, so this waits for its turn."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(EXAMINER_EXECUTOR, inspect_path, path, name)


def inspect_path(path: Path, name: str) -> InspectedFile:
    with open(path, "rb") as file:
        return inspect_in_own_thread(name, file)


def inspect_opened_file(name: str, file: IO[bytes]) -> InspectedFile:
    """Return what an opened file is, by its content. Wait for its turn, and block this thread meanwhile."""
    return EXAMINER_EXECUTOR.submit(inspect_in_own_thread, name, file).result()


def inspect_in_own_thread(name: str, file: IO[bytes]) -> InspectedFile:
    """Return what an opened file is. Call this in EXAMINER_EXECUTOR."""
    try:
        answer = examine(name, file)
        kind, media_type = answer.type.kind, answer.type.media_type
        if kind in (FileKind.IMAGE, FileKind.PDF):
            return InspectedFile(kind=kind, media_type=media_type, media=make_media(name, file, answer))
    except FileRefused as refused:
        return InspectedFile(kind=refused.type.kind, media_type=refused.type.media_type, refusal=str(refused))
    text = answer.payload.decode()
    if kind is FileKind.ARCHIVE:
        text = describe_archive(answer, text)
    if answer.values.get("is_cut"):
        text = f"{text}\n{texts.REST_LEFT_OUT(characters=len(text))}\n"
    markdown = text if kind in (FileKind.DOCUMENT, FileKind.ARCHIVE) else ""
    begin = first_lines(text)
    has_more = len(begin) < len(text)
    return InspectedFile(kind=kind, media_type=media_type, markdown=markdown, first_lines=begin, has_more=has_more)


class FileRefused(Exception):
    """A file can be neither shown nor read. The message is a sentence for people and the model."""

    def __init__(self, type_: FileType, sentence: str) -> None:
        super().__init__(sentence)
        self.type = type_


def examine(name: str, file: IO[bytes]) -> Answer:
    """Return what the examiner finds. Raise FileRefused if it refuses the file, or comes to no end."""
    file.seek(0)
    limits = (str(MAX_IMAGE_BYTES), str(MAX_IMAGE_SIDE_PIXELS))
    try:
        answer = unpack_answer(bounded_process.run_script(EXAMINER_PATH, limits, EXAMINATION_SECONDS, file=file))
    except bounded_process.ScriptFailed as failed:
        file.seek(0)
        type_ = recognise(file.read(BYTES_READ_TO_RECOGNISE)) or UNKNOWN
        was_killed = failed.status is not None and failed.status < 0  # by the system, or by a library
        if was_killed or str(failed).startswith(MemoryError.__name__):
            raise FileRefused(type_, people_texts.REFUSALS["too much memory"](name=name)) from None
        raise FileRefused(type_, people_texts.NOT_EXAMINED(name=name, reason=say_again(str(failed)))) from None
    if answer.refusal:
        length = os.fstat(file.fileno()).st_size
        sentence = people_texts.REFUSALS[answer.refusal]
        raise FileRefused(answer.type, sentence(name=name, kind=answer.type.media_type, bytes=length, **answer.values))
    return answer


def make_media(name: str, file: IO[bytes], answer: Answer) -> Media:
    """Return an examined image or PDF with its bytes. Raise FileRefused if it has no pages, or too many."""
    values = answer.values
    if answer.type.kind is FileKind.PDF:
        pages = int(values["pages"])
        if not pages:
            raise FileRefused(answer.type, people_texts.PDF_HAS_NO_PAGES(name=name))
        if pages > MAX_PDF_PAGES:
            sentence = people_texts.PDF_HAS_TOO_MANY_PAGES(name=name, pages=pages, most=MAX_PDF_PAGES)
            raise FileRefused(answer.type, sentence)
        if (length := os.fstat(file.fileno()).st_size) > MAX_PDF_BYTES:
            sentence = people_texts.PDF_HAS_TOO_MANY_BYTES(name=name, bytes=length, most=MAX_PDF_BYTES)
            raise FileRefused(answer.type, sentence)
        file.seek(0)
        tokens = pages * TOKENS_PER_PDF_PAGE
        return Media(name=name, type=answer.type.media_type, data=file.read(), tokens=tokens, pages=pages)
    tokens = estimate_image_tokens(int(values["width"]), int(values["height"]))
    if answer.payload:
        return Media(name=name, type=str(values["copy_type"]), data=answer.payload, tokens=tokens)
    file.seek(0)
    return Media(name=name, type=answer.type.media_type, data=file.read(), tokens=tokens)


def describe_archive(answer: Answer, lines: str) -> str:
    """Return what a model reads of an archive: how much it holds, and the names and sizes of its files."""
    count, listed, seen_bytes = (int(answer.values[name]) for name in ("count", "listed", "seen_bytes"))
    said = [texts.ARCHIVE_HOLDS(count, bytes=answer.values["unpacked"]) if count else texts.ARCHIVE_IS_EMPTY, lines]
    said += [texts.ARCHIVE_HOLDS_MORE(listed=listed)] if listed < count else []
    said += [texts.ARCHIVE_GOES_ON(megabytes=seen_bytes // 2**20)] if seen_bytes else []
    return "\n".join(line.strip("\n") for line in said if line) + "\n"


def first_lines(text: str) -> str:
    """Return the beginning of a text, cut at a line where that is possible."""
    lines = text[: MAX_FIRST_CHARACTERS + 1].splitlines(keepends=True)
    if len(text) > MAX_FIRST_CHARACTERS and len(lines) > 1:
        lines.pop()
    return "".join(lines[:MAX_FIRST_LINES])[:MAX_FIRST_CHARACTERS]
