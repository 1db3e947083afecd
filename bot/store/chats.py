"""The chats as platforms have them: how far their history is read, where they have moved, which have shut us out."""

from datetime import datetime

from bot.core.channel import KnownChat
from bot.core.messages import Address
from bot.store import memories
from bot.store.connection import CHAT_MOVED, MESSAGES_WAITING, Connection, outbox_topic

# What stands at an address and is still needed: (table, column, which rows).
ADDRESS_COLUMNS = (
    ("sessions", "address", "1"),
    ("inbox", "address", "state IN ('received', 'taken')"),
    ("turns", "address", "(state != 'ended' OR background)"),  # which the chat may still ask for
    ("questions", "address", "state = 'open'"),
    ("outbox", "address", "state != 'failed'"),
    ("requests", "chat", "state = 'open'"),
    ("spending", "chat", "1"),
    ("chosen_models", "chat", "1"),
)


def list_known_chats(db: Connection, channel: str) -> list[KnownChat]:
    """Return the chats where a channel that reads up histories has taken something in, most recent first."""
    rows = db.fetch_rows(
        "SELECT address, cursor, place FROM chats WHERE channel = ? AND moved_to IS NULL"
        " ORDER BY length(cursor) DESC, cursor DESC",
        channel,
    )
    return [KnownChat(address=Address.parse(row["address"]), cursor=row["cursor"], place=row["place"]) for row in rows]


def note_history_read(db: Connection, address: Address, cursor: str, place: str | None = None) -> None:
    """Note how far a history is taken in. Cursors are whole numbers, and never go back."""
    db.execute(
        "INSERT INTO chats (address, channel, cursor, place) VALUES (?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET cursor = excluded.cursor, place = ifnull(excluded.place, place)"
        " WHERE cursor IS NULL OR (length(cursor), cursor) < (length(excluded.cursor), excluded.cursor)",
        (str(address), address.channel, cursor, place),
    )


def move_chat(db: Connection, channel: str, old: str, new: str) -> None:
    """Move a chat to its new address, with its conversation, memory, waiting messages and spending."""
    here, there = Address(channel=channel, chat=old), Address(channel=channel, chat=new)
    db.insert("chats", address=str(here), channel=channel)
    db.execute("UPDATE chats SET moved_to = ? WHERE address = ?", (str(there), str(here)))
    for table, column, which in ADDRESS_COLUMNS:
        db.execute(
            f"UPDATE OR REPLACE {table} SET {column} = ? || substr({column}, ?)"
            f" WHERE ({column} = ? OR substr({column}, 1, ?) = ?) AND {which}",
            (str(there), len(str(here)) + 1, str(here), len(str(here)) + 1, f"{here}:"),
        )
    memories.move_memories(db, here, there)
    for row in db.fetch_rows("SELECT DISTINCT address FROM inbox WHERE state = 'received'"):
        db.wake(MESSAGES_WAITING, row["address"])
    db.wake(outbox_topic(channel))
    db.wake(CHAT_MOVED)


def list_chat_moves(db: Connection) -> list[tuple[Address, Address]]:
    """Return every chat that has moved, with its address now."""
    rows = db.fetch_rows("SELECT address, moved_to FROM chats WHERE moved_to IS NOT NULL")
    following = {row["address"]: row["moved_to"] for row in rows}
    found = []
    for old, new in following.items():
        seen = {old}
        while new in following and new not in seen:  # it has moved more than once
            seen.add(new)
            new = following[new]
        found.append((Address.parse(old), Address.parse(new)))
    return found


def former_addresses(db: Connection, address: Address) -> list[Address]:
    """Return the addresses that a chat had before it moved."""
    rows = db.fetch_rows("SELECT address FROM chats WHERE moved_to = ?", str(address))
    return [Address.parse(row["address"]) for row in rows]


def note_command_answered(
    db: Connection, chat: Address, command: str, now: datetime, *, unless_since: datetime
) -> bool:
    """Note when a command was answered in a chat. Return False, and note nothing, if that was after `unless_since`."""
    answered = db.execute(
        "INSERT INTO answered (chat, command, at) VALUES (?, ?, ?)"
        " ON CONFLICT DO UPDATE SET at = excluded.at WHERE at <= ?",
        (str(chat), command, now.isoformat(), unless_since.isoformat()),
    )
    return answered.rowcount == 1


def mark_chat_closed(db: Connection, address: Address, why: str, now: datetime) -> bool:
    """Note that a chat no longer accepts messages. Return False if this was noted before."""
    db.insert("chats", address=str(address), channel=address.channel)
    changed = db.execute(
        "UPDATE chats SET closed_at = ?, closed_why = ? WHERE address = ? AND closed_at IS NULL",
        (now.isoformat(), why, str(address)),
    )
    return changed.rowcount == 1


def mark_chat_open(db: Connection, address: Address) -> None:
    db.execute("UPDATE chats SET closed_at = NULL, closed_why = '' WHERE address = ?", (str(address),))


def list_closed_chats(db: Connection, channel: str) -> set[Address]:
    rows = db.fetch_rows("SELECT address FROM chats WHERE channel = ? AND closed_at IS NOT NULL", channel)
    return {Address.parse(row["address"]) for row in rows}


def list_closed_with_reasons(db: Connection) -> list[tuple[Address, str]]:
    """Return every chat that no longer accepts messages, with the reason, for `doctor`."""
    rows = db.fetch_rows("SELECT address, closed_why FROM chats WHERE closed_at IS NOT NULL ORDER BY closed_at")
    return [(Address.parse(row["address"]), row["closed_why"]) for row in rows]
