"""The setting `answer_in`: the channels of servers in which the bot answers."""

from channels.discord import people_texts
from tests.stand_ins.discord.interactions import Answered
from tests.support.discord_channel import Town, at, private


async def test_only_what_is_said_in_these_channels_is_heard(town: Town) -> None:
    elsewhere = town.server.channel(town.home, "elsewhere")
    thread, other = town.server.thread(town.general, "more"), town.server.thread(elsewhere, "much more")
    async with town.at_work(answer_in=frozenset({str(town.general.id)})):
        for place in (elsewhere, other, thread, town.general):
            town.ask("hello", channel=place)
        town.ann.say(elsewhere, "just talk")
        town.ann.say(town.ann.private(), "hello")
        heard = await town.door.messages(3)
    assert [each.address for each in heard] == [at(thread), at(town.general), private(town.ann)]
    assert town.door.overheard == []


async def test_a_command_elsewhere_is_told_so_and_never_heard(town: Town) -> None:
    elsewhere = town.server.channel(town.home, "elsewhere")
    async with town.at_work(answer_in=frozenset({str(town.general.id)})):
        await town.server.until(lambda: town.server.world.commands)
        done = town.bob.command(elsewhere, "status")
        typing = town.bob.types(elsewhere, "log", "number")
        await town.server.until(lambda: done.answered and typing.answered)
        town.bob.command(town.general, "status")
        await town.door.messages(1)
    assert (done.answered, typing.answered) == (Answered.MESSAGE, Answered.CHOICES)
    assert done.original
    assert done.original.text == people_texts.NOT_IN_THIS_CHANNEL(channel=elsewhere.id)
    assert town.ann.sees(elsewhere) == [], "only Bob sees it"
    assert len(town.door.heard) == 1
    town.server.verify()


async def test_what_was_said_elsewhere_meanwhile_is_not_read_later(town: Town) -> None:
    elsewhere = town.server.channel(town.home, "elsewhere")
    town.door.knows(at(elsewhere), 1)
    town.ask("hello", channel=elsewhere)
    async with town.at_work(answer_in=frozenset({str(town.general.id)})):
        town.ask("here")
        await town.door.until(lambda: town.door.texts and town.door.seen)
    assert town.door.texts == ["here"]
