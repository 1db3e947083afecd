"""How well a search finds what was said: on LoCoMo, ten long conversations with questions about them.

    python -m tests.bench.locomo PATH/locomo10.json [--tuning] [--stock]

The file is `data/locomo10.json` of github.com/snap-research/LoCoMo; it is not part of this project. Each turn of a
conversation becomes a text that was said, with its speaker and the caption of its picture; each question is one search.
It counts where the turns are that answer the question (its `evidence`), among the first ten texts found and the first
twenty. Neighbouring texts, which the tool shows as context, do not count.

The search was tuned on the first five conversations of the file. The figures are those of the other five; `--tuning`
prints those of the first five. `--stock` measures FTS5's own bm25() on the same texts.
"""

import argparse
import json
import re
import sqlite3
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean

from bot.core.messages import Address
from bot.store import conversation_passages
from bot.store.connection import Connection
from bot.store.schema import migrate
from bot.store.text_search.indexing import index_some_texts
from bot.store.text_search.ranking import CONVERSATION_BITS
from bot.store.text_search.scopes import MemoryScope, get_or_add_scope_id
from bot.store.text_search.words import split_into_words
from tests.support.search import LANGUAGES

TUNED_ON = 5  # conversations: the first of the file
DEPTHS = (10, 20)  # texts found, of which the evidence is to be one
ALL, WITHOUT_ADVERSARIAL = "all questions", "without adversarial ones"
CATEGORIES = {1: "several turns", 2: "time", 3: "open", 4: "one turn", 5: "adversarial"}

Search = Callable[[str], Sequence[str]]  # the turns found for a question, best first


@dataclass(frozen=True, kw_only=True)
class Turn:
    id: str  # "D3:7": the seventh turn of the third session
    session: int
    speaker: str
    text: str
    said_at: datetime


@dataclass(frozen=True, kw_only=True)
class Question:
    text: str
    evidence: Sequence[str]  # turns
    category: int


@dataclass(frozen=True, kw_only=True)
class Conversation:
    name: str
    turns: Sequence[Turn]
    questions: Sequence[Question]


def read_conversations(path: Path) -> list[Conversation]:
    """Return the conversations of the file. Questions without evidence are left out: there are four."""
    return [read_conversation(each) for each in json.loads(path.read_text())]


