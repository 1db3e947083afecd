"""Try a published server: start it in the sandbox by the bot's own client, list its tools, and have one call answered,
watched from outside."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.core.errors import ToolError
from bot.core.mcp_settings import McpServerSettings
from bot.mcp_client.connection import ConnectionTimings
from bot.mcp_client.listing import read_listing
from bot.mcp_client.sandboxing import BUBBLEWRAP, Sandbox
from tests.ecosystem.installing import InstalledServer
from tests.ecosystem.listed import ListedServer
from tests.shell.outside import CANARY, built_outside
from tests.shell.watching import find_foreign_reads, find_successful_attempts, list_refused_addresses, watched
from tests.support.mcp_bench import connect

TIMINGS = ConnectionTimings(connect=120.0, wait_for_connection=120.0)  # strace makes programs slow
CALL_SECONDS = 180
MAX_SHOWN_CHARACTERS = 90
DESK = {
    "readme.txt": "This is a desk for tests.\n",
    "sample.js": "const unused = 1;\n",
    "eslint.config.js": 'module.exports = [{rules: {"no-unused-vars": "error"}}];\n',
}
GIT = ("git", "-c", "user.name=Ann", "-c", "user.email=ann@desk.example", "-c", "init.defaultBranch=main")


@dataclass(slots=True, kw_only=True)
class ServerTrial:
    """What became of a server. It works if it was listed and its call was answered as expected."""

    server: ListedServer
    fault: str = ""
    tools: int = 0  # that can be used
    unused_tools: Sequence[str] = ()
    answer: str = ""
    is_answered: bool = False
    reached: list[str] = field(default_factory=list)  # outside of the sandbox
    refused_addresses: Sequence[str] = ()  # it tried to reach them
    watched_calls: int = 0  # of the kernel

    @property
    def is_listed(self) -> bool:
        return self.tools > 0


async def try_server(
    server: ListedServer, installed: InstalledServer, *, network: bool = False, sandbox: Sandbox = BUBBLEWRAP
) -> ServerTrial:
    """`network` gives it the network, if the list says that it needs it."""
    trial = ServerTrial(server=server)
    with TemporaryDirectory(dir="/var/tmp") as place, built_outside(Path(place) / "outside") as outside:
        folder, log = Path(place) / "desk", Path(place) / "calls"
        furnish_desk(folder)
        settings = settings_for(server, installed, network=network and server.needs == "network")
        watching = replace(sandbox, wrap=partial(wrap_and_watch, sandbox, log)) if shutil.which("strace") else sandbox
        before = outside.snapshot()
        await use_server(trial, settings, folder, watching)
        after = outside.snapshot()
        trial.reached += [
            f"changed {path}" for path in before.keys() | after.keys() if before.get(path) != after.get(path)
        ]
        trial.reached += [f"reached the {kind}" for kind in outside.visits]
        trial.reached += ["returned a secret"] * (CANARY in trial.answer)
        if log.exists():
            readable = [str(path) for path in installed.read_only]
            trial.reached += [*find_successful_attempts(log), *find_foreign_reads(log, readable)]
            trial.refused_addresses = list_refused_addresses(log)
            trial.watched_calls = len(log.read_bytes().splitlines())
    return trial


async def use_server(trial: ServerTrial, settings: McpServerSettings, folder: Path, sandbox: Sandbox) -> None:
    """List the server's tools, and make the call."""
    server = trial.server
    async with connect(settings, folder, TIMINGS, sandbox=sandbox) as used:
        try:
            trial.answer = str(await used.call(server.call.tool, dict(server.call.arguments)))
        except ToolError as error:
            trial.fault = str(error)
        if used.listings:
            listing = read_listing(server.name, used.listings[0])
            trial.tools, trial.unused_tools = len(listing.tools), listing.faults
            is_offered = server.call.tool in {tool.name for tool in listing.tools}
            trial.is_answered = is_offered and bool(re.search(server.answer, trial.answer))
    if not trial.is_answered and not trial.fault:
        trial.fault = f"it answers: {trial.answer[:MAX_SHOWN_CHARACTERS]}"


def settings_for(server: ListedServer, installed: InstalledServer, *, network: bool = False) -> McpServerSettings:
    """Return the settings that docs/mcp.md has an operator write."""
    return McpServerSettings(
        command=str(installed.command),
        args=tuple(installed.args),
        read_only=tuple(installed.read_only),
        public_env=dict(server.public_env),
        network=network,
        call_seconds=CALL_SECONDS,
    )


def wrap_and_watch(
    sandbox: Sandbox, log: Path, command: Sequence[str], *, folder: Path, read_only: Sequence[Path], network: bool
) -> Sequence[str]:
    return watched(sandbox.wrap(command, folder=folder, read_only=read_only, network=network), log)


def furnish_desk(folder: Path) -> None:
    """Make the folder in which servers work: a few files, under version control."""
    folder.mkdir()
    for name, text in DESK.items():
        (folder / name).write_text(text)
    for command in (("init", "--quiet"), ("add", "."), ("commit", "--quiet", "--message", "first commit")):
        subprocess.run([*GIT, *command], cwd=folder, check=True)
