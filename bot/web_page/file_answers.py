"""Files of conversations, as the templates show them and as browsers fetch them.

Only pictures and sounds whose first bytes are of a known kind are shown. Everything else is downloaded, no matter
what it says that it is: a page or a drawing with a script would otherwise run with the rights of this page.
"""

import hashlib
from asyncio import to_thread
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from itertools import chain
from typing import IO
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from bot.core.file_blocks import sanitize_file_name
from bot.core.incoming_files import FileState
from bot.documents.file_types import BYTES_READ_TO_RECOGNISE, MODEL_IMAGE_TYPES, UNKNOWN, FileKind, recognise
from bot.store.shown_files import FileOrigin, ShownFile, find_shown_file, read_seen_piece
from bot.web_page import texts
from bot.web_page.kept_files import KeptFiles
from bot.web_page.row_reader import RowReader

PIECE_BYTES = 64 * 1024
MAX_PICTURE_BYTES = 10 * 1024 * 1024  # of one that is shown as it is
BYTES_PER_KILOBYTE = 1_000
PICTURE_TYPES = frozenset(type_.media_type for type_ in MODEL_IMAGE_TYPES)
FILE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "Cache-Control": "private, no-cache",  # kept by the browser, and asked for again each time
}
MISSING_TEXTS = {
    FileState.WAITING: texts.FILE_WAITING,
    FileState.REFUSED: texts.FILE_NOT_TAKEN,
    FileState.FAILED: texts.FILE_NOT_TAKEN,
    FileState.REMOVED: texts.FILE_GONE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileView:
    """A file as a template shows it. If `why_missing` is not empty, there may still be a picture of it."""

    name: str
    size: str = ""
    address: str = ""  # empty: there is nothing to download
    picture: str = ""  # the address of the picture that shows it; empty if there is none
    is_sound: bool = False
    why_missing: str = ""


def view_file(file: ShownFile, kept: KeptFiles) -> FileView:
    name, picture = sanitize_file_name(file.name), picture_address(file)
    if file.origin is not FileOrigin.SEEN and not file.missing_state and not kept.is_there(file):
        return FileView(name=name, picture=picture if file.is_seen else "", why_missing=texts.FILE_GONE())
    if file.missing_state:
        why = file.why_missing or MISSING_TEXTS[FileState(file.missing_state)]()
        return FileView(name=name, picture=picture if file.is_seen else "", why_missing=why)
    return FileView(
        name=name,
        size=texts.FILE_SIZE(kilobytes=max(1, round(file.size_bytes / BYTES_PER_KILOBYTE))),
        address=file_address(file.origin, file.key, file.number),
        picture=picture,
        is_sound=file.media_type.startswith("audio/"),
    )


def file_address(origin: FileOrigin, key: str, number: int = 0) -> str:
    return f"/files/{origin}?{urlencode({'key': key, 'number': number})}"


def picture_address(file: ShownFile) -> str:
    """Return the address of what shows a file as a picture: rather what a model saw, which is smaller."""
    if file.is_seen and file.media_type.startswith("image/"):
        return file_address(FileOrigin.SEEN, file.key)
    is_shown = file.media_type in PICTURE_TYPES and file.size_bytes <= MAX_PICTURE_BYTES
    return file_address(file.origin, file.key, file.number) if is_shown else ""


async def answer_with_file(request: Request, rows: RowReader, kept: KeptFiles) -> Response | None:
    """Return the file that an address names, as it was when it came or was sent; None if there is none."""
    try:
        origin = FileOrigin(request.path_params["origin"])
        number = int(request.query_params.get("number", "0"))
    except ValueError:
        return None
    key = request.query_params.get("key", "")
    file = await rows.read(partial(find_shown_file, origin=origin, key=key, number=number), None)
    if file is None:
        return None
    tag = f'"{file.sha256 or hashlib.sha256(key.encode()).hexdigest()}"'
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers={**FILE_HEADERS, "ETag": tag})
    if origin is FileOrigin.SEEN:
        pieces = seen_pieces(rows, key)
    elif opened := await to_thread(kept.open, file):
        pieces = pieces_of(opened)
    else:
        return None
    head = await to_thread(next, pieces, b"")
    headers = {
        **FILE_HEADERS,
        "ETag": tag,
        "Content-Length": str(file.size_bytes),
        **describe_content(head, sanitize_file_name(file.name)),
    }
    return StreamingResponse(chain([head], pieces), headers=headers)


def describe_content(head: bytes, name: str) -> dict[str, str]:
    """Return the headers that say what a file is and whether it is shown, by its first bytes."""
    found = recognise(head[:BYTES_READ_TO_RECOGNISE]) or UNKNOWN
    is_shown = found.media_type in PICTURE_TYPES or found.kind is FileKind.AUDIO
    return {
        "Content-Type": found.media_type if is_shown else UNKNOWN.media_type,
        "Content-Disposition": f"{'inline' if is_shown else 'attachment'}; filename*=UTF-8''{quote(name, safe='')}",
    }


def pieces_of(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(PIECE_BYTES):
            yield piece


def seen_pieces(rows: RowReader, key: str) -> Iterator[bytes]:
    """Yield what a model saw. Each piece is a reading of its own, so that no slow browser holds the rows."""
    offset = 0
    while piece := rows.read_now(partial(read_seen_piece, key=key, offset=offset, most=PIECE_BYTES), b""):
        yield piece
        offset += len(piece)
