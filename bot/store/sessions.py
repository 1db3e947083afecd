"""The sessions: one conversation each, in chapters. What a chapter was begun with, it keeps."""

import json
from dataclasses import dataclass, replace
from datetime import date, datetime

from bot.core.messages import Address, GroupName
from bot.core.prompt_prefix import Prefix
from bot.core.sources import Sources
from bot.core.turn import SessionId, TurnId
from bot.core.web import server_tool_names
from bot.store.connection import Connection
from bot.store.model_choices import ModelChoice

PAUSED = "paused"  # instead of the role: the last entry is a reply that goes on


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """A stretch of a session between two compactions: what is sent to the model."""

    session: SessionId
    number: int
    prefix: str  # its hash
    model: str
    seq: int
    last_role: str  # of its last entry: user | assistant | system | paused, or nothing yet
    tokens: int  # of its next prompt, about
    cached: int  # tokens of it that a cache holds
    day: str  # the date that the model was told last
    is_closing: bool
    refusals: int  # of its session, running
    unaccepted: int  # how often running the model's server would not take it
    cached_until: datetime | None = None
    next: str = ""  # while it is closing: the hash of the prefix that the one after it is begun with
    served: frozenset[str] = frozenset()  # the tools it shows that the server runs
    web_level: int = 0  # how far those are capped: see bot/core/web.py
    is_pending: bool = False  # one of those owes its result
    images: int = 0
    pages: int = 0  # of PDFs
    media_bytes: int = 0

    @property
    def is_model_next(self) -> bool:
        return self.last_role in ("user", "system", PAUSED)

    @property
    def is_paused(self) -> bool:
        return self.last_role == PAUSED

    @property
    def new_tokens(self) -> int:
        """Return how many tokens the next request adds to the prompt. No cache holds them."""
        return max(0, self.tokens - self.cached)

    def as_of(self, now: datetime) -> "Chapter":
        """Return the chapter with nothing in the cache, if the cache has let go of it by now."""
        is_kept = self.cached_until is not None and now < self.cached_until
        return self if is_kept or not self.cached else replace(self, cached=0)


def find_current_session(db: Connection, address: Address, group: GroupName) -> tuple[SessionId, ModelChoice] | None:
    """Return the newest session of an address and group, with the model that it was begun with; None if there is none.

    What was said there with another group, or with the lead, is not for this session to know.
    """
    row = db.fetch_row(
        "SELECT id, model, effort FROM sessions WHERE address = ? AND parent IS NULL AND group_name = ?"
        " ORDER BY rowid DESC LIMIT 1",
        str(address),
        group,
    )
    return (SessionId(row["id"]), ModelChoice(model=row["model"], effort=row["effort"])) if row else None


def add_session(
    db: Connection, address: Address, group: GroupName, opener: int, choice: ModelChoice, now: datetime
) -> SessionId:
    """Open a new session. From now on it is the address's current one.

    It has the number of the message that opens it. The inbox gives no number twice, so the name of a deleted session is
    never used again.
    """
    id = SessionId(f"{address}#{opener}")
    fields = {"address": str(address), "group_name": group, "opened_at": now.isoformat()}
    db.insert("sessions", id=id, **fields, model=choice.model, effort=choice.effort)
    return id


def add_sub_session(db: Connection, turn: TurnId, id: SessionId, address: Address, now: datetime) -> None:
    """Open the session of a delegation of this turn."""
    db.insert("sessions", id=id, address=str(address), parent=turn, opened_at=now.isoformat())


def note_sources(db: Connection, session: SessionId, more: Sources) -> None:
    """Note what a conversation has read."""
    if more and not more <= (known := session_sources(db, session)):
        db.execute("UPDATE sessions SET sources = ? WHERE id = ?", (json.dumps(sorted(known | more)), session))


def session_sources(db: Connection, session: SessionId) -> Sources:
    row = db.fetch_row("SELECT sources FROM sessions WHERE id = ?", session)
    return frozenset(json.loads(row["sources"])) if row else frozenset()


def find_chapter(db: Connection, session: SessionId) -> Chapter | None:
    """Return the chapter that a session is in; None if it has not begun."""
    row = db.fetch_row(
        "SELECT chapters.*, refusals, unaccepted FROM sessions JOIN chapters ON chapters.session = sessions.id"
        " AND chapters.chapter = sessions.chapter WHERE sessions.id = ?",
        session,
    )
    if row is None:
        return None
    return Chapter(
        session=session,
        number=row["chapter"],
        prefix=row["prefix"],
        model=row["model"],
        seq=row["seq"],
        last_role=row["last_role"],
        tokens=row["tokens"],
        cached=row["cached"],
        cached_until=datetime.fromisoformat(row["cached_until"]) if row["cached_until"] else None,
        day=row["day"],
        is_closing=bool(row["is_closing"]),
        refusals=row["refusals"],
        unaccepted=row["unaccepted"],
        next=row["next"] or "",
        served=frozenset(row["served"].split()),
        web_level=row["web_level"],
        is_pending=bool(row["is_pending"]),
        images=row["images"],
        pages=row["pages"],
        media_bytes=row["media_bytes"],
    )


