"""The files of conversations as rows name them."""

from bot.core.content_blocks import media_reference_block
from bot.core.incoming_files import FileContent, FileId, FileState, IncomingFile, IncomingFileKind, make_file_id
from bot.core.messages import MessageId
from bot.core.outgoing_files import OutgoingFile
from bot.store import incoming_files, shown_files
from bot.store.connection import Connection
from bot.store.shown_files import FileOrigin, ShownFile
from tests.support.rows import NOW, ROOM, say

PHOTO = IncomingFile(kind=IncomingFileKind.PHOTO, name="", reference="r", media_type="text/html")
CHART = OutgoingFile(
    name="chart.png", size=7, sha256="b" * 64, media_type="image/png", copy_name="c", source="/w/c.png"
)


def receive(db: Connection, number: int = 0, media: bytes | None = None) -> FileId:
    incoming_files.add_incoming_file(db, MessageId("m1"), number, ROOM, PHOTO, "", NOW)
    id = make_file_id("m1", number)
    content = FileContent(media_type="image/png", size_bytes=5)
    incoming_files.settle_file_as_kept(
        db, id, content, scope="chat", path="inbox/a", sha256="a" * 64, kept_bytes=5, media=media
    )
    return id


def find(db: Connection, origin: FileOrigin, key: str, number: int = 0) -> ShownFile | None:
    return shown_files.find_shown_file(db, origin, key, number)


def test_a_received_file_has_the_type_and_size_of_its_content(db: Connection) -> None:
    id = receive(db, media=b"small")
    [file] = shown_files.list_received_files(db, "m1")
    assert (file.name, file.media_type, file.size_bytes, file.is_seen) == ("photo", "image/png", 5, True)
    assert (file.address, file.scope, file.path, file.missing_state) == (ROOM, "chat", "inbox/a", "")
    assert find(db, FileOrigin.RECEIVED, id) == file


def test_a_file_that_was_removed_or_refused_says_so(db: Connection) -> None:
    incoming_files.mark_files_removed(db, [receive(db)])
    incoming_files.add_incoming_file(db, MessageId("m1"), 1, ROOM, PHOTO, "It is too large.", NOW)
    removed, refused = shown_files.list_received_files(db, "m1")
    assert removed.missing_state is FileState.REMOVED
    assert (refused.missing_state, refused.why_missing) == (FileState.REFUSED, "It is too large.")


def test_a_forgotten_file_is_named_by_nothing(db: Connection) -> None:
    id = receive(db)
    incoming_files.drop_files_of_message(db, MessageId("m1"))
    assert find(db, FileOrigin.RECEIVED, id) is None


def test_a_sent_file_is_found_by_its_message_and_number(db: Connection) -> None:
    say(db, "t1/2/0", files=(CHART, CHART))
    file = find(db, FileOrigin.SENT, "t1/2/0", 1)
    assert file
    assert (file.name, file.sha256, file.copy_name, file.source) == ("chart.png", "b" * 64, "c", "/w/c.png")
    assert find(db, FileOrigin.SENT, "t1/2/0", 2) is find(db, FileOrigin.SENT, "t1/2/0", -1) is None


def test_what_a_model_saw_is_read_in_pieces(db: Connection) -> None:
    id = receive(db, media=b"0123456789")
    assert [shown_files.read_seen_piece(db, id, at, 4) for at in (0, 4, 8, 12)] == [b"0123", b"4567", b"89", b""]
    assert shown_files.read_seen_piece(db, "nothing", 0, 4) == b""


def test_a_transcript_names_what_is_seen_and_what_is_gone(db: Connection) -> None:
    id = receive(db, media=b"0123456789")
    blocks = [media_reference_block(key, "image/png", 9, is_of_call=False) for key in (id, "gone")]
    seen, gone = shown_files.seen_files(db, blocks)
    assert (seen.size_bytes, seen.missing_state) == (10, "")
    assert (gone.size_bytes, gone.missing_state) == (0, FileState.REMOVED)
