"""Try what happens when a published server is upgraded to a version that describes its tools in other words: the whole
bot runs with the one version, and then with the other."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bot.core.messages import Address, OutboundKind
from bot.core.role import LEAD_ROLE_NAME
from bot.core.settings import Settings
from tests.ecosystem.installing import InstalledServer
from tests.ecosystem.listed import ListedServer
from tests.ecosystem.servers import furnish_desk, settings_for
from tests.support.bench import ACCESS, Bench
from tests.support.fakes import reply, role, uses

OFFICE = Address(channel="fake", chat="office")
SECONDS_TO_LIST = 60.0


@dataclass(slots=True, kw_only=True)
class ChangeTrial:
    before: ListedServer
    after: ListedServer
    stopped: list[str]  # the tools that are off now
    asked: str  # what the owner reads
    offered: list[str]  # the server's tools that the model may still call
    said: str  # the result of a call of a stopped one

    @property
    def is_stopped(self) -> bool:
        return bool(self.stopped) and not {*self.stopped} & {*self.offered} and self.said.endswith("allows it.")


async def try_change(
    before: tuple[ListedServer, InstalledServer], after: tuple[ListedServer, InstalledServer]
) -> ChangeTrial:
    with TemporaryDirectory(dir="/var/tmp") as place:
        bench, desk = Bench(Path(place)), Path(place) / "desk"
        furnish_desk(desk)
        name = before[0].name
        bench.roles[LEAD_ROLE_NAME] = role("lead", f"{name}__*")
        async with running(bench, desk, *before):
            pass
        async with running(bench, desk, *after):
            asked = (await bench.chat.part(OutboundKind.QUESTION)).text
            found = bench.select("tool", "mcp_tools", "is_listed AND accepted_hash IS NOT listed_hash", "tool")
            stopped = [f"{name}__{tool}" for (tool,) in found]
            bench.model.says("lead", reply(uses(stopped[0])), "done")
            bench.chat.hears("do it", by="Owner")
            await bench.chat.said(OutboundKind.REPLY)
        [(said,)] = bench.select("result", "calls")
        offered = [tool["name"] for tool in bench.model.seen[0].prefix.tools if tool["name"].startswith(f"{name}__")]
        return ChangeTrial(
            before=before[0], after=after[0], stopped=stopped, asked=asked, offered=offered, said=str(said)
        )


@asynccontextmanager
async def running(bench: Bench, desk: Path, server: ListedServer, installed: InstalledServer) -> AsyncIterator[None]:
    """Run the bot with a server, once its tools are listed."""
    settings = settings_for(server, installed).model_copy(update={"folder": desk})
    options: dict[str, Any] = {
        "settings": Settings.model_validate(
            {"mcp": {"servers": {server.name: settings.model_dump(exclude_unset=True)}}}
        ),
        "access": {"fake": replace(ACCESS["fake"], owner_address=OFFICE)},
    }
    good = ("good_at", "channels", f"name = 'mcp {server.name}' AND fault = ''")
    before = bench.select(*good) if (bench.data / "bot.db").exists() else []
    async with bench.run(**options):
        async with asyncio.timeout(SECONDS_TO_LIST):
            while bench.select(*good) in ([], before):  # noqa: ASYNC110 -- rows wake nobody here
                await asyncio.sleep(0.02)
        yield
