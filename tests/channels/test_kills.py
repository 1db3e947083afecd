"""The whole command with the real SDKs, killed at ten moments of a talk on Telegram and Discord, and started again."""

import asyncio
import re
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.core.texts import people
from tests.stand_ins.claude import Asked, Reply, Text, ToolUse, reply
from tests.stand_ins.discord import Route
from tests.stand_ins.telegram import Call
from tests.support.both_platforms import BOARD, chat_of, role_of
from tests.support.run_command import OWNER, Service, served
from tests.support.wording import REPEAT_MARK

TAG = re.compile(r"(?:question|answer to) (\w+)")
WAITS = "/stop interrupts me."
UPDATE = "[Researcher]: news for «{}»"
# Of a slow answer, in seconds. A draft of it is shown before it is over, even if a board was edited just before.
PIECES, PAUSE = 40, 0.225
PATIENCE = 40.0  # seconds, for what must come, two starts among it
pytestmark = pytest.mark.timeout(150)  # each is three whole processes, with three large libraries in each


def script(asked: Asked) -> Reply:
    """By what a conversation has had, so that a repeated request gets the same reply; every text names its chat."""
    name, questions = chat_of(asked), asked.turn_text
    if role_of(asked) == "researcher":
        return reply(f"found for «{name}»") if asked.step else reply(ToolUse("message", {"text": f"news for «{name}»"}))
    if "look into" in questions and not asked.step:
        return reply(ToolUse("delegate", {"role": "researcher", "task": f"Look into it for «{name}»."}))
    answers = "\n".join(f"answer to {tag} for «{name}»" for tag in TAG.findall(questions))
    return reply(Text(answers, PIECES), seconds=PAUSE if "slowly" in questions else 0)


@dataclass
class Scene:
    """One chat on each platform, and the record of both."""

    service: Service

    def __post_init__(self) -> None:
        self.telegram, self.discord, self.claude = self.service.telegram, self.service.discord, self.service.claude
        self.claude.script.rule(script)
        self.ann, self.owner = self.telegram.person(OWNER, "Ann"), self.discord.owner
        self.room, self.private = self.telegram.private(self.ann), self.owner.private()
        self.names = {"telegram": f"telegram {OWNER}", "discord": f"discord @{self.owner.id}"}

    def ask(self, platform: str, text: str) -> None:
        if platform == "telegram":
            self.room.say(self.ann, text)
        else:
            self.owner.say(self.private, text)

    def shown(self, platform: str) -> list[str]:
        """What the bot has said there and is there now, except its boards and the word that a message waits."""
        if platform == "telegram":
            there = [message.text for message in self.room.answers()]
        else:
            there = [message.text for message in self.discord.said(self.private)]
        return [
            text for text in there if not BOARD.match(text.replace(REPEAT_MARK, "", 1)) and not text.endswith(WAITS)
        ]

    def answered(self, platform: str) -> list[str]:
        """The questions that were, in order: what may be there twice, and says so, counts once."""
        return list(dict.fromkeys(TAG.findall("\n".join(self.shown(platform)))))

    async def all_answered(self, platform: str, *questions: str) -> None:
        while set(self.answered(platform)) != set(questions):  # noqa: ASYNC110 -- two platforms wake nobody together
            await asyncio.sleep(0.01)

    async def at_rest(self) -> None:
        """Wait until nothing is to be said any more."""
        while self.unsaid():  # noqa: ASYNC110 -- it is another process that says it
            await asyncio.sleep(0.05)

    def unsaid(self) -> list[Any]:
        what = "kind NOT IN ('board', 'draft') AND state != 'sent'"
        with closing(sqlite3.connect(f"file:{self.service.shell.data / 'bot.db'}?mode=ro", uri=True)) as db:
            return db.execute(f"SELECT key, state, reason FROM outbox WHERE {what}").fetchall()

    # Moments to kill it at: each as the stand-in has it on record.

    def called(self, method: str, text: str = "") -> list[Call]:
        return [call for call in self.telegram.accepted(method) if text in str(call.parameters.get("text"))]

    async def update_given(self) -> None:
        await self.telegram.until(lambda: any("question one" in str(call.result) for call in self.called("getUpdates")))

    async def update_confirmed(self) -> None:
        gone = self.telegram.world.updates
        await self.telegram.until(lambda: any("question one" in str(each.update) for each in gone.confirmed))

    async def telegram_message_taken(self) -> None:
        await self.telegram.until(lambda: bool(self.called("sendMessage")))

    async def telegram_answer_taken(self) -> None:
        await self.telegram.until(lambda: bool(self.called("sendMessage", "answer to one")))

    async def telegram_draft_gone(self) -> None:
        await self.telegram.until(lambda: bool(self.called("deleteMessage")))

    async def event_sent(self) -> None:
        frames = self.discord.gateway.frames
        await self.discord.until(lambda: any("question one" in str(frame.body) for frame in frames), PATIENCE)

    async def ready_sent(self) -> None:
        frames = self.discord.gateway.frames
        await self.discord.until(lambda: sum(frame.event == "READY" for frame in frames) > 1, PATIENCE)

    async def role_asked(self) -> None:
        name = self.names["discord"]
        await self.claude.until(
            lambda: any(role_of(each.asked) != "lead" and chat_of(each.asked) == name for each in self.claude.requests)
        )

    async def discord_answer_taken(self) -> None:
        await self.discord.until(lambda: self.done(Route.SEND), PATIENCE)

    async def discord_draft_gone(self) -> None:
        await self.discord.until(lambda: any(each.had_effect for each in self.discord.to(Route.DELETE)), PATIENCE)

    def done(self, route: Route) -> bool:
        there = [each for each in self.discord.to(route) if "answer to one" in str(each.body.get("content"))]
        return any(each.had_effect for each in there)


