"""A socket that listens inside a sandbox, in the hands of the process that started the sandbox.

A sandbox has a network of its own. A short program opens the socket there, on the loopback, hands it out, and becomes
the command. So there is no socket file to find in the sandbox, and the command holds nothing but a port."""

from __future__ import annotations

import asyncio
import fcntl
import shutil
import socket
from collections.abc import Mapping, Sequence
from types import TracebackType

from bot.core.texts import operators

ADDRESS, PORT = "127.0.0.1", 3128  # of the sandbox's own loopback
LOWEST_DESCRIPTOR = 10  # below it, shells have uses for descriptors
PYTHON = "python3"
# Python ignores two signals, which the command must not inherit.
OPEN_LISTENER = """\
import os, signal, socket, sys
address, port, channel, *command = sys.argv[1:]
channel = socket.socket(fileno=int(channel))
listener = socket.create_server((address, int(port)), backlog=128)
socket.send_fds(channel, [b"."], [listener.fileno()])
channel.close()
for each in (signal.SIGPIPE, signal.SIGXFSZ):
    signal.signal(each, signal.SIG_DFL)
os.execvp(command[0], command)
"""


def proxy_environment() -> Mapping[str, str]:
    """Return the variables by which programs in a sandbox find a proxy that listens at PORT."""
    address, here = f"http://{ADDRESS}:{PORT}", f"localhost,{ADDRESS},::1"
    names = ("http_proxy", "https_proxy", "all_proxy")
    proxies = {name: address for each in names for name in (each, each.upper())}
    return {**proxies, "no_proxy": here, "NO_PROXY": here, "NODE_USE_ENV_PROXY": "1"}


def listener_fault(path: str) -> str | None:
    """Return why no socket can be opened inside; None if it can. `path` is the PATH inside."""
    return None if shutil.which(PYTHON, path=path) else operators.SANDBOX_WITHOUT_PYTHON(program=PYTHON)


def command_that_opens_listener(descriptor: int) -> Sequence[str]:
    """Return the beginning of a command: it opens the socket, hands it out, and becomes the rest."""
    return [PYTHON, "-I", "-S", "-c", OPEN_LISTENER, ADDRESS, str(PORT), str(descriptor)]


class ListenerChannel:
    """The two ends of the channel on which a sandbox hands out its listening socket. The sandbox's command takes over
    `descriptor`. One socket is taken, before the command runs, and nothing after it."""

    def __enter__(self) -> ListenerChannel:
        self._ours, theirs = socket.socketpair()
        with theirs:
            self.descriptor = fcntl.fcntl(theirs, fcntl.F_DUPFD_CLOEXEC, LOWEST_DESCRIPTOR)
        self._theirs = socket.socket(fileno=self.descriptor)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ours.close()
        self._theirs.close()

    async def receive_listener(self) -> socket.socket:
        """Return the socket, once the sandbox has opened it."""
        loop, arrived = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._ours, arrived.set)
        try:
            await arrived.wait()
        finally:
            loop.remove_reader(self._ours)
        _, [descriptor], *_ = socket.recv_fds(self._ours, 1, 1)
        self._ours.shutdown(socket.SHUT_RDWR)
        return socket.socket(fileno=descriptor)
