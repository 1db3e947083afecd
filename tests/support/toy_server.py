"""Toy's server on a loopback socket. It keeps what people write until the bot has taken it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import Enum, auto
from typing import Any

from tests.support.shell import PATIENCE

TOKEN = "42-secret"


class CutOff(Enum):
    BEFORE = auto()  # before the message was taken
    AFTER = auto()  # before the bot is told that the message was taken


class ToyServer:
    def __init__(self) -> None:
        self.port = 0
        self.rooms: dict[str, dict[str, dict[str, Any]]] = {}  # by room, then by the bot's id: messages
        self.waiting: dict[int, dict[str, Any]] = {}  # by Toy's id: what people wrote and the bot has not taken
        self.written = 0
        self.changed = asyncio.Condition()
        self.writers: list[asyncio.StreamWriter] = []
        self.cuts: list[CutOff] = []  # where the connection is cut at the next new messages

    def texts(self, room: str) -> list[str]:
        return [message["text"] for message in self.rooms.get(room, {}).values()]

    def say(self, room: str, text: str, *, person: int = 7, question: str | None = None) -> None:
        self.written += 1
        line = {"id": self.written, "room": room, "person": person, "name": "Ann", "text": text, "question": question}
        self.waiting[self.written] = line
        for writer in self.writers:
            writer.write(json.dumps(line).encode() + b"\n")

    async def until_said(self, room: str, text: str) -> None:
        async with asyncio.timeout(PATIENCE), self.changed:
            await self.changed.wait_for(lambda: text in self.texts(room))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if json.loads(await reader.readline()) != {"token": TOKEN}:
                writer.write(b'{"refused": true}\n')
                return
            welcome = {"bot": "Toybot", "maker": 7, "maker_name": "Ann"}
            for line in (welcome, *self.waiting.values()):
                writer.write(json.dumps(line).encode() + b"\n")
            self.writers.append(writer)
            while (sent := await reader.readline()) and await self.take(json.loads(sent), writer):
                pass
        except ConnectionError:
            pass  # the bot was killed
        finally:
            writer.close()
            if writer in self.writers:
                self.writers.remove(writer)

    async def take(self, line: dict[str, Any], writer: asyncio.StreamWriter) -> bool:
        """Do what a line says. Return False if the connection must be cut now."""
        is_new = "request" in line and line["text"] is not None and line["id"] not in self.rooms.get(line["room"], {})
        cut_off = self.cuts.pop(0) if self.cuts and is_new else None
        if cut_off is CutOff.BEFORE:
            return False
        async with self.changed:
            if "taken" in line:
                self.waiting.pop(line["taken"])
                return True
            room = self.rooms.setdefault(line["room"], {})
            if line["text"] is None:
                room.pop(line["id"], None)
            else:
                room[line["id"]] = line
            self.changed.notify_all()
        if cut_off is None:
            writer.write(json.dumps({"done": line["request"]}).encode() + b"\n")
        return cut_off is None


@asynccontextmanager
async def toy_server() -> AsyncIterator[ToyServer]:
    toy = ToyServer()
    server = await asyncio.start_server(toy.serve, "127.0.0.1", 0)
    toy.port = server.sockets[0].getsockname()[1]
    try:
        yield toy
    finally:
        server.close()
        for writer in toy.writers:
            writer.close()
