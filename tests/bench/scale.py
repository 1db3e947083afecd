"""A chat that is taken up again, and a search of its memory: among a million entries, and among few."""

import asyncio
import importlib
import random
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from bot.core.content_blocks import text_block
from bot.core.messages import Address
from bot.core.model import Model, ModelReply, ModelRequest, ShowTextCallback, StopReason
from bot.core.prices import Usage
from bot.store import conversation_passages, memories
from bot.store.connection import Connection
from bot.store.schema import migrate
from bot.store.text_search.scopes import MemoryScope
from bot.store.text_search.words import split_into_words
from tests.bench.rig import Bot, running
from tests.bench.table import Row, ms
from tests.support.large_database import USUAL, fill, say
from tests.support.search import LANGUAGES

CHATS, ENTRIES, MEMORIES = 10_000, 80, 20  # of each chat: a million in all
FEW = 50  # chats, of the same kind, that it is held against
ASKED = 50  # chats that are taken up, and as many that are searched
GROWN = 1.5  # so much is noise
MOST_TIMES_AS_LONG = 3.0  # a search in what was said, as long as in a store of its own
MOST_SECONDS = 0.005
# A usual word, one that a few hold, and two that only begin so
ASKED_WORDS = split_into_words(f"{USUAL[0]} {USUAL[-1]} bake lim")
NOBODY = "http://127.0.0.1:9"  # no request is made


class Ready(Model):
    """A model that answers at once, and knows when it was asked."""

    asked_at = 0.0

    async def reply(self, request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        self.asked_at = request.meter.sent_at_loop_seconds = time.perf_counter()
        return ModelReply(content=[text_block("well")], usage=Usage(input=1_000, output=10), stop_reason=StopReason.END)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    opening: float  # seconds, from the message until the model is asked
    searching: float  # seconds, in the memory
    longest: float  # of the searches
    finding: float  # seconds, in what was said
    longest_finding: float


async def rows(chats: int = CHATS, entries: int = ENTRIES, remembered: int = MEMORIES) -> list[Row]:
    importlib.import_module("anthropic")  # which the bot would do meanwhile, in a thread
    model = Ready()
    async with running(NOBODY, model=model) as bot:
        await bot.ask("hi", chat="first")
        path = bot.folder / "bot.db"
        await asyncio.to_thread(
            fill, path, bot.chat.name, range(FEW), entries=entries, memories=remembered, texts=entries
        )
        few = await measured(bot, model, path, range(FEW))
        await asyncio.to_thread(
            fill, path, bot.chat.name, range(FEW, chats), entries=entries, memories=remembered, texts=entries
        )
        many = await measured(bot, model, path, range(FEW, chats))
        alone = await asyncio.to_thread(seconds_in_store_of_its_own, bot.folder, entries)
    among = f"among {chats:,} conversations, {chats * (entries + remembered):,} entries and memories"
    return [
        Row(
            what=f"until the model is asked, in a chat that is taken up again {among}",
            ours=ms(many.opening),
            other=f"{ms(few.opening)} among {FEW} conversations",
            value=many.opening / few.opening,
            most=GROWN,
            aim=f"flat (≤ {GROWN})",
        ),
        Row(
            what=f"a search of a chat's memory, {among}",
            ours=f"{ms(many.searching)}, {ms(many.longest)} the longest",
            other=f"{ms(few.searching)} among {FEW} conversations",
            value=many.searching / MOST_SECONDS,
            most=1.0,
            aim=f"≤ {ms(MOST_SECONDS)}",
            is_ratio=False,
        ),
        Row(
            what=f"a search of what was said in a chat, {among}",
            ours=f"{ms(many.finding)}, {ms(many.longest_finding)} the longest",
            other=f"{ms(few.finding)} among {FEW} conversations",
            value=many.finding / MOST_SECONDS,
            most=1.0,
            aim=f"≤ {ms(MOST_SECONDS)}",
            is_ratio=False,
        ),
        Row(
            what=f"the same, against a store with one chat, {among}",
            ours=ms(many.finding),
            other=f"{ms(alone)} in a store of its own",
            value=many.finding / alone,
            most=MOST_TIMES_AS_LONG,
            aim=f"≤ {MOST_TIMES_AS_LONG}",
        ),
    ]


async def measured(bot: Bot, model: Ready, path: Path, chats: range) -> Measured:
    """In chats that nobody has asked for yet: nothing is known of them but what is in the file."""
    rng = random.Random(1)
    for _ in range(ASKED):
        await bot.ask("warm up", chat="first")
    opening = []
    for chat in rng.sample(chats, min(ASKED, len(chats))):
        began = time.perf_counter()
        await bot.ask("hi", chat=f"chat {chat}")
        opening.append(model.asked_at - began)
    addresses = [
        Address(channel=bot.chat.name, chat=f"chat {chat}") for chat in rng.sample(chats, min(ASKED, len(chats)))
    ]
    searching = await asyncio.to_thread(lambda: [seconds_to_search(path, address) for address in addresses])
    finding = await asyncio.to_thread(lambda: [seconds_to_find(path, address) for address in addresses])
    return Measured(
        opening=median(opening),
        searching=median(searching),
        longest=max(searching),
        finding=median(finding),
        longest_finding=max(finding),
    )


def seconds_to_search(path: Path, chat: Address) -> float:
    """In the memory of a chat."""

    def search(db: Connection, scope: MemoryScope) -> bool:
        return bool(memories.search_memories(db, [scope], ASKED_WORDS, LANGUAGES, datetime.now(UTC)).memories)

    return seconds_for_search(path, chat, search)


def seconds_to_find(path: Path, chat: Address) -> float:
    """In what was said in a chat."""
    return seconds_for_search(
        path,
        chat,
        lambda db, scope: bool(conversation_passages.search_conversation_passages(db, scope, ASKED_WORDS, LANGUAGES)),
    )


def seconds_for_search(path: Path, chat: Address, search: Callable[[Connection, MemoryScope], bool]) -> float:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, factory=Connection)) as db:
        scope = MemoryScope.for_address(chat)
        memories.find_memory(db, [scope], 1)  # the file is open and its tables are known
        began = time.perf_counter()
        is_found = search(db, scope)
        took = time.perf_counter() - began
    assert is_found, f"nothing was found in {chat}"
    return took


def seconds_in_store_of_its_own(folder: Path, texts: int) -> float:
    """In what was said in the only chat of a file."""
    path, chat = folder / "alone.db", Address(channel="alone", chat="chat 1")
    with closing(sqlite3.connect(path, isolation_level=None, factory=Connection)) as db:
        db.start_collecting_wake_ups()
        migrate(db)
        say(db, str(chat), texts)
    return median(seconds_to_find(path, chat) for _ in range(ASKED))
