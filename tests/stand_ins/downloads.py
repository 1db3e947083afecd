"""Send files over a stand-in's socket, or what may come instead of them."""

from __future__ import annotations

import asyncio
import gzip
from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum, auto

from tests.stand_ins.http import Connection

AS_FILE = {"content-type": "application/octet-stream"}
PIECE = bytes(65_536)


class DownloadFault(StrEnum):
    GONE = auto()  # 404
    DOWN = auto()  # 502
    BUSY = auto()  # 429, to be asked again after a second
    ELSEWHERE = auto()  # a redirect
    CUT = auto()  # half of it, then a reset
    SILENT = auto()  # half of it, then nothing
    ENDLESS = auto()  # its beginning, and then zeros without an end
    LARGER = auto()  # twice as much as announced, and the length says so
    PACKED = auto()  # packed, although nobody asked for that


@dataclass
class Downloads:
    """The files that clients ask for. `faults` are for the next requests, one each; None lets one pass."""

    faults: deque[DownloadFault | None] = field(default_factory=deque)
    asked: list[str] = field(default_factory=list)  # the paths
    sent_bytes: int = 0
    elsewhere: str = "http://127.0.0.1:9/stolen"  # where the redirect leads

    def next(self, *faults: DownloadFault | None) -> None:
        self.faults += faults

    async def send(self, connection: Connection, path: str, content: bytes | None) -> bool:
        """Answer a request for a file; None: there is none. Return True if the connection can be used again."""
        self.asked.append(path)
        fault = self.faults.popleft() if self.faults else None
        match fault:
            case DownloadFault.GONE:
                content = None
            case DownloadFault.DOWN:
                await connection.whole(502, {"content-type": "text/html"}, b"<html>Bad Gateway</html>")
                return True
            case DownloadFault.BUSY:
                await connection.whole(429, {"retry-after": "1"}, b"")
                return True
            case DownloadFault.ELSEWHERE:
                await connection.whole(302, {"location": self.elsewhere}, b"")
                return True
        if content is None:
            await connection.whole(404, {"content-type": "text/plain"}, b"This content is no longer available.")
            return True
        return await self.send_content(connection, content, fault)

    async def send_content(self, connection: Connection, content: bytes, fault: DownloadFault | None) -> bool:
        match fault:
            case DownloadFault.PACKED:
                await connection.whole(200, {**AS_FILE, "content-encoding": "gzip"}, gzip.compress(content))
                return True
            case DownloadFault.LARGER:
                content += content
            case DownloadFault.CUT | DownloadFault.SILENT:
                await connection.head(200, {**AS_FILE, "content-length": str(len(content))})
                await connection.send(content[: len(content) // 2])
                if fault is DownloadFault.SILENT:
                    await connection.watch()
                else:
                    await asyncio.sleep(0.02)  # a reset at once would take the sent half away too
                    connection.reset()
                return False
            case DownloadFault.ENDLESS:
                await connection.head(200, {**AS_FILE, "transfer-encoding": "chunked"})
                while True:
                    await connection.chunk(PIECE)
                    self.sent_bytes += len(PIECE)
        await connection.whole(200, AS_FILE, content)
        self.sent_bytes += len(content)
        return True
