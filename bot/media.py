"""Images and PDFs as models take them: known by their first bytes, measured by their own heads, sent as they are."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from bot.errors import ToolError

PDF = "application/pdf"
TAKEN = "PNG, JPEG, GIF and WebP images, and PDFs"
# What the Messages API takes, as published; of a request, see bot/journal/media.py.
IMAGE_BYTES = 5 * 2**20 * 3 // 4  # it counts the base64, which is a third longer
SIDE = 8_000  # pixels
PAGES = 100
# What they come to, about: images of a certain size are made smaller by the server, pages are read as text and image.
PIXELS_PER_TOKEN = 28  # on either side
IMAGE_TOKENS = 5_000
PAGE_TOKENS = 3_000

OTHERS = (  # what a binary file may begin with that no model takes, and what it is then
    (b"BM", "a BMP image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"8BPS", "a Photoshop image"),
    (b"PK\x03\x04", "a ZIP archive, or a document that is one"),
)
PAGE = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
COUNT = re.compile(rb"/Count\s+(\d{1,6})\b")  # what a PDF says itself of its pages, or of some of them
PACKED = re.compile(
    rb"/ObjStm\b.{0,400}?>>\s*stream\r?\n", re.DOTALL
)  # objects of a PDF, pages among them, in one stream
MOST_PACKED, LARGEST_PACKED = 2_000, 4 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """An image, or a PDF, of which `pages` counts the pages (0 for an image); `tokens` is what it comes to, about."""

    name: str
    type: str  # as image/png
    data: bytes
    tokens: int
    pages: int = 0

    def __str__(self) -> str:
        pages = f", {self.pages:,} page{'s' * (self.pages != 1)}" if self.pages else ""
        return f"{self.name}: {self.type}, {len(self.data):,} bytes{pages}"


def media(name: str, content: bytes) -> Media | None:
    """What a file is, if it is an image or a PDF; raises ToolError for one that the API would not take."""
    if content.startswith(b"%PDF-"):
        return of_pdf(name, content)
    kind = kind_of(content)
    if kind is None:
        return None
    if len(content) > IMAGE_BYTES:
        raise ToolError(
            f"{name} has {len(content):,} bytes; of images models take {IMAGE_BYTES:,} at most: make it smaller"
        )
    size = size_of(kind, content)
    if size is None or not all(size):
        raise ToolError(f"{name} begins as {kind} and does not go on as one: it is damaged, or cut off")
    if max(size) > SIDE:
        raise ToolError(f"{name} is {size[0]:,} by {size[1]:,} pixels; models take {SIDE:,} on a side: make it smaller")
    patches = -(-size[0] // PIXELS_PER_TOKEN) * -(-size[1] // PIXELS_PER_TOKEN)
    return Media(name=name, type=kind, data=content, tokens=min(patches, IMAGE_TOKENS))


def kind_of(content: bytes) -> str | None:
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if content.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if content.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if content.startswith(b"RIFF") and content[8:12] == b"WEBP" else None


def other_kind_of(content: bytes) -> str | None:
    """What a binary file is that is none of those, if that can be told."""
    if content[4:8] == b"ftyp":
        return "a HEIC or AVIF image" if content[8:12] in (b"heic", b"heix", b"mif1", b"avif") else "a video"
    return next((name for beginning, name in OTHERS if content.startswith(beginning)), None)


def size_of(kind: str, content: bytes) -> tuple[int, int] | None:
    """Width and height in pixels; None where the head of the file does not say."""
    try:
        match kind:
            case "image/png":
                return struct.unpack_from(">II", content, 16) if content[12:16] == b"IHDR" else None
            case "image/gif":
                return struct.unpack_from("<HH", content, 6)
            case "image/jpeg":
                return size_of_jpeg(content)
            case _:
                return size_of_webp(content)
    except (struct.error, IndexError):
        return None


def size_of_jpeg(content: bytes) -> tuple[int, int] | None:
    at = 2
    while content[at] == 0xFF:
        marker = content[at + 1]
        if marker == 0xFF:  # filling
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):  # the head of a frame
            height, width = struct.unpack_from(">HH", content, at + 5)
            return width, height
        else:
            at += 2 + max(2, int.from_bytes(content[at + 2 : at + 4]))
    return None


def size_of_webp(content: bytes) -> tuple[int, int] | None:
    match content[12:16]:
        case b"VP8X":
            width, height = content[24:27], content[27:30]
            return int.from_bytes(width, "little") + 1, int.from_bytes(height, "little") + 1
        case b"VP8L":
            bits = struct.unpack_from("<I", content, 21)[0]
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8 ":
            width, height = struct.unpack_from("<HH", content, 26)
            return width & 0x3FFF, height & 0x3FFF
    return None


def of_pdf(name: str, content: bytes) -> Media:
    if b"/Encrypt" in content:
        raise ToolError(f"{name} is encrypted; models take PDFs without a password only")
    parts = (content, *unpacked(content))
    pages = sum(len(PAGE.findall(part)) for part in parts)
    pages = pages or max((int(count) for part in parts for count in COUNT.findall(part)), default=0)
    if not pages:
        raise ToolError(f"{name} begins as a PDF, and no page can be found in it: it is damaged, or cut off")
    if pages > PAGES:
        raise ToolError(f"{name} has {pages:,} pages; models take PDFs of {PAGES} at most: split it")
    return Media(name=name, type=PDF, data=content, tokens=pages * PAGE_TOKENS, pages=pages)


def unpacked(content: bytes) -> Iterator[bytes]:
    """What a PDF's streams of objects hold; no more than a PDF of any use does."""
    whole = memoryview(content)
    for found in islice(PACKED.finditer(content), MOST_PACKED):
        try:
            yield zlib.decompressobj().decompress(whole[found.end() : found.end() + LARGEST_PACKED], LARGEST_PACKED)
        except zlib.error:
            continue
