"""What the tests of delegation share: what the lead's calls come to, and how it hears of it."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from bot.core.messages import OutboundKind
from bot.core.model import ModelReply
from bot.delegation import texts
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import reply, uses

REPLY = OutboundKind.REPLY
NOW = datetime.now(UTC)
LIST, GET, CANCEL = "list_delegations", "get_delegation", "cancel_delegation"
KNOWN = texts.ROLES_OR_A_NEW_ONE(roles="analyst, researcher, writer")


def still() -> datetime:
    """A clock that stands still, so that whatever is done takes 0 s."""
    return NOW


async def results(bench: Bench, *calls: dict[str, Any], **settings: Any) -> Sequence[tuple[str, bool]]:
    """What the lead hears of its calls, and which are errors."""
    bench.model.says("lead", reply(*calls), "done")
    async with bench.run(**engine_options(**settings), now=still):
        await says(bench, "go")
    return heard(bench)


async def says(bench: Bench, text: str, chat: str = "room") -> str:
    """Write something, and wait for the reply."""
    bench.chat.hears(text, chat=chat)
    return await bench.chat.said(REPLY)


def heard(bench: Bench, role: str = "lead") -> list[tuple[str, bool]]:
    """The results that a role has heard last, whole, and which are errors."""
    entries = [entry for entry in bench.model.asked(role)[-1].transcript if entry.role == "user"]
    blocks = [block for block in entries[-1].content if block["type"] == "tool_result"]
    return [(block["content"], "is_error" in block) for block in blocks]


def shown(bench: Bench, role: str) -> list[str]:
    """The tools that a role's model was shown."""
    return [tool["name"] for tool in bench.model.asked(role)[-1].prefix.tools]


def delegations(bench: Bench, columns: str, where: str = "depth = 1") -> list[tuple[Any, ...]]:
    """These columns of the delegations, in the order in which they were begun."""
    return bench.rows(f"SELECT {columns} FROM turns WHERE {where} ORDER BY rowid")


def look(name: str, **arguments: Any) -> ModelReply:
    """A reply that calls one tool."""
    return reply(uses(name, **arguments))


async def asked(bench: Bench, name: str, **arguments: Any) -> tuple[str, bool]:
    """What the lead hears of one call, in a turn of its own."""
    bench.model.says("lead", look(name, **arguments), "done")
    await says(bench, "and?")
    [result] = heard(bench)
    return result
