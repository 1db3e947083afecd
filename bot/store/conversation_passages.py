"""What was said in conversations: the words of people and the answers, one row each, so that they can be found again.

The id of a row is the number of its conversation and its own number there. So the neighbours of a text have the ids
before and after its own.
"""

import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.core.messages import PersonId
from bot.core.turn import SessionId, Turn, TurnId
from bot.store.connection import Connection
from bot.store.row_mapping import dataclass_from_row
from bot.store.text_search import ranking
from bot.store.text_search.ranking import CONVERSATION_BITS
from bot.store.text_search.scopes import MemoryScope, ScopeId, find_scope_ids, get_or_add_scope_id
from bot.store.text_search.word_index import (
    ALL_IDS,
    CONVERSATION_INDEX,
    MAX_UNINDEXED_TEXTS,
    find_hits,
    find_named_speakers,
    remove_from_index,
)
from bot.store.text_search.words import SPEAKER_MARK, Languages, query_as_words, text_as_stems

MAX_FOUND_TEXTS = 10
MAX_SEARCHED_IN_PERIOD = 5_000  # texts of a period, at most, that a search considers: the newest
NEAR_TEXTS = 3  # places within which a text counts for another: see `ranking`
CONTEXT_TEXTS = 1  # texts before and after a found one that are returned with it

ATTACHED_SQL = "iif(attachments = '[]', '', char(10) || (SELECT group_concat(value, ', ') FROM json_each(attachments)))"
# What people have said in their own voice notes.
SPOKEN_SQL = """iif(file_count = 0, '', (SELECT ifnull(group_concat(char(10) || (content ->> '$.said'), ''), '')
    FROM incoming_files WHERE message = inbox.key AND incoming_files.kind = 'voice' AND NOT is_quoted))"""
WRITTEN_SQL = f"""SELECT seq, person, name, sent_at, ltrim(text || {ATTACHED_SQL} || {SPOKEN_SQL}, char(10)) AS words
    FROM inbox WHERE turn = :turn AND origin = 'person' AND inbox.kind = 'text'"""
# The words of a turn in their order: what people wrote or said to it, then its answer.
WORDS_OF_TURN_SQL = f"""SELECT 0 AS is_answer, seq, person, name, sent_at, words AS text FROM ({WRITTEN_SQL})
    WHERE words != '' UNION ALL SELECT 1, 0, '', '', :now, :answer WHERE :answer != ''"""
# The last id of the conversation; for its first text the end of all ids before the next free conversation number.
LAST_ID_SQL = f"""SELECT ifnull((SELECT max(id) FROM said WHERE session = :session),
    ((SELECT ifnull(max(id), 0) FROM said) >> {CONVERSATION_BITS}) + 1 << {CONVERSATION_BITS})"""
