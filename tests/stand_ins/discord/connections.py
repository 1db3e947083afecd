"""One connection of a client to the gateway. It sends in order, even its own end."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from aiohttp import web

from tests.stand_ins.discord.compression import Pack, as_text
from tests.stand_ins.discord.drops import Drop, Drops
from tests.stand_ins.discord.faults import maimed
from tests.stand_ins.discord.records import Frame
from tests.stand_ins.discord.sessions import Session
from tests.stand_ins.discord.snowflakes import Json, Now
from tests.stand_ins.discord.transport import hang_up, reset

CUT = b"\x82\x7e\x10\x00" + b"\x00" * 64  # the head of a binary frame of 4,096 bytes, and the first 64 of them


Step = Callable[[], Awaitable[None] | None]


@dataclass(eq=False, kw_only=True)
class Connection:
    number: int
    http: web.Request
    socket: web.WebSocketResponse
    pack: Pack
    drops: Drops
    now: Now
    note: Callable[[Frame], None]
    drop: Drop | None = None  # the fault of this connection
    session: Session | None = None
    code: int | None = None  # the code with which the stand-in closed it
    is_over: bool = False  # nothing more is sent
    is_silent: bool = False  # everything from now on is lost
    acks: bool = True
    beats: int = 0
    last_beat: float = 0.0  # by the loop's clock
    received: deque[float] = field(default_factory=deque)  # times in the last minute
    outgoing: asyncio.Queue[Step] = field(default_factory=asyncio.Queue)

    def send(self, payload: Json, drop: Drop | None = None) -> None:
        self.outgoing.put_nowait(lambda: self.write(payload, drop))

    def dispatch(self, payload: Json) -> None:
        self.send(payload, self.drops.take_at(payload["t"]))
        if self.drop is Drop.AFTER_READY and payload["t"] == "READY":
            self.cut()

    def cut(self) -> None:
        """Reset the connection after everything before is written."""
        self.outgoing.put_nowait(lambda: self.end(reset))

    def close(self, code: int, words: str = "") -> None:
        self.outgoing.put_nowait(lambda: self.close_now(code, words))

    async def run(self) -> None:
        """Send everything in order until the end."""
        while not self.is_over:
            step = await self.outgoing.get()
            if not self.is_silent and (more := step()):
                await more

    async def write(self, payload: Json, drop: Drop | None) -> None:
        if drop is Drop.BEFORE_EVENT:
            return self.end(reset)
        data = self.pack(as_text(spoiled(payload, drop)) if drop is not Drop.NOT_JSON else "{not JSON")
        if drop is Drop.IN_FRAME:
            assert self.http.transport
            self.http.transport.write(CUT)
            return self.end(hang_up)
        if drop is Drop.HALF_COMPRESSED:
            await self.put(data[: len(data) // 2])
            return self.end(hang_up)
        self.note_frame(payload, is_sent=True)
        await self.put(data)
        if drop is Drop.AFTER_EVENT:
            self.end(hang_up)

    async def put(self, data: str | bytes) -> None:
        try:
            if isinstance(data, bytes):
                await self.socket.send_bytes(data)
            else:
                await self.socket.send_str(data)
        except ConnectionError:
            self.is_over = True  # the client is gone; the reader notices it too

    def note_frame(self, payload: object, *, is_sent: bool) -> None:
        known = payload if isinstance(payload, dict) else {}
        op, event, sequence = known.get("op"), known.get("t") or "", known.get("s")
        told = {"op": op, "event": event, "sequence": sequence, "body": known.get("d", payload)}
        self.note(Frame(at=self.now(), connection=self.number, is_sent=is_sent, **told))

    async def close_now(self, code: int, words: str) -> None:
        self.is_over, self.code = True, code
        await self.socket.close(code=code, message=words.encode())

    def end(self, how: Callable[[asyncio.Transport | None], None]) -> None:
        self.is_over = True
        how(self.http.transport)

    def __repr__(self) -> str:
        return f"<connection {self.number}>"


def spoiled(payload: Json, drop: Drop | None) -> object:
    match drop:
        case Drop.MALFORMED:
            return {**payload, "d": maimed(payload["d"])}
        case Drop.BODY_IS_A_LIST:
            return {**payload, "d": [payload["d"]]}
        case Drop.PAYLOAD_IS_A_LIST:
            return [payload]
    return payload
