"""Run the bot as `retinue run` does, with the shipped roles and all tools, at stand-ins for Claude and a platform.

Time stands still, except that each beat of a conversation begins some seconds after the one before. So the times that
people see are always the same.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from bot import app, assembly
from bot.assembly import Backend
from bot.config import load
from bot.core.access import Access
from bot.core.channel import Channel
from bot.core.limits import Timings
from tests.stand_ins.claude import ClaudeStandIn
from tests.stand_ins.clock import Clock
from tests.support.patience import PATIENCE
from tests.teamwork.cast import Cast
from tests.teamwork.chat import Chat, Post
from tests.teamwork.transcript import Transcript

START = datetime(2026, 11, 20, 14, 2, tzinfo=UTC).timestamp()
STATE = """SELECT
    (SELECT count(*) FROM requests WHERE state = 'open'),
    (SELECT count(*) FROM outbox WHERE state NOT IN ('sent', 'failed')),
    (SELECT count(*) FROM inbox WHERE state = 'received' AND held_until IS NULL)"""

Act = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Scene:
    """What a person saw at one moment. None stands for messages that are left out."""

    posts: Sequence[Post | None]
    toast: str = ""  # what was shown over the chat


@dataclass
class Stage:
    folder: Path
    clock: Clock
    claude: ClaudeStandIn
    chat: Chat
    cast: Cast = field(default_factory=Cast)
    scenes: dict[str, Scene] = field(default_factory=dict)  # by the name of the picture

    def __post_init__(self) -> None:
        self.transcript = Transcript(self.chat)
        self.claude.script.rule(self.cast)

    async def beat(self, act: Act, *, asking: int, seconds: float = 20, shows: str = "", deed: str = "") -> None:
        """Let something happen, some seconds after the last thing. Wait until a text is shown, this number of requests
        waits for the model's words, everything is delivered, and a tap is answered. Then write down what has changed in
        the chat."""
        self.clock.advance(seconds)
        acted = act()
        heard = acted if callable(acted) else lambda: ""
        try:
            async with asyncio.timeout(PATIENCE):
                while heard() is None or not self.is_settled(shows, asking):  # noqa: ASYNC110 -- rows wake nobody
                    await asyncio.sleep(0.005)
        except TimeoutError:
            there = [post.text for post in self.chat.posts()]
            raise AssertionError(f"{shows!r} with {asking} requests did not come, but {there}") from None
        self.transcript.note_changes(self.clock(), deed=deed, heard=heard() or "")

    def is_settled(self, shows: str, asking: int) -> bool:
        is_shown = any(shows in post.text or shows in post.reactions for post in self.chat.posts())
        waiting = [request for request in self.claude.answering if self.cast.is_held(request.asked)]
        if not is_shown or not len(waiting) == len(self.claude.answering) == asking:
            return False
        with closing(sqlite3.connect(f"file:{self.folder / 'data' / 'bot.db'}?mode=ro", uri=True)) as db:
            return bool(db.execute(STATE).fetchone() == (asking, 0, 0))

    def take_picture(self, name: str, *, toast: str = "", first: int = 0, since: str = "") -> None:
        """Keep what the person sees now. With `since`, leave out what is between the first posts and that text."""
        posts: Sequence[Post | None] = self.chat.posts()
        if since:
            [at] = [number for number, post in enumerate(posts) if post and post.is_person and since in post.text]
            posts = [*posts[:first], None, *posts[at:]]
        self.scenes[name] = Scene(posts, toast)

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.clock(), UTC)


def make_backend(folder: Path, claude: ClaudeStandIn) -> Backend:
    """Return the backend of a bot whose data and workspace are below the folder."""
    config = folder / "config.json"
    server = {"api_key": claude.api_key, "base_url": claude.base_url, "base_url_is_anthropic": True}
    places = {"data_dir": str(folder / "data"), "workspace": str(folder / "workspace")}
    config.write_text(json.dumps({"model": server, "time_zone": "UTC", **places}))
    (folder / "data").mkdir(exist_ok=True)
    return assembly.claude_backend(load(config, variables={"HOME": str(folder)}))


@asynccontextmanager
async def bot_at_work(stage: Stage, backend: Backend, channel: Channel, access: Access) -> AsyncIterator[None]:
    """Run the bot, and stop it at the end."""
    until = asyncio.Event()
    async with (
        assembly.open_assembly(backend, [channel], {channel.name: access}) as made,
        asyncio.TaskGroup() as tasks,
    ):
        timed = replace(made, now=stage.now, timings=Timings(stop_timeout_seconds=0))
        tasks.create_task(app.run_bot(timed, until), name="bot")
        yield
        until.set()