ADD_WORDS_SQL = f"""INSERT INTO said (id, scope, session, turn, person, name, said_at, text)
    SELECT ({LAST_ID_SQL}) + row_number() OVER (ORDER BY is_answer, seq), scope, :session, :turn, person, name, sent_at,
    text FROM (SELECT min(id) AS scope FROM search_scopes WHERE chat = :chat AND group_name = :group)
    CROSS JOIN ({WORDS_OF_TURN_SQL}) WHERE scope IS NOT NULL"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationText:
    """Something that was said: by a person, or by the bot (then `person` and `name` are empty)."""

    id: int
    session: SessionId
    person: PersonId
    name: str
    said_at: datetime
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """From a moment until before another one, both in UTC, as all moments in the rows are."""

    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundText:
    """A text that fits a query, with what was said just before and after it."""

    said: ConversationText
    before: tuple[ConversationText, ...]
    after: tuple[ConversationText, ...]


def add_words_of_turn(db: Connection, turn: Turn, answer: str, now: datetime) -> None:
    """Keep what people wrote to a root turn, and its answer; empty if it has none."""
    scope = MemoryScope.of_turn(turn)
    values = {"turn": turn.id, "session": turn.session, "answer": answer, "now": now.isoformat()}
    values |= {"chat": scope.chat, "group": scope.group}
    if db.execute(ADD_WORDS_SQL, values).rowcount == 0 and not find_scope_ids(db, [scope]):
        get_or_add_scope_id(db, scope)
        db.execute(ADD_WORDS_SQL, values)


def delete_words_of_turns(db: Connection, turns: Collection[TurnId]) -> None:
    """Forget what was said in these root turns, in the rows and in the index."""
    where = "turn IN (SELECT value FROM json_each(?))"
    remove_from_index(db, CONVERSATION_INDEX, where, [*turns])
    db.execute(f"DELETE FROM said WHERE {where}", ([*turns],))


def delete_words_of_sessions(db: Connection, sessions: Collection[SessionId]) -> None:
    """Forget what was said in conversations, in the rows and in the index."""
    where = "session IN (SELECT value FROM json_each(?))"
    remove_from_index(db, CONVERSATION_INDEX, where, [*sessions])
    db.execute(f"DELETE FROM said WHERE {where}", ([*sessions],))


def search_conversation_passages(
    db: Connection,
    scope: MemoryScope,
    words: Sequence[str],
    languages: Languages,
    *,
    period: Period | None = None,
    most: int = MAX_FOUND_TEXTS,
) -> list[FoundText]:
    """Return what was said in a scope and a period and fits the words best (as `split_into_words` returns them)."""
    scopes = find_scope_ids(db, [scope])
    ids = list_ids_in_period(db, scopes, period, MAX_SEARCHED_IN_PERIOD) if period else None
    found = [row["id"] for row in rank_conversation_passages(db, scopes, words, languages, ids)[:most]]
    around = [id + place for id in found for place in range(-CONTEXT_TEXTS, CONTEXT_TEXTS + 1)]
    by_id = {row["id"]: dataclass_from_row(ConversationText, row) for row in load_rows(db, scopes, around)}
    return [
        FoundText(
            said=by_id[id],
            before=tuple(by_id[near] for near in range(id - CONTEXT_TEXTS, id) if near in by_id),
            after=tuple(by_id[near] for near in range(id + 1, id + 1 + CONTEXT_TEXTS) if near in by_id),
        )
        for id in found
    ]


def list_texts_of_period(db: Connection, scope: MemoryScope, period: Period, most: int) -> list[ConversationText]:
    """Return the last texts of a scope in a period, in the order in which they were said."""
    scopes = find_scope_ids(db, [scope])
    rows = load_rows(db, scopes, list_ids_in_period(db, scopes, period, most))
    return sorted((dataclass_from_row(ConversationText, row) for row in rows), key=lambda each: (each.said_at, each.id))


def list_ids_in_period(db: Connection, scopes: Sequence[ScopeId], period: Period, most: int) -> list[int]:
    """Return the ids of the newest texts of these scopes in a period, the newest first."""
    sql = "SELECT id, said_at FROM said WHERE scope = ? AND said_at >= ? AND said_at < ? ORDER BY said_at DESC LIMIT ?"
    found = [row for scope in scopes for row in db.fetch_rows(sql, scope, period.since, period.until, most)]
    return [row["id"] for row in sorted(found, key=lambda row: row["said_at"], reverse=True)[:most]]


def rank_conversation_passages(
    db: Connection,
    scopes: Sequence[ScopeId],
    words: Sequence[str],
    languages: Languages,
    among: Sequence[int] | None = None,
) -> list[sqlite3.Row]:
    """Return the rows that fit the words, best first. If `among` is given, only those with these ids."""
    if among is not None and not among:
        return []
    # What is said just before and after a text counts for it, wherever it is.
    ids = ALL_IDS if among is None else range(min(among) - NEAR_TEXTS, max(among) + NEAR_TEXTS + 1)
    unindexed = [(row["id"], stems_of_row(row, languages)) for row in list_unindexed_rows(db, scopes)]
    speakers = find_named_speakers(db, CONVERSATION_INDEX, scopes, words, [stems for _, stems in unindexed])
    # A speaker's name in the query says whose words are sought. It seldom stands in them.
    searched = query_as_words([word for word in words if word not in speakers] or words, languages)
    weighed = ranking.weigh_words(searched, find_hits(db, CONVERSATION_INDEX, scopes, searched, unindexed, ids))
    near = ranking.score_neighbourhood(weighed)
    if among is not None:
        near = {id: near[id] for id in among if id in near}
    rows = {row["id"]: row for row in load_rows(db, scopes, ranking.shortlist(near))}
    coverage = ranking.score_coverage(weighed, rows)
    marks = [f" {SPEAKER_MARK}{name} " for name in speakers]
    factors = {}
    for id, row in rows.items():
        stems = row["stems"] or stems_of_row(row, languages)
        factors[id] = ranking.factor_for_text(is_named=any(each in stems for each in marks), asks="?" in row["text"])
    lists = [{id: scores[id] * factor for id, factor in factors.items()} for scores in (near, coverage)]
    return [rows[id] for id in ranking.fuse(*lists)]


def stems_of_row(row: sqlite3.Row, languages: Languages) -> str:
    return text_as_stems(row["text"], languages, row["name"])


def list_unindexed_rows(db: Connection, scopes: Sequence[ScopeId]) -> list[sqlite3.Row]:
    sql = "SELECT * FROM said WHERE scope = ? AND stems IS NULL ORDER BY id DESC LIMIT ?"
    return [row for scope in scopes for row in db.fetch_rows(sql, scope, MAX_UNINDEXED_TEXTS)]


def load_rows(db: Connection, scopes: Sequence[ScopeId], ids: Sequence[int]) -> list[sqlite3.Row]:
    """Return those of the rows that are in these scopes."""
    sql = "SELECT said.* FROM json_each(?) CROSS JOIN said ON said.id = value"
    return [row for row in db.fetch_rows(sql, list(dict.fromkeys(ids))) if row["scope"] in scopes]