def read_conversation(record: dict) -> Conversation:  # type: ignore[type-arg]  # as the file has it
    sessions = record["conversation"]
    numbers = sorted(int(key.removeprefix("session_")) for key in sessions if re.fullmatch(r"session_\d+", key))
    turns = []
    for number in numbers:
        begun = datetime.strptime(sessions[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for place, turn in enumerate(sessions[f"session_{number}"]):
            text = "\n".join(filter(None, [turn["text"], turn.get("blip_caption")]))
            said_at = begun + timedelta(minutes=place)
            turns.append(Turn(id=turn["dia_id"], session=number, speaker=turn["speaker"], text=text, said_at=said_at))
    known = {turn.id for turn in turns}
    questions = [
        Question(text=each["question"], evidence=evidence, category=each["category"])
        for each in record["qa"]
        if (evidence := [id for id in turn_ids_in(each.get("evidence", [])) if id in known])
    ]
    return Conversation(name=record["sample_id"], turns=turns, questions=questions)


def turn_ids_in(evidence: Sequence[str]) -> list[str]:
    """Return the turns that a question names. A few are written together, or with other signs: "D8:6; D9:17"."""
    found = (f"D{session}:{turn}" for each in evidence for session, turn in re.findall(r"D:?(\d+):0*(\d+)", each))
    return list(dict.fromkeys(found))


def our_search(db: Connection, conversation: Conversation) -> Search:
    """Keep and index a conversation as the bot does. Each of its sessions is a conversation of the chat."""
    scope = MemoryScope.for_address(Address(channel="bench", chat=conversation.name))
    scope_id = get_or_add_scope_id(db, scope)
    first = db.fetch_number("SELECT ifnull(max(id), 0) FROM said") >> CONVERSATION_BITS
    turn_of_id = {}
    place: dict[int, int] = defaultdict(int)
    for turn in conversation.turns:
        place[turn.session] += 1
        id = (first + turn.session << CONVERSATION_BITS) + place[turn.session]
        turn_of_id[id] = turn.id
        columns = {"scope": scope_id, "session": f"{conversation.name}#{turn.session}", "turn": turn.id}
        columns |= {"person": turn.speaker, "name": turn.speaker, "said_at": turn.said_at.isoformat()}
        db.insert_if_new("said", id=id, text=turn.text, **columns)
    while index_some_texts(db, LANGUAGES):
        pass

    def search(question: str) -> list[str]:
        words = list(dict.fromkeys(split_into_words(question)))
        return [
            turn_of_id[each.said.id]
            for each in conversation_passages.search_conversation_passages(
                db, scope, words, LANGUAGES, most=max(DEPTHS)
            )
        ]

    return search


def stock_search(db: Connection, conversation: Conversation) -> Search:
    """Search as FTS5 does by itself: with its stemmer for English, and its bm25()."""
    db.execute("CREATE VIRTUAL TABLE temp.stock USING fts5 (text, tokenize = 'porter unicode61')")
    texts = [(number, f"{turn.speaker}: {turn.text}") for number, turn in enumerate(conversation.turns)]
    db.executemany("INSERT INTO stock (rowid, text) VALUES (?, ?)", texts)

    def search(question: str) -> list[str]:
        sought = " OR ".join(f'"{word}"' for word in split_into_words(question))
        sql = "SELECT rowid FROM stock WHERE stock MATCH ? ORDER BY rank LIMIT ?"
        return [conversation.turns[row["rowid"]].id for row in db.fetch_rows(sql, sought, max(DEPTHS))]

    return search


Counted = dict[tuple[str, int], list[tuple[bool, float]]]


def measure(conversations: Sequence[Conversation], make: Callable[[Connection, Conversation], Search]) -> Counted:
    """Return for each kind of question and each depth: whether any of the evidence was found, and which share."""
    counted: Counted = defaultdict(list)
    for conversation in conversations:
        with closing(sqlite3.connect(":memory:", isolation_level=None, factory=Connection)) as db:
            db.start_collecting_wake_ups()
            migrate(db)
            search = make(db, conversation)
            for question in conversation.questions:
                found = search(question.text)
                kinds = [ALL, CATEGORIES[question.category]]
                kinds += [WITHOUT_ADVERSARIAL] if question.category != 5 else []
                for depth in DEPTHS:
                    hits = [turn in found[:depth] for turn in question.evidence]
                    for kind in kinds:
                        counted[kind, depth].append((any(hits), fmean(hits)))
    return counted


def print_table(counted: Counted) -> None:
    print("| questions | number | " + " | ".join(f"found in {depth} | share in {depth}" for depth in DEPTHS) + " |")
    print("|---|---|" + "---|---|" * len(DEPTHS))
    for kind in (ALL, WITHOUT_ADVERSARIAL, *CATEGORIES.values()):
        cells = [f"{fmean(each[of] for each in counted[kind, depth]):.3f}" for depth in DEPTHS for of in (0, 1)]
        print(f"| {kind} | {len(counted[kind, DEPTHS[0]])} | {' | '.join(cells)} |")


def main(words: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description="Measure the search on LoCoMo.")
    parser.add_argument("path", type=Path, help="locomo10.json")
    parser.add_argument("--tuning", action="store_true", help="the conversations that the search was tuned on")
    parser.add_argument("--stock", action="store_true", help="FTS5's own ranking")
    given = parser.parse_args(words)
    conversations = read_conversations(given.path)
    chosen = conversations[:TUNED_ON] if given.tuning else conversations[TUNED_ON:]
    print(f"{'tuned' if given.tuning else 'not tuned'} on: {', '.join(each.name for each in chosen)}\n")
    began = time.perf_counter()
    counted = measure(chosen, stock_search if given.stock else our_search)
    print_table(counted)
    questions = len(counted[ALL, DEPTHS[0]])
    print(f"\n{questions} questions, {(time.perf_counter() - began) / questions * 1e3:.1f} ms each with the indexing")


if __name__ == "__main__":
    main(sys.argv[1:])
