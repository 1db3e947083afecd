"""What is kept of a turn for later searches, under which ids, and what is gone with its conversation."""

from dataclasses import replace
from pathlib import Path

from bot.core.incoming_files import FileContent, IncomingFile, IncomingFileKind, make_file_id
from bot.core.turn import SessionId
from bot.store import conversation_passages, inbox, incoming_files
from bot.store.connection import Connection
from bot.store.text_search.ranking import CONVERSATION_BITS
from tests.support.fakes import message
from tests.support.rows import NOW, ROOM, add_root_turn
from tests.support.search import file_holds, find, index_all, keep


def test_texts_of_a_conversation_have_consecutive_ids(db: Connection) -> None:
    keep(db, "one", "two", "three", session="s1")
    keep(db, "four", session="s2")
    keep(db, "five", session="s1")
    ids = {row["text"]: row["id"] for row in db.fetch_rows("SELECT id, text FROM said")}
    assert [ids[text] - ids["one"] for text in ("two", "three", "five")] == [1, 2, 3]
    assert ids["four"] >> CONVERSATION_BITS == (ids["one"] >> CONVERSATION_BITS) + 1


def test_messages_come_before_the_answer_with_their_attachments(db: Connection) -> None:
    turn = add_root_turn(db)
    for text, attachments in (("look", ("photo.jpg",)), ("and this", ())):
        told = message(text, attachments=attachments, address=ROOM)
        inbox.add_inbound_message(db, told, NOW)
        inbox.assign_message_to_turn(db, told.id, turn.id)
    conversation_passages.add_words_of_turn(db, turn, "seen", NOW)
    rows = db.fetch_rows("SELECT name, text FROM said ORDER BY id")
    assert [tuple(row) for row in rows] == [("Ann", "look\nphoto.jpg"), ("Ann", "and this"), ("", "seen")]


def test_what_a_person_says_in_a_voice_note_is_kept_and_what_others_say_is_not(db: Connection) -> None:
    turn = add_root_turn(db)
    note = IncomingFile(kind=IncomingFileKind.VOICE, name="", reference="1")
    song = IncomingFile(kind=IncomingFileKind.AUDIO, name="song", reference="2")
    told = message("", files=(note, replace(note, is_quoted=True), song), address=ROOM)
    inbox.add_inbound_message(db, told, NOW)
    inbox.assign_message_to_turn(db, told.id, turn.id)
    for number, (file, said) in enumerate(zip(told.files, ("buy milk", "quoted", "la la"), strict=True)):
        incoming_files.add_incoming_file(db, told.id, number, ROOM, file, "", NOW)
        content, lies = FileContent(said=said), {"scope": "", "path": "", "sha256": ""}
        incoming_files.settle_file_as_kept(db, make_file_id(told.id, number), content, **lies, kept_bytes=1, media=None)
    conversation_passages.add_words_of_turn(db, turn, "done", NOW)
    rows = db.fetch_rows("SELECT name, text FROM said ORDER BY id")
    assert [tuple(row) for row in rows] == [("Ann", "buy milk"), ("", "done")]


def test_a_text_is_found_alike_before_and_after_it_is_indexed(db: Connection) -> None:
    keep(db, "the bicycle stands there", "in the cellar", "my bicycles", "nothing")
    before = find(db, "bicycle")
    assert set(before) == {"the bicycle stands there", "in the cellar", "my bicycles", "nothing"}
    index_all(db)
    assert find(db, "bicycle") == before


def test_a_deleted_conversation_is_gone_from_rows_index_and_file(db: Connection, tmp_path: Path) -> None:
    for number in range(150):
        keep(db, f"about quagga{number} and the harvest", session="s1")
        keep(db, f"about quokka{number} and the harvest", session="s2")
    index_all(db)
    assert file_holds(db, tmp_path, b"quokka1")
    conversation_passages.delete_words_of_sessions(db, [SessionId("s2")])
    index_all(db)
    assert not any("quokka" in text for text in find(db, "quokka17 harvest"))
    assert find(db, "quagga17")[0] == "about quagga17 and the harvest"
    assert not file_holds(db, tmp_path, b"uokka")
    assert file_holds(db, tmp_path, b"agga17")


def test_words_deleted_within_a_transaction_are_gone_when_it_ends(db: Connection, tmp_path: Path) -> None:
    keep(db, "about the quagga", session="s1")
    keep(db, "about the quokka", session="s2")
    index_all(db)
    db.execute("BEGIN")
    conversation_passages.delete_words_of_sessions(db, [SessionId("s2")])
    db.execute("COMMIT")
    assert not file_holds(db, tmp_path, b"uokka")


def test_a_conversation_that_is_not_indexed_yet_is_deleted_too(db: Connection) -> None:
    keep(db, "about the quokka", session="s1")
    conversation_passages.delete_words_of_sessions(db, [SessionId("s1")])
    assert find(db, "quokka") == []
    assert db.fetch_number("SELECT count(*) FROM said") == 0
