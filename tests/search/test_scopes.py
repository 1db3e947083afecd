"""A chat that moves takes along what can be found in it, also to a chat where something was said before."""

from bot.core.messages import Address
from bot.store import chats
from bot.store.connection import Connection
from bot.store.text_search.scopes import MemoryScope, find_scope_ids, get_or_add_scope_id
from tests.support.search import find, index_all, keep

OLD, NEW = Address(channel="fake", chat="old"), Address(channel="fake", chat="new")


def test_a_scope_keeps_its_number(db: Connection) -> None:
    first = get_or_add_scope_id(db, MemoryScope.for_address(OLD))
    assert get_or_add_scope_id(db, MemoryScope.for_address(NEW)) != first
    assert get_or_add_scope_id(db, MemoryScope.for_address(OLD)) == first


def test_a_chat_that_moves_takes_along_what_was_said(db: Connection) -> None:
    keep(db, "the old bicycle", address=OLD, session="s1")
    index_all(db)
    keep(db, "the new bicycle", address=NEW, session="s2")
    chats.move_chat(db, "fake", "old", "new")
    assert find(db, "bicycle", NEW) == ["the new bicycle", "the old bicycle"]
    assert find(db, "bicycle", OLD) == []
    assert len(find_scope_ids(db, [MemoryScope.for_address(NEW)])) == 2
