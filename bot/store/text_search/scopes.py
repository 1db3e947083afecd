"""Whose memories and conversations a search may find: those of a person, a chat or a group, or those of everybody."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NewType

from bot.core.messages import NO_GROUP, Address, GroupName
from bot.core.scope_kinds import ScopeKind
from bot.core.turn import Turn
from bot.store.connection import Connection
from bot.store.people import PersonKey

ScopeId = NewType("ScopeId", int)
ACCOUNT_MARK = "@"  # before the key of an account, in place of a chat's address; no channel's name begins so
EVERYBODY_MARK = "*"  # in place of a chat's address


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryScope:
    """The owner of memories and conversations: a chat with all its threads; a group, wherever its agent works; an
    account of a person, wherever that person is alone with the bot; or everybody. The last two have only memories."""

    chat: str  # empty for a group; for an account its key after ACCOUNT_MARK; for everybody EVERYBODY_MARK
    group: GroupName = NO_GROUP

    @classmethod
    def for_address(cls, address: Address, group: GroupName = NO_GROUP) -> "MemoryScope":
        return cls(chat="" if group else str(address.whole_chat), group=group)

    @classmethod
    def of_turn(cls, turn: Turn) -> "MemoryScope":
        """Return whose the turn's conversation is: its chat's, or its group's."""
        return cls.for_address(turn.address, turn.group)

    @classmethod
    def of_account(cls, account: PersonKey) -> "MemoryScope":
        return cls(chat=f"{ACCOUNT_MARK}{account}")

    @property
    def kind(self) -> ScopeKind:
        if self.group:
            return ScopeKind.GROUP
        if self.chat == EVERYBODY_MARK:
            return ScopeKind.TENANT
        return ScopeKind.PERSON if self.chat.startswith(ACCOUNT_MARK) else ScopeKind.CHAT

    @property
    def column_name(self) -> str:
        return "group_name" if self.group else "chat"

    @property
    def column_value(self) -> str:
        return self.group or self.chat


EVERYBODY = MemoryScope(chat=EVERYBODY_MARK)


def find_scope_ids(db: Connection, scopes: Iterable[MemoryScope]) -> list[ScopeId]:
    """Return the numbers of scopes. A chat to which another has moved has several. Most have one, or none yet."""
    sql = (
        "SELECT search_scopes.id FROM json_each(?) AS wanted CROSS JOIN search_scopes ON chat = wanted.value ->> 0"
        " AND group_name = wanted.value ->> 1 ORDER BY search_scopes.id"
    )
    rows = db.fetch_rows(sql, [[scope.chat, scope.group] for scope in scopes])
    return [ScopeId(row["id"]) for row in rows]


def get_or_add_scope_id(db: Connection, scope: MemoryScope) -> ScopeId:
    if not (found := find_scope_ids(db, [scope])):
        db.execute("INSERT INTO search_scopes (chat, group_name) VALUES (?, ?)", (scope.chat, scope.group))
        found = find_scope_ids(db, [scope])
    return found[0]


def move_chat_scopes(db: Connection, old: Address, new: Address) -> None:
    """Let what could be found in a chat be found at its new address. (Other scopes do not carry an address.)"""
    db.execute("UPDATE search_scopes SET chat = ? WHERE chat = ?", (new, old))
