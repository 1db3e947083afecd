"""What was said in earlier conversations is found again: with date and speaker, in its own chat and nowhere else."""

from datetime import UTC, datetime
from typing import Any

from bot.core.content_blocks import Block
from bot.core.messages import Address, OutboundKind
from bot.core.texts import model
from bot.store.text_search.words import split_into_words
from bot.tools.conversations import passage_with_words
from bot.tools.memory import MAX_QUERY_WORDS
from tests.support.bench import Bench
from tests.support.fakes import Pause, reply, uses

REPLY, NOTICE = OutboundKind.REPLY, OutboundKind.NOTICE


def search(*words: str) -> Block:
    return uses("conversation_search", query=" ".join(words))


async def talk(bench: Bench, text: str, answer: str, **where: Any) -> None:
    """Write a message, and get this answer to it."""
    bench.model.says("lead", answer)
    bench.chat.hears(text, **where)
    assert await bench.chat.said(REPLY) == answer


async def found(bench: Bench, query: str, **where: Any) -> str:
    """Return the result of a search that the lead makes in a chat."""
    bench.model.says("lead", reply(search(query)), "done")
    bench.chat.hears("look for it", **where)
    assert await bench.chat.said(REPLY) == "done"
    [result] = bench.model.seen[-1].transcript[-1].content
    return str(result["content"])


async def test_words_of_people_and_answers_are_found_with_date_and_speaker(bench: Bench) -> None:
    at = datetime(2026, 3, 1, 14, 5, tzinfo=UTC)
    async with bench.run(now=lambda: at):
        await talk(bench, "my bicycle stands in the cellar", "I will remember the cellar key.")
        bench.chat.hears("/new")
        await bench.chat.said(NOTICE)
        said = await found(bench, "bicycles")
    written_at = said.splitlines()[2][:16]  # the message has the time at which it was written
    assert said.splitlines() == [
        model.SAID_EARLIER,
        "",
        f'{written_at}, id Ann "Ann": my bicycle stands in the cellar',
        "  after: you: I will remember the cellar key.",
        "",
        "2026-03-01 14:05, you: I will remember the cellar key.",
        '  before: id Ann "Ann": my bicycle stands in the cellar',
    ]


async def test_a_neighbour_is_found_by_the_words_beside_it(bench: Bench) -> None:
    async with bench.run():
        await talk(bench, "which restaurant was it that Carla praised?", "The blue one at the harbour.")
        assert "The blue one at the harbour" in await found(bench, "restaurant Carla")


async def test_results_of_tools_are_not_found(bench: Bench) -> None:
    async with bench.run():
        bench.model.says("lead", reply(uses("read", text="quokka")), "I have looked.")
        bench.chat.hears("look")
        assert await bench.chat.said(REPLY) == "I have looked."
        assert await found(bench, "quokka") == model.NOT_SAID_IN_CHAT(words="quokka")


async def test_other_chats_find_nothing_and_threads_of_the_chat_do(bench: Bench) -> None:
    async with bench.run():
        await talk(bench, "the quokka lives", "It does.")
        assert "the quokka lives" in await found(
            bench, "quokka", address=Address(channel="fake", chat="room", thread="side")
        )
        assert await found(bench, "quokka", chat="other") == model.NOT_SAID_IN_CHAT(words="quokka")
        assert await found(bench, "@ann 1_quokka", chat="other") == model.NOT_SAID_IN_CHAT(words="ann, 1, quokka")


async def test_a_speaker_who_is_named_comes_first(bench: Bench) -> None:
    async with bench.run():
        for who in ("Ann", "Bob"):
            await talk(bench, "I love to swim", "Good.", by=who, group_chat="pool")
        said = await found(bench, "what does Ann love", group_chat="pool")
    assert said.splitlines()[2].endswith('id Ann "Ann": I love to swim')


async def test_a_search_with_too_many_words_is_refused(bench: Bench) -> None:
    words = [f"w{number}" for number in range(MAX_QUERY_WORDS + 1)]
    async with bench.run():
        assert "at most 24" in await found(bench, " ".join(words))


