"""One page over HTTP, on a port or a Unix socket of this machine: `GET /metrics`, and 404 for all else.

It is a few lines of our own, because a library's server would take half of an idle bot's memory. A client has a few
seconds, one request and a few thousand bytes, and few clients may connect at one time. So no client can keep the bot
busy.
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

CLIENT_SECONDS = 10.0  # for one client, from its first byte to our last
MAX_CLIENTS = 8  # at one time; further ones are turned away
MAX_REQUEST_BYTES = 8_192  # bytes of a request
LISTEN_BACKLOG = 16  # connections that the kernel keeps for us
SOCKET_MODE = 0o660
CONNECT_SECONDS = 1.0  # for another process at the socket to accept a connection
STATUS_OK = "200 OK"

log = logging.getLogger(__name__)

PageSource = Callable[[], Awaitable[tuple[str, bytes]]]  # returns the page's content type and its bytes


@asynccontextmanager
async def serve_page(settings: MetricSettings, page: PageSource) -> AsyncIterator[None]:
    """Serve the page until the block ends. Raise ConfigError if the port or the socket cannot be used."""
    clients = MetricsClients(page)
    listening = (
        listen_at_path(settings.socket) if settings.socket else listen_at_port(settings.host, settings.port or 0)
    )
    server = await asyncio.start_server(
        clients.serve_client, sock=listening, limit=MAX_REQUEST_BYTES, backlog=LISTEN_BACKLOG
    )
    try:
        yield
    finally:
        server.close()
        await clients.disconnect_all()
        if settings.socket:
            settings.socket.unlink(missing_ok=True)


class MetricsClients:
    def __init__(self, page: PageSource, seconds: float = CLIENT_SECONDS) -> None:
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
                        await self.respond(reader, writer)
        finally:
            self._tasks.pop(task, None)
            writer.transport.abort()

    async def respond(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        method, _, rest = request.partition(b" ")
        path, _, protocol = rest.partition(b"\r\n")[0].partition(b" ")
        status, kind, body = "404 Not Found", "text/plain; charset=utf-8", b"not found\n"
        if method == b"GET" and path.partition(b"?")[0] == b"/metrics" and protocol.startswith(b"HTTP/1."):
            try:
                status, (kind, body) = STATUS_OK, await self.page()
            except Exception:  # a bug in the page must not look like an answer, or end the bot
                log.exception(texts.METRICS_FAIL)
                status, body = "500 Internal Server Error", b"see the log\n"
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode() + body)
        writer.close()
        await writer.wait_closed()

    async def disconnect_all(self) -> None:
        """Disconnect all clients, and wait until their tasks have ended."""
        for writer in self._tasks.values():
            writer.transport.abort()
        if self._tasks:
            await asyncio.wait(self._tasks)


def listen_at_port(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return bind_socket(family, address)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or texts.NO_SUCH_NAME
        raise ConfigError(texts.CANNOT_LISTEN_AT_PORT(host=host, port=port, reason=reason)) from None


def listen_at_path(path: Path) -> socket.socket:
    """Return the listening socket. Raise ConfigError if it cannot be made.

    It may replace a socket that a killed process has left, but nothing else.
    """
    try:
        with suppress(FileNotFoundError):
            if not stat.S_ISSOCK(path.lstat().st_mode):
                raise ConfigError(texts.SOCKET_IS_SOMETHING_ELSE(path=path))
            if is_socket_in_use(path):
                raise ConfigError(texts.SOCKET_IN_USE(path=path))
            path.unlink()
        listening = bind_socket(socket.AF_UNIX, str(path))
    except OSError as error:
        raise ConfigError(texts.CANNOT_LISTEN_AT_SOCKET(path=path, reason=error.strerror or error)) from None
    path.chmod(SOCKET_MODE)  # nobody can connect before it listens
    return listening


def is_socket_in_use(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(CONNECT_SECONDS)
        return asking.connect_ex(str(path)) == 0


def bind_socket(family: int, address: object) -> socket.socket:
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        if family != socket.AF_UNIX:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)  # type: ignore[arg-type]  # each family has a shape of its own
    except OSError:
        listening.close()
        raise
    return listening
