"""What Discord offers while somebody types a slash command: from the rows, for that person and that chat only."""

import asyncio

from bot.core.command_choices import CommandChoice
from bot.core.command_places import PLACES_OF_COMMANDS
from bot.core.texts import people_help
from tests.stand_ins.discord import Fault, Interaction, Route
from tests.stand_ins.discord.interactions import Answered
from tests.support.discord_channel import Town, at
from tests.support.discord_talk import Talk
from tests.support.fakes import Pause, delegates
from tests.support.spoken_german import find_english
from tests.support.troubles import wait_for_row


async def offered(town: Town, typing: Interaction) -> list[tuple[str, str]]:
    """Return what somebody is offered who types, as (text, value)."""
    await town.server.until(lambda: typing.answered)
    assert typing.answered is Answered.CHOICES
    return [(each["name"], each["value"]) for each in typing.choices]


async def test_who_types_is_offered_what_the_bot_finds(town: Town) -> None:
    town.door.choices = [CommandChoice(text="#2 Analyst", value="2"), CommandChoice(text="x" * 120, value="3")]
    async with town.at_work():
        await town.server.until(lambda: town.server.world.commands)
        found = await offered(town, town.bob.types(town.general, "tell", "number", "an", words="hurry"))
    assert found == [("#2 Analyst", "2"), ("x" * 100, "3")]
    [request] = town.door.choice_requests
    assert (request.message.address, request.message.sender.name, request.typed) == (at(town.general), "Bob", "an")
    assert request.message.text.startswith("/tell ")
    assert town.door.heard == [], "nothing was sent"
    town.server.verify()


async def test_choices_that_cannot_be_told_hold_up_nothing(town: Town) -> None:
    async with town.at_work():
        await town.server.until(lambda: town.server.world.commands)
        town.server.faults.on(Route.CALLBACK, Fault.RESET_BEFORE)
        town.bob.types(town.general, "log", "number")
        town.ask("hello")
        await town.door.messages(1)
        assert await offered(town, town.bob.types(town.general, "log", "number")) == []


async def test_roles_at_work_are_offered_to_those_whom_they_work_for(talk: Talk, town: Town) -> None:
    pause, other = Pause(), Pause()
    talk.bench.model.says("lead", delegates("researcher", "analyst"), "done")
    talk.bench.model.says("researcher", pause)
    talk.bench.model.says("analyst", other)
    elsewhere = town.server.channel(town.home, "elsewhere")
    async with talk.run():
        await talk.connected()
        await town.server.until(lambda: town.server.world.commands)
        town.ask("compare", town.bob)
        async with asyncio.timeout(5):
            await asyncio.gather(pause.reached.wait(), other.reached.wait())
        own = await offered(town, town.bob.types(town.general, "tell", "number", words=""))
        found = await offered(town, town.bob.types(town.general, "log", "number", "analy"))
        owners = await offered(town, town.ann.types(town.general, "retry", "number"))
        there = await offered(town, town.bob.types(elsewhere, "log", "number"))
        cal = town.server.person("Cal")
        cal.locale = "de"
        town.home.members.append(cal)
        others = await offered(town, cal.types(town.general, "tell", "number"))
        stops = await offered(town, cal.types(town.general, "stop", "which"))
        town.bob.command(town.general, "language", language="Deutsch")
        await wait_for_row(talk.bench, "person_settings", "language = 'de'")
        german = await offered(town, town.bob.types(town.general, "stop", "which"))
        pause.go_on.set()
        other.go_on.set()
    assert sorted(value for _, value in own) == ["1", "2"] == sorted(value for _, value in owners)
    assert [text.split(",")[0] for text, _ in found] == [text.split(",")[0] for text, _ in own if "Analyst" in text]
    assert there == others == []
    assert [value for _, value in stops] == ["1", "2", "all"], "everybody may stop what works here"
    assert find_english(text for text, _ in stops) == []
    assert stops[-1][0] != people_help.CHOICE_ALL(), "it is offered in the language of the app"
    assert german[-1][0] == "alles, auch im Hintergrund", "or in the one that the person has set"


async def test_a_stranger_is_offered_nothing(talk: Talk, town: Town) -> None:
    pause = Pause()
    talk.bench.model.says("lead", delegates("researcher"), "done")
    talk.bench.model.says("researcher", pause)
    async with talk.run():
        await talk.connected()
        await town.server.until(lambda: town.server.world.commands)
        town.ask("compare", town.ann)
        await pause.reached.wait()
        del talk.access["discord"]
        eve = town.server.person("Eve")
        assert await offered(town, eve.types(eve.private(), "stop", "which")) == []
        pause.go_on.set()


async def test_each_command_is_offered_where_it_does_something(town: Town) -> None:
    async with town.at_work():
        await town.server.until(lambda: town.server.world.commands)
        commands = [each["name"] for each in town.server.world.commands]
        in_server = {name for name in commands if town.ann.is_offered(town.general, name)}
        in_private = {name for name in commands if town.ann.is_offered(town.ann.private(), name)}
    assert in_server | in_private == set(commands)
    assert set(commands) - in_private == {"mode"}
    assert set(commands) - in_server == {name.removeprefix("/") for name in PLACES_OF_COMMANDS} - {"mode"}


async def test_a_restart_registers_no_command_again(town: Town) -> None:
    for _ in range(2):
        async with town.at_work():
            await town.server.until(lambda: any(each.route is Route.COMMANDS for each in town.server.requests))
            town.ask("hello")
            await town.door.until(lambda: town.door.heard)
    assert sum(each.route is Route.PUT_COMMANDS for each in town.server.requests) == 1
