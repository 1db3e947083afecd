"""Send one reply, step by step, and notice if the client disconnects."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from tests.stand_ins.claude.canonical import CHARACTERS_PER_TOKEN
from tests.stand_ins.claude.faults import Fault
from tests.stand_ins.claude.frames import PING, End, Frame, Step, Told, Wait
from tests.stand_ins.claude.records import Request
from tests.stand_ins.http import Connection, HungUp


@dataclass
class Answering:
    connection: Connection
    request: Request
    headers: dict[str, str]
    begin: Callable[[], None]
    split: int
    together: int
    ping_seconds: float
    buffer: bytes = b""
    frames: int = 0  # in the buffer
    characters: int = 0  # of output, sent so far

    async def go(self, hold: asyncio.Event | None, fault: Fault | None, told: Told, steps: list[Step]) -> bool:
        """Send the reply. Return True if the connection can be used again. Raise HungUp if the client left."""
        sending = asyncio.create_task(self.send(hold, fault, told, steps), name="sending")
        watching = asyncio.create_task(self.connection.watch(), name="watching")
        try:
            await asyncio.wait({sending, watching}, return_when=asyncio.FIRST_COMPLETED)
            if not sending.done():
                raise HungUp
            return sending.result()
        except HungUp:
            self.request.hung_up = True
            raise
        finally:
            for task in (sending, watching):
                task.cancel()
            await asyncio.gather(sending, watching, return_exceptions=True)

    async def send(self, hold: asyncio.Event | None, fault: Fault | None, told: Told, steps: list[Step]) -> bool:
        if fault is Fault.STALL_BEFORE_HEAD:
            await asyncio.Event().wait()
        if fault is Fault.RESET_BEFORE_HEAD:
            self.connection.reset()
            return False
        if hold:
            await hold.wait()
        self.begin()
        if not self.request.asked.streamed:
            await self.whole(told, steps)
            return True
        head = {"content-type": "text/event-stream; charset=utf-8", "transfer-encoding": "chunked"}
        await self.connection.head(200, {**head, "cache-control": "no-cache", **self.headers})
        for step in steps:
            match step:
                case Frame():
                    await self.frame(step)
                case Wait():
                    await self.flush()
                    await self.wait(step)
                case _:
                    return await self.end(step, told)
        return False

    async def whole(self, told: Told, steps: list[Step]) -> None:
        """Send the reply as one answer, without a stream. Wait where the stream would wait."""
        for step in steps:
            if isinstance(step, Wait):
                await self.wait(step)
        self.request.billed, self.request.others = told.billed, told.others
        await self.connection.json(200, self.headers, told.message)

    async def wait(self, step: Wait) -> None:
        if step.until:
            await step.until.wait()
        if step.seconds:
            await asyncio.sleep(step.seconds)

    async def frame(self, frame: Frame) -> None:
        self.characters += frame.output
        if frame.bills:
            self.request.billed = frame.bills
        self.buffer += frame.wire()
        self.frames += 1
        if self.frames >= self.together:
            await self.flush()

    async def flush(self) -> None:
        # Bill before sending: so whatever a client reads is billed, and a broken stream is billed up to its end.
        written = max(1, round(self.characters / CHARACTERS_PER_TOKEN))
        self.request.billed = replace(self.request.billed, output=written)
        size = self.split or max(1, len(self.buffer))
        pieces = [self.buffer[start : start + size] for start in range(0, len(self.buffer), size)]
        self.buffer, self.frames = b"", 0
        for piece in pieces:
            await self.connection.chunk(piece)

    async def end(self, end: End, told: Told) -> bool:
        await self.flush()
        match end:
            case End.CLEAN:
                if self.has_all(told):
                    self.request.billed, self.request.others = told.billed, told.others
                await self.connection.last_chunk()
                return True
            case End.MID_CHUNK:
                await self.connection.half_a_chunk(PING.wire())
            case End.NO_TERMINATOR:
                self.request.billed, self.request.others = told.billed, told.others
            case End.RESET:
                self.connection.reset()
            case End.STALL:
                await asyncio.Event().wait()
            case End.PINGS:
                while True:
                    await self.connection.chunk(PING.wire())
                    await asyncio.sleep(self.ping_seconds)
        return False

    def has_all(self, told: Told) -> bool:
        whole = sum(step.output for step in told.steps if isinstance(step, Frame))
        return self.characters >= whole
