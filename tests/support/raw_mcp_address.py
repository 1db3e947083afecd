"""A tiny MCP server at an address of this machine, in the test's process. It answers JSON, or what a test gives it."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from tests.stand_ins.pages import answer
from tests.support.mcp_bench import listed

MANY_BYTES = 3_000_000


@dataclass
class McpAddress:
    port: int = 0
    sessions: list[str] = field(default_factory=list)  # those that it knows
    heads: list[dict[str, str]] = field(default_factory=list)  # of all requests, with small letters
    instead: dict[str, bytes] = field(default_factory=dict)  # by method: what it answers instead
    silent: set[str] = field(default_factory=set)  # methods that it never answers
    called: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    @asynccontextmanager
    async def open(self) -> AsyncIterator["McpAddress"]:
        server = await asyncio.start_server(self.attend, "127.0.0.1", self.port)
        self.port = server.sockets[0].getsockname()[1]
        tasks = self.tasks = set[asyncio.Task[None]]()
        try:
            yield self
        finally:
            server.close()
            for task in tasks:
                task.cancel()

    async def attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self.tasks.add(task)
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                fields = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
                fields = {name.lower(): value for name, value in fields.items()}
                body = await reader.readexactly(int(fields.get("content-length", 0)))
                self.heads.append(fields)
                is_post = head.startswith("POST")
                answered = self.answer(json.loads(body), fields) if is_post else answer(status="405 Not Allowed")
                if answered is None:
                    await asyncio.Event().wait()
                    return
                writer.write(answered)
                await writer.drain()
        writer.close()

    def answer(self, message: dict[str, Any], fields: dict[str, str]) -> bytes | None:
        method = message.get("method", "")
        if method in self.silent:
            return None
        if method in self.instead:
            return self.instead[method]
        if "id" not in message:
            return answer(status="202 Accepted")
        if method == "initialize":
            self.sessions.append(f"session-{len(self.sessions)}")
            version = message["params"]["protocolVersion"]
            about = {"name": "raw", "version": "1"}
            result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}
            return self.reply(message, result, f"Mcp-Session-Id: {self.sessions[-1]}")
        if method == "server/discover":
            error = {"code": -32601, "message": "no such method"}
            return self.reply(message, None, error=error)
        if fields.get("mcp-session-id") not in self.sessions:
            return answer(status="404 Not Found")
        if method == "tools/list":
            return self.reply(message, {"tools": [listed("echo")]})
        self.called += 1
        text = "x" * MANY_BYTES if message["params"]["name"] == "huge" else "hello"
        return self.reply(message, {"content": [{"type": "text", "text": text}]})

    def reply(self, message: dict[str, Any], result: Any, *fields: str, error: Any = None) -> bytes:
        said = {"jsonrpc": "2.0", "id": message["id"], **({"error": error} if error else {"result": result})}
        return answer(json.dumps(said).encode(), *fields, type="application/json")
