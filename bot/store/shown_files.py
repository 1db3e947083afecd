"""The files of conversations as the page shows them: those that people sent, those that the bot sent, and the pictures
and PDFs that a model saw. The rows name each, and say where it lay and what its content was."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from bot.core.content_blocks import Block, media_key
from bot.core.incoming_files import FileState
from bot.core.messages import Address
from bot.store.connection import Connection
from bot.store.outbox import files_from_json

RECEIVED_FILES_SQL = """SELECT id, name, kind, address, state, why, scope, path, sha256, media_type,
    ifnull(json_extract(content, '$.media_type'), '') AS judged_type,
    ifnull(json_extract(content, '$.size_bytes'), 0) AS size_bytes,
    EXISTS (SELECT 1 FROM media WHERE media.key = incoming_files.id) AS is_seen FROM incoming_files"""


class FileOrigin(StrEnum):
    """Where a file of a conversation comes from, and so what its key is."""

    RECEIVED = "received"  # with a person's message: the file's own id
    SENT = "sent"  # by the bot: the key of the message, and the file's number there
    SEEN = "seen"  # a picture or PDF that a model saw: its key among the media


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFile:
    """A file of a conversation. Nothing tells whether it still lies there, except for what a model saw."""

    origin: FileOrigin
    key: str
    number: int = 0
    name: str
    media_type: str = ""  # judged by its content when it came
    size_bytes: int = 0
    sha256: str = ""
    kind: str = ""  # of an IncomingFileKind, if a person sent it
    is_seen: bool = False  # the media have a picture or PDF of it
    missing_state: FileState | Literal[""] = ""  # why there is nothing to show; empty if there was something
    why_missing: str = ""  # the same as a sentence, if the rows have one
    address: Address | None = None  # with the scope and the path, where a received file lies
    scope: str = ""
    path: str = ""
    copy_name: str = ""  # of the copy of a sent file
    source: str = ""  # the whole path that it was copied from


def list_received_files(db: Connection, message: str) -> tuple[ShownFile, ...]:
    rows = db.fetch_rows(f"{RECEIVED_FILES_SQL} WHERE message = ? AND number >= 0 ORDER BY number", message)
    return tuple(map(received_file_from_row, rows))


def received_file_from_row(row: Any) -> ShownFile:
    is_kept = row["state"] == FileState.KEPT
    return ShownFile(
        origin=FileOrigin.RECEIVED,
        key=row["id"],
        name=row["name"] or row["kind"],
        media_type=row["judged_type"] or row["media_type"],
        size_bytes=row["size_bytes"],
        sha256=row["sha256"],
        kind=row["kind"],
        is_seen=bool(row["is_seen"]),
        missing_state="" if is_kept else FileState(row["state"]),
        why_missing=row["why"],
        address=Address.parse(row["address"]),
        scope=row["scope"],
        path=row["path"],
    )


def sent_files_from_json(key: str, files: str) -> tuple[ShownFile, ...]:
    """Return the files of a message of the outbox, from its key and its column `files`."""
    return tuple(
        ShownFile(
            origin=FileOrigin.SENT,
            key=key,
            number=number,
            name=file.name,
            media_type=file.media_type,
            size_bytes=file.size,
            sha256=file.sha256,
            copy_name=file.copy_name,
            source=file.source,
        )
        for number, file in enumerate(files_from_json(files))
    )


def seen_files(db: Connection, references: Sequence[Block]) -> tuple[ShownFile, ...]:
    """Return the pictures and PDFs that blocks of a transcript refer to."""
    return tuple(seen_file(db, media_key(each), str(each["source"]["media_type"])) for each in references)


def seen_file(db: Connection, key: str, media_type: str = "") -> ShownFile:
    row = db.fetch_row("SELECT length(data) AS size_bytes FROM media WHERE key = ?", key)
    return ShownFile(
        origin=FileOrigin.SEEN,
        key=key,
        name=media_type.rpartition("/")[2],
        media_type=media_type,
        size_bytes=row["size_bytes"] if row else 0,
        is_seen=row is not None,
        missing_state="" if row else FileState.REMOVED,
    )


def find_shown_file(db: Connection, origin: FileOrigin, key: str, number: int) -> ShownFile | None:
    """Return the file that these three name; None if no row does."""
    match origin:
        case FileOrigin.RECEIVED:
            row = db.fetch_row(f"{RECEIVED_FILES_SQL} WHERE id = ? AND message != '' AND number >= 0", key)
            return received_file_from_row(row) if row else None
        case FileOrigin.SENT:
            row = db.fetch_row("SELECT files FROM outbox WHERE key = ?", key)
            files = sent_files_from_json(key, row["files"]) if row else ()
            return files[number] if 0 <= number < len(files) else None
        case FileOrigin.SEEN:
            file = seen_file(db, key)
            return file if file.is_seen else None


def read_seen_piece(db: Connection, key: str, offset: int, most: int) -> bytes:
    """Return at most `most` bytes of what a model saw, from an offset on; nothing behind its end, or if it is gone."""
    row = db.fetch_row("SELECT rowid FROM media WHERE key = ?", key)
    if row is None:
        return b""
    with db.blobopen("media", "data", row["rowid"], readonly=True) as data:
        data.seek(min(offset, len(data)))
        return data.read(most)
