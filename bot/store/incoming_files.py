"""The files that come with messages: rows that say what is to be fetched, and what became of it."""

import json
from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import NamedTuple

from bot.core.incoming_files import (
    ArrivedFile,
    FileContent,
    FileId,
    FileState,
    IncomingFile,
    IncomingFileKind,
    make_file_id,
)
from bot.core.messages import Address, MessageId
from bot.store.connection import FILES_REMOVED_TOPIC, FILES_WAITING_TOPIC, Connection
from bot.store.row_mapping import dataclass_as_columns, dataclass_from_row

LONG_TEXT_NUMBER = -1  # of the row that says where the text of a long message lies
OF_CHAT_SQL = "(address = ?1 OR address > ?1 || ':' AND address < ?1 || ';')"  # ";" is the character after ":"


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingFile:
    """A file that is to be fetched."""

    id: FileId
    message: MessageId
    number: int
    address: Address
    file: IncomingFile
    came_at: datetime
    failing_since: datetime | None
    failures: int
    retry_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPlace:
    """Where a kept file lies: in the folder that `scope` names, for the chat at `address`."""

    id: FileId
    address: Address
    scope: str
    path: str
    text_path: str  # the text of the document beside it


class LongTextPlace(NamedTuple):
    """Where the text of a long message lies, in the folder that `scope` names."""

    scope: str
    path: str
    bytes: int


class ChatVolume(NamedTuple):
    """What came to a chat in some time, as far as it was not refused."""

    files: int
    bytes: int


def add_incoming_file(
    db: Connection, message: MessageId, number: int, address: Address, file: IncomingFile, why: str, now: datetime
) -> None:
    """Add a file of a message: refused if `why` says so, otherwise to be fetched."""
    state = FileState.REFUSED if why else FileState.WAITING
    columns = {"message": message, "number": number, "address": address, "came_at": now, "state": state, "why": why}
    db.insert_if_new("incoming_files", id=make_file_id(message, number), **columns, **dataclass_as_columns(file))


def note_place_of_long_text(
    db: Connection, message: MessageId, address: Address, place: LongTextPlace, now: datetime
) -> None:
    """Note where the text of a message is about to lie. It is deleted like a kept file, but is none of the message."""
    columns = {"message": message, "number": LONG_TEXT_NUMBER, "address": address, "came_at": now, "is_quoted": 0}
    told = dict.fromkeys(("kind", "name", "reference", "media_type"), "")
    lies = {"state": FileState.KEPT, "scope": place.scope, "path": place.path, "kept_bytes": place.bytes}
    db.upsert("incoming_files", id=make_file_id(message, LONG_TEXT_NUMBER), **columns, **told, **lies)


def measure_volume_of_chat(db: Connection, chat: Address, since: datetime) -> ChatVolume:
    """Return how much came to a chat since then. A file of unknown size counts when it is fetched."""
    size = "max(ifnull(size_bytes, 0), kept_bytes)"
    sql = f"SELECT count(*), sum({size}) FROM incoming_files WHERE {OF_CHAT_SQL} AND came_at >= ?2"
    row = db.fetch_row(f"{sql} AND state != 'refused' AND number >= 0", chat, since)
    return ChatVolume(int(row[0] or 0), int(row[1] or 0)) if row else ChatVolume(0, 0)


def list_waiting_files(db: Connection, most: int) -> list[WaitingFile]:
    """Return the files that are to be fetched, oldest first."""
    rows = db.fetch_rows("SELECT * FROM incoming_files WHERE state = 'waiting' ORDER BY came_at, id LIMIT ?", most)
    return [dataclass_from_row(WaitingFile, row, file=dataclass_from_row(IncomingFile, row)) for row in rows]


def has_waiting_files(db: Connection, message: MessageId) -> bool:
    return db.has_rows("SELECT 1 FROM incoming_files WHERE message = ? AND state = 'waiting'", message)


def list_announced_files(db: Connection, message: MessageId) -> dict[FileId, IncomingFile]:
    """Return the files of a message as its platform announced them, in their order."""
    rows = db.fetch_rows("SELECT * FROM incoming_files WHERE message = ? AND number >= 0 ORDER BY number", message)
    return {FileId(row["id"]): dataclass_from_row(IncomingFile, row) for row in rows}