async def test_what_a_search_found_brings_its_sources_along(bench: Bench) -> None:
    async with bench.run():
        await talk(bench, "hello", "hi", by="Bob", group_chat="pool")
        bench.chat.hears("/new", group_chat="pool")
        await bench.chat.said(NOTICE)
        await found(bench, "hello", group_chat="pool")
    [(first,), (second,)] = bench.rows("SELECT sources FROM sessions ORDER BY rowid")
    assert first == '["person:Bob"]'
    assert "person:Bob" in second


NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)


async def ask(bench: Bench, **arguments: str) -> str:
    """Return the result of a search with these arguments."""
    bench.model.says("lead", reply(uses("conversation_search", **arguments)), "done")
    bench.chat.hears("look for it", sent_at=NOON)
    assert await bench.chat.said(REPLY) == "done"
    [result] = bench.model.seen[-1].transcript[-1].content
    return str(result["content"])


async def talk_on_days(bench: Bench, *days: int) -> None:
    """Say something on each of these days of March, at 20:00 UTC."""
    for day in days:
        at = datetime(2026, 3, day, 20, tzinfo=UTC)
        async with bench.run(now=lambda at=at: at):
            bench.model.says("lead", f"answer of the {day}th")
            bench.chat.hears(f"the walnut of the {day}th", sent_at=at)
            assert await bench.chat.said(REPLY) == f"answer of the {day}th"


async def test_words_are_sought_in_days_on_the_persons_clock(bench: Bench) -> None:
    await talk_on_days(bench, 3, 4, 5)
    async with bench.run(now=lambda: NOON):
        said = await ask(bench, query="walnut", since="2026-03-04", until="2026-03-04")
        assert [line[:10] for line in said.splitlines() if line.startswith("2026")] == ["2026-03-04"] * 2
        bench.chat.hears("/timezone Asia/Tokyo")
        await bench.chat.said(NOTICE)
        said = await ask(bench, query="walnut", since="2026-03-05", until="2026-03-05")
        assert said.splitlines()[2].startswith('2026-03-05 05:00, id Ann "Ann": the walnut of the 4th')
        assert await ask(bench, query="walnut", since="2026-03-06", until="2026-03-05") == model.DATES_REVERSED
        assert await ask(bench, since="yesterday") == model.NOT_A_DATE(argument="since", value="yesterday")


async def test_without_words_all_of_the_days_is_listed_in_order(bench: Bench) -> None:
    await talk_on_days(bench, 3, 4, 5)
    async with bench.run(now=lambda: NOON):
        said = await ask(bench, since="2026-03-04", until="2026-03-05")
        assert said.splitlines() == [
            model.SAID_THEN,
            '2026-03-04 20:00, id Ann "Ann": the walnut of the 4th',
            "2026-03-04 20:00, you: answer of the 4th",
            '2026-03-05 20:00, id Ann "Ann": the walnut of the 5th',
            "2026-03-05 20:00, you: answer of the 5th",
        ]
        assert await ask(bench, until="2026-03-01") == model.NOTHING_SAID_THEN
        assert await ask(bench) == model.NEITHER_WORDS_NOR_DATES


async def test_days_of_other_chats_are_not_listed(bench: Bench) -> None:
    await talk_on_days(bench, 3)
    async with bench.run(now=lambda: NOON):
        bench.model.says("lead", reply(uses("conversation_search", since="2026-03-01")), "done")
        bench.chat.hears("look for it", chat="other", sent_at=NOON)
        assert await bench.chat.said(REPLY) == "done"
        [result] = bench.model.seen[-1].transcript[-1].content
    assert result["content"] == model.NOTHING_SAID_THEN


def test_a_passage_shows_the_place_that_was_found_with_its_umlauts() -> None:
    text = "lorem " * 200 + "wir fahren nach München in die Straße am See " + "ipsum " * 200
    assert "München" in passage_with_words(text, split_into_words("München"), 100)


async def test_a_stopped_turn_keeps_its_persons_words(bench: Bench) -> None:
    pause = Pause("never")
    bench.model.says("lead", pause)
    async with bench.run():
        bench.chat.hears("a long story")
        await pause.reached.wait()
        bench.chat.hears("/stop")
        await bench.chat.said()
    assert bench.rows("SELECT name, text FROM said") == [("Ann", "a long story")]
