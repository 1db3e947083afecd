"""The whole bot with the real SDK, and Claude's stand-in on a socket."""

import sqlite3
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

import bot.models.claude.sdk_client  # noqa: F401  # the SDK takes seconds to import, and a test waits no longer for a reply
from bot.core.messages import OutboundKind, RoleName
from bot.core.prices import Usage, cost_of_usage
from bot.core.role import Role
from bot.models.claude import Claude
from bot.models.claude.faults import RequestPatience
from tests.stand_ins.claude import Billed, ClaudeStandIn
from tests.support.bench import ROLES, Bench
from tests.support.time_travel import rebuild_all_requests, recorded_but_not_rebuilt

REPLY = OutboundKind.REPLY
QUICK = RequestPatience(first_retry_seconds=0.01, longest_retry_seconds=0.01)
POLICY = "Answer what is asked, in few words. Say what you do not know. Keep to the facts that you were given. " * 20
PROMPTED = {name: replace(role, prompt=f"You are the {name}. {POLICY}") for name, role in ROLES.items()}


@dataclass
class Talk:
    """A chat with the bot, and the server that it talks to."""

    bench: Bench
    server: ClaudeStandIn
    roles: Mapping[RoleName, Role] = field(default_factory=lambda: PROMPTED)

    @asynccontextmanager
    async def run(
        self,
        *,
        patience: RequestPatience = QUICK,
        models: Sequence[str] = (),
        is_anthropic: bool = True,
        **options: Any,
    ) -> AsyncIterator[Claude]:
        """Run the bot. Stop it cleanly at the end."""
        self.bench.roles = dict(self.roles)
        claude = Claude(
            self.server.api_key,
            self.server.base_url,
            b"secret",
            models=models,
            is_anthropic=is_anthropic,
            patience=patience,
        )
        async with claude, self.bench.run(model=claude, **options):
            yield claude

    async def ask(self, text: str, by: str = "Ann", chat: str = "room") -> str:
        """Write a message, and return the reply."""
        self.bench.chat.hears(text, by=by, chat=chat)
        return (await self.bench.chat.part(REPLY)).text

    def spent(self) -> int:
        """Return what the bot has recorded as spent, in micro-dollars, with lost requests."""
        with closing(sqlite3.connect(self.bench.data / "bot.db")) as db:
            (total,) = db.execute("SELECT sum(cost) FROM requests").fetchone()
        return int(total)

    def billed(self) -> int:
        """Return what the server has billed for all requests, in micro-dollars."""
        paid = [(one.asked.model, one.billed) for one in self.server.requests]
        paid += [each for one in self.server.requests for each in one.others.items()]
        return sum(cost_of_usage(model, usage_of(billed)) for model, billed in paid)


def usage_of(billed: Billed) -> Usage:
    return Usage(
        input=billed.input,
        output=billed.output,
        cache_read=billed.read,
        cache_write_5m=billed.write_5m,
        cache_write_1h=billed.write_1h,
        searches=billed.searches,
    )


@asynccontextmanager
async def open_talk(folder: Path) -> AsyncIterator[Talk]:
    async with ClaudeStandIn() as server:
        yield Talk(Bench(folder), server)


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    """A talk whose requests are built again from their rows at the end."""
    async with open_talk(tmp_path) as talk:
        yield talk
        if (tmp_path / "bot.db").exists():
            assert_requests_are_rebuilt(talk)


def assert_requests_are_rebuilt(talk: Talk) -> None:
    """Raise AssertionError unless the rows give each request again that the server has read, except those that were
    lost with a process."""
    rebuilt = rebuild_all_requests(talk.bench.data / "bot.db")
    assert [each.differing_parts for each in rebuilt if not each.is_as_sent] == []
    missing = recorded_but_not_rebuilt(talk.server.requests, rebuilt)
    assert len(missing) <= talk.bench.count("requests", "state != 'settled'"), [each.body for each in missing]
