"""The whole command with the real SDKs, killed while two groups are being asked, one from each platform and living on
the other, and started again: each answer comes once, and nothing is seen where the groups live."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.stand_ins.claude import Asked, Hold, Reply, ToolUse, reply
from tests.stand_ins.discord import Route
from tests.support.both_platforms import BOARD, chat_of
from tests.support.run_command import OWNER, Service, served
from tests.support.wording import REPEAT_MARK

TELEGRAM, DISCORD = "telegram", "discord"
ASKED = {TELEGRAM: "mail", DISCORD: "calendar"}  # which group is asked from there: each lives on the other platform
HELLO, UPDATE, ANSWER = "Hello for «{name}»", "[{group}]: news for «{name}»", "answer for «{name}»"
QUESTION = "[{group}]: which for «{name}»?\n\n1. red\n2. blue"
ANSWERED = "[{group}]: which for «{name}»?\n\n✅ blue — Ann"
UNSAID = "SELECT * FROM outbox WHERE kind NOT IN ('board', 'draft') AND state != 'sent'"
AS_ASKED = "The agent of the group main asks you"
MAIN = "---\nmain: true\ntools: delegate\n---\nYou are main.\n"
GROUP = "---\ndescription: knows it all\naddress: {}\ntools: read_file, ask_person\n---\nYou are {}.\n"
PATIENCE = 40.0  # seconds, for what must come, two starts among it
pytestmark = pytest.mark.timeout(120)  # each is two whole processes, with three large libraries in each


@dataclass
class Scene:
    """Main in the owner's private chat on both platforms; a group in a channel of Discord, one in a Telegram topic."""

    service: Service
    held: str = ""  # who is not answered: until `go_on`
    go_on: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.telegram, self.discord, self.claude = self.service.telegram, self.service.discord, self.service.claude
        self.claude.script.rule(self.script)
        ann, self.owner = self.telegram.person(OWNER, "Ann"), self.discord.owner
        self.room, self.private = self.telegram.private(ann), self.owner.private()
        self.forum = self.telegram.supergroup("Forum", ann, forum=True)
        self.topic = self.forum.topic(ann, "Calendar")
        [home] = self.discord.world.guilds.values()
        self.channel = self.discord.channel(home, "mail")
        self.names = {TELEGRAM: f"telegram {OWNER}", DISCORD: f"discord @{self.owner.id}"}
        folders = {"main": MAIN, "mail": GROUP.format(f"discord:{self.channel.id}", "mail")}
        folders["calendar"] = GROUP.format(f"telegram:{self.forum.id}:{self.topic.id}", "calendar")
        for name, text in folders.items():
            workspace = self.service.shell.folder / "groups" / name / "workspace"
            workspace.mkdir(parents=True)
            (workspace.parent / "instructions.md").write_text(text)
            (workspace / "notes.txt").write_text(f"the notes of {name}")

    def script(self, asked: Asked) -> Reply:
        """By what a conversation has had, so that a repeated request gets the same reply; every text names its chat."""
        name = chat_of(asked)
        if is_asked(asked) and "ask first" in asked.turn_text:
            which = {"question": f"which for «{name}»?", "options": ["red", "blue"]}
            return reply(f"{asked.results[0]} it is" if asked.step else ToolUse("ask_person", which))
        if is_asked(asked):
            news = [ToolUse("message", {"text": f"news for «{name}»"}), ToolUse("read_file", {"path": "notes.txt"})]
            return self.holding(f"asked {asked.step}", *([f"{asked.results[-1]}, it says"] if asked.step else news))
        if "hello" in asked.turn_text:
            return reply(f"Hello for «{name}»")
        if asked.step:
            return self.holding("main", f"answer for «{name}»")
        platform = name.split()[0]
        return reply(ToolUse("delegate", {"group": ASKED[platform], "task": f"{asked.turn_text} for «{name}»"}))

    def holding(self, who: str, *parts: str | ToolUse) -> Reply:
        return reply(*([Hold(self.go_on)] if who == self.held else []), *parts)

    def connected(self) -> int:
        """How often somebody was ready on Discord, which does not keep taps for who is away."""
        return sum(frame.event == "READY" for frame in self.discord.gateway.frames)

    def ask(self, text: str) -> None:
        """On both platforms."""
        self.room.say(self.room.chat.person, text)
        self.owner.say(self.private, text)

    def tap(self, option: str) -> None:
        """On both platforms, under the newest message that has this button."""
        asking = [message for message in self.room.answers() if option in message.labels][-1]
        self.room.tap(self.room.chat.person, asking, option)
        there = [(message, button) for message in self.discord.said(self.private) for button in message.buttons]
        message, button = [each for each in there if each[1]["label"] == option][-1]
        self.owner.tap(message, button["custom_id"])

    def shown(self, platform: str) -> list[str]:
        """What the bot has said where it was asked and is there now, except its boards."""
        if platform == TELEGRAM:
            there = [message.text for message in self.room.answers()]
        else:
            there = [message.text for message in self.discord.said(self.private)]
        return [text for text in there if not BOARD.match(text.replace(REPEAT_MARK, "", 1))]

    def has(self, what: str, *platforms: str) -> bool:
        """Whether that is shown where it was asked: on these platforms, or else on both."""
        wanted = [(each, what.format(**self.words(each))) for each in platforms or self.names]
        return all(text in [each.replace(REPEAT_MARK, "", 1) for each in self.shown(at)] for at, text in wanted)

    def words(self, platform: str) -> dict[str, str]:
        return {"name": self.names[platform], "group": ASKED[platform].title()}

    def at_the_model(self, is_so: Callable[[Asked], bool]) -> bool:
        """Whether on both platforms somebody of that kind has a request there that is not answered."""
        there = {chat_of(each.asked) for each in self.claude.answering if is_so(each.asked)}
        return there == set(self.names.values())

    def rows(self, sql: str) -> list[Any]:
        with closing(sqlite3.connect(f"file:{self.service.shell.data / 'bot.db'}?mode=ro", uri=True)) as db:
            return db.execute(sql).fetchall()

    def report(self, platform: str) -> str:
        """What main was told there."""
        last = [each.asked for each in self.claude.requests if chat_of(each.asked) == self.names[platform]][-1]
        return last.results[0]

    def seen_where_groups_live(self) -> list[str]:
        """Messages, edits, signs of being at work."""
        on_telegram = [call.method for call in self.telegram.accepted(chat=self.forum.id)]
        routes = [each for each in self.discord.requests if each.ids.get("channel") == str(self.channel.id)]
        return on_telegram + [each.route for each in routes if each.route in (Route.SEND, Route.EDIT, Route.TYPING)]


