"""The sessions: each is one conversation, in chapters. A chapter keeps the prefix that it began with."""

import json
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from bot.core.messages import Address, GroupName, PersonId
from bot.core.prompt_prefix import PromptPrefix
from bot.core.sources import NO_SOURCES, Sources
from bot.core.turn import SessionId, TurnId
from bot.core.web import server_tool_names
from bot.store.connection import Connection
from bot.store.row_mapping import dataclass_as_columns, dataclass_from_row

PAUSED_ROLE = "paused"  # in `last_role`, instead of a role: the last entry is a reply that goes on


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """The lead's model and effort, as chosen for a chat. An empty one is that of the config."""

    model: str = ""
    effort: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """A stretch of a session between two summaries. A request sends the entries of one chapter."""

    session: SessionId
    number: int
    prefix: str  # its hash
    model: str
    seq: int
    last_role: str  # of its last entry: user | assistant | system | paused, or nothing yet
    tokens: int  # of its next prompt, estimated
    cached: int  # tokens of that prompt that a cache holds
    day: str  # the date that the model was told last
    is_closing: bool
    refusals: int  # of its session, in a row
    unaccepted: int  # how many times in a row the model's server did not accept it
    cached_until: datetime | None = None
    next: str = ""  # while it is closing: the hash of the next chapter's prefix
    served: frozenset[str] = frozenset()  # the server's own tools that it shows
    web_level: int = 0  # how far these tools are capped: see bot/core/web.py
    is_pending: bool = False  # one of these tools owes its result
    images: int = 0
    pages: int = 0  # of PDFs
    media_bytes: int = 0
    sources: Sources = NO_SOURCES  # of its session

    @property
    def is_model_next(self) -> bool:
        return self.last_role in ("user", "system", PAUSED_ROLE)

    @property
    def is_paused(self) -> bool:
        return self.last_role == PAUSED_ROLE

    @property
    def uncached_tokens(self) -> int:
        """Return how many tokens the next request adds to the prompt. No cache holds them."""
        return max(0, self.tokens - self.cached)

    def with_cache_as_of(self, now: datetime) -> "Chapter":
        """Return the chapter as it is at that moment: with nothing cached if its cache has expired."""
        is_kept = self.cached_until is not None and now < self.cached_until
        return self if is_kept or not self.cached else replace(self, cached=0)


def find_current_session(db: Connection, address: Address, group: GroupName) -> tuple[SessionId, ModelChoice] | None:
    """Return the newest session of an address and group, with the model that it began with; None if there is none. This
    session must not know what was said there with another group or with the lead."""
    where = "address = ? AND parent IS NULL AND group_name = ?"
    sql = f"SELECT id, model, effort FROM sessions WHERE {where} ORDER BY rowid DESC LIMIT 1"
    row = db.fetch_row(sql, address, group)
    return (SessionId(row["id"]), dataclass_from_row(ModelChoice, row)) if row else None


def add_session(
    db: Connection, address: Address, group: GroupName, opener: int, choice: ModelChoice, now: datetime
) -> SessionId:
    """Open a new session. From now on it is the address's current one. Its id has the number of the message that opens
    it. The inbox gives no number twice, so the id of a deleted session is never used again."""
    id = SessionId(f"{address}#{opener}")
    columns = {"address": address, "group_name": group, "opened_at": now, **dataclass_as_columns(choice)}
    db.insert_if_new("sessions", id=id, **columns)
    return id


def add_sub_session(db: Connection, turn: TurnId, id: SessionId, address: Address, now: datetime) -> None:
    """Open the session of a delegation of this turn."""
    db.insert_if_new("sessions", id=id, address=address, parent=turn, opened_at=now)


def add_session_sources(db: Connection, session: SessionId, more: Sources) -> None:
    """Add to the sources that a conversation has read."""
    if more and not more <= (known := load_session_sources(db, session)):
        db.execute("UPDATE sessions SET sources = ? WHERE id = ?", (known | more, session))


def load_session_sources(db: Connection, session: SessionId) -> Sources:
    row = db.fetch_row("SELECT sources FROM sessions WHERE id = ?", session)
    return frozenset(json.loads(row["sources"])) if row else frozenset()


def load_sources_of_conversations(db: Connection, chat: Address) -> Sources:
    """Return all sources of the conversations that the lead has had in a chat and its threads."""
    sql = "SELECT DISTINCT sources FROM sessions WHERE parent IS NULL AND group_name = '' AND address"
    rows = [*db.fetch_rows(f"{sql} = ?", chat), *db.fetch_rows(f"{sql} > ? AND address < ?", f"{chat}:", f"{chat};")]
    return frozenset(source for row in rows for source in json.loads(row["sources"]))


