"""A tool that reports what a test says, and a researcher of a scripted lead who has it."""

import asyncio
from collections.abc import Callable

from bot.core.texts import people
from bot.core.turn import CallKind
from bot.tools import Tool, ToolContext, tool
from tests.support.bench import Bench
from tests.support.fakes import delegates, reply, role, uses
from tests.support.patience import PATIENCE

ACTIVITY = people.ACTIVITIES["other"](things="dig")


class Digging:
    """The tool. A call ends when `may_end` is released."""

    def __init__(self) -> None:
        self.may_end = asyncio.Semaphore(0)
        self._begun: asyncio.Queue[ToolContext] = asyncio.Queue()

    @property
    def tools(self) -> list[Tool]:
        @tool(kind=CallKind.READ, effects=())
        async def dig(context: ToolContext) -> str:
            """Dig."""
            self._begun.put_nowait(context)
            await self.may_end.acquire()
            return "dug"

        return [dig]

    async def begun(self) -> Callable[[str], None]:
        """Wait until a call has begun. Return the function by which it reports."""
        async with asyncio.timeout(PATIENCE):
            return (await self._begun.get()).report_progress


def let_researcher_dig(bench: Bench) -> Digging:
    """Let the lead delegate to the researcher, who digs, and then say “there”."""
    bench.roles["researcher"] = role("researcher", "dig")
    bench.roles["lead"] = role("lead", "dig", "delegate", delegates_to=None)
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", reply(uses("dig")), "found")
    return Digging()
