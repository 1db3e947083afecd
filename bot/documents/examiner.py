"""Examine a file that somebody else has made. This is a script of its own. It reads the file from stdin.

    python -I examiner.py SECONDS BYTES SIDE < cat.png

It prints what `examiner_answers.py` describes: a line of JSON, and then the copy of a picture or the text of a
document. BYTES and SIDE are the limits of a picture that a model takes. A malicious file may take any amount of time
and memory, so the script limits its own, and its caller ends it after SECONDS. If the caller was killed, an alarm ends
it.
"""

import logging
import os
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

sys.path.insert(0, str(Path(__file__).parents[2]))  # where `bot` is: this is no module of it

from bot.documents.examiner_answers import Answer, Refused
from bot.documents.file_types import (
    BYTES_READ_TO_RECOGNISE,
    PDF,
    TEXT,
    UNKNOWN,
    ZIP,
    FileKind,
    FileType,
    recognise,
    recognise_text,
)
from bot.documents.plain_text import decode_any_text

MIB = 2**20
MAX_MEMORY_BYTES = {FileKind.PDF: 48 * MIB, FileKind.IMAGE: 144 * MIB}  # of data; the libraries take about 20 MiB more
MAX_OTHER_MEMORY_BYTES = 128 * MIB
TEXT_BYTES_SHOWN = 2**16
MAX_PYTHON_DEPTH = 4_000  # calls in calls: pages of the web have elements in elements
PRIORITY_GIVEN_UP = 5  # the bot and its people come first


def main(seconds: str, max_bytes: str, max_side: str) -> int:
    signal.alarm(int(seconds))
    os.nice(PRIORITY_GIVEN_UP)
    sys.setrecursionlimit(MAX_PYTHON_DEPTH)
    logging.disable()
    file, type_ = sys.stdin.buffer, UNKNOWN
    answer: Answer | None
    try:
        type_ = recognise(file.read(BYTES_READ_TO_RECOGNISE)) or UNKNOWN
        limit_memory(MAX_MEMORY_BYTES.get(type_.kind, MAX_OTHER_MEMORY_BYTES))
        type_ = refine_type(file, type_)
        answer = examine(file, type_, int(max_bytes), int(max_side))
    except Refused as refused:
        answer = Answer(type_, refused.values, refusal=refused.reason)
    except (MemoryError, RecursionError):
        answer = None  # what fills the memory is let go when this block ends
    except Exception:  # noqa: BLE001 -- a damaged file makes the libraries raise errors of any kind
        answer = Answer(type_, refusal="damaged")
    answer = answer or Answer(type_, refusal="too much memory")
    sys.stdout.buffer.write(answer.pack())
    return 0


def limit_memory(most: int) -> None:
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a library may end the process by force, and leave its memory


def refine_type(file: IO[bytes], type_: FileType) -> FileType:
    """Return the type of a file whose first bytes have many: an archive or a document, a text or anything else."""
    file.seek(0)
    if type_ is ZIP:
        from bot.documents.zip_documents import open_archive, recognise_archive

        with open_archive(file) as archive:
            return recognise_archive(archive)
    if type_ is UNKNOWN:
        return recognise_text(text[0]) if (text := decode_beginning(file)) else UNKNOWN
    return type_


def decode_beginning(file: IO[bytes]) -> tuple[str, str] | None:
    """Return the beginning of a text and its encoding; None if the file is no text."""
    file.seek(0)
    content = file.read(TEXT_BYTES_SHOWN + 1)
    return decode_any_text(content[:TEXT_BYTES_SHOWN], is_whole=len(content) <= TEXT_BYTES_SHOWN)


def examine(file: IO[bytes], type_: FileType, max_bytes: int, max_side: int) -> Answer:
    """Return what a file is and says. The libraries are imported here, because only one of them is needed."""
    file.seek(0)
    if type_ is TEXT:
        text, encoding = decode_beginning(file) or ("", "")
        is_cut = file.tell() > TEXT_BYTES_SHOWN
        return Answer(TEXT, {"encoding": encoding, "is_cut": int(is_cut)}, text.encode(errors="replace"))
    if type_ is PDF:
        return count_pdf_pages(file)
    if type_.kind is FileKind.IMAGE:
        from bot.documents.pictures import examine_picture

        return examine_picture(file, type_, max_bytes, max_side)
    if type_.kind is FileKind.DOCUMENT:
        from bot.documents.converters import convert_document

        return convert_document(file, type_)
    if type_.kind is FileKind.ARCHIVE:
        from bot.documents.archive_listing import list_archive

        return list_archive(file, type_)
    raise Refused(type_.kind)


def count_pdf_pages(file: IO[bytes]) -> Answer:
    # Where cryptography is installed, pypdf loads it, which takes memory. Encrypted files are refused anyway.
    sys.modules.setdefault("cryptography", None)  # type: ignore[arg-type]  # this process is for one file
    from pypdf import PdfReader

    reader = PdfReader(file)
    if reader.is_encrypted:
        raise Refused("encrypted")
    return Answer(PDF, {"pages": len(reader.pages)})


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
