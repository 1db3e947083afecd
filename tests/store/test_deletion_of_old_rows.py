"""What is forgotten, and when."""

import sqlite3
from contextlib import closing

from bot.core.access import Access
from bot.core.errors import DeliveryError
from bot.core.messages import MessageId, PersonId, Quote, UnreadableEvent
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.troubles import Clock, Uneven, goes_round, has_row

KEPT = "SELECT count(*) FROM inbox WHERE address = 'fake:room' AND text != ''"
FAILURE_IS_TOLD = "SELECT 1 FROM outbox WHERE key LIKE '%:failed' AND state = 'sent'"
ANSWER = "SELECT 1 FROM outbox WHERE text = 'Hello Ann'"
ANSWERED = "SELECT text, name FROM inbox WHERE key = 'm-answered'"
QUOTING = "SELECT name, text, quotes, attachments FROM inbox WHERE key = 'm-quoting'"
ASIDE = "SELECT key, text FROM inbox WHERE state = 'aside'"
FAILED = "SELECT text FROM outbox WHERE state = 'failed'"
OLD_ARE_FORGOTTEN = "SELECT 1 WHERE (SELECT count(*) FROM inbox WHERE key LIKE 'old%') = 0"
ALL_IS_FORGOTTEN = "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM inbox)"
REQUESTS = "SELECT arguments FROM questions"
TURNS = "SELECT DISTINCT id FROM turns"
ADD_OLD_ORDER = (
    "INSERT INTO orders (name, arguments, given_at, answer) VALUES ('stop', '{}', '1999-12-31T00:00:00+00:00', '')"
)
OLD_ORDER_IS_GONE = "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM orders)"


async def talk(bench: Bench, clock: Clock) -> None:
    """One message that is answered, one whose answer is refused, and one event that cannot be read."""
    bench.chat = Uneven()
    bench.chat.troubles["unspeakable"].append(DeliveryError("too rude"))
    bench.model.says("lead", "Hello Ann", "unspeakable")
    async with bench.run(now=clock):
        bench.chat.hears("hello", id="m-answered")
        assert await bench.chat.said() == "Hello Ann"
        bench.chat.hears("hello?")
        assert (await bench.chat.part()).message.id.endswith(":failed")
        bench.chat.incoming.put_nowait(
            UnreadableEvent(id=MessageId("odd"), channel="fake", raw_event="{}", parse_error="odd")
        )
        await bench.chat.is_taken_in()
        await has_row(bench, FAILURE_IS_TOLD)


async def start_later(bench: Bench, clock: Clock, days: float, keep_days: int) -> None:
    """Start the bot after some days, and stop it when it has swept: then an order from long ago is gone, too."""
    clock.passes(days=days)
    with closing(sqlite3.connect(bench.data / "bot.db")) as db, db:
        db.execute(ADD_OLD_ORDER)
    async with bench.run(now=clock, **engine_options(keep_days=keep_days)):
        await goes_round(bench)
        if keep_days:
            await has_row(bench, OLD_ORDER_IS_GONE)


async def test_rows_older_than_the_retention_go_and_the_transcript_stays(bench: Bench) -> None:
    clock = Clock()
    await talk(bench, clock)
    entries = bench.rows("SELECT * FROM entries")
    await start_later(bench, clock, 29, keep_days=30)
    assert bench.rows(KEPT) == [(2,)]
    await start_later(bench, clock, 2, keep_days=30)
    await has_row(bench, f"SELECT 1 WHERE ({KEPT}) = 0")
    assert bench.rows(ANSWER) == []
    assert bench.rows("SELECT * FROM entries") == entries
    assert len(bench.rows(TURNS)) == 2


async def test_a_forgotten_messages_quotes_and_files_go_with_its_words(bench: Bench) -> None:
    clock = Clock()
    bench.model.says("lead", "I see")
    async with bench.run(now=clock):
        quotes = (Quote(author="Bob", text="a secret of Bob's"),)
        bench.chat.hears("", id="m-quoting", quotes=quotes, attachments=("photo",))
        assert await bench.chat.said() == "I see"
    await start_later(bench, clock, 3, keep_days=2)
    assert bench.rows(QUOTING) == [("", "", "[]", "[]")]


async def test_a_request_to_be_let_in_is_forgotten_too(bench: Bench) -> None:
    clock, knocking = Clock(), {"fake": Access(owner_id=PersonId("Owner"), may_strangers_pair=True)}
    async with bench.run(now=clock, access=knocking):
        bench.chat.hears("let me in", by="Sam", chat="sam")
        await bench.chat.said()
    [(asked,)] = bench.rows(REQUESTS)
    assert "Sam" in asked
    await start_later(bench, clock, 29, keep_days=30)
    assert len(bench.rows(REQUESTS)) == 1
    await start_later(bench, clock, 2, keep_days=30)
    assert bench.rows(REQUESTS) == []


async def test_messages_set_aside_or_failed_stay(bench: Bench) -> None:
    clock = Clock()
    await talk(bench, clock)
    await start_later(bench, clock, 100, keep_days=30)
    assert bench.rows(ASIDE) == [("odd", "{}")]
    assert bench.rows(FAILED) == [("unspeakable",)]


async def test_an_event_is_known_for_seven_days_though_its_words_are_forgotten(bench: Bench) -> None:
    clock = Clock()
    await talk(bench, clock)
    await start_later(bench, clock, 6, keep_days=2)
    assert bench.rows(ANSWERED) == [("", "")]
    async with bench.run(now=clock, **engine_options(keep_days=2)):
        bench.chat.hears("hello", id="m-answered")  # the platform repeats it
        await goes_round(bench)
    assert len(bench.model.seen) == 2
    await start_later(bench, clock, 2, keep_days=2)
    assert bench.rows(ANSWERED) == []


async def test_zero_days_keep_all_for_ever(bench: Bench) -> None:
    clock = Clock()
    await talk(bench, clock)
    await start_later(bench, clock, 10_000, keep_days=0)
    assert bench.rows(KEPT) == [(2,)]
    assert bench.rows(ANSWER) == [(1,)]


async def test_many_old_rows_are_forgotten_in_portions_while_the_bot_answers(bench: Bench) -> None:
    clock = Clock()
    async with bench.run(now=clock):
        for number in range(1_200):
            bench.chat.hears("hello", by="Mallory", id=f"old{number}")
        await bench.chat.is_taken_in()
    clock.passes(days=31)
    bench.model.says("lead", "Hello Ann")
    async with bench.run(now=clock):
        bench.chat.hears("hello")
        assert await bench.chat.said() == "Hello Ann"
        await has_row(bench, OLD_ARE_FORGOTTEN)


async def test_a_message_is_answered_though_all_that_came_before_it_is_forgotten(bench: Bench) -> None:
    clock = Clock()
    bench.model.says("lead", "Hello Ann", "Hello again")
    async with bench.run(now=clock):
        bench.chat.hears("hello")
        assert await bench.chat.said() == "Hello Ann"
    clock.passes(days=31)
    async with bench.run(now=clock):
        await has_row(bench, ALL_IS_FORGOTTEN)
        bench.chat.hears("I am back")
        assert await bench.chat.said() == "Hello again"
    assert len(bench.rows(TURNS)) == 2
