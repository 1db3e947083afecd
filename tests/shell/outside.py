"""What lies around a sandbox in a test, with canaries in all of it, and whether anybody touched it."""

from __future__ import annotations

import hashlib
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bot.core.guarded_fetch import FetchPolicy, GuardedFetcher
from bot.core.guarded_fetch.addresses import parse_networks
from bot.core.host_proxy import HostProxy
from bot.core.named_hosts import parse_named_hosts
from bot.tools.shell import ShellNetwork
from tests.support.fakes import role

CANARY = "CANARY-7f3a"  # stands in everything that no command may read
NAMED, PRIVATE = "named.example", "private.example"  # hosts that may be reached; the address of one must not be
ADDRESSES = {NAMED: "127.0.0.3", PRIVATE: "127.0.0.1"}


@dataclass
class Outside:
    """A bot's folders, sockets and environment, beside the workspace in which commands run."""

    top: Path
    sockets: dict[str, socket.socket] = field(default_factory=dict)  # by kind
    ports: dict[str, int] = field(default_factory=dict)

    @property
    def visits(self) -> list[str]:
        """Return the kinds of the sockets to which somebody came since the last look."""
        return [kind for kind, each in self.sockets.items() if has_visitor(each)]

    @property
    def workspace(self) -> Path:
        return self.top / "groups" / "alpha" / "workspace"

    @property
    def hidden(self) -> list[Path]:
        return [self.top / "data", self.top / "secrets", self.top / "groups"]

    @property
    def words(self) -> Mapping[str, str]:
        """Return what an attacker may know: paths, ports and process numbers."""
        return {
            "TOP": str(self.top),
            "BOT": str(os.getpid()),
            "TCP": str(self.ports["tcp"]),
            "UDP": str(self.ports["udp"]),
            "OPEN": str(self.ports["open"]),
            "CANARY": CANARY,
            "INODE": str((self.top / "data" / "bot.db").stat().st_ino),
        }

    @property
    def network(self) -> ShellNetwork:
        """Return what commands may reach that may reach something."""
        hosts = parse_named_hosts([f"{NAMED}:{self.ports['open']}", f"{PRIVATE}:{self.ports['tcp']}"])
        policy = FetchPolicy(allowed_networks=parse_networks([ADDRESSES[NAMED]]))
        guard = GuardedFetcher(policy=policy, resolve=resolve)
        return ShellNetwork(hosts=hosts, find_role=lambda turn: role("coder", hosts=hosts), proxy=HostProxy(guard))

    def snapshot(self) -> Mapping[str, str]:
        """Return a sign of each path that changes if somebody writes it, or changes its mode or owner."""
        return {str(path): sign_of(path) for path in sorted(self.top.rglob("*")) if self.workspace not in path.parents}

    def canaries_in_workspace(self) -> list[str]:
        """Return the files of the workspace, with names, in which a canary stands now."""
        return [str(path) for path in self.workspace.rglob("*") if CANARY in path.name or CANARY in read(path)]


async def resolve(host: str, port: int) -> Sequence[str]:
    return [ADDRESSES[host]] if host in ADDRESSES else []


def sign_of(path: Path) -> str:
    found, is_file = path.lstat(), path.is_file() and not path.is_symlink()
    content = hashlib.sha256(path.read_bytes()).hexdigest() if is_file else ""
    links, changed = (found.st_nlink, found.st_mtime_ns) if is_file else (0, 0)
    return f"{found.st_mode} {found.st_uid} {found.st_ino} {links} {changed} {content}"


def read(path: Path) -> str:
    """Return the text of a file; nothing for links and others."""
    if path.is_symlink() or not path.is_file():
        return ""
    return path.read_bytes().decode(errors="replace")


@contextmanager
def built_outside(top: Path) -> Iterator[Outside]:
    """Yield the folders with canaries in them, and sockets at which visits are noted."""
    outside = Outside(top)
    for name in (
        "data/bot.db",
        "data/logs/retinue.log",
        "config.json",
        "secrets/model__api_key",
        "workspace/owner.txt",
    ):
        write(top / name, f"{CANARY} {name}")
    write(top / "groups" / "beta" / "workspace" / "diary.txt", f"{CANARY} beta")
    write(top / "groups" / "alpha" / "instructions.md", f"{CANARY} alpha")
    write(outside.workspace / "readme.txt", "mine")
    write(outside.workspace / ".git" / "config", "[core]\n")
    write(outside.workspace / ".git" / "hooks" / "readme", "none")
    os.symlink(top, outside.workspace / "up")
    os.symlink("/proc/self/root", outside.workspace / "root")
    os.symlink("../../beta/workspace/diary.txt", outside.workspace / "theirs")
    with ExitStack() as stack:
        before = os.environ.get("RETINUE_CANARY")
        os.environ["RETINUE_CANARY"] = CANARY
        stack.callback(restore_variable, before)
        for kind, name in (
            ("control socket", str(top / "data" / "control.sock")),
            ("abstract socket", f"\0{CANARY}-{os.getpid()}"),
        ):
            stack.enter_context(listening(outside, kind, socket.AF_UNIX, name))
        for kind, type_ in (("tcp", socket.SOCK_STREAM), ("udp", socket.SOCK_DGRAM)):
            found = stack.enter_context(listening(outside, kind, socket.AF_INET, ("127.0.0.1", 0), type_))
            outside.ports[kind] = found.getsockname()[1]
        reached = stack.enter_context(socket.create_server((ADDRESSES[NAMED], 0)))
        outside.ports["open"] = reached.getsockname()[1]
        yield outside


def has_visitor(found: socket.socket) -> bool:
    try:
        if found.type == socket.SOCK_STREAM:
            found.accept()[0].close()
        else:
            found.recvfrom(1_000)
    except BlockingIOError:
        return False
    return True


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def restore_variable(value: str | None) -> None:
    del os.environ["RETINUE_CANARY"]
    if value is not None:
        os.environ["RETINUE_CANARY"] = value


@contextmanager
def listening(
    outside: Outside, kind: str, family: int, address: str | tuple[str, int], type_: int = socket.SOCK_STREAM
) -> Iterator[socket.socket]:
    """Yield a socket. `Outside.visits` tells who came to it."""
    with socket.socket(family, type_) as found:
        found.bind(address)
        found.setblocking(False)
        if type_ == socket.SOCK_STREAM:
            found.listen()
        outside.sockets[kind] = found
        yield found