Moment = Callable[[Scene], Awaitable[None]]
QUESTION, SLOW = "question one: look into it", "question one: look into it, slowly"
KILLS: list[tuple[Moment, Moment, str]] = [
    (Scene.update_given, Scene.event_sent, QUESTION),
    (Scene.update_confirmed, Scene.ready_sent, QUESTION),
    (Scene.telegram_message_taken, Scene.role_asked, QUESTION),
    (Scene.telegram_answer_taken, Scene.discord_answer_taken, QUESTION),
    (Scene.telegram_draft_gone, Scene.discord_draft_gone, SLOW),
]


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    async with served(tmp_path, busy="queue") as service:
        service.discord.limits.identify_seconds = 0  # or each start would wait for five
        yield Scene(service)


@pytest.mark.fast(cases=1)
@pytest.mark.parametrize(("first", "second", "question"), KILLS, ids=lambda each: getattr(each, "__name__", ""))
async def test_a_talk_on_both_platforms_outlives_two_kills(
    scene: Scene, first: Moment, second: Moment, question: str
) -> None:
    async with asyncio.timeout(3 * PATIENCE):
        await until_killed(scene, first, second, question)
        async with scene.service.run():
            await scene.all_answered("telegram", "one", "two")
            await scene.all_answered("discord", "zero", "one", "two")
            await scene.at_rest()
    assert scene.answered("telegram") == ["one", "two"]
    assert scene.answered("discord") == ["zero", "one", "two"]
    for platform, name in scene.names.items():
        once(platform, scene.shown(platform), name)
    nobody_refused(scene)


async def until_killed(scene: Scene, first: Moment, second: Moment, question: str) -> None:
    """A kill while Telegram's question is at work, one while Discord's is; and more is asked while nobody is there."""
    async with scene.service.run() as process:
        await scene.discord.until(lambda: scene.discord.gateway.sessions, PATIENCE)
        scene.ask("discord", "question zero")  # it has to be heard once: Discord does not say where somebody wrote
        await scene.all_answered("discord", "zero")
        scene.ask("telegram", question)
        await first(scene)
        process.kill()
    scene.ask("telegram", "question two")
    if second is Scene.ready_sent:
        scene.ask("discord", question)
    async with scene.service.run() as process:
        if second is not Scene.ready_sent:
            await scene.discord.until(lambda: len(scene.discord.gateway.connections) == 1, PATIENCE)
            scene.ask("discord", question)
        await second(scene)
        process.kill()
    scene.ask("discord", "question two")


def once(platform: str, shown: list[str], name: str) -> None:
    """Everything said is for that chat, and there once; on Telegram what may be there again is marked. The second kill
    can come in the middle of a marked repeat."""
    plain = [text for text in shown if REPEAT_MARK not in text]
    marked = [text.replace(REPEAT_MARK, "", 1) for text in shown if REPEAT_MARK in text]
    assert platform == "telegram" or marked == []
    assert len(set(plain)) == len(plain)
    assert all(times <= 2 for times in Counter(marked).values())
    # On a slow machine a message may come while the turn before it is still at work, and is told so.
    lines = [line for line in "\n".join({*plain, *marked}).splitlines() if line != people.WAITS_FOR_OWN_TURN()]
    answers = [line for line in lines if line != UPDATE.format(name)]
    assert len(lines) == len(answers) + 1, "the update of the role"
    assert all(line.endswith(f" for «{name}»") for line in answers)
    assert len(set(answers)) == len(answers) == len(TAG.findall("\n".join(answers)))


def nobody_refused(scene: Scene) -> None:
    assert scene.claude.refused == []
    # What was deleted just before a kill, a message or a reaction, is deleted once more.
    gone = ("Unknown Message", "Unknown Emoji")
    assert [each for each in scene.discord.refused if not any(name in str(each) for name in gone)] == []
    assert scene.discord.slowed == []
    # An edit whose fate is not known is made again: then there is nothing to be changed.
    refused = [call.refusal for call in scene.telegram.calls if call.refusal]
    known = ("message is not modified", "message to delete not found")
    assert [why for why in refused if not any(each in why for each in known)] == []
    assert scene.telegram.rates.trespasses == []
