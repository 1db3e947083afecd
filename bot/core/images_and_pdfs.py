"""Images and PDFs for models: recognised by their first bytes, measured by a script, sent unchanged."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bot.core import bounded_process, media_measuring
from bot.core.errors import ToolError
from bot.core.texts import model

PDF_MEDIA_TYPE = "application/pdf"
# Published limits of the Messages API for one file. bot/journal/media.py has those for a request.
MAX_IMAGE_BYTES = 5 * 2**20 * 3 // 4  # the API counts the base64, which is a third longer
MAX_SIDE_PIXELS = 8_000
MAX_PDF_PAGES = 100
# Estimated tokens. The server makes large images smaller, and reads each page as text and as an image.
PIXELS_PER_TOKEN_SQUARE_SIDE = 28  # the width and the height of the square that counts as a token
MAX_TOKENS_PER_IMAGE = 5_000
TOKENS_PER_PDF_PAGE = 3_000

MEDIA_TYPES_BY_FIRST_BYTES = (  # by their first bytes
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", PDF_MEDIA_TYPE),
)
UNSUPPORTED_TYPES_BY_FIRST_BYTES = (  # binary files that no model accepts, with their names in the texts
    (b"BM", "bmp"),
    (b"II*\0", "tiff"),
    (b"MM\0*", "tiff"),
    (b"8BPS", "photoshop"),
    (b"PK\x03\x04", "zip"),
)
MEASURE_SCRIPT_PATH = Path(__file__).with_name("media_measuring.py")
MEASURE_TIMEOUT_SECONDS = 10
BYTES_READ_TO_RECOGNISE = 12  # bytes that suffice to recognise each kind
PILLOW_FORMAT_BY_MEDIA_TYPE = {"image/png": "PNG", "image/jpeg": "JPEG", "image/gif": "GIF", "image/webp": "WEBP"}


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaFacts:
    """What is known about an image or a PDF without its bytes. `pages` is 0 for an image. `tokens` is an estimate."""

    name: str
    type: str  # such as image/png
    size_bytes: int
    tokens: int
    pages: int = 0

    def __str__(self) -> str:
        if self.pages:
            return model.PDF(self.pages, name=self.name, type=self.type, bytes=self.size_bytes)
        return model.IMAGE(name=self.name, type=self.type, bytes=self.size_bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """An image or a PDF. `pages` is 0 for an image. `tokens` is an estimate."""

    name: str
    type: str  # such as image/png
    data: bytes
    tokens: int
    pages: int = 0

    @property
    def facts(self) -> MediaFacts:
        size = len(self.data)
        return MediaFacts(name=self.name, type=self.type, size_bytes=size, tokens=self.tokens, pages=self.pages)

    def __str__(self) -> str:
        return str(self.facts)


def read_media(name: str, file: IO[bytes]) -> Media | None:
    """Return an opened image or PDF; None if it is neither. Raise ToolError if the API would not accept it."""
    file.seek(0)
    head = file.read(BYTES_READ_TO_RECOGNISE)
    is_webp = head.startswith(b"RIFF") and head[8:12] == b"WEBP"
    fitting = (each for begin, each in MEDIA_TYPES_BY_FIRST_BYTES if head.startswith(begin))
    kind = "image/webp" if is_webp else next(fitting, None)
    if kind is None:
        return None
    length = os.fstat(file.fileno()).st_size
    if kind != PDF_MEDIA_TYPE and length > MAX_IMAGE_BYTES:
        raise ToolError(model.IMAGE_HAS_TOO_MANY_BYTES(name=name, bytes=length, most=MAX_IMAGE_BYTES))
    pages = count_pdf_pages_within_limit(name, file) if kind == PDF_MEDIA_TYPE else 0
    tokens = pages * TOKENS_PER_PDF_PAGE if kind == PDF_MEDIA_TYPE else estimate_image_tokens(name, kind, file)
    file.seek(0)
    return Media(name=name, type=kind, data=file.read(), tokens=tokens, pages=pages)


def estimate_image_tokens(name: str, kind: str, file: IO[bytes]) -> int:
    found = measure_media_in_subprocess(name, PILLOW_FORMAT_BY_MEDIA_TYPE[kind], file)
    width, height = found["width"], found["height"]
    if not width or not height:
        raise ToolError(model.MEDIA_DAMAGED(name=name, kind=kind))
    if max(width, height) > MAX_SIDE_PIXELS:
        raise ToolError(model.IMAGE_HAS_TOO_MANY_PIXELS(name=name, width=width, height=height, most=MAX_SIDE_PIXELS))
    patches = -(-width // PIXELS_PER_TOKEN_SQUARE_SIDE) * -(-height // PIXELS_PER_TOKEN_SQUARE_SIDE)
    return min(patches, MAX_TOKENS_PER_IMAGE)


def count_pdf_pages_within_limit(name: str, file: IO[bytes]) -> int:
    pages = measure_media_in_subprocess(name, "PDF", file)["pages"]
    if not pages:
        raise ToolError(model.PDF_HAS_NO_PAGES(name=name))
    if pages > MAX_PDF_PAGES:
        raise ToolError(model.PDF_HAS_TOO_MANY_PAGES(name=name, pages=pages, most=MAX_PDF_PAGES))
    return pages


def measure_media_in_subprocess(name: str, kind: str, file: IO[bytes]) -> dict[str, int]:
    """Return what the measuring script finds. It runs in another process with little memory. May raise ToolError."""
    file.seek(0)
    looking = bounded_process.SINGLE_SCRIPT_EXECUTOR.submit(
        bounded_process.run_script, MEASURE_SCRIPT_PATH, (kind,), MEASURE_TIMEOUT_SECONDS, file=file
    )
    try:
        found: dict[str, int] = json.loads(looking.result())
    except bounded_process.ScriptFailed as failed:
        if failed.status == media_measuring.ENCRYPTED_FILE_STATUS:
            raise ToolError(model.PDF_IS_ENCRYPTED(name=name)) from None
        if failed.status == media_measuring.DAMAGED_FILE_STATUS:
            raise ToolError(model.MEDIA_DAMAGED(name=name, kind=kind)) from None
        was_killed = failed.status is not None and failed.status < 0  # by the system, because it used too much memory
        if was_killed or failed.status == media_measuring.TOO_MUCH_MEMORY_STATUS:
            raise ToolError(model.MEDIA_TAKES_TOO_MUCH_MEMORY(name=name)) from None
        raise ToolError(model.MEDIA_NOT_LOOKED_AT(name=name, reason=failed)) from None
    return found


def name_unsupported_file_type(content: bytes) -> str | None:
    if content[4:8] == b"ftyp":
        return model.OTHER_KINDS["heif" if content[8:12] in (b"heic", b"heix", b"mif1", b"avif") else "video"]
    fitting = (name for begin, name in UNSUPPORTED_TYPES_BY_FIRST_BYTES if content.startswith(begin))
    return next((model.OTHER_KINDS[name] for name in fitting), None)
