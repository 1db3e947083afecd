"""What the page in a browser shows: conversations by pages, and what was said in one."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from bot.core.messages import Address, GroupName
from bot.core.prices import Micros
from bot.core.turn import SessionId, TurnId
from bot.store.connection import Connection
from bot.store.conversation_passages import stems_of_row
from bot.store.row_mapping import dataclass_from_row
from bot.store.shown_files import ShownFile, list_received_files, sent_files_from_json
from bot.store.text_search.ranking import CONVERSATION_BITS
from bot.store.text_search.word_index import CONVERSATION_INDEX, EVERYWHERE, MAX_UNINDEXED_TEXTS, find_hits
from bot.store.text_search.words import Languages, query_as_words, split_into_words

NEWEST = 2**63 - 1  # a number above that of every turn
# What a turn and those below it have said: their messages' keys begin with the turn's id.
SAID_IN_TREE_SQL = "((key > ?1 || '/' AND key < ?1 || '0') OR (key > ?1 || ':' AND key < ?1 || ';'))"
# Of each conversation its newest root turn, newest first. It stops as soon as there are enough, so its work does not
# grow with the number of conversations.
NEWEST_TURNS_SQL = """SELECT turns.rowid AS number, sessions.id AS id, sessions.address AS address,
    sessions.group_name AS group_name, turns.opened_at AS newest_at
    FROM turns JOIN sessions ON sessions.id = turns.session WHERE turns.depth = 0 AND sessions.parent IS NULL"""
IS_NEWEST_SQL = """NOT EXISTS (SELECT 1 FROM turns AS later
    WHERE later.session = turns.session AND later.depth = 0 AND later.rowid > turns.rowid)"""
CONVERSATIONS_SQL = f"{NEWEST_TURNS_SQL} AND turns.rowid < ? AND {IS_NEWEST_SQL} ORDER BY turns.rowid DESC LIMIT ?"
NEWEST_TURN_SQL = f"{NEWEST_TURNS_SQL} AND turns.session = ? ORDER BY turns.rowid DESC LIMIT 1"
# What is known of a conversation's root turns with everything below them: those ids lie between the root's own and the
# same with a 0, which follows the slash. Only turns that have not ended are looked at for `is_open`.
ROOT_TURNS_SQL = "FROM turns AS roots WHERE roots.session = ?1 AND roots.depth = 0"
TREES_SQL = f"""SELECT
    (SELECT count(*) {ROOT_TURNS_SQL}) AS root_turn_count,
    (SELECT task {ROOT_TURNS_SQL} ORDER BY rowid LIMIT 1) AS first_words,
    (SELECT task {ROOT_TURNS_SQL} ORDER BY rowid DESC LIMIT 1) AS last_words,
    (SELECT total(requests.cost) FROM turns AS roots CROSS JOIN requests ON turn >= roots.id AND turn < roots.id || '0'
        WHERE roots.session = ?1 AND roots.depth = 0) AS cost,
    EXISTS (SELECT 1 FROM turns AS working INDEXED BY turns_open
        JOIN turns AS roots ON roots.id = substr(working.id, 1, instr(working.id || '/', '/') - 1)
        WHERE working.state != 'ended' AND roots.session = ?1 AND roots.depth = 0) AS is_open"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedConversation:
    """One line of the list of conversations."""

    id: SessionId
    number: int  # grows with the newest turn; the list goes on below the last one shown
    address: Address
    group: GroupName
    newest_at: datetime  # when its newest root turn was opened
    first_words: str
    last_words: str  # of its newest root turn
    root_turn_count: int
    cost: Micros  # of its root turns, with everything below them
    is_open: bool  # one of its turns, or of those below, has not ended


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownMessage:
    """Something that was said in a conversation, by a person or by the bot, as people read it."""

    key: str
    turn: TurnId  # the root turn that it belongs to
    said_at: datetime
    is_from_person: bool
    speaker: str  # a person's name, or a role; empty: the lead
    kind: str  # of an OutboundKind; empty for what people said
    text: str
    files: tuple[ShownFile, ...] = ()

    @property
    def sent_by_turn(self) -> str:
        """Return the turn that has sent files: the message's key is that of the call."""
        return "" if self.is_from_person else self.key.rsplit("/", 2)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptMemory:
    """A memory of any chat or group."""

    id: int
    chat: str  # as in its scope
    group_name: str | None
    text: str
    saved_at: datetime
    is_confirmed: bool


def list_newest_memories_of_all(db: Connection, most: int) -> list[KeptMemory]:
    rows = db.fetch_rows("SELECT * FROM memories ORDER BY id DESC LIMIT ?", most)
    return [dataclass_from_row(KeptMemory, row) for row in rows]


def list_conversations_before(db: Connection, number: int, most: int) -> list[ListedConversation]:
    """Return the conversations whose newest root turn has a smaller number, newest first."""
    return [listed_conversation(db, row) for row in db.fetch_rows(CONVERSATIONS_SQL, number, most)]


