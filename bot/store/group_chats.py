"""The group chats: their modes, and what was said there and not to the bot, if the settings store that."""

from collections.abc import Collection
from datetime import datetime

from bot.core.group_chats import ChatMode, TalkLine
from bot.core.messages import Address
from bot.store.connection import Connection
from bot.store.row_mapping import dataclass_as_columns, dataclass_from_row


def load_chat_mode(db: Connection, chat: Address) -> ChatMode:
    row = db.fetch_row("SELECT mode FROM chat_modes WHERE chat = ?", chat)
    return ChatMode(row["mode"]) if row else ChatMode.MENTIONED


def save_chat_mode(db: Connection, chat: Address, mode: ChatMode, now: datetime) -> None:
    db.upsert("chat_modes", chat=chat, mode=mode, set_by="", since=now)  # no name, which could not be forgotten


def has_answered_at(db: Connection, address: Address) -> bool:
    """Return True if a conversation with the bot has begun at this address."""
    return db.has_rows("SELECT 1 FROM sessions WHERE address = ? AND parent IS NULL LIMIT 1", address)


def save_and_delete_talk(
    db: Connection, added: Collection[TalkLine], removed: Collection[str], before: datetime
) -> None:
    """Store these lines, and delete those that were removed or said before a moment."""
    for line in added:
        db.upsert("overheard", **dataclass_as_columns(line))
    db.execute("DELETE FROM overheard WHERE id IN (SELECT value FROM json_each(?))", (list(removed),))
    db.execute("DELETE FROM overheard WHERE sent_at < ?", (before,))


def load_talk(db: Connection, since: datetime) -> list[TalkLine]:
    """Return the stored lines since then, oldest first."""
    rows = db.fetch_rows("SELECT * FROM overheard WHERE sent_at >= ? ORDER BY sent_at", since)
    return [dataclass_from_row(TalkLine, row) for row in rows]


def has_talk(db: Connection, before: datetime | None = None, /) -> bool:
    """Return True if any line is stored, or any that was said before a moment."""
    return db.has_rows("SELECT 1 FROM overheard WHERE sent_at < ifnull(?, 'z') LIMIT 1", before)
