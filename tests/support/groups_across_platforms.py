"""A group that is asked from one platform and lives on the other, with chats, files and scripts."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bot.assembly import make_tools_and_workspace_folder
from bot.config import Config
from bot.core.group import Group
from bot.core.limits import Limits
from tests.stand_ins.claude import Asked, Reply, Request, ToolUse, reply
from tests.support.both_platforms import BEN, QUICK, Chat, Together
from tests.support.claude_bot import Talk
from tests.support.engine_options import TURN_LIMITS
from tests.support.group_bots import Registry, group
from tests.support.patience import PATIENCE
from tests.support.places.telegram import ANN

MODEL = "claude-sonnet-5-5"
MAIL, CALENDAR = "gmail-reader", "calendar"
ASKS, ASKED, AT_HOME, FURTHER = "who asks", "who is asked", "who is asked, in its own chat", "whom that one asks"
# Typing is shown once in each turn, so that a test can count what a platform took.
ONCE = {**QUICK, "timings": replace(QUICK["timings"], typing_interval_seconds=3_600)}
AS_ASKED = "The agent of the group "  # each question to a group begins so
NOTES = "mail.txt"  # every workspace has a file of this name
Step = Reply | str | Callable[[Asked], Reply]


class Script:
    """What each agent says, each in its own order."""

    def __init__(self) -> None:
        self.steps: dict[str, deque[Step]] = {who: deque() for who in (ASKS, ASKED, AT_HOME, FURTHER)}

    def __call__(self, asked: Asked) -> Reply | None:
        steps = self.steps[played(asked)]
        if not steps:
            return None
        step = steps.popleft()
        return reply(step) if isinstance(step, str) else step if isinstance(step, Reply) else step(asked)


def played(asked: Asked) -> str:
    if f"You are {CALENDAR}." in asked.system:
        return FURTHER
    if f"You are {MAIL}." not in asked.system:
        return ASKS
    first = asked.messages[0]["content"]
    return ASKED if any(block.get("text", "").startswith(AS_ASKED) for block in first) else AT_HOME


def asks(task: str = "Has Alice written?", group: str = MAIL, **arguments: Any) -> Reply:
    return reply(ToolUse("delegate", {"group": group, "task": task, **arguments}))


def reads() -> Reply:
    return reply(ToolUse("read_file", {"path": NOTES}))


@dataclass
class Crossing:
    """`asking` is the chat of the group that asks. `home` is the chat of the asked group, on the other platform."""

    both: Together
    asking: Chat
    home: Chat
    asker: str  # the group's name
    bystander: Chat | None = None  # the asking chat as another person there uses it
    asking_too: Chat | None = None  # another chat of the group that asks
    further: Chat | None = None  # a chat of a group that the asked group may ask
    spends: Limits = TURN_LIMITS  # the limits of a turn of the asking group
    script: Script = field(default_factory=Script)

    def __post_init__(self) -> None:
        self.both.claude.script.rule(self.script)
        for name in (self.asker, MAIL, CALENDAR):
            self.workspace(name).mkdir(parents=True)
            (self.workspace(name) / NOTES).write_text(f"the mail of {name}\n")

    def workspace(self, name: str) -> Path:
        return self.both.bench.data / "groups" / name / "workspace"

    def says(self, who: str, *steps: Step) -> None:
        self.script.steps[who].extend(steps)

    def groups(self) -> Registry:
        asker = self.group(self.asker, [self.asking, self.asking_too], MAIL)
        further = [self.group(CALENDAR, [self.further])] if self.further else []
        mail = self.group(MAIL, [self.home], *(each.name for each in further))
        return Registry(replace(asker, limits=self.spends), mail, *further)

    def group(self, name: str, chats: Sequence[Chat | None], *may_ask: str) -> Group:
        """Return a group. Its agent has every tool."""
        made = group(
            name,
            *may_ask,
            is_main=name == "main",
            addresses=[chat.address for chat in chats if chat],
            workspace=self.workspace(name),
            model=MODEL,
        )
        return replace(made, agent=replace(made.agent, prompt=f"You are {name}.", tools=frozenset()))

    @asynccontextmanager
    async def run(self, **options: Any) -> AsyncIterator[None]:
        """Run the bot with the file tools and walls that `retinue run` makes."""
        registry, data = self.groups(), self.both.bench.data
        self.both.bench.is_gate_open = True  # what groups say to each other does not depend on who is asked
        tools = make_tools_and_workspace_folder(Config(workspace=data / "workspace", data_dir=data), registry)
        async with self.both.run(**{"groups": registry, "tools": tools, **ONCE, **options}):
            yield

    def requests(self, who: str) -> list[Request]:
        return [each for each in self.both.claude.requests if played(each.asked) == who]

    async def at_the_model(self, who: str, count: int = 1) -> None:
        """Wait until the model has this many requests of one agent."""
        async with asyncio.timeout(PATIENCE):
            await self.both.claude.until(lambda: len(self.requests(who)) >= count)

    def at_home(self) -> list[str]:
        """Return what the asked group's platform has accepted, for all chats."""
        return self.both.accepted(self.home.address.channel)

    async def hears(self, chat: Chat, text: str) -> str:
        """Write in a chat, and return the next text there."""
        before = len(chat.said)
        chat.ask(text)
        async with asyncio.timeout(PATIENCE):
            while len(chat.said) == before:  # noqa: ASYNC110 -- a platform wakes nobody
                await asyncio.sleep(0.01)
        return chat.said[before]

    async def is_seen_at_work(self, chat: Chat) -> None:
        """Wait until a chat shows that somebody works."""
        async with asyncio.timeout(PATIENCE):
            while not self.both.accepted(chat.address.channel):  # noqa: ASYNC110 -- a platform wakes nobody
                await asyncio.sleep(0.01)

    async def hung_up(self, request: Request) -> None:
        """Wait until the bot has closed the connection of this request."""
        async with asyncio.timeout(PATIENCE):
            await request.over.wait()
        assert request.hung_up

    async def told(self, chat: Chat, text: str) -> None:
        """Wait until a notice to a chat is sent. It may be shown only to the person who tapped."""
        sql = "SELECT text FROM outbox WHERE address = ? AND kind = 'notice' AND state = 'sent'"
        async with asyncio.timeout(PATIENCE):
            while (text,) not in self.both.bench.rows(sql, str(chat.address)):  # noqa: ASYNC110 -- rows wake nobody
                await asyncio.sleep(0.01)

    def billed(self) -> int:
        """Return what the model's server has billed so far, in micro-dollars."""
        return Talk(self.both.bench, self.both.claude).billed()

    def verify(self) -> None:
        """Check that the model and the platforms refused nothing, and that the whole script was said."""
        self.both.verify()
        self.all_is_said()

    def all_is_said(self) -> None:
        assert not any(self.script.steps.values()), self.script.steps


