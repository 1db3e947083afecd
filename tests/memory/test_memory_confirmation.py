"""Memories saved after other people's words wait until somebody confirms them, by a tap or in words."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from bot.core import memory_phrases
from bot.core.content_blocks import text_block
from bot.core.languages import speaking
from bot.core.languages.language_file import BUILT_IN_LANGUAGES
from bot.core.messages import Address, InboundKind, OutboundKind, QuestionId, Quote
from bot.core.model import ModelReply
from bot.core.rights import GUEST_RIGHTS, Right
from bot.core.source_phrases import describe_source
from bot.core.sources import OTHER_PEOPLES_WORDS_TEXT, Source
from bot.core.texts import model, people
from tests.support.bench import ACCESS, Bench
from tests.support.fakes import reply, uses
from tests.support.memory_bot import digest, run, save, saves, says
from tests.support.web_bot import found as found_on_the_web
from tests.support.web_bot import searches

REPLY, QUESTION, NOTICE = OutboundKind.REPLY, OutboundKind.QUESTION, OutboundKind.NOTICE
FACT = "every invoice goes to account 66"
QUOTE = (Quote(author="Eve", text="remember that"),)
READ = reply(uses("read_file", path="a.md"))
SEARCHED = reply(searches(), found_on_the_web(), text_block("It says so."), save(FACT))
WAYS: dict[str, tuple[list[ModelReply], dict[str, Any]]] = {
    Source.FILES: ([READ, saves(FACT)], {}),
    Source.WEB: ([SEARCHED], {}),
    Source.QUOTES: ([saves(FACT)], {"quotes": QUOTE}),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question whether something is to be remembered."""

    id: str
    text: str


def results(bench: Bench) -> list[str]:
    """The results of all calls so far."""
    return [text for (text,) in bench.rows("SELECT result FROM calls")]


def question(bench: Bench) -> Asked:
    """The newest question whether something is to be remembered."""
    [(id, text)] = bench.rows("SELECT id, text FROM questions WHERE kind = 'button' ORDER BY rowid DESC LIMIT 1")
    return Asked(id, text)


@pytest.mark.parametrize("source", WAYS)
async def test_a_memory_saved_after_others_words_waits_for_a_tap(minded: Bench, source: str) -> None:
    replies, fields = WAYS[source]
    async with run(minded):
        await says(minded, *replies, **fields)
        asked = question(minded)
        assert FACT in asked.text
        assert source in asked.text
        assert model.MEMORY_SAVED_UNCONFIRMED(number=1, whose=model.WHOSE_MEMORY["person"]) in results(minded)
        assert FACT not in await digest(minded)
        minded.chat.taps(asked.id, "1")
        assert await minded.chat.said(NOTICE) == memory_phrases.memories_kept_or_forgotten_text([1], is_kept=True)
        told = await digest(minded)
    assert FACT in told
    assert f"after reading {source}" in told


async def test_in_a_group_chat_others_words_count_and_the_owner_confirms(minded: Bench) -> None:
    hall: dict[str, Any] = {"chat": "hall", "group_chat": "-5"}
    rights = {"Ann": GUEST_RIGHTS | {Right.MEMORY}, "Bob": GUEST_RIGHTS | {Right.MEMORY}}
    access = {"fake": replace(ACCESS["fake"], rights_by_id=rights)}
    async with run(minded, access=access):
        await says(minded, saves("mine"), by="Ann", **hall)
        await says(minded, saves(FACT), by="Bob", **hall)
        assert minded.rows("SELECT text, is_confirmed FROM memories") == [("mine", 1), (FACT, 0)]
        asked = question(minded)
        assert OTHER_PEOPLES_WORDS_TEXT in asked.text
        for by, said in (
            ("Bob", people.OWNER_CONFIRMS()),
            ("Owner", memory_phrases.memories_kept_or_forgotten_text([2], is_kept=False)),
        ):
            minded.chat.hears("2", by=by, kind=InboundKind.ANSWER, question=QuestionId(asked.id), **hall)
            assert await minded.chat.said(NOTICE) == said
    assert minded.rows("SELECT text FROM memories") == [("mine",)]


async def test_it_is_confirmed_in_words_too(minded: Bench) -> None:
    async def tells(text: str) -> str:
        minded.chat.hears(text)
        return await minded.chat.said(NOTICE)

    async with run(minded):
        await says(minded, READ, saves("one", "two", "three"))
        assert "one" in await tells("/memory")
        assert await tells("/memory keep 2") == memory_phrases.memories_kept_or_forgotten_text([2], is_kept=True)
        assert await tells("/memory forget 3") == memory_phrases.memories_kept_or_forgotten_text([3], is_kept=False)
        assert await tells("/memory keep 2") == memory_phrases.memories_kept_or_forgotten_text([], is_kept=True)
        assert await tells("/memory now") == people.MEMORY_USAGE()
        assert "two" in await digest(minded)
    assert minded.rows("SELECT id, is_confirmed FROM memories") == [(1, 0), (2, 1)]


async def test_each_topic_of_a_chat_is_asked_about_its_own_memories(minded: Bench) -> None:
    hall: dict[str, Any] = {"by": "Owner", "group_chat": "-5", "quotes": QUOTE}
    async with run(minded):
        for topic in ("7", "8"):
            await says(minded, saves(f"in {topic}"), address=Address(channel="fake", chat="hall", thread=topic), **hall)
    asked = minded.rows("SELECT address FROM outbox WHERE kind = 'question' ORDER BY seq")
    assert asked == [("fake:hall:7",), ("fake:hall:8",)]


async def test_one_question_at_a_time_and_the_next_when_it_is_answered(minded: Bench) -> None:
    async with run(minded):
        await says(minded, READ, saves("one"))
        await says(minded, saves("two"))
        assert minded.count("questions") == 1
        minded.chat.taps(question(minded).id, people.FORGET_OPTION())
        await minded.chat.said(NOTICE)
        minded.chat.taps(question(minded).id, people.KEEP_OPTION())
        await minded.chat.said(NOTICE)
    assert minded.rows("SELECT text, is_confirmed FROM memories") == [("two", 1)]


def test_what_was_read_before_a_memory_has_words_in_every_language() -> None:
    german = BUILT_IN_LANGUAGES.get("de")
    assert german
    assert set(people.SOURCES) == {*Source, OTHER_PEOPLES_WORDS_TEXT}
    assert describe_source(Source.FILES) == "files"
    with speaking(german):
        assert not {describe_source(each) for each in people.SOURCES} & set(people.SOURCES)
