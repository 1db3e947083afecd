"""Answer on the control socket. The first line of a connection is a request as JSON. The answer function reads on."""

import asyncio
import json
import logging
import socket
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from bot.ops.control import texts, unix_socket

REQUEST_TIMEOUT_SECONDS = 10.0  # for the first line of a connection
MAX_CONNECTIONS = 64  # at one time; further ones are closed
MAX_LINE_BYTES = 16_000_000  # of a line: somebody may paste a book

Request = dict[str, Any]
Answerer = Callable[[Request, StreamReader, StreamWriter], Awaitable[None]]

log = logging.getLogger(__name__)


class ControlServer:
    """A server for one data folder. `answerers` has a function for each value of `ask`, as in `{"ask": "health"}`."""

    def __init__(self, folder: Path, answerers: Mapping[str, Answerer]) -> None:
        self.folder = folder
        self.answerers = answerers
        self._open_connections = 0

    async def run(self) -> None:
        """Answer until cancelled. The caller holds the lock on the folder. If the socket cannot be made, as on some
        network disks, log that and return: the bot works without it."""
        try:
            listening = unix_socket.listen_on_socket(self.folder)
        except OSError as error:
            log.warning(texts.CANNOT_LISTEN(path=self.folder / unix_socket.SOCKET_NAME, reason=error.strerror))
            return
        listening.setblocking(False)
        try:
            async with asyncio.TaskGroup() as tasks:
                while True:
                    connection, _ = await asyncio.get_running_loop().sock_accept(listening)
                    if self._open_connections < MAX_CONNECTIONS and unix_socket.is_peer_allowed(connection):
                        tasks.create_task(self.serve_connection(connection), name="control connection")
                    else:
                        connection.close()
        finally:
            listening.close()
            with suppress(OSError):
                unix_socket.remove_socket(self.folder)

    async def serve_connection(self, connection: socket.socket) -> None:
        """Serve one connection. An error in it ends only this connection."""
        self._open_connections += 1
        try:
            reader, writer = await asyncio.open_unix_connection(sock=connection, limit=MAX_LINE_BYTES)
            try:
                async with asyncio.timeout(REQUEST_TIMEOUT_SECONDS):
                    request = json.loads(await reader.readline())
                if isinstance(request, dict) and (answer := self.answerers.get(str(request.get("ask")))):
                    await answer(request, reader, writer)
                    writer.close()
                    await writer.wait_closed()
            finally:
                writer.transport.abort()
        except (OSError, ValueError, TimeoutError, asyncio.IncompleteReadError):
            log.debug(texts.CONNECTION_ENDED_EARLY)
        except Exception:  # a bug in one answer must not end the bot
            log.exception(texts.CONNECTION_FAILED)
        finally:
            self._open_connections -= 1
