"""The model learns in which language the bot itself speaks to a person, where that is not English."""

from bot.core.texts import model
from tests.support.schedule_bot import ScheduleBot

GERMAN_LINE = model.LANGUAGE_OF_PERSON(person="Ann", language="Deutsch", code="de")


async def asks(bot: ScheduleBot, text: str, **fields: str) -> None:
    bot.bench.model.says("lead", "ok")
    bot.bench.chat.hears(text, by="Ann", sent_at=bot.now, **fields)
    await bot.bench.chat.said()


async def test_english_needs_no_line(bot: ScheduleBot) -> None:
    async with bot.run():
        await asks(bot, "hi", language="en-GB")
    assert "Commands and notices" not in str(bot.bench.model.seen[-1])


async def test_the_language_of_the_app_is_told_once(bot: ScheduleBot) -> None:
    async with bot.run():
        await asks(bot, "hi", language="de-AT")
        await asks(bot, "again", language="de-AT")
    assert str(bot.bench.model.seen[-1].transcript).count(GERMAN_LINE) == 1


async def test_a_language_that_is_set_counts_from_the_next_conversation(bot: ScheduleBot) -> None:
    async with bot.run():
        await asks(bot, "hi")
        await bot.hears("/language de")
        await asks(bot, "again")
        first, second = bot.bench.model.seen
        assert list(second.transcript[: len(first.transcript)]) == list(first.transcript), "the cache holds"
        await bot.hears("/new")
        await asks(bot, "hi")
    assert GERMAN_LINE in str(bot.bench.model.seen[-1].transcript)


async def test_the_operators_language_is_told_too(bot: ScheduleBot) -> None:
    async with bot.run(language="de"):
        await asks(bot, "hi")
    assert GERMAN_LINE in str(bot.bench.model.seen[-1].transcript)
