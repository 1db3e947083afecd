"""What another process reads of a chat: what waits, what was asked, and what was said last."""

from datetime import timedelta
from pathlib import Path

import pytest

from bot.core.errors import ConfigError, StoreDamaged
from bot.core.messages import LastExchange, MessageId, OutboundId, OutboundKind
from bot.core.reply_plan import AskPerson
from bot.core.turn import CallKind, TurnOutcome
from bot.journal.questions import ask_question
from bot.store import inbox, turns
from bot.store.chat_reader import ChatReader, load_lead_update_texts, migrate_database
from bot.store.connection import Connection
from bot.store.migrations import STEPS
from tests.support.fakes import message
from tests.support.rows import NOW, ROOM, add_call, add_delegation, add_root_turn, assign, say, show_as


@pytest.fixture
def chat(tmp_path: Path) -> ChatReader:
    return ChatReader(tmp_path / "bot.db", ROOM)


def test_a_missing_file_counts_as_empty(tmp_path: Path) -> None:
    chat = ChatReader(tmp_path / "nothing.db", ROOM)
    assert (chat.list_unanswered_message_ids(), chat.list_open_question_messages(), chat.list_background_roles()) == (
        [],
        [],
        [],
    )
    assert chat.last_exchange() is None
    assert not (tmp_path / "nothing.db").exists()


def test_a_message_is_unanswered_until_its_turn_has_ended(db: Connection, chat: ChatReader) -> None:
    for id in ("m1", "m2"):
        inbox.add_inbound_message(db, message("hello", id=id), NOW)
    assign(db, "m1", turn := add_root_turn(db))
    assert chat.list_unanswered_message_ids() == ["m1", "m2"]
    assert not chat.is_answered(MessageId("m1"))
    turns.mark_turn_ended(db, turn, TurnOutcome.COMPLETED, "", "hi", NOW)
    inbox.close_messages_of_turn(db, turn.id)
    assert chat.list_unanswered_message_ids() == ["m2"]
    assert chat.is_answered(MessageId("m1"))


def test_a_message_is_over_when_all_that_is_said_about_it_is_shown(db: Connection, chat: ChatReader) -> None:
    inbox.add_inbound_message(db, message("hello", id="m1"), NOW)
    assign(db, "m1", turn := add_root_turn(db))
    assert not chat.is_over(MessageId("m1"), ())
    inbox.close_messages_of_turn(db, turn.id)
    turns.mark_turn_ended(db, turn, TurnOutcome.COMPLETED, "", "hi", NOW)
    assert chat.is_over(MessageId("m1"), ())
    say(db, "m1:told", "no")
    assert not chat.is_over(MessageId("m1"), ())
    assert chat.is_over(MessageId("m1"), (OutboundId("m1:told"),))
    show_as(db, "m1:told", "77")
    assert chat.is_over(MessageId("m1"), ())


def test_open_questions_and_roles_in_the_background_are_read(db: Connection, chat: ChatReader) -> None:
    turn = add_root_turn(db)
    asked = AskPerson(text="which?", options=(), default=None, deadline=NOW + timedelta(hours=1))
    call = add_call(db, turn, kind=CallKind.WAIT)
    ask_question(db, turn, call, asked, NOW)
    add_delegation(db, turn, "4/0", background=True)
    assert [question.text for question in chat.list_open_question_messages()] == ["which?"]
    assert chat.list_background_roles() == [turn.role]
    assert chat.find_asker(OutboundId(call)) is None


def test_the_last_exchange_has_only_answers_that_were_shown(db: Connection, chat: ChatReader) -> None:
    inbox.add_inbound_message(db, message("hello", id="m1"), NOW)
    assign(db, "m1", turn := add_root_turn(db))
    say(db, "t1/2", "a moment", kind=OutboundKind.UPDATE)
    turns.mark_turn_ended(db, turn, TurnOutcome.COMPLETED, "", "hi", NOW)
    say(db, "t1:reply", "hi")
    assert chat.last_exchange() == LastExchange(person_text="hello", answers=())
    show_as(db, "t1:reply", "77")
    assert chat.last_exchange() == LastExchange(person_text="hello", answers=("hi",))
    assert load_lead_update_texts(db, turn.id) == ["a moment"]
    cost = chat.find_turn_cost_of_reply(OutboundId("t1:reply"))
    assert cost is not None
    assert (cost.cost_micros, cost.is_upper_bound) == (0, False)
    assert chat.find_turn_cost_of_reply(OutboundId("t1/2")) is None


def test_a_file_that_is_no_database_is_damaged(tmp_path: Path) -> None:
    (path := tmp_path / "bot.db").write_text("these are my notes, " * 1000)
    with pytest.raises(StoreDamaged):
        ChatReader(path, ROOM).list_unanswered_message_ids()
    with pytest.raises(StoreDamaged):
        migrate_database(path)


def test_a_file_of_a_newer_version_is_refused(db: Connection, chat: ChatReader) -> None:
    assert migrate_database(chat.path) == (len(STEPS), len(STEPS))
    db.execute(f"PRAGMA user_version = {len(STEPS) + 1}")
    with pytest.raises(ConfigError):
        chat.list_unanswered_message_ids()
