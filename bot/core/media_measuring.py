"""Measure a picture, or count the pages of a PDF. This is a script of its own. It reads the file from stdin.

    python -I media_measuring.py SECONDS PNG < cat.png        {"width": 280, "height": 56}
    python -I media_measuring.py SECONDS PDF < report.pdf     {"pages": 7}

A malicious file may take any amount of time and memory. So this script limits its own memory, and its caller ends it
after SECONDS. If the caller was killed, an alarm ends it.
"""

import json
import logging
import resource
import signal
import sys
from contextlib import suppress
from typing import IO

MAX_MEMORY_BYTES = 48 * 2**20  # bytes of data; the libraries take about 10 MiB more
TOO_MUCH_MEMORY_STATUS = 2  # the exit status if that is not enough
DAMAGED_FILE_STATUS = 3
ENCRYPTED_FILE_STATUS = 4


def main(seconds: str, kind: str) -> int:
    signal.alarm(int(seconds))
    if kind != "WEBP":  # its library reserves memory for the whole picture, and never uses it
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_DATA, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    logging.disable()
    try:
        found = count_pdf_pages(sys.stdin.buffer) if kind == "PDF" else measure_image(sys.stdin.buffer, kind)
    except MemoryError:
        return TOO_MUCH_MEMORY_STATUS
    except Exception:  # noqa: BLE001 -- a damaged file makes the libraries raise errors of any kind
        return DAMAGED_FILE_STATUS
    if found is None:
        return ENCRYPTED_FILE_STATUS
    print(json.dumps(found))  # noqa: T201 -- it is a command
    return 0


def measure_image(file: IO[bytes], kind: str) -> dict[str, int]:
    from PIL import Image  # imported here, because PDFs do not need it

    Image.MAX_IMAGE_PIXELS = None  # nothing is unpacked, so no size is dangerous
    with Image.open(file, formats=[kind]) as picture:
        return dict(zip(("width", "height"), picture.size, strict=True))


def count_pdf_pages(file: IO[bytes]) -> dict[str, int] | None:
    """Return {"pages": number}, or None if the file is encrypted."""
    from pypdf import PdfReader

    reader = PdfReader(file)
    return None if reader.is_encrypted else {"pages": len(reader.pages)}


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
