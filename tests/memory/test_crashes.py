"""What is saved and forgotten, wherever the bot dies meanwhile: once, and as the model was told."""

import asyncio
import sqlite3
from contextlib import closing, suppress
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from bot.core.content_blocks import text_block
from bot.core.errors import StoreDamaged
from bot.core.messages import OutboundKind
from bot.core.model import Model, ModelReply, ModelRequest, ShowTextCallback
from bot.core.texts import model
from bot.core.turn import CallId
from bot.store import Store, memories
from bot.store.connection import Connection
from bot.store.text_search.scopes import MemoryScope
from tests.memory.test_memories import NOW, OTHER, ROOM, TURN
from tests.support.bench import Bench
from tests.support.fakes import FakeChannel, delegates, played, reply
from tests.support.memory_bot import ROLES, forget, save, search
from tests.support.search import LANGUAGES
from tests.support.stores import Died, dying
from tests.support.troubles import has_row

PLOT = {
    "lead": [
        reply(save("one"), search("two"), save("two")),
        reply(forget(1), save("three"), forget(1)),
        delegates("researcher"),
        reply(text_block("done")),
    ],
    "researcher": [reply(save("four"), search("four")), reply(text_block("noted"))],
}
KEPT = [(2, "two", None), (3, "three", None), (4, "four", "researcher")]
TOLD = {
    "t1/2/0": model.MEMORY_SAVED(number=1, whose=model.WHOSE_MEMORY["person"]),
    "t1/2/2": model.MEMORY_SAVED(number=2, whose=model.WHOSE_MEMORY["person"]),
    "t1/4/0": model.MEMORY_FORGOTTEN(number=1),
    "t1/4/1": model.MEMORY_SAVED(number=3, whose=model.WHOSE_MEMORY["person"]),
    "t1/4/2": model.NO_SUCH_MEMORY_HERE(number=1),
    "t1/6/0/2/0": model.MEMORY_SAVED(number=4, whose=model.WHOSE_MEMORY["person"]),
}


class Plotted(Model):
    """A model whose next words depend on the transcript alone: a request that is made again gets the same reply."""

    async def reply(self, request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        request.meter.sent_at_loop_seconds = asyncio.get_running_loop().time()
        return PLOT[played(request)][sum(entry.role == "assistant" for entry in request.transcript)]


async def lives(bench: Bench, store: type[Store]) -> bool:
    """Whether the bot comes to the end of the plot before it dies."""
    has_died, bench.chat = False, FakeChannel()  # which says again what was not acknowledged
    try:
        async with bench.run(store=store, model=Plotted()):
            bench.chat.hears("go", id="m1")
            await bench.chat.is_taken_in()
            answered = "SELECT 1 FROM outbox WHERE kind = 'reply' AND state = 'sent'"
            await has_row(bench, answered)
    except* Died:
        has_died = True
    return not has_died


@pytest.mark.parametrize("is_written", [False, True], ids=["before", "after"])
async def test_every_call_saves_or_forgets_once_whichever_commit_is_the_last(tmp_path: Path, is_written: bool) -> None:
    for number in count(1):
        bench = Bench(tmp_path / str(number), roles=dict(ROLES))
        bench.data.mkdir()
        if await lives(bench, dying(number, is_written=is_written)):
            break
        assert await lives(bench, Store)
        assert bench.rows("SELECT id, text, role FROM memories") == KEPT
        assert bench.rows("SELECT id FROM memories WHERE stems IS NOT NULL") == []  # they are indexed later
        results = dict(bench.rows("SELECT id, result FROM calls WHERE name IN ('memory_save', 'memory_forget')"))
        assert results == TOLD
    assert number > 12  # it died at each step of the plot


async def test_a_reply_that_comes_after_a_stop_saves_nothing(bench: Bench) -> None:
    reached = asyncio.Event()

    async def late() -> ModelReply:
        reached.set()
        with suppress(asyncio.CancelledError):  # a model that answers all the same
            await asyncio.Event().wait()
        return reply(save("too late"))

    bench.roles = dict(ROLES)
    bench.model.says("lead", late, "next")
    async with bench.run():
        bench.chat.hears("go")
        await reached.wait()
        bench.chat.hears("/stop")
        assert await bench.chat.said() == "Stopped: “go”."
        bench.chat.hears("and?")
        assert await bench.chat.said(OutboundKind.REPLY) == "next"
    assert bench.rows("SELECT text FROM memories") == []


def saves_and_fails(db: Connection) -> None:
    memories.add_memory(db, TURN, MemoryScope.for_address(OTHER), CallId("t9/2/0"), "undone", NOW, as_role=False)
    raise LookupError("after it was saved")


async def test_a_failed_transactions_memories_go_with_their_words_and_no_others(tmp_path: Path) -> None:
    kept = partial(memories.add_memory, as_role=False)
    async with Store.open(tmp_path / "bot.db") as store:
        results = await asyncio.gather(
            store.write(kept, TURN, MemoryScope.for_address(ROOM), CallId("t1/2/0"), "kept one", NOW),
            store.write(saves_and_fails),
            store.write(kept, TURN, MemoryScope.for_address(ROOM), CallId("t1/2/1"), "kept two", NOW),
            return_exceptions=True,
        )
        assert isinstance(results[1], LookupError)
        found = await store.read(
            memories.search_memories, [MemoryScope.for_address(ROOM)], ["kept", "undone"], LANGUAGES, NOW
        )
        assert [memory.text for memory in found.memories] == ["kept two", "kept one"]
        assert not (
            await store.read(memories.search_memories, [MemoryScope.for_address(OTHER)], ["undone"], LANGUAGES, NOW)
        ).memories


async def test_a_damaged_index_ends_the_process(bench: Bench) -> None:
    bench.roles = dict(ROLES)
    bench.model.says("lead", reply(save("the mat is red")), "saved", reply(search("mat"), search("red")))
    async with bench.run():
        bench.chat.hears("remember it")
        assert await bench.chat.said() == "saved"
    with closing(sqlite3.connect(bench.data / "bot.db")) as db, db:
        db.execute("UPDATE memory_words_data SET block = ?", (b"garbage!" * 50,))

    async def finds_out() -> None:
        async with bench.run():
            bench.chat.hears("what was it?")
            await bench.chat.said()

    with pytest.raises(ExceptionGroup) as caught:  # the bench's own
        await finds_out()
    assert caught.group_contains(StoreDamaged, match=r"bot\.db")
