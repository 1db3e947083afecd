"""Every command on every platform, as docs/commands.md has it: offered there, and answered."""

import asyncio
import re
from dataclasses import replace
from pathlib import Path

from bot.core.command_places import CommandPlace
from bot.core.texts import people
from bot.engine.commands import COMMAND_HANDLERS
from channels.discord.slash_commands import COMMAND_OPTIONS, FILE_OPTIONS
from tests.stand_ins.telegram import Room
from tests.support.bench import Bench
from tests.support.both_platforms import together
from tests.support.command_answers import ANSWERS, answers
from tests.support.discord_channel import QUICK
from tests.support.patience import PATIENCE

ROW = re.compile(r"^\| `(/\w+)` \| (.+?) \| (.+?) \| (.+?) \| .+? \|$", re.MULTILINE)


def table() -> dict[str, tuple[str, ...]]:
    """Return the page's table: by command what is written on Telegram, on Discord and in the terminal."""
    rows = ROW.findall(Path("docs/commands.md").read_text())
    return {command: tuple(cells) for command, *cells in rows}


def as_slash_command(command: str) -> str:
    known = [*COMMAND_OPTIONS.get(command.removeprefix("/"), ()), *FILE_OPTIONS.get(command.removeprefix("/"), ())]
    options = [f"{name}:" for name, _ in known]
    return f"`{' '.join([command, *options])}`"


def test_the_page_has_every_command_as_each_platform_takes_it() -> None:
    assert list(table()) == [*people.COMMANDS, "/ask"]
    for command, (telegram, discord, terminal) in table().items():
        assert discord == as_slash_command(command)
        if command == "/ask":
            assert telegram == terminal == "a message"
            continue
        assert telegram == terminal
        assert telegram.startswith(f"`{command}")


def test_every_command_with_a_handler_is_in_the_list() -> None:
    assert COMMAND_HANDLERS.keys() <= people.COMMANDS.keys() == ANSWERS.keys()


async def answered(room: Room, count: int) -> str:
    """Wait for one more answer than `count` in a room. Return it."""
    async with asyncio.timeout(PATIENCE):
        while len(room.answers()) <= count:  # noqa: ASYNC110 -- a platform wakes nobody
            await asyncio.sleep(0.01)
    return room.answers()[count].text


async def test_every_command_is_offered_and_answered_on_telegram_and_discord(bench: Bench) -> None:
    slow = replace(QUICK, seconds_to_finish_command=5.0)  # so that only words can end a command
    async with together(bench) as both, both.run(times=slow):
        town, ann = both.town, both.town.ann
        await town.server.until(lambda: town.server.world.commands)
        offered = [f"/{command['name']}" for command in town.server.world.commands]
        assert offered == [*people.COMMANDS, "/ask"]
        menus = both.telegram.world.commands.values()
        await both.telegram.until(lambda: len(menus) == len(CommandPlace))
        assert {f"/{command['command']}" for menu in menus for command in menu} == people.COMMANDS.keys()
        for command in ANSWERS:
            before = len(both.room.answers())
            both.room.say(both.room.chat.people[both.room.id], command)
            assert answers(await answered(both.room, before), command), command
            name = command.removeprefix("/")
            if not ann.is_offered(ann.private(), name):  # only in servers
                continue
            given = ann.command(ann.private(), name, **dict.fromkeys(ann.required_options(name), "x"))
            await town.server.until(lambda: given.original and answers(given.original.text, command))  # noqa: B023
