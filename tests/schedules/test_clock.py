"""Each message tells the model when it was written, on its sender's clock."""

from bot.core.texts import model
from tests.support.fakes import last_text
from tests.support.schedule_bot import ScheduleBot


async def heard(bot: ScheduleBot, text: str, by: str = "Ann") -> str:
    bot.bench.model.says("lead", "ok")
    bot.bench.chat.hears(text, by=by, sent_at=bot.now)
    await bot.bench.chat.said()
    return last_text(bot.bench.model.seen[-1])


async def test_a_message_begins_with_its_time(bot: ScheduleBot) -> None:
    async with bot.run():
        assert (await heard(bot, "hi")).endswith("\n[Tue 2026-12-01 07:00] Ann: hi")
        assert await heard(bot, "again") == "[Tue 2026-12-01 07:00] Ann: again"


async def test_another_zone_than_the_operators_is_named(bot: ScheduleBot) -> None:
    async with bot.run():
        await bot.hears("/timezone Asia/Tokyo")
        said = await heard(bot, "hi")
        assert said.endswith("\n[Tue 2026-12-01 16:00 Asia/Tokyo] Ann: hi")
        assert model.ZONE_OF_PERSON(person="Ann", zone="Asia/Tokyo") in said
        assert await heard(bot, "hi", by="Bob") == "[Tue 2026-12-01 07:00] Bob: hi"


async def test_what_was_said_before_stays_as_it_is_when_the_zone_changes(bot: ScheduleBot) -> None:
    async with bot.run():
        await heard(bot, "hi")
        await bot.hears("/timezone Asia/Tokyo")
        await heard(bot, "again")
    first, second = bot.bench.model.seen
    assert list(second.transcript[: len(first.transcript)]) == list(first.transcript)
