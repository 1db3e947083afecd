"""On Discord a reaction says what became of a person's message: everything but the model is real."""

import asyncio
from dataclasses import replace

from bot.core.errors import ModelFailed
from bot.core.model import ModelReply
from channels.pacing import RateLimit
from tests.stand_ins.discord import Fault, Message, Permission, Route
from tests.support.discord_channel import QUICK, Town
from tests.support.discord_talk import Talk
from tests.support.fakes import Pause
from tests.support.patience import PATIENCE
from tests.support.troubles import wait_for_row

RECEIVED, DONE, FAILED = "👀", "✅", "❌"


async def shows(town: Town, message: Message, *emoji: str) -> None:
    try:
        async with asyncio.timeout(PATIENCE):
            await town.server.until(lambda: list(message.reactions) == list(emoji))
    except TimeoutError:
        raise AssertionError(f"there is {message.reactions}") from None


async def test_a_message_is_marked_when_it_comes_and_when_it_is_answered(talk: Talk, town: Town) -> None:
    at_work = Pause("hello")
    talk.bench.model.says("lead", at_work)
    async with talk.run(reactions=True):
        await talk.connected()
        written = town.ask("hi")
        await shows(town, written, RECEIVED)
        at_work.go_on.set()
        await shows(town, written, DONE)


async def test_a_message_that_failed_is_marked_so(talk: Talk, town: Town) -> None:
    async def fail() -> ModelReply:
        raise ModelFailed("I cannot")

    talk.bench.model.says("lead", fail)
    async with talk.run(reactions=True):
        await talk.connected()
        written = town.ask("hi")
        await shows(town, written, FAILED)


async def test_many_marks_at_once_all_come_to_their_end(talk: Talk, town: Town) -> None:
    at_work = Pause("hello")
    talk.bench.model.says("lead", at_work, "all of them")
    narrow = replace(QUICK, reaction_limit=RateLimit(3, 0.1))
    async with talk.run(reactions=True, times=narrow):
        await talk.connected()
        room = town.ann.private()
        town.ann.say(room, "hi")
        await at_work.reached.wait()
        written = [town.ann.say(room, f"and {number}") for number in range(3)]
        await town.server.until(lambda: all(list(each.reactions) == [RECEIVED] for each in written))
        at_work.go_on.set()
        for each in written:
            await shows(town, each, DONE)
    puts = [each for each in town.server.requests if each.route is Route.REACT]
    assert len(puts) == 2 * (1 + len(written))


async def test_without_the_permission_the_channel_is_asked_once(talk: Talk, town: Town) -> None:
    town.general.denied |= Permission.ADD_REACTIONS
    talk.bench.model.says("lead", "hello", "again")
    async with talk.run(reactions=True):
        await talk.connected()
        for words, answer in (("hi", "hello"), ("and", "again")):
            town.ask(words)
            await talk.sees(town.ann, town.general, answer)
    tried = [each for each in town.server.requests if each.route in (Route.REACT, Route.UNREACT)]
    assert [each.code for each in tried] == [50013]


async def test_a_wait_for_reactions_holds_up_no_answer(talk: Talk, town: Town) -> None:
    talk.bench.model.says("lead", "hello")
    town.server.faults.on(Route.REACT, Fault.RATE_LIMITED_240)
    async with talk.run(reactions=True):
        await talk.connected()
        town.ask("hi")
        await talk.sees(town.ann, town.general, "hello")


async def test_a_mark_that_a_kill_cut_off_is_shown_at_the_next_start(talk: Talk, town: Town) -> None:
    at_work = Pause("hello")
    talk.bench.model.says("lead", at_work)
    async with talk.run(reactions=True):
        await talk.connected()
        written = town.ask("hi")
        await shows(town, written, RECEIVED)
        town.server.faults.always(Route.REACT, Fault.UNAVAILABLE)
        at_work.go_on.set()
        await wait_for_row(talk.bench, "turns", "state = 'ended'")
        talk.bench.crashes()
    town.server.faults.always(Route.REACT, None)
    async with talk.run(reactions=True):
        await shows(town, written, DONE)
