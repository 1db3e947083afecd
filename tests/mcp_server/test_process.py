"""`retinue mcp` as programs start it: the official client over both transports, Claude on a socket, and kill -9."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import mcp
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from bot.cli import texts
from tests.stand_ins.claude import ClaudeStandIn
from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.replies import Reply, ToolUse
from tests.stand_ins.claude.replies import reply as say
from tests.support.patience import PATIENCE
from tests.support.shell import RETINUE, Shell

TOKEN = "t" * 40
TASK = {"role": "analyst", "task": "weigh it"}


@asynccontextmanager
async def tenant(folder: Path) -> AsyncIterator[tuple[Shell, ClaudeStandIn]]:
    async with ClaudeStandIn() as claude:
        (folder / "workspace").mkdir()
        (folder / "workspace" / "facts.txt").write_text("42")
        shell = Shell(folder, {"ANTHROPIC_API_KEY": claude.api_key})
        shell.config(
            model={"base_url": claude.base_url},
            mcp={"listen": "127.0.0.1:0"},
            clients={"editor": {"rights": "all", "token": TOKEN}},
        )
        yield shell, claude


@asynccontextmanager
async def over_stdio(shell: Shell, *words: str) -> AsyncIterator[mcp.Client]:
    command, *arguments = (*RETINUE, "mcp", *words)
    program = StdioServerParameters(command=command, args=arguments, env=dict(shell.environment), cwd=str(shell.folder))
    async with mcp.Client(stdio_client(program)) as client:
        yield client


@asynccontextmanager
async def over_http(shell: Shell) -> AsyncIterator[tuple[mcp.Client, asyncio.subprocess.Process]]:
    """Start the server, and connect the client by the address that the server says."""
    async with shell.begun("mcp", "--http") as process:
        assert process.stderr
        line = ""
        while texts.SERVING(url="") not in line:
            line = (await asyncio.wait_for(process.stderr.readline(), 3 * PATIENCE)).decode()
            assert line, "it has ended"
        url = line.split()[-1]
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=PATIENCE) as http,
            mcp.Client(streamable_http_client(url, http_client=http)) as client,
        ):
            yield client, process


async def structured(client: mcp.Client, tool: str, **arguments: Any) -> Any:
    found = await client.call_tool(tool, arguments)
    assert not found.is_error, found
    return found.structured_content


@dataclass
class SlowSecondReply:
    """The analyst reads a file, and then writes a reply that comes only when it may."""

    claude: ClaudeStandIn
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    may_come: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.claude.script.rule(self.answer)

    def answer(self, asked: Asked) -> Reply:
        if not asked.results:
            return say(ToolUse("read_file", {"path": "facts.txt"}))
        self.asked.set()
        return say(f"weighed: {asked.results[-1]}", hold_head=self.may_come)

    def count_requests(self, results: int) -> int:
        """Return how many requests there were with so many results of tools."""
        return sum(len(one.asked.results) == results for one in self.claude.requests)


async def test_a_delegation_survives_a_kill_and_a_restart(tmp_path: Path) -> None:
    """It begins over HTTP, with a bot in the server's own process, and its result is read over stdio."""
    async with tenant(tmp_path) as (shell, claude):
        model = SlowSecondReply(claude)
        async with over_http(shell) as (client, process):
            calling = asyncio.create_task(structured(client, "delegate_task", **TASK))
            await asyncio.wait_for(model.asked.wait(), PATIENCE)
            process.kill()
            calling.cancel()
            await asyncio.wait([calling])
        model.may_come.set()
        async with over_stdio(shell, "--client", "editor") as client:
            [listed] = (await structured(client, "list_sub_agents"))["delegations"]
            found = await until_ended(client, listed["delegationId"])
    assert (found["status"], found["profile"]) == ("completed", "analyst")
    assert found["result"].startswith("weighed: ")
    assert "42" in found["result"]
    assert (model.count_requests(0), model.count_requests(1)) == (1, 2)  # only what was not recorded is asked again


async def until_ended(client: mcp.Client, id: str) -> Any:
    async with asyncio.timeout(PATIENCE):
        while True:  # as a client asks
            found = await structured(client, "get_delegation_result", delegationId=id)
            if found["status"] != "running":
                return found
            await asyncio.sleep(0.05)


async def test_who_is_attached_goes_on_when_the_other_process_is_killed(tmp_path: Path) -> None:
    """The second process reaches the bot of the first by its control socket, and runs one itself after the kill."""
    async with tenant(tmp_path) as (shell, claude):
        model = SlowSecondReply(claude)
        async with over_http(shell) as (_, process), over_stdio(shell, "--client", "editor") as client:
            calling = asyncio.create_task(structured(client, "delegate_task", **TASK))
            await asyncio.wait_for(model.asked.wait(), PATIENCE)
            process.kill()
            model.may_come.set()
            found = await asyncio.wait_for(calling, PATIENCE)
    assert found["result"].startswith("weighed: ")
    assert model.count_requests(0) == 1
