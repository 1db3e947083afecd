"""A web server on the loopback address, for what is fetched from the internet. It sends what a test gives it, byte for
byte, and closes the connection, so it can also misbehave."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field


def answer(body: bytes = b"", *fields: str, status: str = "200 OK", type: str = "text/plain; charset=utf-8") -> bytes:
    """Return a whole answer. `fields` are further lines of its head."""
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {type}", f"Content-Length: {len(body)}", *fields, "", ""]
    return "\r\n".join(lines).encode() + body


def redirect(address: str) -> bytes:
    return answer(b"", f"Location: {address}", status="302 Found")


@dataclass
class Pages:
    """What it answers, by path. An answer that ends in `endless` is repeated until the client leaves."""

    answers: dict[str, bytes] = field(default_factory=dict)
    endless: dict[str, bytes] = field(default_factory=dict)  # by path: what is sent again and again after the answer
    pause_seconds: float = 0.0  # between two of those
    asked: list[str] = field(default_factory=list)  # "example.com /page", as the client has named them
    heads: list[str] = field(default_factory=list)
    port: int = 0
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @asynccontextmanager
    async def open(self) -> AsyncIterator["Pages"]:
        server = await asyncio.start_server(self.attend, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for task in self.tasks:
                task.cancel()

    async def attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self.tasks.add(task)
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            path = head.split(" ")[1]
            fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
            self.heads.append(head)
            self.asked.append(f"{fields['host']} {path}")
            writer.write(self.answers.get(path, answer(status="404 Not Found")))
            await writer.drain()
            while more := self.endless.get(path):
                writer.write(more)
                await writer.drain()
                await asyncio.sleep(self.pause_seconds)
        writer.close()
        self.tasks.discard(task)
