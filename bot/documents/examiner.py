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
    UNKNOWN,
    FileKind,
    FileType,
    recognise,
    recognise_text,
)

MIB = 2**20
MAX_MEMORY_BYTES = {FileKind.PDF: 48 * MIB, FileKind.IMAGE: 144 * MIB}  # of data; the libraries take about 20 MiB more
MAX_OTHER_MEMORY_BYTES = 128 * MIB
TEXT_BYTES_SHOWN = 2**16
MAX_PAYLOAD_BYTES = 8 * MIB
PRIORITY_GIVEN_UP = 5  # the bot and its people come first


def main(seconds: str, max_bytes: str, max_side: str) -> int:
    signal.alarm(int(seconds))
    os.nice(PRIORITY_GIVEN_UP)
    logging.disable()
    head = sys.stdin.buffer.read(BYTES_READ_TO_RECOGNISE)
    sys.stdin.buffer.seek(0)
    type_ = recognise(head) or UNKNOWN
    limit_memory(MAX_MEMORY_BYTES.get(type_.kind, MAX_OTHER_MEMORY_BYTES))
    try:
        answer = examine(sys.stdin.buffer, type_, int(max_bytes), int(max_side))
        if len(answer.payload) > MAX_PAYLOAD_BYTES:
            raise Refused("too long")
    except Refused as refused:
        answer = Answer(type_, refused.values, refusal=refused.reason)
    except MemoryError:
        answer = Answer(type_, refusal="too much memory")
    except Exception:  # noqa: BLE001 -- a damaged file makes the libraries raise errors of any kind
        answer = Answer(type_, refusal="damaged")
    sys.stdout.buffer.write(answer.pack())
    return 0


def limit_memory(most: int) -> None:
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def examine(file: IO[bytes], type_: FileType, max_bytes: int, max_side: int) -> Answer:
    """Return what a file is and says. Each library is imported here, because only one of them is needed."""
    if type_.kind is FileKind.IMAGE:
        from bot.documents.pictures import PILLOW_FORMATS, examine_picture

        if type_ not in PILLOW_FORMATS:
            raise Refused("other picture")
        return examine_picture(file, type_, max_bytes, max_side)
    if type_ is PDF:
        return count_pdf_pages(file)
    if type_ is UNKNOWN:
        return examine_text(file)
    raise Refused(type_.kind)


def count_pdf_pages(file: IO[bytes]) -> Answer:
    from pypdf import PdfReader

    reader = PdfReader(file)
    if reader.is_encrypted:
        raise Refused("encrypted")
    return Answer(PDF, {"pages": len(reader.pages)})


def examine_text(file: IO[bytes]) -> Answer:
    """Return the beginning of a text; all of it can be read in the workspace."""
    from bot.documents.plain_text import decode_any_text

    content = file.read(TEXT_BYTES_SHOWN + 1)
    decoded = decode_any_text(content[:TEXT_BYTES_SHOWN], is_whole=len(content) <= TEXT_BYTES_SHOWN)
    if not decoded:
        raise Refused("unknown")
    text, encoding = decoded
    return Answer(recognise_text(text), {"encoding": encoding}, text.encode(errors="replace"))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