def listed_conversation(db: Connection, row: sqlite3.Row) -> ListedConversation:
    trees = db.fetch_row(TREES_SQL, row["id"])
    assert trees, "it selects values, not rows"
    return ListedConversation(
        id=SessionId(row["id"]),
        number=row["number"],
        address=Address.parse(row["address"]),
        group=GroupName(row["group_name"]),
        newest_at=datetime.fromisoformat(row["newest_at"]),
        first_words=trees["first_words"],
        last_words=trees["last_words"],
        root_turn_count=trees["root_turn_count"],
        cost=Micros(int(trees["cost"])),
        is_open=bool(trees["is_open"]),
    )


def find_conversations_with_words(
    db: Connection, query: str, languages: Languages, most: int
) -> list[ListedConversation]:
    """Return the conversations of all chats in which each word of the query was said, newest first. Of a word that was
    said very often, only the newest texts count (MAX_TEXTS_PER_WORD)."""
    numbers = find_numbers_with_words(db, query, languages)
    found = [load_conversation_of_number(db, number) for number in numbers[:most]]
    return sorted(filter(None, found), key=lambda conversation: conversation.number, reverse=True)


def find_numbers_with_words(db: Connection, query: str, languages: Languages) -> list[int]:
    """Return the numbers in the index of the conversations in which each word of the query was said, those that began
    last first."""
    words = query_as_words(split_into_words(query), languages)
    if not words:
        return []
    new = db.fetch_rows("SELECT * FROM said INDEXED BY said_unindexed WHERE stems IS NULL LIMIT ?", MAX_UNINDEXED_TEXTS)
    unindexed = [(row["id"], stems_of_row(row, languages)) for row in new]
    hits = find_hits(db, CONVERSATION_INDEX, [EVERYWHERE], words, unindexed)
    texts = (hit.word_matches | hit.prefix_matches for hit in hits)
    numbers = set.intersection(*({id >> CONVERSATION_BITS for id in ids} for ids in texts))
    return sorted(numbers, reverse=True)


def load_conversation_of_number(db: Connection, number: int) -> ListedConversation | None:
    """Return the conversation that has this number in the index; None if it was deleted."""
    first_text = "SELECT session FROM said WHERE id >= ? << ? AND id < (? + 1) << ? LIMIT 1"
    row = db.fetch_row(first_text, number, CONVERSATION_BITS, number, CONVERSATION_BITS)
    return load_listed_conversation(db, SessionId(row["session"])) if row else None


def load_listed_conversation(db: Connection, session: SessionId) -> ListedConversation | None:
    row = db.fetch_row(NEWEST_TURN_SQL, session)
    return listed_conversation(db, row) if row else None


def list_root_turns_before(db: Connection, session: SessionId, number: int, most: int) -> dict[TurnId, int]:
    """Return the newest root turns of a conversation whose number is smaller, at most `most`, each with its number. The
    oldest one comes first."""
    older = "session = ? AND depth = 0 AND rowid < ? ORDER BY rowid DESC LIMIT ?"
    rows = db.fetch_rows(f"SELECT id, rowid AS number FROM turns WHERE {older}", session, number, most)
    return {TurnId(row["id"]): row["number"] for row in reversed(rows)}


def load_shown_messages(db: Connection, roots: Iterable[TurnId]) -> list[ShownMessage]:
    """Return what people said in these root turns and what the bot said there, in order. What was said outside of
    turns, such as the answers of commands, is left out."""
    messages = [message for root in roots for message in load_messages_of_turn(db, root)]
    return sorted(messages, key=lambda message: message.said_at)


def load_messages_of_turn(db: Connection, root: TurnId) -> list[ShownMessage]:
    """Return what was said in a root turn and below it, in order. Drafts and boards are left out."""
    written = db.fetch_rows("SELECT * FROM inbox WHERE turn = ? AND kind = 'text' AND origin = 'person'", root)
    people = [
        ShownMessage(
            key=row["key"],
            turn=root,
            said_at=datetime.fromisoformat(row["sent_at"]),
            is_from_person=True,
            speaker=row["name"],
            kind="",
            text=row["text"],
            files=list_received_files(db, row["key"]),
        )
        for row in written
    ]
    sql = f"SELECT * FROM outbox WHERE {SAID_IN_TREE_SQL} AND kind NOT IN ('draft', 'board') ORDER BY seq"
    bot = [
        ShownMessage(
            key=row["key"],
            turn=root,
            said_at=datetime.fromisoformat(row["said_at"]),
            is_from_person=False,
            speaker=row["role"] or "",
            kind=row["kind"],
            text=row["text"],
            files=sent_files_from_json(row["key"], row["files"]),
        )
        for row in db.fetch_rows(sql, root)
    ]
    return [*people, *bot]
