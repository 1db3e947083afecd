"""People who talk at random with the whole bot, and a scripted Claude that uses at random all that it may."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from bot.core.messages import OutboundKind
from bot.core.texts import model as to_the_model
from bot.tools.files import file_tools
from bot.tools.web import web_tools
from tests.stand_ins.claude import (
    Asked,
    Cited,
    ClaudeStandIn,
    Fault,
    Fetch,
    HandOver,
    Page,
    Reply,
    Search,
    Thinking,
    ToolUse,
    reply,
)
from tests.stand_ins.claude.replies import Part
from tests.support.bench import Bench
from tests.support.claude_bot import PROMPTED, Talk
from tests.support.engine_options import engine_options
from tests.support.patience import PATIENCE
from tests.support.sample_media import jpeg, pdf, png

CHATS = ("room", "hall", "desk")
MAX_STEPS = 4  # of a turn, before its last reply
FILES = {"a.png": png(), "b.jpg": jpeg(), "c.pdf": pdf(2), "broken.png": png(13, 13)}
PAGE = Page("https://example.org/a", "Example", "what stands there")
WEB = frozenset({"web_search", "web_fetch"})
FAULTS = (
    *(Fault.OVERLOADED, Fault.API_ERROR, Fault.STREAM_OVERLOADED, Fault.CUT_AFTER_DELTA),
    *(Fault.INVALID_TOOL_JSON, Fault.MAX_TOKENS, Fault.EMPTY, Fault.REFUSAL, Fault.UNKNOWN_BLOCK),
)
WORDS = ("Größe", "日本語", "half \ud83d", "null \0", "2^64", "“quoted”", "\u2028", "plain words", "a\nb")
TURNS_PER_RUN = 10  # then the bot starts again, perhaps with other texts of roles


@dataclass
class RandomTalk:
    """One random talk: the turns that follow depend only on the seed."""

    folder: Path
    server: ClaudeStandIn
    seed: int
    lot: random.Random = field(init=False)
    texts_version: int = 0

    def __post_init__(self) -> None:
        self.lot = random.Random(self.seed)
        self.talk = Talk(Bench(self.folder), self.server)
        self.desk = self.folder / "desk"
        self.desk.mkdir()
        for name, content in FILES.items():
            (self.desk / name).write_bytes(content)
        self.server.unreadable = FILES["broken.png"]
        self.server.script.rule(self.reply)

    async def hold(self, turns: int) -> None:
        """Have people write `turns` messages, each after the answer to the last."""
        while turns > 0:
            async with self.run():
                for _ in range(min(turns, TURNS_PER_RUN)):
                    if self.lot.random() < 0.08:
                        self.server.faults.append(self.lot.choice(FAULTS))
                    await self.ask(by=self.lot.choice(("Ann", "Bob")), chat=self.lot.choice(CHATS))
            self.texts_version += self.lot.random() < 0.5
            turns -= TURNS_PER_RUN

    async def ask(self, by: str, chat: str) -> None:
        """Have somebody write, and answer what they are asked meanwhile, until the reply is there."""
        people = self.talk.bench.chat
        people.hears(self.words(), by=by, chat=chat)
        async with asyncio.timeout(PATIENCE):
            while (said := (await people.sent.get()).message).kind is not OutboundKind.REPLY:
                if said.kind is OutboundKind.APPROVAL:
                    people.taps(said.id, self.lot.choice(said.options), by=by, chat=chat)

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Run the bot. With each version, all roles have other texts, so the next turns begin with a summary."""
        version = f"These texts are number {self.texts_version}."
        tools = {"read", "change", "read_file", *WEB}
        self.talk.roles = {
            name: replace(role, tools=frozenset(role.tools or ()) | tools, prompt=f"{role.prompt} {version}")
            for name, role in PROMPTED.items()
        }
        bench = self.talk.bench
        options = engine_options(approvals__enabled=self.lot.random() < 0.5, model__lead=self.a_model())
        async with self.talk.run(tools=[*bench.tools(), *file_tools(self.desk), *web_tools()], **options):
            yield

    def a_model(self) -> str:
        return self.lot.choice(("claude-sonnet-5-5", "claude-opus-5-5", "claude-sonnet-4-6", "claude-haiku-4-5"))

    def words(self) -> str:
        return " ".join(self.lot.choice(WORDS) for _ in range(self.lot.randint(1, 8)))

    def sendable_words(self) -> str:
        return self.words().encode(errors="replace").decode()

    def reply(self, asked: Asked) -> Reply:
        """Return a reply of one or more calls or uses; text alone if there were enough, or if that is asked for."""
        thought = [Thinking()] if asked.thinking and self.lot.random() < 0.5 else []
        if to_the_model.SUMMARISE in asked.last_text:
            return reply(*thought, f"What was said: {self.sendable_words()}")
        if asked.step >= self.lot.randint(0, MAX_STEPS):
            return reply(*thought, *self.closing(asked))
        uses = [part for _ in range(self.lot.randint(1, 2)) for part in self.use(asked)]
        return reply(*thought, *uses)

    def closing(self, asked: Asked) -> list[Part | str]:
        if "fallbacks" in asked.body and self.lot.random() < 0.1:
            return ["It is ", HandOver(), self.sendable_words()]
        return [f"Done: {self.sendable_words()}"]

    def use(self, asked: Asked) -> list[Part]:
        """Return one use of a tool that is offered. A search is cited."""
        of_server = {tool["name"] for tool in asked.tools if "type" in tool}
        offered = {tool["name"] for tool in asked.tools} - of_server
        uses: list[list[Part]] = [
            [ToolUse("read", {"path": self.sendable_words(), "big": 2**70})],
            [ToolUse("read_file", {"path": self.lot.choice(list(FILES))})],
            [ToolUse("change", {"z": 1, "a": 2.5})],
        ]
        if "delegate" in offered:
            role = self.lot.choice(("researcher", "analyst", "writer"))
            uses += [[ToolUse("delegate", {"role": role, "task": self.sendable_words()})]] * 2
        if "message" in offered:
            uses.append([ToolUse("message", {"text": "on the way"})])
        if of_server >= WEB:
            uses += [[Search("something", (PAGE,)), Cited("found", (PAGE,))], [Fetch(PAGE.url, PAGE.text)]]
        return self.lot.choice(uses)