def private_to_channel(both: Together) -> Crossing:
    """Main is in the owner's private chat on Telegram. The asked group lives in a channel on Discord."""
    home = both.in_channel(both.town.general, by=both.town.bob)
    return Crossing(both, asking=both.in_room(both.room), home=home, asker="main")


def private_to_topic(both: Together) -> Crossing:
    """Main is in the owner's private chat on Discord. The asked group lives in a topic on Telegram."""
    ann, ben = both.telegram.person(ANN, "Ann"), both.telegram.person(BEN, "Ben")
    forum = both.telegram.supergroup("Forum", ann, ben, forum=True)
    home = both.in_room(forum, by=BEN, mention="@retinue_bot ", topic=forum.topic(ann, "Mail").id)
    return Crossing(both, asking=both.in_channel(both.town.ann.private()), home=home, asker="main")


def group_to_thread(both: Together) -> Crossing:
    """A group of several people on Telegram asks. The asked group lives in a thread on Discord."""
    ann, ben = both.telegram.person(ANN, "Ann"), both.telegram.person(BEN, "Ben")
    friends = both.telegram.supergroup("Friends", ann, ben)
    views = [both.in_room(friends, by=each, mention="@retinue_bot ") for each in (BEN, ANN)]
    thread = both.town.server.thread(both.town.general, "mail")
    home = both.in_channel(thread, by=both.town.bob)
    return Crossing(both, asking=views[0], home=home, asker="desk", bystander=views[1])


WAYS = (private_to_channel, private_to_topic, group_to_thread)