def get_chapter(db: Connection, session: SessionId) -> Chapter:
    found = find_chapter(db, session)
    if found is None:
        raise LookupError(f"session {session} has no chapter")
    return found


def open_chapter(db: Connection, session: SessionId, prefix: Prefix) -> None:
    """Open the next chapter of a session. Its entries are numbered on from the last one's."""
    last = find_chapter(db, session)
    number, seq = (last.number + 1, last.seq) if last else (1, 0)
    db.insert("prefixes", hash=prefix.hash, body=prefix.body)
    shown = " ".join(sorted(server_tool_names(prefix.tools)))
    fields = {"prefix": prefix.hash, "model": prefix.model, "tokens": prefix.tokens, "served": shown}
    db.insert("chapters", session=session, chapter=number, seq=seq, **fields)
    db.execute("UPDATE sessions SET chapter = ?, refusals = 0, unaccepted = 0 WHERE id = ?", (number, session))


def begin_closing_chapter(db: Connection, chapter: Chapter, prefix: Prefix) -> None:
    """Note that the next reply in this chapter will be its summary, and that the chapter after it begins with this
    prefix."""
    db.insert("prefixes", hash=prefix.hash, body=prefix.body)
    db.execute(
        "UPDATE chapters SET is_closing = 1, next = ? WHERE session = ? AND chapter = ?",
        (prefix.hash, chapter.session, chapter.number),
    )


def note_chapter_length(
    db: Connection, session: SessionId, tokens: int, cached: int, until: datetime, *, at_most: bool = False
) -> None:
    """Note how many tokens the chapter really has, as a request has told, and how many of them the cache holds `until`
    when.

    With `at_most` the estimate stays if it is less: the server reads the prompt again for each of its own tools, and
    counts it every time.
    """
    length = "min(tokens, ?1)" if at_most else "?1"
    db.execute(
        f"UPDATE chapters SET tokens = {length}, cached = min(?2, {length}), cached_until = ?4 WHERE session = ?3"
        " AND chapter = (SELECT chapter FROM sessions WHERE id = ?3)",
        (tokens, cached, session, until.isoformat()),
    )


def forget_cache(db: Connection, session: SessionId) -> None:
    """Note that no cache holds the chapter, since another model reads it."""
    db.execute(
        "UPDATE chapters SET cached = 0 WHERE session = ?1 AND chapter = (SELECT chapter FROM sessions WHERE id = ?1)",
        (session,),
    )


def cap_web(db: Connection, chapter: Chapter, level: int) -> None:
    """Cap what requests may use of the web from now on."""
    db.execute(
        "UPDATE chapters SET web_level = ? WHERE session = ? AND chapter = ?", (level, chapter.session, chapter.number)
    )


def add_chapter_media(db: Connection, chapter: Chapter, *, images: int, pages: int, size: int, tokens: int) -> None:
    """Add to what a chapter shows besides text: images, pages of PDFs, bytes, and their tokens."""
    db.execute(
        "UPDATE chapters SET images = images + ?, pages = pages + ?, media_bytes = media_bytes + ?,"
        " tokens = tokens + ? WHERE session = ? AND chapter = ?",
        (images, pages, size, tokens, chapter.session, chapter.number),
    )


def note_told_day(db: Connection, session: SessionId, day: date) -> None:
    db.execute(
        "UPDATE chapters SET day = ? WHERE session = ? AND chapter = (SELECT chapter FROM sessions WHERE id = ?)",
        (str(day), session, session),
    )


def last_prefix_of(db: Connection, session: SessionId, turn: TurnId) -> str:
    """Return the prefix of the chapter in which a turn of this session has written last."""
    row = db.fetch_row(
        "SELECT prefix FROM entries JOIN chapters USING (session, chapter)"
        " WHERE entries.turn = ? AND session = ? ORDER BY entries.seq DESC LIMIT 1",
        turn,
        session,
    )
    return str(row["prefix"]) if row else get_chapter(db, session).prefix


def load_prefix(db: Connection, hash: str) -> Prefix:
    row = db.fetch_row("SELECT body FROM prefixes WHERE hash = ?", hash)
    if row is None:
        raise LookupError(f"no prefix {hash}")
    return Prefix.parse(row["body"])


def count_refusal(db: Connection, session: SessionId) -> None:
    """Count that the model refused to answer. After two in a row the next chapter begins without this conversation."""
    db.execute("UPDATE sessions SET refusals = refusals + 1 WHERE id = ?", (session,))


def count_unaccepted_request(db: Connection, session: SessionId) -> None:
    """Count that the model's server did not accept the conversation. After two in a row a new chapter begins."""
    db.execute("UPDATE sessions SET unaccepted = unaccepted + 1 WHERE id = ?", (session,))


def reset_refusals(db: Connection, session: SessionId) -> None:
    db.execute(
        "UPDATE sessions SET refusals = 0, unaccepted = 0 WHERE id = ? AND (refusals > 0 OR unaccepted > 0)", (session,)
    )
