"""What the bot itself has put into transcripts of memories and of earlier conversations: what searches have found, and
the memories that each chapter begins with. When a person is forgotten, it is deleted in everybody's turns, since it is
nobody's answer. A memory is known there by its number, which begins its line (bot/journal/memory.py)."""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bot.core.messages import Address
from bot.core.turn import CallId, SessionId, TurnId
from bot.store import sent_requests, texts
from bot.store.connection import Connection

READS_OF_CONVERSATIONS = ("conversation_search",)  # the tools
READS_OF_MEMORIES = ("get_delegation", "memory_get", "memory_search")


@dataclass(frozen=True, slots=True)
class Reading:
    """A call that has read something of the person."""

    call: CallId
    turn: TurnId
    tool_use_id: str
    conversation: SessionId  # of the chat, also if a role has made the call


def list_readings_of_conversations(db: Connection, chats: Collection[Address]) -> list[Reading]:
    """Return the searches of earlier conversations in these chats and their threads."""
    known = db.fetch_rows("SELECT DISTINCT address FROM turns")
    addresses = [row["address"] for row in known if Address.parse(row["address"]).whole_chat in chats]
    rows = db.fetch_rows(
        f"{readings_sql(READS_OF_CONVERSATIONS)} AND turns.address IN (SELECT value FROM json_each(?))", addresses
    )
    return [Reading(*row) for row in rows]


def list_readings_of_memories(db: Connection, memories: Collection[int]) -> list[Reading]:
    """Return the calls, anywhere, whose result has one of these memories."""
    if not memories:
        return []
    shown, rows = memory_pattern(memories), db.fetch_rows(readings_sql(READS_OF_MEMORIES, ", calls.result"))
    return [Reading(*row[:4]) for row in rows if shown.search(row["result"] or "")]


def readings_sql(tools: Sequence[str], more: str = "") -> str:
    names = ", ".join(f"'{tool}'" for tool in tools)
    return (
        f"SELECT calls.id, calls.turn, tool_use_id, roots.session{more} FROM calls JOIN turns ON turns.id = calls.turn"
        f" JOIN turns AS roots ON roots.id = turns.root WHERE calls.name IN ({names})"
    )


def list_sessions_begun_with(db: Connection, memories: Collection[int]) -> list[SessionId]:
    """Return the sessions, anywhere, that have a chapter which began with one of these memories."""
    if not memories:
        return []
    sql = (
        "SELECT entries.session, body ->> '$[0].text' AS text FROM chapters LEFT JOIN chapters AS last"
        " ON last.session = chapters.session AND last.chapter = chapters.chapter - 1 JOIN entries"
        " ON entries.session = chapters.session AND entries.chapter = chapters.chapter"
        " AND entries.seq = ifnull(last.seq, 0) + 1 ORDER BY entries.session"
    )
    shown = memory_pattern(memories)
    return [*dict.fromkeys(SessionId(row["session"]) for row in db.fetch_rows(sql) if shown.search(row["text"] or ""))]


def memory_pattern(memories: Collection[int]) -> re.Pattern[str]:
    return re.compile(rf"^\W*(?:{'|'.join(map(str, memories))}) \(\d{{4}}-", re.MULTILINE)


def delete_results(db: Connection, readings: Sequence[Reading]) -> None:
    """Delete what these calls have returned."""
    of_turns, changed = defaultdict[TurnId, set[str]](set), set[SessionId]()
    for reading in readings:
        db.update("calls", {"result": texts.FORGOTTEN_PART}, id=reading.call)
        of_turns[reading.turn].add(reading.tool_use_id)
    for turn, uses in of_turns.items():
        sql = "SELECT session, chapter, seq, body FROM entries WHERE turn = ? AND role = 'user'"
        for row in db.fetch_rows(sql, turn):
            blocks = [
                {**block, "content": texts.FORGOTTEN_PART} if block.get("tool_use_id") in uses else block
                for block in json.loads(row["body"])
            ]
            whose = {"session": row["session"], "chapter": row["chapter"], "seq": row["seq"]}
            db.update("entries", {"body": blocks}, **whose)
            changed.add(SessionId(row["session"]))
    sent_requests.forget_digests(db, changed)