def set_file_count_of_unread_message(db: Connection, message: MessageId, count: int) -> bool:
    """Note how many files a message has by now. Return False if a turn has taken it."""
    unread = "key = ? AND kind = 'text' AND state = 'received'"
    return db.execute(f"UPDATE inbox SET file_count = ? WHERE {unread}", (count, message)).rowcount == 1


def list_arrived_files(db: Connection, message: MessageId) -> list[ArrivedFile]:
    """Return the files of a message that have been dealt with, in their order."""
    sql = "SELECT * FROM incoming_files WHERE message = ? AND state != 'waiting' AND number >= 0 ORDER BY number"
    return [
        ArrivedFile(
            id=FileId(row["id"]),
            kind=IncomingFileKind(row["kind"]),
            name=row["name"],
            is_quoted=bool(row["is_quoted"]),
            state=FileState(row["state"]),
            path=row["path"],
            why=row["why"],
            content=FileContent(**json.loads(row["content"])),
        )
        for row in db.fetch_rows(sql, message)
    ]


def note_failed_fetch(db: Connection, id: FileId, now: datetime, retry_at: datetime) -> None:
    """Note that a file could not be fetched, and is to be tried again at that moment."""
    failed = "failures = failures + 1, failing_since = ifnull(failing_since, ?), retry_at = ?"
    db.execute(f"UPDATE incoming_files SET {failed} WHERE id = ? AND state = 'waiting'", (now, retry_at, id))
    db.add_wake_up(FILES_WAITING_TOPIC)


def note_place_of_file(db: Connection, id: FileId, scope: str, path: str, text_path: str) -> bool:
    """Note where a file is about to lie, so that it is found and deleted in every case. Return False if it is
    not waited for any more."""
    sql = "UPDATE incoming_files SET scope = ?, path = ?, content = json_object('text_path', ?)"
    return db.execute(f"{sql} WHERE id = ? AND state = 'waiting'", (scope, path, text_path, id)).rowcount == 1


def find_transcript(db: Connection, chat: Address, sha256: str) -> str:
    """Return what is said in this very recording, if it came to the chat before; empty if that is not known."""
    said = "json_extract(content, '$.said')"
    sql = f"SELECT {said} AS said FROM incoming_files WHERE {OF_CHAT_SQL} AND sha256 = ?2 AND {said} != '' LIMIT 1"
    row = db.fetch_row(sql, chat, sha256)
    return row["said"] if row else ""


def settle_file_as_failed(db: Connection, id: FileId, state: FileState, why: str) -> bool:
    """Note that a file is refused, or could not be fetched. Return False if it was dealt with before."""
    sql = "UPDATE incoming_files SET state = ?, why = ? WHERE id = ? AND state = 'waiting'"
    return db.execute(sql, (state, why, id)).rowcount == 1


def give_up_files_of_message(db: Connection, message: MessageId) -> None:
    """Note that the files of a message are not fetched any more: the message is set aside."""
    db.execute("UPDATE incoming_files SET state = 'failed' WHERE message = ? AND state = 'waiting'", (message,))


def settle_file_as_kept(
    db: Connection,
    id: FileId,
    content: FileContent,
    *,
    scope: str,
    path: str,
    sha256: str,
    kept_bytes: int,
    media: bytes | None,
) -> bool:
    """Note what a fetched file is and where it lies, with the picture or PDF that the model sees. Return False if the
    file was dealt with before."""
    columns: dict[str, object] = {"content": asdict(content), "scope": scope, "path": path, "sha256": sha256}
    columns |= {"kept_bytes": kept_bytes, "state": FileState.KEPT}
    changes = ", ".join(f"{name} = ?" for name in columns)
    sql = f"UPDATE incoming_files SET {changes} WHERE id = ? AND state = 'waiting'"
    if db.execute(sql, (*columns.values(), id)).rowcount != 1:
        return False
    if media is not None:
        db.insert_if_new("media", key=id, data=media)
    return True


