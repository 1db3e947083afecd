"""A proxy on the loopback address: tunnels (CONNECT) and plain requests, for clients with its name and password.

Only the proxy knows where a test's host names lead, so a client without it reaches nobody. `secured` puts TLS before a
stand-in. Its certificate comes from an authority that nobody trusts by default.
"""

import asyncio
import shutil
import ssl
import subprocess
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

USER, PASSWORD = "ann", "s3cret-of-the-proxy"
OPENSSL = shutil.which("openssl")
ENDS = (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError, ssl.SSLError)


@dataclass
class Proxy:
    ways: dict[str, int] = field(default_factory=dict)  # by host name: a port of this machine
    asked: list[str] = field(default_factory=list)  # "CONNECT model.example:443"
    refused: int = 0
    carrying: list[asyncio.Task[None]] = field(default_factory=list)
    port: int = 0

    @property
    def address(self) -> str:
        return f"http://{USER}:{PASSWORD}@127.0.0.1:{self.port}"

    @asynccontextmanager
    async def open(self) -> AsyncIterator["Proxy"]:
        server = await asyncio.start_server(self.attend, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for task in self.carrying:
                task.cancel()

    async def attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with ExitStack() as closing, suppress(*ENDS):
            closing.callback(writer.close)
            asked = await Asked.read(reader)
            if not asked.is_known():
                self.refused += 1
                writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\n")
                writer.write(b'Proxy-Authenticate: Basic realm="proxy"\r\nContent-Length: 0\r\n\r\n')
                await writer.drain()
                return
            there = await asyncio.open_connection("127.0.0.1", self.ways[asked.host])
            self.asked.append(asked.words)
            if asked.method == "CONNECT":
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await joined((reader, writer), there)
                return
            self.carrying.append(asyncio.create_task(carried(there[0], writer)))
            closing.callback(there[1].close)
            while True:  # a connection may have several requests
                there[1].write(asked.forwarded())
                if asked.is_last:
                    await self.carrying[-1]
                    return
                asked = await Asked.read(reader)
                self.asked.append(asked.words)


@dataclass(frozen=True)
class Asked:
    """One request of a proxy's client."""

    method: str
    target: str
    fields: list[str]
    body: bytes

    @classmethod
    async def read(cls, reader: asyncio.StreamReader) -> "Asked":
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *fields = head.rstrip().split("\r\n")
        method, target, _ = first.split(" ")
        sizes = [int(each.partition(":")[2]) for each in fields if each.lower().startswith("content-length:")]
        return cls(method, target, fields, await reader.readexactly(sum(sizes)))

    @property
    def host(self) -> str:
        return self.place.hostname or ""

    @property
    def place(self) -> SplitResult:
        return urlsplit(self.target if "://" in self.target else f"//{self.target}")

    @property
    def words(self) -> str:
        return f"{self.method} {self.host}:{self.place.port or 80}"

    @property
    def is_last(self) -> bool:
        return "connection: close" in [each.lower() for each in self.fields]

    def is_known(self) -> bool:
        known = b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        return f"proxy-authorization: basic {known}".lower() in [each.lower() for each in self.fields]

    def forwarded(self) -> bytes:
        kept = [each for each in self.fields if not each.lower().startswith("proxy-")]
        path = self.place.path + (f"?{self.place.query}" if self.place.query else "")
        return "\r\n".join([f"{self.method} {path} HTTP/1.1", *kept, "", ""]).encode("latin-1") + self.body


async def joined(
    one: tuple[asyncio.StreamReader, asyncio.StreamWriter], other: tuple[asyncio.StreamReader, asyncio.StreamWriter]
) -> None:
    """Copy data in both directions until one side ends."""
    ways = {asyncio.create_task(carried(one[0], other[1])), asyncio.create_task(carried(other[0], one[1]))}
    await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    for way in ways:
        way.cancel()
    for _, writer in (one, other):
        writer.close()


async def carried(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(*ENDS):
        while some := await reader.read(65536):
            writer.write(some)
            await writer.drain()


@asynccontextmanager
async def secured(port: int, authority: "Authority") -> AsyncIterator[int]:
    """Yield a port with TLS before the given port."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(authority.chain, authority.key)

    async def attend(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(*ENDS):
            await joined((reader, writer), await asyncio.open_connection("127.0.0.1", port))

    server = await asyncio.start_server(attend, "127.0.0.1", 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """A private certificate authority, as in a company, and a certificate from it for these names."""

    ca_file: Path
    chain: Path
    key: Path

    @classmethod
    def made(cls, folder: Path, *names: str) -> "Authority":
        ca, ca_key, chain, key = (folder / name for name in ("ca.pem", "ca.key", "chain.pem", "host.key"))
        of_names = ",".join(f"DNS:{name}" for name in names)
        new = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
        signs = ["-addext", "keyUsage=critical,keyCertSign"]
        run(*new, "-subj", "/CN=An authority", *signs, "-keyout", str(ca_key), "-out", str(ca))
        by = ["-CA", str(ca), "-CAkey", str(ca_key), "-addext", f"subjectAltName={of_names}"]
        server = ["-addext", "basicConstraints=critical,CA:FALSE"]
        run(*new, "-subj", "/CN=A host", *by, *server, "-keyout", str(key), "-out", str(chain))
        return cls(ca_file=ca, chain=chain, key=key)


def run(*words: str) -> None:
    said = subprocess.run([OPENSSL or "openssl", *words], capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
