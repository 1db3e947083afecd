"""The server for files: each attachment has a signed address that expires after a day."""

from __future__ import annotations

import asyncio
import gzip
import mimetypes
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import quote

from aiohttp import web

from tests.stand_ins.discord.snowflakes import Json, Now
from tests.stand_ins.discord.transport import reset
from tests.stand_ins.downloads import AS_FILE, PIECE, DownloadFault, Downloads

PREFIX = "/attachments/"
LIFETIME_SECONDS = 86_400
UNKNOWN = "This content is no longer available."


class Upload(NamedTuple):
    """A file that a person sends: `seconds` make it a piece of sound."""

    name: str
    content: bytes = b"?"
    seconds: float | None = None


@dataclass
class Cdn:
    now: Now
    origin: Callable[[], str]
    contents: dict[str, bytes] = field(default_factory=dict)  # by path; a test may delete one
    downloads: Downloads = field(default_factory=Downloads)

    def add(self, id: int, channel: int, upload: Upload) -> Json:
        """Keep a file, and return its attachment without its address, which each look at the message signs anew."""
        path = f"{PREFIX}{channel}/{id}/{quote(upload.name.replace(' ', '_'))}"
        self.contents[path] = upload.content
        media_type, _ = mimetypes.guess_type(upload.name)
        told: Json = {"id": str(id), "filename": upload.name.replace(" ", "_"), "size": len(upload.content)}
        told |= {"path": path} | ({"content_type": media_type} if media_type else {})
        if upload.seconds is not None:
            told |= {"duration_secs": upload.seconds, "waveform": "AAAA"}
        return told

    def sign(self, attachment: Json) -> Json:
        """Return an attachment as the platform tells it now."""
        if "path" not in attachment:
            return attachment
        path, until = attachment["path"], int(self.now()) + LIFETIME_SECONDS
        url = f"{self.origin()}{path}?ex={until:x}&is={until - LIFETIME_SECONDS:x}&hm={signature(path, f'{until:x}')}&"
        return {**{key: value for key, value in attachment.items() if key != "path"}, "url": url, "proxy_url": url}

    def find(self, http: web.Request) -> bytes | None:
        """Return what lies at an address that is signed and has not expired."""
        until = http.query.get("ex", "")
        is_signed = http.query.get("hm") == signature(http.rel_url.raw_path, until)
        return self.contents.get(http.rel_url.raw_path) if is_signed and int(until, 16) > self.now() else None

    async def serve(self, http: web.Request) -> web.StreamResponse:
        self.downloads.asked.append(http.path)
        fault = self.downloads.faults.popleft() if self.downloads.faults else None
        content = None if fault is DownloadFault.GONE else self.find(http)
        match fault:
            case DownloadFault.DOWN:
                return web.Response(status=502, text="<html>Bad Gateway</html>", content_type="text/html")
            case DownloadFault.BUSY:
                return web.Response(status=429, headers={"retry-after": "1"})
            case DownloadFault.ELSEWHERE:
                return web.Response(status=302, headers={"location": self.downloads.elsewhere})
        if content is None:
            return web.Response(status=404, text=UNKNOWN)
        match fault:
            case DownloadFault.PACKED:
                return web.Response(body=gzip.compress(content), headers={**AS_FILE, "content-encoding": "gzip"})
            case DownloadFault.LARGER:
                content += content
            case DownloadFault.CUT | DownloadFault.SILENT | DownloadFault.ENDLESS:
                return await self.stream(http, content, fault)
        self.downloads.sent_bytes += len(content)
        return web.Response(body=content, headers=AS_FILE)

    async def stream(self, http: web.Request, content: bytes, fault: DownloadFault) -> web.StreamResponse:
        response = web.StreamResponse(headers=AS_FILE)
        if fault is not DownloadFault.ENDLESS:
            response.content_length = len(content)
        await response.prepare(http)
        while fault is DownloadFault.ENDLESS:
            await response.write(PIECE)
            self.downloads.sent_bytes += len(PIECE)
        await response.write(content[: len(content) // 2])
        if fault is DownloadFault.SILENT:
            await asyncio.Event().wait()  # until the client leaves
        await asyncio.sleep(0.02)  # a reset at once would take the sent half away too
        reset(http.transport)
        return response


def signature(path: str, until: str) -> str:
    return sha256(f"{path}?{until}".encode()).hexdigest()
