"""A listening port on the loopback address, whose connections are accepted by hand.

asyncio's own servers can lose a connection that comes while they close, or keep one that nobody ends.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable

from tests.stand_ins.http import Connection, HungUp

Serve = Callable[[Connection], Awaitable[None]]


class Listener:
    """`take` is called with the socket of each connection, in a task of its own."""

    def __init__(self, take: Callable[[socket.socket], Awaitable[None]]) -> None:
        self.take = take
        self.tasks: set[asyncio.Task[None]] = set()
        self.listening: socket.socket | None = None

    def open(self, number: int) -> int:
        """Take connections; the port's number, which is any free one for 0."""
        self.listening = socket.create_server(("127.0.0.1", number), backlog=512)
        self.listening.setblocking(False)
        asyncio.get_running_loop().add_reader(self.listening, self.accept, self.listening)
        return int(self.listening.getsockname()[1])

    def close(self) -> None:
        """Take no more; those that are there stay."""
        if self.listening is not None:
            asyncio.get_running_loop().remove_reader(self.listening)
            self.listening.close()
            self.listening = None

    def accept(self, listening: socket.socket) -> None:
        try:
            taken, _ = listening.accept()
        except (BlockingIOError, ConnectionAbortedError):  # gone again already
            return
        taken.setblocking(False)
        # asyncio does so for sockets that say that they are TCP, which this one, accepted by hand, does not: an answer
        # in two pieces would wait 40 ms for the client's acknowledgement of the first.
        taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        task = asyncio.get_running_loop().create_task(self.pass_on(taken), name="a connection")
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def pass_on(self, taken: socket.socket) -> None:
        if self.listening is None:  # closed since
            taken.close()
        else:
            await self.take(taken)


class Port(Listener):
    """`serve` is called with each connection, and the connection closed when it is done."""

    def __init__(self, serve: Serve, changed: Callable[[], None]) -> None:
        super().__init__(self.attend)
        self.serve = serve
        self.changed = changed  # called when a connection comes or goes
        self.connections: set[Connection] = set()

    async def hang_up(self) -> None:
        """Close, cut every connection, and wait until all are gone."""
        self.close()
        while self.tasks:
            for connection in self.connections:
                connection.writer.transport.abort()  # which ends whatever is being said there
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
