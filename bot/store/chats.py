"""The chats on their platforms: how far each history is read, where a chat has moved, and which accept no messages."""

from datetime import datetime
from typing import NamedTuple

from bot.core.channel import KnownChat
from bot.core.messages import Address, MessageId, PersonId
from bot.store import group_starts, memories, schedules
from bot.store.connection import CHAT_MOVED_TOPIC, MESSAGES_WAITING_TOPIC, Connection, outbox_topic
from bot.store.delivery import list_addresses_with_waiting_messages
from bot.store.row_mapping import dataclass_from_row
from bot.store.text_search.scopes import move_chat_scopes

# The rows that move with a chat: (table, column of the address, condition).
COLUMNS_MOVED_WITH_CHAT = (
    ("sessions", "address", "1"),
    ("inbox", "address", "state IN ('received', 'taken')"),
    ("turns", "address", "(state != 'ended' OR background)"),  # the chat may still ask for its background delegations
    ("questions", "address", "state = 'open'"),
    ("outbox", "address", "state != 'failed'"),
    ("requests", "chat", "1"),
    ("spending", "chat", "1"),
    ("chosen_models", "chat", "1"),
    ("quiet_chats", "chat", "1"),
    ("schedules", "address", "1"),
    ("chat_modes", "chat", "1"),
    ("overheard", "address", "1"),
    ("incoming_files", "address", "1"),
)


def list_known_chats(db: Connection, channel: str) -> list[KnownChat]:
    """Return the chats that have a row for this channel, with how far each history is read, the furthest first."""
    sql = "SELECT address, cursor, place FROM chats WHERE channel = ? AND moved_to IS NULL"
    rows = db.fetch_rows(f"{sql} ORDER BY length(cursor) DESC, cursor DESC", channel)
    return [dataclass_from_row(KnownChat, row) for row in rows]


def save_history_cursor(db: Connection, address: Address, cursor: str, place: str | None = None) -> None:
    """Note how far a history is read. A cursor is a whole number as text, and never goes back."""
    db.execute(
        "INSERT INTO chats (address, channel, cursor, place) VALUES (?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET cursor = excluded.cursor, place = ifnull(excluded.place, place)"
        " WHERE cursor IS NULL OR (length(cursor), cursor) < (length(excluded.cursor), excluded.cursor)",
        (address, address.channel, cursor, place),
    )


def move_chat(db: Connection, channel: str, old: str, new: str) -> None:
    """Move a chat to its new address, with its conversation, memory, waiting messages and spending."""
    here, there = Address(channel=channel, chat=old), Address(channel=channel, chat=new)
    db.insert_if_new("chats", address=here, channel=channel)
    db.execute("UPDATE chats SET moved_to = ? WHERE address = ?", (there, here))
    for table, column, which in COLUMNS_MOVED_WITH_CHAT:
        db.execute(
            f"UPDATE OR REPLACE {table} SET {column} = ?1 || substr({column}, ?2)"
            f" WHERE ({column} = ?3 OR substr({column}, 1, ?2) = ?3 || ':') AND {which}",
            (there, len(str(here)) + 1, here),
        )
    group_starts.move_group_start(db, channel, old, new)
    schedules.move_group_chat(db, channel, old, new)
    memories.move_chat_memories(db, here, there)
    move_chat_scopes(db, here, there)
    for row in db.fetch_rows("SELECT DISTINCT address FROM inbox WHERE state = 'received'"):
        db.add_wake_up(MESSAGES_WAITING_TOPIC, row["address"])
    for address in list_addresses_with_waiting_messages(db, channel):
        db.add_wake_up(outbox_topic(channel), str(address))
    db.add_wake_up(CHAT_MOVED_TOPIC)


def list_chat_moves(db: Connection) -> list[tuple[Address, Address]]:
    """Return (old address, current address) of every chat that has moved."""
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


def find_current_chat(db: Connection, channel: str, chat: str) -> str:
    """Return the id that a chat has now, if it has moved since it had this one."""
    return dict(list_chat_moves(db)).get(here := Address(channel=channel, chat=chat), here).chat


def list_former_addresses(db: Connection, address: Address) -> list[Address]:
    """Return the addresses that a chat had before it moved here, also if it moved more than once."""
    rows = db.fetch_rows(
        "WITH RECURSIVE former (address) AS (SELECT address FROM chats WHERE moved_to = ?1 UNION"
        " SELECT chats.address FROM chats JOIN former ON moved_to = former.address)"
        " SELECT address FROM former WHERE address != ?1",
        address,
    )
    return [Address.parse(row["address"]) for row in rows]


