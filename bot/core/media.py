"""Images and PDFs as models take them: known by their first bytes, measured by a script, sent as they are."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bot.core import bounded_process, media_measuring
from bot.core.errors import ToolError
from bot.core.texts import model

PDF = "application/pdf"
# What the Messages API takes, as published; of a request, see bot/journal/media.py.
IMAGE_BYTES = 5 * 2**20 * 3 // 4  # it counts the base64, which is a third longer
LONGEST_SIDE = 8_000  # pixels
MOST_PDF_PAGES = 100
# What they come to, about: images of a certain size are made smaller by the server, pages are read as text and image.
PIXELS_PER_TOKEN = 28  # on either side
IMAGE_TOKENS = 5_000
PAGE_TOKENS = 3_000

UNSUPPORTED_KINDS = (  # what a binary file that no model takes begins with, and what the texts call it
    (b"BM", "bmp"),
    (b"II*\0", "tiff"),
    (b"MM\0*", "tiff"),
    (b"8BPS", "photoshop"),
    (b"PK\x03\x04", "zip"),
)
MEASURE_SCRIPT = Path(__file__).with_name("media_measuring.py")
MEASURE_SECONDS = 10
LONGEST_HEAD = 12  # bytes, by which each kind is known
PILLOW_FORMATS = {"image/png": "PNG", "image/jpeg": "JPEG", "image/gif": "GIF", "image/webp": "WEBP"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """An image, or a PDF, of which `pages` counts the pages (0 for an image); `tokens` is what it comes to, about."""

    name: str
    type: str  # as image/png
    data: bytes
    tokens: int
    pages: int = 0

    def __str__(self) -> str:
        if self.pages:
            return model.PDF(self.pages, name=self.name, type=self.type, bytes=len(self.data))
        return model.IMAGE(name=self.name, type=self.type, bytes=len(self.data))


def read_media(name: str, file: IO[bytes]) -> Media | None:
    """What an opened file is, if it is an image or a PDF; raises ToolError for one that the API would not take."""
    file.seek(0)
    head = file.read(LONGEST_HEAD)
    kind = PDF if head.startswith(b"%PDF-") else image_type_of(head)
    if kind is None:
        return None
    length = os.fstat(file.fileno()).st_size
    if kind != PDF and length > IMAGE_BYTES:
        raise ToolError(model.IMAGE_HAS_TOO_MANY_BYTES(name=name, bytes=length, most=IMAGE_BYTES))
    return read_pdf(name, file) if kind == PDF else read_image(name, kind, file)


def read_image(name: str, kind: str, file: IO[bytes]) -> Media:
    found = measure_file(name, PILLOW_FORMATS[kind], file)
    width, height = found["width"], found["height"]
    if not width or not height:
        raise ToolError(model.MEDIA_DAMAGED(name=name, kind=kind))
    if max(width, height) > LONGEST_SIDE:
        raise ToolError(model.IMAGE_HAS_TOO_MANY_PIXELS(name=name, width=width, height=height, most=LONGEST_SIDE))
    patches = -(-width // PIXELS_PER_TOKEN) * -(-height // PIXELS_PER_TOKEN)
    return Media(name=name, type=kind, data=read_all_bytes(file), tokens=min(patches, IMAGE_TOKENS))


def read_pdf(name: str, file: IO[bytes]) -> Media:
    pages = measure_file(name, "PDF", file)["pages"]
    if not pages:
        raise ToolError(model.PDF_HAS_NO_PAGES(name=name))
    if pages > MOST_PDF_PAGES:
        raise ToolError(model.PDF_HAS_TOO_MANY_PAGES(name=name, pages=pages, most=MOST_PDF_PAGES))
    return Media(name=name, type=PDF, data=read_all_bytes(file), tokens=pages * PAGE_TOKENS, pages=pages)


def measure_file(name: str, kind: str, file: IO[bytes]) -> dict[str, int]:
    """What the script finds, in a process of its own with little memory, before the file is read here."""
    file.seek(0)
    looking = bounded_process.ONE_AT_A_TIME.submit(
        bounded_process.run_script, MEASURE_SCRIPT, (kind,), MEASURE_SECONDS, file=file
    )
    try:
        found: dict[str, int] = json.loads(looking.result())
    except bounded_process.ScriptFailed as failed:
        if failed.status == media_measuring.ENCRYPTED:
            raise ToolError(model.PDF_IS_ENCRYPTED(name=name)) from None
        if failed.status == media_measuring.DAMAGED:
            raise ToolError(model.MEDIA_DAMAGED(name=name, kind=kind)) from None
        was_killed = failed.status is not None and failed.status < 0  # by the system, for its memory
        if was_killed or failed.status == media_measuring.TOO_MUCH_MEMORY:
            raise ToolError(model.MEDIA_TAKES_TOO_MUCH_MEMORY(name=name)) from None
        raise ToolError(model.MEDIA_NOT_LOOKED_AT(name=name, reason=failed)) from None
    return found


def read_all_bytes(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def image_type_of(content: bytes) -> str | None:
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if content.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if content.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if content.startswith(b"RIFF") and content[8:12] == b"WEBP" else None


def name_unsupported_kind(content: bytes) -> str | None:
    """What a binary file is that is none of those, if that can be told."""
    if content[4:8] == b"ftyp":
        return model.OTHER_KINDS["heif" if content[8:12] in (b"heic", b"heix", b"mif1", b"avif") else "video"]
    return next(
        (model.OTHER_KINDS[name] for beginning, name in UNSUPPORTED_KINDS if content.startswith(beginning)), None
    )
