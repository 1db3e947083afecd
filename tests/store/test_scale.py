"""Among many conversations and memories each costs what it does among few: counted in SQLite's steps, never in time."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime

import pytest

from bot.core.limits import DecisionTerms
from bot.core.messages import Address, OutboundKind
from bot.core.settings import Settings
from bot.core.turn import SessionId
from bot.journal import deletion
from bot.store import memories
from bot.store.connection import Connection
from bot.store.text_search.scopes import MemoryScope
from bot.store.text_search.word_index import MAX_TEXTS_PER_WORD
from tests.memory.test_memories import NOW
from tests.support.bench import Bench
from tests.support.fakes import reply
from tests.support.large_database import USUAL, fill
from tests.support.memory_bot import ROLES, get, save, search
from tests.support.rows import say
from tests.support.search import LANGUAGES
from tests.support.stores import Tally

FEW, MANY = range(5), range(5, 400)
A_FEW = 5  # steps of SQLite's machine
A_ROW = 200  # the turn itself may be open or not when the open turns are listed
LATER = datetime(2100, 1, 1, tzinfo=UTC)  # than all that was written
CALLS = search("harvest", "likes", "baba"), search(), get(1), save("another")


@pytest.fixture
async def answered(bench: Bench) -> Bench:
    """A bot that has answered once, so that there is something to be like."""
    bench.roles = dict(ROLES)
    bench.model.says("lead", "Hello")
    async with bench.run():
        bench.chat.hears("hello")
        assert await bench.chat.said() == "Hello"
    return bench


def add(bench: Bench, chats: Iterable[int], memories: int = 5) -> None:
    fill(bench.data / "bot.db", "fake", chats, entries=20, memories=memories)


@contextmanager
def opened(bench: Bench) -> Iterator[Connection]:
    with closing(sqlite3.connect(bench.data / "bot.db", isolation_level=None, factory=Connection)) as db:
        db.row_factory = sqlite3.Row
        db.execute("PRAGMA foreign_keys = ON")
        yield db


def delete(db: Connection, session: str) -> int:
    """Delete a conversation as the operator does; return how many steps of SQLite's machine that takes."""
    steps = Counter[str]()

    def step() -> int:
        steps["all"] += 1
        return 0  # go on

    db.start_collecting_wake_ups()
    db.set_progress_handler(step, 1)
    said = deletion.delete_conversation(db, SessionId(session), DecisionTerms(settings=Settings(), now=LATER))
    db.set_progress_handler(None, 1)
    assert said.is_done
    return steps["all"]


async def work(bench: Bench, chat: int) -> Counter[str]:
    """The most that each statement works when a conversation is taken up again, and its memory searched: FTS5's own
    statements too, which begin with two dashes."""
    tally = Tally()
    async with bench.run(store=tally.store()):
        bench.model.says("lead", "warm")  # the first takes the start with it
        bench.chat.hears("hello")
        assert await bench.chat.said() == "warm"
        await tally.rest()
        tally.forget()
        bench.model.says("lead", reply(*CALLS), "done")
        bench.chat.hears("go", chat=f"chat {chat}", group_chat="-5")  # so that all that is saved is the chat's
        assert await bench.chat.said(OutboundKind.REPLY) == "done"
        await tally.rest()
    assert len(bench.model.seen[-1].transcript) == 20 + 3  # the whole of it was read, and none of it summarised
    return tally.most_work()


async def test_a_conversation_among_many_costs_what_it_does_among_few(answered: Bench) -> None:
    add(answered, FEW)
    few = await work(answered, FEW[-1])
    add(answered, MANY)
    many = await work(answered, MANY[-1])
    assert "harvest" in str(answered.model.seen[-1].transcript[-1].content)
    assert len(few) > 40
    assert any(each.startswith("--") for each in few)
    assert {each: (few[each], steps) for each, steps in many.items() if steps > few[each] + A_FEW} == {}


async def test_what_waits_at_other_chats_costs_a_turn_nothing(answered: Bench) -> None:
    work = []
    for number in (10, 10_000):
        with opened(answered) as db:
            db.start_collecting_wake_ups()
            for each in range(number):
                say(db, f"waits {number} {each}", address=Address(channel="fake", chat=f"away {each % 5}"))
            db.execute("UPDATE outbox SET not_before = ? WHERE state = 'queued'", (LATER,))
        tally = Tally()
        async with answered.run(store=tally.store()):
            answered.model.says("lead", "Hello again")
            answered.chat.hears("hello", chat=f"chat {number}")
            assert await answered.chat.said(OutboundKind.REPLY) == "Hello again"
            await tally.rest()
        work.append(tally.most_work())
    few, many = work
    assert {each: (few[each], steps) for each, steps in many.items() if steps > few[each] + A_ROW} == {}


async def test_a_search_among_thousands_of_a_chat_reads_as_little_as_in_hundreds(answered: Bench) -> None:
    add(answered, [1], memories=2 * MAX_TEXTS_PER_WORD)
    add(answered, [2], memories=10 * MAX_TEXTS_PER_WORD)
    read = []
    with opened(answered) as db:
        for chat in (1, 2):
            steps = Counter[str]()
            db.set_progress_handler(lambda steps=steps: steps.update(["all"]), 1)  # type: ignore[misc]  # None: go on
            found = memories.search_memories(
                db, [MemoryScope.for_address(Address(channel="fake", chat=f"chat {chat}"))], USUAL, LANGUAGES, NOW
            )
            db.set_progress_handler(None, 1)
            assert len(found.memories) == memories.MAX_FOUND_MEMORIES
            read.append(steps["all"])
    assert read[1] <= read[0] + A_FEW


async def test_deleting_one_of_many_conversations_does_not_read_the_others(answered: Bench) -> None:
    taken = []
    for chats in (FEW, MANY):
        add(answered, chats)
        with opened(answered) as db:
            session = f"fake:chat%20{chats[-1]}#0"
            db.insert_if_new("prefixes", hash=session, body="its own, which goes with it")
            change = "UPDATE chapters SET prefix = ? WHERE session = ?"
            db.execute(change, (session, session))
            taken.append(delete(db, session))
            left = db.fetch_rows("SELECT 1 FROM prefixes WHERE hash = ?", session)
            assert not left
    assert taken[1] <= taken[0] + A_FEW


async def test_a_conversation_that_was_deleted_leaves_its_name_to_no_other(bench: Bench) -> None:
    bench.model.says("lead", "one", "two", "three")
    async with bench.run():
        for word in ("one", "two"):
            bench.chat.hears("/new")
            await bench.chat.part(OutboundKind.NOTICE)
            bench.chat.hears("go")
            assert await bench.chat.said() == word
    names = [id for (id,) in bench.rows("SELECT id FROM sessions ORDER BY rowid")]
    with opened(bench) as db:
        delete(db, names[-1])
    async with bench.run():
        bench.chat.hears("and now?")
        assert await bench.chat.said() == "three"
        bench.chat.hears("/new")
        await bench.chat.part(OutboundKind.NOTICE)
    assert len(bench.model.seen[-1].transcript) == 1  # it does not go on with the one before
    now = [id for (id,) in bench.rows("SELECT id FROM sessions ORDER BY rowid")]
    assert now[:-2] == names[:-1]
    assert not {*now[-2:]} & {*names}
