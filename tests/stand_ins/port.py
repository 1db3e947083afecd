"""A listening port on the loopback address that accepts connections by hand.

asyncio's own servers can lose a connection that comes while they close, or keep one that nobody ends.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable

from tests.stand_ins.http import Connection, HungUp

Serve = Callable[[Connection], Awaitable[None]]


class Listener:
    """A listening socket. It calls `take` with the socket of each connection, each in its own task."""

    def __init__(self, take: Callable[[socket.socket], Awaitable[None]]) -> None:
        self.take = take
        self.tasks: set[asyncio.Task[None]] = set()
        self.listening: socket.socket | None = None

    def open(self, number: int) -> int:
        """Accept connections. Return the port's number. 0 takes any free port."""
        self.listening = socket.create_server(("127.0.0.1", number), backlog=512)
        self.listening.setblocking(False)
        asyncio.get_running_loop().add_reader(self.listening, self.accept, self.listening)
        return int(self.listening.getsockname()[1])

    def close(self) -> None:
        """Accept no more connections. The existing ones stay."""
        if self.listening is not None:
            asyncio.get_running_loop().remove_reader(self.listening)
            self.listening.close()
            self.listening = None

    def accept(self, listening: socket.socket) -> None:
        try:
            taken, _ = listening.accept()
        except (BlockingIOError, ConnectionAbortedError):  # it is gone already
            return
        taken.setblocking(False)
        # Without this, an answer in two pieces would wait 40 ms for the client's acknowledgement of the first. asyncio
        # sets it only for sockets whose protocol number says TCP, and this one, accepted by hand, has none.
        taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        task = asyncio.get_running_loop().create_task(self.pass_on(taken), name="a connection")
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def pass_on(self, taken: socket.socket) -> None:
        if self.listening is None:  # it was closed since
            taken.close()
        else:
            await self.take(taken)


class Port(Listener):
    """A port that calls `serve` with each connection, and then closes the connection."""

    def __init__(self, serve: Serve, changed: Callable[[], None]) -> None:
        super().__init__(self.attend)
        self.serve = serve
        self.changed = changed  # called when a connection comes or goes
        self.connections: set[Connection] = set()

    async def hang_up(self) -> None:
        """Close the port, cut every connection, and wait until all are gone."""
        self.close()
        while self.tasks:
            for connection in self.connections:
                connection.writer.transport.abort()  # this ends its task
            await asyncio.wait(self.tasks, return_when=asyncio.FIRST_COMPLETED)

    async def attend(self, taken: socket.socket) -> None:
        connection = Connection(*await asyncio.open_connection(sock=taken, limit=1 << 20))
        self.connections.add(connection)
        self.changed()
        try:
            if self.listening is not None:
                await self.serve(connection)
        except HungUp:
            pass
        finally:
            await connection.close()
            self.connections.discard(connection)
            self.changed()