def find_current_chapter(db: Connection, session: SessionId) -> Chapter | None:
    """Return the chapter that a session is in; None if it has not begun."""
    joined = "chapters.session = sessions.id AND chapters.chapter = sessions.chapter"
    columns = "chapters.*, refusals, unaccepted, sources"
    row = db.fetch_row(f"SELECT {columns} FROM sessions JOIN chapters ON {joined} WHERE sessions.id = ?", session)
    if row is None:
        return None
    served = frozenset(row["served"].split())
    return dataclass_from_row(Chapter, row, number=row["chapter"], next=row["next"] or "", served=served)


def get_current_chapter(db: Connection, session: SessionId) -> Chapter:
    found = find_current_chapter(db, session)
    if found is None:
        raise LookupError(f"session {session} has no chapter")
    return found


def open_next_chapter(db: Connection, session: SessionId, prefix: PromptPrefix) -> None:
    """Open the next chapter of a session. The numbers of its entries continue those of the last chapter."""
    last = find_current_chapter(db, session)
    number, seq = (last.number + 1, last.seq) if last else (1, 0)
    db.insert_if_new("prefixes", hash=prefix.hash, body=prefix.canonical_json)
    shown = " ".join(sorted(server_tool_names(prefix.tools)))
    fields = {"prefix": prefix.hash, "model": prefix.model, "tokens": prefix.estimated_tokens, "served": shown}
    db.insert_if_new("chapters", session=session, chapter=number, seq=seq, **fields)
    db.execute("UPDATE sessions SET chapter = ?, refusals = 0, unaccepted = 0 WHERE id = ?", (number, session))


def mark_chapter_closing(db: Connection, session: SessionId, prefix: PromptPrefix) -> None:
    """Note that the chapter's next reply is its summary, and which prefix the next chapter begins with."""
    db.insert_if_new("prefixes", hash=prefix.hash, body=prefix.canonical_json)
    update_current_chapter(db, session, is_closing=True, next=prefix.hash)


def update_current_chapter(db: Connection, session: SessionId, **columns: object) -> None:
    """Write these columns of the chapter that a session is in."""
    changes = ", ".join(f"{name} = ?" for name in columns)
    where = "session = ? AND chapter = (SELECT chapter FROM sessions WHERE id = ?)"
    db.execute(f"UPDATE chapters SET {changes} WHERE {where}", (*columns.values(), session, session))


def find_last_prefix_hash_of_turn(db: Connection, session: SessionId, turn: TurnId) -> str:
    """Return the hash of the prefix of the chapter in which a turn of this session wrote last."""
    sql = "SELECT prefix FROM entries JOIN chapters USING (session, chapter) WHERE entries.turn = ? AND session = ?"
    row = db.fetch_row(f"{sql} ORDER BY entries.seq DESC LIMIT 1", turn, session)
    return str(row["prefix"]) if row else get_current_chapter(db, session).prefix


def load_prefix(db: Connection, hash: str) -> PromptPrefix:
    row = db.fetch_row("SELECT body FROM prefixes WHERE hash = ?", hash)
    if row is None:
        raise LookupError(f"no prefix {hash}")
    return PromptPrefix.from_json(row["body"])


def increment_session_failures(db: Connection, session: SessionId, what: Literal["refusals", "unaccepted"]) -> None:
    """Count that the model refused to answer, or that its server did not accept the conversation. After two in a row
    the next chapter begins without this conversation, or with its last words only."""
    db.execute(f"UPDATE sessions SET {what} = {what} + 1 WHERE id = ?", (session,))


def reset_session_failures(db: Connection, session: SessionId) -> None:
    sql = "UPDATE sessions SET refusals = 0, unaccepted = 0 WHERE id = ? AND (refusals > 0 OR unaccepted > 0)"
    db.execute(sql, (session,))


def load_model_choice(db: Connection, address: Address) -> ModelChoice:
    """Return the model and effort that were chosen for the chat; an empty choice if none were."""
    row = db.fetch_row("SELECT model, effort FROM chosen_models WHERE chat = ?", address.whole_chat)
    return dataclass_from_row(ModelChoice, row) if row else ModelChoice()


def save_model_choice(db: Connection, address: Address, choice: ModelChoice, by: PersonId, now: datetime) -> None:
    db.upsert("chosen_models", chat=address.whole_chat, **dataclass_as_columns(choice), chosen_by=by, since=now)


def is_model_chosen_in_any_chat(db: Connection, model: str) -> bool:
    return db.has_rows("SELECT 1 FROM chosen_models WHERE model = ? LIMIT 1", model)
