"""Serve one page over HTTP, on a port or a Unix socket: `GET /metrics`. Answer 404 to all other requests.

A library's server would take half of an idle bot's memory. This server takes few clients at one time. Each client has
a few seconds for one request of a few thousand bytes. So no client can keep the bot busy.
"""

import asyncio
import logging
import socket
import stat
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from bot.core.errors import ConfigError
from bot.core.settings import MetricSettings
from bot.ops.metrics import texts

CLIENT_TIMEOUT_SECONDS = 10.0  # for one client, from its connection to our last byte
MAX_CLIENTS = 8  # at one time; further ones are disconnected
MAX_REQUEST_BYTES = 8_192  # of a request
LISTEN_BACKLOG = 16  # connections that the kernel queues until we accept them
SOCKET_MODE = 0o660
SOCKET_PROBE_TIMEOUT_SECONDS = 1.0  # for another process to accept a connection on the socket
STATUS_OK = "200 OK"

log = logging.getLogger(__name__)

PageSource = Callable[[], Awaitable[tuple[str, bytes]]]  # returns the page's content type and its bytes


@asynccontextmanager
async def serve_page(settings: MetricSettings, page: PageSource) -> AsyncIterator[None]:
    """Serve the page until the block ends. Raise ConfigError if the port or the socket cannot be used."""
    clients, path = MetricsClients(page), settings.socket
    sock = bind_to_socket_path(path) if path else bind_to_port(settings.host, settings.port or 0)
    server = await asyncio.start_server(
        clients.serve_client, sock=sock, limit=MAX_REQUEST_BYTES, backlog=LISTEN_BACKLOG
    )
    try:
        yield
    finally:
        server.close()
        await clients.disconnect_all()
        if path:
            path.unlink(missing_ok=True)


class MetricsClients:
    def __init__(self, page: PageSource, seconds: float = CLIENT_TIMEOUT_SECONDS) -> None:
        self.page = page
        self.seconds = seconds
        self._tasks: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def serve_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task, "the server has made one"
        try:
            if len(self._tasks) < MAX_CLIENTS:
                self._tasks[task] = writer
                with suppress(TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                    async with asyncio.timeout(self.seconds):
                        await self.respond_to_request(reader, writer)
        finally:
            self._tasks.pop(task, None)
            writer.transport.abort()

    async def respond_to_request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        method, _, rest = request.partition(b" ")
        path, _, protocol = rest.partition(b"\r\n")[0].partition(b" ")
        status, kind, body = "404 Not Found", "text/plain; charset=utf-8", b"not found\n"
        if method == b"GET" and path.partition(b"?")[0] == b"/metrics" and protocol.startswith(b"HTTP/1."):
            try:
                status, (kind, body) = STATUS_OK, await self.page()
            except Exception:  # a bug in the page must not end the bot or look like a page
                log.exception(texts.METRICS_FAIL)
                status, body = "500 Internal Server Error", b"see the log\n"
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode() + body)
        writer.close()
        await writer.wait_closed()

    async def disconnect_all(self) -> None:
        for writer in self._tasks.values():
            writer.transport.abort()
        if self._tasks:
            await asyncio.wait(self._tasks)


def bind_to_port(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return make_bound_socket(family, address)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or texts.NO_SUCH_NAME
        raise ConfigError(texts.CANNOT_LISTEN_AT_PORT(host=host, port=port, reason=reason)) from None


def bind_to_socket_path(path: Path) -> socket.socket:
    """Return the bound socket. It may replace a socket that a killed process left. Raise ConfigError if another process
    listens there, if the path is not a socket, or if no socket can be made."""
    try:
        with suppress(FileNotFoundError):
            if not stat.S_ISSOCK(path.lstat().st_mode):
                raise ConfigError(texts.SOCKET_IS_SOMETHING_ELSE(path=path))
            with socket.socket(socket.AF_UNIX) as asking:
                asking.settimeout(SOCKET_PROBE_TIMEOUT_SECONDS)
                if asking.connect_ex(str(path)) == 0:
                    raise ConfigError(texts.SOCKET_IN_USE(path=path))
            path.unlink()
        listening = make_bound_socket(socket.AF_UNIX, str(path))
    except OSError as error:
        raise ConfigError(texts.CANNOT_LISTEN_AT_SOCKET(path=path, reason=error.strerror or error)) from None
    path.chmod(SOCKET_MODE)  # the caller listens later, so nobody can connect yet
    return listening


def make_bound_socket(family: int, address: object) -> socket.socket:
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        if family != socket.AF_UNIX:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)  # type: ignore[arg-type]  # its type depends on the family
    except OSError:
        listening.close()
        raise
    return listening
