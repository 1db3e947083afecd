"""A person writes with words that must all be gone once they are forgotten."""

from pathlib import Path

from bot.core.messages import OutboundKind
from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import people_accounts as texts
from bot.tools.conversations import CONVERSATION_TOOL_NAMES
from bot.tools.memory import MEMORY_TOOL_NAMES
from tests.support.bench import Bench
from tests.support.fakes import reply, role, uses
from tests.support.memory_bot import save

SECRETS = ("walnut", "pistachio", "hazelnut")  # what Ann writes, gives away, and reads


def bytes_of_file(data: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(data.glob("bot.db*"))).lower()  # an index holds words folded


async def talk(bench: Bench, by: str, chat: str, *words: str, **fields: str) -> None:
    """Let somebody write, a role work for them, a memory be saved, and an answer come."""
    wrote, briefed, answered = words
    bench.roles[LEAD_ROLE_NAME] = role(
        "lead", "delegate", *CONVERSATION_TOOL_NAMES, *MEMORY_TOOL_NAMES, delegates_to=None
    )
    asked = uses("delegate", role="researcher", task=briefed)
    saved = save(f"{by} likes {briefed}" if chat == by.lower() else "It is a group.")
    bench.model.says("lead", reply(saved, asked), answered)
    bench.model.says("researcher", f"found {briefed}")
    bench.chat.hears(wrote, by=by, chat=chat, **fields)
    assert await bench.chat.said(OutboundKind.REPLY) == answered


async def forget(bench: Bench, by: str = "Ann", option: str = texts.FORGET_OPTION()) -> str:
    bench.chat.hears("/forget everything", by=by, chat=by.lower())
    question = (await bench.chat.part(OutboundKind.QUESTION)).message.id
    bench.chat.taps(question, option, by=by, chat=by.lower())
    return await bench.chat.said(OutboundKind.NOTICE)
