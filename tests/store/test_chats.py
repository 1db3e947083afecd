"""Chats as rows: where a chat was before it moved."""

from bot.core.messages import Address
from bot.store import chats
from bot.store.connection import Connection

FIRST, SECOND, THIRD = (Address(channel="telegram", chat=name) for name in ("-1", "-2", "-3"))


def test_a_chat_that_moved_twice_is_known_by_both_former_addresses(db: Connection) -> None:
    chats.move_chat(db, "telegram", FIRST.chat, SECOND.chat)
    chats.move_chat(db, "telegram", SECOND.chat, THIRD.chat)
    assert sorted(map(str, chats.list_former_addresses(db, THIRD))) == [str(FIRST), str(SECOND)]
    assert chats.list_former_addresses(db, SECOND) == [FIRST]
    assert sorted(map(str, (old for old, _ in chats.list_chat_moves(db)))) == [str(FIRST), str(SECOND)]


def test_a_chat_that_moved_back_has_one_former_address(db: Connection) -> None:
    chats.move_chat(db, "telegram", FIRST.chat, SECOND.chat)
    chats.move_chat(db, "telegram", SECOND.chat, FIRST.chat)
    assert chats.list_former_addresses(db, FIRST) == [SECOND]
