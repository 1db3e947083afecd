"""The group chats and servers to which the bot was added, and what the owner has decided about each."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.core.messages import Address
from bot.store.connection import GROUPS_TO_LEAVE_TOPIC, Connection
from bot.store.row_mapping import dataclass_from_row


class GroupDecision(StrEnum):
    NONE = ""  # the owner has not decided; perhaps the settings open it
    EVERYBODY = "everybody"
    OWNER_ONLY = "owner"
    LEAVE = "leave"


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupStart:
    channel: str
    group_chat: str
    address: Address | None
    title: str
    decision: GroupDecision
    added_at: datetime
    left_at: datetime | None


def add_group_start(
    db: Connection, channel: str, group_chat: str, address: Address | None, title: str, now: datetime
) -> None:
    """Add a group chat that the bot is in. The name of the person who has added it could not be forgotten."""
    whose = {"channel": channel, "group_chat": group_chat, "address": address, "title": title, "added_by": ""}
    db.upsert("group_starts", **whose, added_at=now, left_at=None)


def find_group_start(db: Connection, channel: str, group_chat: str) -> GroupStart | None:
    row = db.fetch_row("SELECT * FROM group_starts WHERE channel = ? AND group_chat = ?", channel, group_chat)
    return dataclass_from_row(GroupStart, row) if row else None


def is_open_to_everybody(db: Connection, channel: str, group_chats: Collection[str]) -> bool:
    """Return True if the owner lets everybody talk in one of these group chats. They are names of the same one."""
    decided = "channel = ? AND decision = 'everybody' AND group_chat IN (SELECT value FROM json_each(?))"
    return bool(group_chats) and db.has_rows(f"SELECT 1 FROM group_starts WHERE {decided}", channel, list(group_chats))


def save_group_decision(db: Connection, channel: str, group_chat: str, decision: GroupDecision, now: datetime) -> None:
    db.update("group_starts", {"decision": decision, "decided_at": now}, channel=channel, group_chat=group_chat)
    if decision is GroupDecision.LEAVE:
        db.add_wake_up(GROUPS_TO_LEAVE_TOPIC)


def mark_group_left(db: Connection, channel: str, group_chat: str, now: datetime) -> None:
    db.update("group_starts", {"left_at": now}, channel=channel, group_chat=group_chat)


def mark_group_left_unless_added_again(db: Connection, group: GroupStart, now: datetime) -> None:
    """Note that the bot has left a group chat, as it was when somebody looked: it may have been added again since."""
    whose = {"channel": group.channel, "group_chat": group.group_chat, "added_at": group.added_at}
    db.update("group_starts", {"left_at": now}, **whose)


def move_group_start(db: Connection, channel: str, old: str, new: str) -> None:
    """Let a decision go with a group chat that has a new id. It counts as one that the bot is in, since it says so."""
    of_channel = "channel = ?1 AND group_chat"
    if db.has_rows(f"SELECT 1 FROM group_starts WHERE {of_channel} = ?2 AND decision != ''", channel, old):
        db.execute(f"DELETE FROM group_starts WHERE {of_channel} = ?2", (channel, new))
    address = Address(channel=channel, chat=new)
    db.execute(
        f"UPDATE OR IGNORE group_starts SET group_chat = ?3, address = ?4, left_at = NULL WHERE {of_channel} = ?2",
        (channel, old, new, address),
    )
    db.execute(f"DELETE FROM group_starts WHERE {of_channel} = ?2", (channel, old))


def list_group_starts(db: Connection) -> list[GroupStart]:
    """Return the group chats that the bot is in, oldest first, as far as it was told that it was added."""
    rows = db.fetch_rows("SELECT * FROM group_starts WHERE left_at IS NULL ORDER BY added_at, channel, group_chat")
    return [dataclass_from_row(GroupStart, row) for row in rows]


def list_groups_to_leave(db: Connection) -> list[GroupStart]:
    rows = db.fetch_rows("SELECT * FROM group_starts WHERE decision = 'leave' AND left_at IS NULL")
    return [dataclass_from_row(GroupStart, row) for row in rows]