def list_files_beyond_volume(db: Connection, chat: Address, most_bytes: int) -> list[FileId]:
    """Return the oldest kept files of a chat, without which the others have at most so many bytes. Files of messages
    that are still to be answered stay."""
    kept = "SELECT id, message, sum(kept_bytes) OVER (ORDER BY came_at DESC, id DESC) AS total FROM incoming_files"
    is_open = f"message IN (SELECT key FROM inbox WHERE {OF_CHAT_SQL} AND state IN ('received', 'taken'))"
    sql = f"SELECT id FROM ({kept} WHERE {OF_CHAT_SQL} AND state = 'kept') WHERE total > ?2"
    return [FileId(row["id"]) for row in db.fetch_rows(f"{sql} AND NOT {is_open}", chat, most_bytes)]


def mark_files_removed(db: Connection, ids: Collection[FileId]) -> None:
    """Note that these kept files are to be deleted. What stands of them in conversations stays."""
    for id in ids:
        db.execute("UPDATE incoming_files SET state = 'removed' WHERE id = ? AND state = 'kept'", (id,))
        db.execute("DELETE FROM media WHERE session IS NULL AND key = ?", (id,))
        db.add_wake_up(FILES_REMOVED_TOPIC)


def list_files_to_delete(db: Connection, after: FileId, most: int) -> list[KeptPlace]:
    """Return where removed files lie that are still to be deleted, at most so many of those behind `after`, by id."""
    sql = "SELECT *, ifnull(json_extract(content, '$.text_path'), '') AS text_path FROM incoming_files"
    is_to_delete = "state = 'removed' AND path != '' AND id > ? ORDER BY id LIMIT ?"
    return [dataclass_from_row(KeptPlace, row) for row in db.fetch_rows(f"{sql} WHERE {is_to_delete}", after, most)]


def note_files_deleted(db: Connection, ids: Collection[FileId]) -> None:
    """Note that these files are deleted. Rows that were kept only until then are deleted too."""
    for id in ids:
        db.execute("UPDATE incoming_files SET path = '' WHERE id = ? AND state = 'removed'", (id,))
        db.execute("DELETE FROM incoming_files WHERE id = ? AND message = ''", (id,))


def forget_files_of_messages(db: Connection, messages: str, *values: object) -> None:
    """Forget what is known of the files of these messages, and let the files be deleted. `messages` selects their ids.
    A picture or PDF that a session shows goes with that session."""
    ids = f"SELECT id FROM incoming_files WHERE message IN ({messages})"
    db.execute(f"DELETE FROM media WHERE session IS NULL AND key IN ({ids})", values)
    clear_files(db, f"message IN ({messages})", *values)
    db.add_wake_up(FILES_WAITING_TOPIC)


def drop_files_of_message(db: Connection, message: MessageId) -> None:
    """Forget the files of a message that its writer has deleted. Those behind it do not wait for them any more."""
    if db.has_rows("SELECT 1 FROM incoming_files WHERE message = ?", message):
        forget_files_of_messages(db, "?", message)


def drop_files(db: Connection, ids: Collection[FileId]) -> None:
    """Forget files that their writer has taken away from a message, and let them be deleted."""
    named = "id IN (SELECT value FROM json_each(?))"
    db.execute(
        f"DELETE FROM media WHERE session IS NULL AND key IN (SELECT id FROM incoming_files WHERE {named})",
        (list(ids),),
    )
    clear_files(db, named, list(ids))
    db.add_wake_up(FILES_WAITING_TOPIC)


def clear_old_files(db: Connection, before: datetime, most: int) -> int:
    """Forget files that came before a moment, at most so many, and let them be deleted. Return how many."""
    old = "state != 'waiting' AND message != '' AND came_at < ? ORDER BY came_at LIMIT ?"
    ids = [row["id"] for row in db.fetch_rows(f"SELECT id FROM incoming_files WHERE {old}", before, most)]
    if ids:
        named = "(SELECT value FROM json_each(?))"
        db.execute(f"DELETE FROM media WHERE session IS NULL AND key IN {named}", (ids,))
        clear_files(db, f"id IN {named}", ids)
    return len(ids)


def clear_files(db: Connection, where: str, *values: object) -> None:
    cleared = "name = '', reference = '', why = '', sha256 = '', message = '', state = 'removed'"
    text_path = "content = json_object('text_path', ifnull(json_extract(content, '$.text_path'), ''))"
    db.execute(f"UPDATE incoming_files SET {cleared}, {text_path} WHERE {where}", values)
    db.execute("DELETE FROM incoming_files WHERE message = '' AND path = ''")
    db.add_wake_up(FILES_REMOVED_TOPIC)
