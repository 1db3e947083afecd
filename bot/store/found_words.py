"""What transcripts hold of memories and of earlier conversations: what searches have found, and the memories that each
chapter begins with. When a person is forgotten, it is deleted in everybody's turns, since it is nobody's answer."""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bot.core.messages import Address, GroupName
from bot.core.turn import CallId, SessionId, TurnId
from bot.store import texts
from bot.store.connection import Connection

SEARCHES = ("conversation_search", "memory_get", "memory_search")  # the tools


@dataclass(frozen=True, slots=True)
class Search:
    call: CallId
    turn: TurnId
    tool_use_id: str
    conversation: SessionId  # of the chat, also if a role has searched


@dataclass(frozen=True, slots=True)
class Places:
    """Chats, with their threads, and groups, whose agents work anywhere."""

    chats: frozenset[Address]
    groups: frozenset[GroupName]


def list_sessions_at(db: Connection, places: Places) -> list[SessionId]:
    """Return the sessions of these chats, and of these groups' agents and their roles."""
    known = db.fetch_rows("SELECT DISTINCT address FROM sessions")
    addresses = [row["address"] for row in known if Address.parse(row["address"]).whole_chat in places.chats]
    of_groups = "SELECT value FROM json_each(?2)"
    sql = (
        "SELECT id FROM sessions WHERE address IN (SELECT value FROM json_each(?1)) UNION SELECT session FROM turns"
        f" WHERE group_name IN ({of_groups}) OR parent_group IN ({of_groups}) ORDER BY 1"
    )
    return [SessionId(row["id"]) for row in db.fetch_rows(sql, addresses, places.groups)]


def list_searches(db: Connection, sessions: Sequence[SessionId]) -> list[Search]:
    """Return the searches that were made in these sessions."""
    sql = (
        "SELECT calls.id, calls.turn, tool_use_id, roots.session FROM turns JOIN calls ON calls.turn = turns.id"
        " JOIN turns AS roots ON roots.id = turns.root WHERE turns.session IN (SELECT value FROM json_each(?1))"
        " AND calls.name IN (SELECT value FROM json_each(?2)) ORDER BY calls.turn, calls.step, calls.position"
    )
    return [Search(*row) for row in db.fetch_rows(sql, sessions, SEARCHES)]


def list_sessions_begun_with(
    db: Connection, sessions: Sequence[SessionId], memories: Collection[int]
) -> list[SessionId]:
    """Return those of these sessions that have a chapter which began with one of these memories."""
    sql = (
        "SELECT session, body ->> '$[0].text' AS text FROM entries WHERE session IN (SELECT value FROM json_each(?))"
        " AND role = 'user' AND body ->> '$[0].text' LIKE '<surroundings>%' ORDER BY session"
    )
    a_memory = re.compile(rf"^({'|'.join(map(str, memories))}) \(", re.MULTILINE)
    rows = db.fetch_rows(sql, sessions) if memories else []
    return [*dict.fromkeys(SessionId(row["session"]) for row in rows if a_memory.search(row["text"]))]


def delete_found_words(db: Connection, searches: Sequence[Search]) -> None:
    """Delete what these searches have returned, if that was not done with their turns."""
    of_turns = defaultdict[TurnId, set[str]](set)
    for search in searches:
        db.execute("UPDATE calls SET result = ? WHERE id = ?", (str(texts.FORGOTTEN_PART), search.call))
        of_turns[search.turn].add(search.tool_use_id)
    for turn, uses in of_turns.items():
        sql = "SELECT session, chapter, seq, body FROM entries WHERE turn = ? AND role = 'user'"
        for row in db.fetch_rows(sql, turn):
            blocks = [
                {**block, "content": texts.FORGOTTEN_PART} if block.get("tool_use_id") in uses else block
                for block in json.loads(row["body"])
            ]
            whose = {"session": row["session"], "chapter": row["chapter"], "seq": row["seq"]}
            db.update("entries", {"body": blocks}, **whose)
