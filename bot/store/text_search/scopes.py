"""Whose memories and conversations a search may find: those of a chat, or those of a group."""

from dataclasses import dataclass
from typing import NewType

from bot.core.messages import NO_GROUP, Address, GroupName
from bot.core.turn import Turn
from bot.store.connection import Connection

ScopeId = NewType("ScopeId", int)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryScope:
    """The owner of memories and conversations: a chat with all its threads, or a group, wherever its agent works."""

    chat: str  # empty for a group
    group: GroupName

    @classmethod
    def for_address(cls, address: Address, group: GroupName = NO_GROUP) -> "MemoryScope":
        return cls(chat="" if group else str(address.whole_chat), group=group)

    @classmethod
    def of_turn(cls, turn: Turn) -> "MemoryScope":
        return cls.for_address(turn.address, turn.group)

    @property
    def column_name(self) -> str:
        return "group_name" if self.group else "chat"

    @property
    def column_value(self) -> str:
        return self.group or self.chat


def find_scope_ids(db: Connection, scope: MemoryScope) -> list[ScopeId]:
    """Return the numbers of a scope. A chat to which another has moved has several. Most have one, or none yet."""
    sql = "SELECT id FROM search_scopes WHERE chat = ? AND group_name = ? ORDER BY id"
    return [ScopeId(row["id"]) for row in db.fetch_rows(sql, scope.chat, scope.group)]


def get_or_add_scope_id(db: Connection, scope: MemoryScope) -> ScopeId:
    if not (found := find_scope_ids(db, scope)):
        db.execute("INSERT INTO search_scopes (chat, group_name) VALUES (?, ?)", (scope.chat, scope.group))
        found = find_scope_ids(db, scope)
    return found[0]


def move_chat_scopes(db: Connection, old: Address, new: Address) -> None:
    """Let what could be found in a chat be found at its new address. (Scopes of groups do not carry an address.)"""
    db.execute("UPDATE search_scopes SET chat = ? WHERE chat = ?", (new, old))