def is_asked(asked: Asked) -> bool:
    return any(block.get("text", "").startswith(AS_ASKED) for block in asked.messages[0]["content"])


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110 -- it is another process, and two platforms wake nobody together
            await asyncio.sleep(0.01)


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    async with served(tmp_path) as service:
        service.discord.limits.identify_seconds = 0  # or each start would wait for five
        yield Scene(service)


MOMENTS: dict[str, tuple[str, Callable[[Scene], bool]]] = {
    "the group is asked": ("asked 0", lambda scene: scene.at_the_model(is_asked)),
    "its update is taken": ("", lambda scene: scene.has(UPDATE)),
    "it has read its file": ("asked 1", lambda scene: scene.at_the_model(is_asked)),
    "its report is there": ("main", lambda scene: scene.at_the_model(lambda asked: not is_asked(asked))),
    "an answer is taken": ("", lambda scene: any(scene.has(ANSWER, each) for each in scene.names)),
}


@pytest.mark.fast(cases=1)
@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_killed_bot_answers_once_on_both_platforms(scene: Scene, moment: str) -> None:
    scene.held, is_there = MOMENTS[moment]
    await until_killed(scene, "look into it", lambda: is_there(scene))
    async with scene.service.run():
        await until(lambda: scene.has(ANSWER) and not scene.rows(UNSAID))
    for platform in scene.names:
        once(scene, platform, HELLO, UPDATE, ANSWER)
        assert f"the notes of {ASKED[platform]}, it says" in scene.report(platform)
    nothing_else_happened(scene)


async def test_a_groups_question_is_answered_after_a_kill_by_its_old_button(scene: Scene) -> None:
    await until_killed(scene, "ask first", lambda: scene.has(QUESTION) and not scene.rows(UNSAID))
    async with scene.service.run():
        await until(lambda: scene.connected() == 2)
        scene.tap("blue")
        await until(lambda: scene.has(ANSWER) and not scene.rows(UNSAID))
    for platform in scene.names:
        answered = ANSWERED.replace("Ann", "Ann" if platform == TELEGRAM else "Owner")
        once(scene, platform, HELLO, answered, ANSWER)
        assert "blue it is" in scene.report(platform)
    nothing_else_happened(scene)


async def until_killed(scene: Scene, question: str, is_there: Callable[[], bool]) -> None:
    """Ask on both platforms, and kill the bot when it is so."""
    async with scene.service.run() as process:
        await until(scene.connected)
        scene.ask("hello")  # Discord's chat has to be heard once: it does not say where somebody wrote
        await until(lambda: scene.has(HELLO))
        scene.ask(question)
        await until(is_there)
        process.kill()
        await process.wait()
    scene.go_on.set()


def once(scene: Scene, platform: str, *texts: str) -> None:
    """Each of these is there once, and nothing else; on Telegram what may be there again is marked."""
    shown = scene.shown(platform)
    plain = [text for text in shown if REPEAT_MARK not in text]
    marked = [text.replace(REPEAT_MARK, "", 1) for text in shown if REPEAT_MARK in text]
    assert len(set(plain)) == len(plain)
    assert len(set(marked)) == len(marked)
    assert platform == TELEGRAM or marked == []
    assert {*plain, *marked} == {what.format(**scene.words(platform)) for what in texts}


def nothing_else_happened(scene: Scene) -> None:
    """Nothing is seen where the groups live, each was asked once, and nobody was asked for what they refuse."""
    assert scene.seen_where_groups_live() == []
    turns = "SELECT role, group_name, status FROM turns WHERE depth > 0 ORDER BY role"
    assert scene.rows(turns) == [(name, name, "completed") for name in ("calendar", "mail")]
    assert scene.claude.refused == []
    # A reaction that was taken away just before a kill is taken away once more.
    assert [each for each in scene.discord.refused if "Unknown Emoji" not in str(each)] == []
    # An edit whose fate is not known is made again: then there is nothing to be changed.
    unchanged = "message is not modified"
    refused = [call.refusal for call in scene.telegram.calls if call.refusal]
    assert [why for why in refused if unchanged not in why] == []
