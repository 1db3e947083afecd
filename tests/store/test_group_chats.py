"""Group chats as rows: their modes, and the talk that the settings may store for some hours."""

from datetime import timedelta

from bot.core.group_chats import ChatMode, TalkLine
from bot.core.messages import Address, MessageId, PersonId
from bot.store import chats, group_chats
from bot.store.connection import Connection
from tests.support.rows import NOW

CHAT = Address(channel="telegram", chat="-5")


def line(id: str, hours_ago: float = 0.0) -> TalkLine:
    at = NOW - timedelta(hours=hours_ago)
    return TalkLine(id=MessageId(id), address=CHAT, person=PersonId("7"), name="Ann", text=f"line {id}", sent_at=at)


def test_a_chat_is_in_mode_mentioned_until_another_is_set(db: Connection) -> None:
    assert group_chats.load_chat_mode(db, CHAT) is ChatMode.MENTIONED
    for mode in (ChatMode.OFF, ChatMode.ALWAYS):
        group_chats.save_chat_mode(db, CHAT, mode, NOW)
        assert group_chats.load_chat_mode(db, CHAT) is mode


def test_a_mode_moves_with_its_chat(db: Connection) -> None:
    group_chats.save_chat_mode(db, CHAT, ChatMode.OFF, NOW)
    chats.move_chat(db, "telegram", "-5", "-1005")
    assert group_chats.load_chat_mode(db, Address(channel="telegram", chat="-1005")) is ChatMode.OFF


def test_stored_talk_is_deleted_when_it_is_old_or_was_taken(db: Connection) -> None:
    before = NOW - timedelta(hours=2)
    group_chats.save_and_delete_talk(db, [line("1", 3), line("2", 1), line("3")], [], before)
    assert group_chats.load_talk(db, before) == [line("2", 1), line("3")]
    group_chats.save_and_delete_talk(db, [], ["2"], before)
    assert group_chats.load_talk(db, before) == [line("3")]
    assert group_chats.has_talk(db)
    assert not group_chats.has_talk(db, before)
