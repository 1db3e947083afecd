"""Measure a picture or count the pages of a PDF: a script, run by itself, that is given the file as its stdin.

    python -I media_measuring.py SECONDS PNG < cat.png        {"width": 280, "height": 56}
    python -I media_measuring.py SECONDS PDF < report.pdf     {"pages": 7}

A file may be made to take any time and memory there is. So the memory is limited here, and whoever has begun this
script ends it when its time is over; if nobody does (the bot was killed), an alarm does.
"""

import json
import logging
import resource
import signal
import sys
from contextlib import suppress
from typing import IO

MOST_MEMORY = 48 * 2**20  # bytes of its own, libraries not counted: they take about 10 MiB more
TOO_MUCH_MEMORY = 2  # the exit status where that is not enough
DAMAGED = 3
ENCRYPTED = 4


def main(seconds: str, kind: str) -> int:
    signal.alarm(int(seconds))
    if kind != "WEBP":  # its library reserves the memory of the whole picture at the opening, and then uses none of it
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    logging.disable()
    try:
        return count_pdf_pages(sys.stdin.buffer) if kind == "PDF" else measure_picture(sys.stdin.buffer, kind)
    except MemoryError:
        return TOO_MUCH_MEMORY
    except Exception:  # noqa: BLE001 -- the libraries raise of every kind on a damaged file
        return DAMAGED


def measure_picture(file: IO[bytes], kind: str) -> int:
    from PIL import Image  # here: the other kind does not need it

    Image.MAX_IMAGE_PIXELS = None  # nothing is unpacked, so no size is dangerous
    with Image.open(file, formats=[kind]) as picture:
        width, height = picture.size
    print(json.dumps({"width": width, "height": height}))  # noqa: T201 -- it is a command
    return 0


def count_pdf_pages(file: IO[bytes]) -> int:
    from pypdf import PdfReader

    reader = PdfReader(file)
    if reader.is_encrypted:
        return ENCRYPTED
    print(json.dumps({"pages": len(reader.pages)}))  # noqa: T201 -- it is a command
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
