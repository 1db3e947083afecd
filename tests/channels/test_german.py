"""Whoever speaks German reads German, on Telegram and on Discord: told by the app, or set by /language."""

import asyncio
from dataclasses import replace

from tests.support.bench import Bench
from tests.support.both_platforms import Chat, Delegating, Together, answer, together
from tests.support.command_answers import ANSWERS
from tests.support.discord_channel import QUICK
from tests.support.patience import PATIENCE
from tests.support.spoken_german import find_english


def german_on_telegram(both: Together) -> Chat:
    [ann] = [person for id, person in both.room.chat.people.items() if id == both.room.id]
    ann.language = "de-AT"
    return both.in_room(both.room)


async def comes(chat: Chat, begin: str) -> str:
    """Wait for a message that begins so. Return it."""
    async with asyncio.timeout(PATIENCE):
        while not (found := [text for text in chat.shown() if text.startswith(begin)]):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    return found[0]


async def test_every_command_is_answered_in_german_on_both_platforms(bench: Bench) -> None:
    slow = replace(QUICK, seconds_to_finish_command=5.0)
    async with together(bench) as both, both.run(times=slow):
        town, ann, telegram = both.town, both.town.ann, german_on_telegram(both)
        await town.server.until(lambda: town.server.world.commands)
        ann.command(ann.private(), "language", language="deutsch")
        for number, command in enumerate(ANSWERS, 1):
            telegram.ask(command)
            async with asyncio.timeout(PATIENCE):
                while len(telegram.shown()) < number:  # noqa: ASYNC110 -- a platform wakes nobody
                    await asyncio.sleep(0.01)
            name = command.removeprefix("/")
            assert find_english([telegram.shown()[-1]]) == [], command
            if not ann.is_offered(ann.private(), name):
                continue
            given = ann.command(ann.private(), name, **dict.fromkeys(ann.required_options(name), "x"))
            await town.server.until(lambda: given.original and given.original.text)  # noqa: B023
            assert given.original
            assert find_english([given.original.text]) == [], command


async def test_questions_updates_and_boards_are_german(bench: Bench) -> None:
    script = Delegating()
    async with together(bench) as both:
        both.claude.script.rule(script)
        async with both.run():
            chat = german_on_telegram(both)
            chat.ask("go")
            script.go_on.set()
            await chat.has(answer(chat.name))
            await comes(chat, "2 Rollen")
        assert find_english(chat.shown()) == []
