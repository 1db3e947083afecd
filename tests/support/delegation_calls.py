"""Helpers for tests of delegation: make calls of the lead, and return what it hears."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from bot.core.messages import OutboundKind
from bot.core.model import ModelReply
from bot.delegation import texts
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause, reply, uses

REPLY = OutboundKind.REPLY
NOW = datetime.now(UTC)
LIST, GET, CANCEL = "list_delegations", "get_delegation", "cancel_delegation"
KNOWN = texts.ROLES_OR_A_NEW_ONE(roles="analyst, researcher, writer")


def still() -> datetime:
    """Return the same time at every call, so that everything takes 0 s."""
    return NOW


async def results(bench: Bench, *calls: dict[str, Any], **settings: Any) -> Sequence[tuple[str, bool]]:
    """Let the lead make these calls. Return each result, and whether it is an error."""
    bench.model.says("lead", reply(*calls), "done")
    async with bench.run(**engine_options(**settings), now=still):
        await says(bench, "go")
    return heard(bench)


async def says(bench: Bench, text: str, chat: str = "room") -> str:
    """Write a message, and return the reply."""
    bench.chat.hears(text, chat=chat)
    return await bench.chat.said(REPLY)


def heard(bench: Bench, role: str = "lead") -> list[tuple[str, bool]]:
    """Return the newest results that a role has heard, and whether each is an error."""
    entries = [entry for entry in bench.model.asked(role)[-1].transcript if entry.role == "user"]
    blocks = [block for block in entries[-1].content if block["type"] == "tool_result"]
    return [(block["content"], "is_error" in block) for block in blocks]


def shown(bench: Bench, role: str) -> list[str]:
    """Return the names of the tools that a role's model was shown."""
    return [tool["name"] for tool in bench.model.asked(role)[-1].prefix.tools]


def delegations(bench: Bench, columns: str, where: str = "depth = 1") -> list[tuple[Any, ...]]:
    """Return these columns of the delegations, in the order in which they began."""
    return bench.rows(f"SELECT {columns} FROM turns WHERE {where} ORDER BY rowid")


def look(name: str, **arguments: Any) -> ModelReply:
    """Return a reply that calls one tool."""
    return reply(uses(name, **arguments))


async def asked(bench: Bench, name: str, **arguments: Any) -> tuple[str, bool]:
    """Let the lead make one call in its own turn. Return the result, and whether it is an error."""
    bench.model.says("lead", look(name, **arguments), "done")
    await says(bench, "and?")
    [result] = heard(bench)
    return result


async def begin_work(bench: Bench, *roles: Pause, id: str = "") -> None:
    """Write a first message, and wait until these roles work."""
    bench.chat.hears("go", **({"id": id} if id else {}))
    for pause in roles:
        await pause.reached.wait()
