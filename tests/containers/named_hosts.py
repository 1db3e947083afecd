"""Run inside a container: a command of the shell asks for a host that is named, for one that is not, and for the page
itself. The page answers for every host, at an address of the container that counts as public here."""

import asyncio
import shlex
from asyncio import StreamReader, StreamWriter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

from bot.core.call_progress import ignore_progress
from bot.core.guarded_fetch import FetchPolicy, GuardedFetcher
from bot.core.guarded_fetch.addresses import parse_networks
from bot.core.host_proxy import HostProxy
from bot.core.named_hosts import parse_named_hosts
from bot.core.settings import ShellSettings
from bot.tools.shell import ShellNetwork, shell_tools

PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\na page"
HERE = "127.0.0.1"
ASK = """
import sys, urllib.request
for host in sys.argv[2:]:
    try:
        print(host, urllib.request.urlopen(f"http://{host}:{sys.argv[1]}/", timeout=9).read().decode())
    except OSError as error:
        print(host, "failed:", error)
"""


async def answer(reader: StreamReader, writer: StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(PAGE)
    await writer.drain()
    writer.close()


async def resolve(host: str, port: int) -> Sequence[str]:
    return [HERE]


async def main() -> None:
    server = await asyncio.start_server(answer, HERE, 0)
    port = server.sockets[0].getsockname()[1]
    hosts = parse_named_hosts([f"named.example:{port}"])
    find_role: Any = lambda turn: SimpleNamespace(hosts=hosts)  # noqa: E731
    guard = GuardedFetcher(policy=FetchPolicy(allowed_networks=parse_networks([f"{HERE}/32"])), resolve=resolve)
    network = ShellNetwork(hosts=hosts, find_role=find_role, proxy=HostProxy(guard))
    settings = ShellSettings(enabled=True, memory_megabytes=200)
    context: Any = SimpleNamespace(turn=None, report_progress=ignore_progress)
    with TemporaryDirectory() as folder:
        [tool] = shell_tools(settings, [], network=network)(Path(folder))
        command = f"python3 -c {shlex.quote(ASK)} {port} named.example other.example {HERE}"
        print(await tool.run(context, {"command": command}))  # noqa: T201 -- that is what it is for


if __name__ == "__main__":
    asyncio.run(main())