def find_writer_in_private(db: Connection, message: MessageId) -> PersonId | None:
    """Return who has written a message of a private chat; None for a message of a group chat."""
    row = db.fetch_row("SELECT person FROM inbox WHERE key = ? AND group_chat IS NULL AND person != ''", message)
    return PersonId(row["person"]) if row else None


def find_people_of_private_chats(db: Connection) -> dict[str, PersonId]:
    """Return the person of each private chat, by the chat's address, as far as their messages are kept."""
    rows = db.fetch_rows("SELECT DISTINCT address, person FROM inbox WHERE group_chat IS NULL AND person != ''")
    return {row["address"]: PersonId(row["person"]) for row in rows}


def list_chats_written_in(db: Connection, channel: str, account: PersonId) -> list[tuple[Address, str | None]]:
    """Return the chats, each with its id if it is a group chat, in which an account has written, as far as its messages
    are kept."""
    rows = db.fetch_rows(
        "SELECT DISTINCT address, group_chat FROM inbox WHERE person = ? AND origin = 'person'"
        " AND substr(address, 1, ?) = ? || ':'",
        account,
        len(channel) + 1,
        channel,
    )
    return [(Address.parse(row["address"]), row["group_chat"]) for row in rows]


class Writing(NamedTuple):
    """That somebody has written in a chat."""

    person: PersonId
    group_chat: str | None  # the id of the group chat or server; None in private


def find_newest_writing(db: Connection, chat: Address, account: PersonId | None = None) -> Writing | None:
    """Return what an account, or anybody, has written last in a chat or its threads; None if nothing, as far as
    messages are kept."""
    there = "(address = ?1 OR substr(address, 1, length(?1) + 1) = ?1 || ':')"
    sql = f"SELECT person, group_chat FROM inbox WHERE {there} AND person = ifnull(?2, person) AND person != ''"
    row = db.fetch_row(f"{sql} AND origin != 'delegation' ORDER BY seq DESC LIMIT 1", chat.whole_chat, account)
    return None if row is None else Writing(PersonId(row["person"]), row["group_chat"])


def find_newest_name(db: Connection, channel: str, account: PersonId) -> str | None:
    """Return the name with which an account has written last, as far as its messages are kept."""
    sql = (
        "SELECT name FROM inbox WHERE person = ? AND origin = 'person' AND substr(address, 1, ?) = ? || ':'"
        " ORDER BY seq DESC LIMIT 1"
    )
    row = db.fetch_row(sql, account, len(channel) + 1, channel)
    return None if row is None else str(row["name"])


def note_command_answered_unless_recent(
    db: Connection, chat: Address, command: str, now: datetime, *, unless_since: datetime
) -> bool:
    """Note that a command is answered in a chat now. If it was answered after `unless_since`, only return False. Forget
    what was answered before that."""
    db.execute("DELETE FROM answered WHERE chat = ? AND at <= ?", (chat, unless_since))
    return db.insert_if_new("answered", chat=chat, command=command, at=now)


def mark_chat_quiet(db: Connection, chat: Address, now: datetime) -> bool:
    """Note that updates of roles are not shown in a chat. Return False if this was noted before."""
    return db.insert_if_new("quiet_chats", chat=chat, since=now)


def mark_chat_verbose(db: Connection, chat: Address) -> bool:
    """Note that updates of roles are shown in a chat. Return False if they were shown before."""
    return db.execute("DELETE FROM quiet_chats WHERE chat = ?", (chat,)).rowcount == 1


def is_chat_quiet(db: Connection, chat: Address) -> bool:
    return db.has_rows("SELECT 1 FROM quiet_chats WHERE chat = ?", chat)


def mark_chat_refusing_messages(db: Connection, address: Address, why: str, now: datetime) -> bool:
    """Note that a chat no longer accepts messages. Return False if this was noted before."""
    db.insert_if_new("chats", address=address, channel=address.channel)
    sql = "UPDATE chats SET closed_at = ?, closed_why = ? WHERE address = ? AND closed_at IS NULL"
    return db.execute(sql, (now, why, address)).rowcount == 1


def mark_chat_accepting_messages(db: Connection, address: Address) -> None:
    db.update("chats", {"closed_at": None, "closed_why": ""}, address=address)


def list_chats_refusing_messages(db: Connection, channel: str) -> set[Address]:
    rows = db.fetch_rows("SELECT address FROM chats WHERE channel = ? AND closed_at IS NOT NULL", channel)
    return {Address.parse(row["address"]) for row in rows}


def list_refusing_chats_with_reasons(db: Connection) -> list[tuple[Address, str]]:
    """Return every chat that no longer accepts messages, with the reason, for `doctor`."""
    rows = db.fetch_rows("SELECT address, closed_why FROM chats WHERE closed_at IS NOT NULL ORDER BY closed_at")
    return [(Address.parse(row["address"]), row["closed_why"]) for row in rows]
