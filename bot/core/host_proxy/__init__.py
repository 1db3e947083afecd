"""The proxy for named hosts: the only way out of a sandbox.

A sandbox has a network of its own, with nothing in it but its loopback. On that, the one who starts the sandbox may let
this proxy listen (`bot/core/sandbox/listener.py`). It takes CONNECT and plain HTTP requests, and passes on only what
goes to a named host, over the guarded fetch's checks: the host is resolved once, each of its addresses must be public,
and the connection goes to an address that was checked.
"""

from __future__ import annotations

import asyncio
import logging
from asyncio import StreamReader, StreamWriter, Task
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from bot.core.errors import FetchError
from bot.core.guarded_fetch import GuardedFetcher
from bot.core.host_proxy import texts
from bot.core.host_proxy.requests import END_OF_HEAD, MAX_HEAD_BYTES, ProxyRequest, WrongRequest, parse_request
from bot.core.host_proxy.upstream import BAD_GATEWAY, Streams, closed_at_end, open_upstream
from bot.core.named_hosts import NamedHosts, is_host_named, names_of_hosts
from bot.core.sandbox.listener import ListenerChannel

log = logging.getLogger(__name__)

CHUNK_BYTES = 65_536
MAX_REMEMBERED_PLACES = 20  # that were refused; others are only counted
LINGER_SECONDS = 1.0  # after an answer, for a program that still sends
OTHER_PLACES = "…"
LOOKUPS_AT_ONCE = 2  # each takes a thread of the whole bot
ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
FORBIDDEN, BUSY, HEAD_TOO_LARGE = "403 Forbidden", "503 Service Unavailable", "431 Request Header Fields Too Large"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyLimits:
    connections: int = 64  # at once, of one sandbox
    head_seconds: float = 10.0  # until a connection has asked for something
    connect_seconds: float = 15.0
    idle_seconds: float = 120.0
    connection_bytes: int = 2 * 2**30  # in both directions together


DEFAULT_PROXY_LIMITS = ProxyLimits()


@dataclass(slots=True)
class Exit:
    """The way out of one sandbox: which hosts may be reached, and which were asked for in vain."""

    owner: str  # for the log
    hosts: NamedHosts
    setting: str  # which setting names hosts
    channel: ListenerChannel
    refused: Counter[str] = field(default_factory=Counter)
    connections: set[Task[None]] = field(default_factory=set)
    lookups: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(LOOKUPS_AT_ONCE))

    @property
    def descriptor(self) -> int:
        """Return the descriptor that the sandbox's command takes over."""
        return self.channel.descriptor

    def refuse(self, place: str) -> None:
        """Count a request for a place that is not named. Tell the log of each place once, and of so many at most."""
        if len(self.refused) >= MAX_REMEMBERED_PLACES and place not in self.refused:
            place = OTHER_PLACES
        if place not in self.refused:
            log.warning("%s", texts.REFUSED(owner=self.owner, place=place))
        self.refused[place] += 1

    def report_refused(self) -> None:
        if count := self.refused.total():
            places = ", ".join(f"{place} ({times})" for place, times in self.refused.most_common())
            log.info("%s", texts.REFUSED_IN_ALL(count=count, owner=self.owner, places=places))


class HostProxy:
    def __init__(self, guard: GuardedFetcher | None = None, limits: ProxyLimits = DEFAULT_PROXY_LIMITS) -> None:
        self.guard = guard or GuardedFetcher()
        self.limits = limits

    @asynccontextmanager
    async def open_exit(self, owner: str, hosts: NamedHosts, setting: str) -> AsyncIterator[Exit]:
        """Yield an exit for one sandbox. The proxy serves it until the context ends."""
        with ListenerChannel() as channel:
            found = Exit(owner, hosts, setting, channel)
            serving = asyncio.create_task(self.serve(found), name=f"proxy of {owner}")
            try:
                yield found
            finally:
                serving.cancel()
                await asyncio.wait([serving])
                found.report_refused()

    async def serve(self, found: Exit) -> None:
        """Serve the exit until cancelled, and end its connections then."""
        listener = await found.channel.receive_listener()
        async with asyncio.TaskGroup() as tasks:

            def take(reader: StreamReader, writer: StreamWriter) -> None:
                if len(found.connections) >= 2 * self.limits.connections:  # not even a refusal
                    writer.transport.abort()
                    return
                task = tasks.create_task(self.serve_until_closed(found, reader, writer))
                found.connections.add(task)
                task.add_done_callback(found.connections.discard)

            server = await asyncio.start_server(take, sock=listener, limit=MAX_HEAD_BYTES)
            try:
                await asyncio.Event().wait()
            finally:
                server.close()

    async def serve_until_closed(self, found: Exit, reader: StreamReader, writer: StreamWriter) -> None:
        try:
            with closed_at_end(writer):
                await self.serve_connection(found, reader, writer)
        except* OSError:  # also if it has taken too long
            log.debug("a connection of %s has ended early", found.owner)

    async def serve_connection(self, found: Exit, reader: StreamReader, writer: StreamWriter) -> None:
        """Serve one request, and close. A second one on the same connection is never read."""
        try:
            if len(found.connections) > self.limits.connections:
                raise WrongRequest(texts.TOO_MANY_CONNECTIONS(most=self.limits.connections), BUSY)
            async with asyncio.timeout(self.limits.head_seconds):
                request = parse_request(await read_head(reader))
            upstream = await self.connect(found, request)
        except WrongRequest as wrong:
            await answer(reader, writer, wrong.status, str(wrong))
            return
        except FetchError as error:
            await answer(reader, writer, FORBIDDEN, str(error))
            return
        with closed_at_end(upstream[1]):
            if request.is_tunnel:
                writer.write(ESTABLISHED)
            await self.relay(request, (reader, writer), upstream)

    async def connect(self, found: Exit, request: ProxyRequest) -> Streams:
        """Return a connection to what is asked for. Raise WrongRequest or FetchError if there must or can be none."""
        if not is_host_named(request.host, request.port, found.hosts):
            found.refuse(request.place)
            named = names_of_hosts(found.hosts)
            text = texts.HOST_NOT_NAMED(place=request.place, hosts=named, setting=found.setting)
            raise WrongRequest(text, FORBIDDEN)
        try:
            async with asyncio.timeout(self.limits.connect_seconds):
                async with found.lookups:
                    addresses = await self.guard.check_host(request.host, request.port)
                return await open_upstream(self.guard.network, request, addresses)
        except TimeoutError:
            raise WrongRequest(texts.CANNOT_CONNECT(place=request.place), BAD_GATEWAY) from None

    async def relay(self, request: ProxyRequest, client: Streams, upstream: Streams) -> None:
        """Pass bytes on in both directions, of a plain request only its body and the answer, until a side ends, or is
        silent for too long, or has sent too much."""
        async with asyncio.timeout(self.limits.idle_seconds) as limit:
            meter = Meter(limit, self.limits)
            most = None if request.is_tunnel else request.body_bytes
            async with asyncio.TaskGroup() as owner:
                up = owner.create_task(pump(client[0], upstream[1], meter, most))
                await pump(upstream[0], client[1], meter, None)
                if not request.is_tunnel:
                    up.cancel()


@dataclass(slots=True)
class Meter:
    """Counts what passes, and puts off the end of a connection that is not idle."""

    limit: asyncio.Timeout
    limits: ProxyLimits
    passed: int = 0

    def count(self, size: int) -> None:
        """Raise ConnectionAbortedError if too much has passed."""
        self.passed += size
        if self.passed > self.limits.connection_bytes:
            raise ConnectionAbortedError
        self.limit.reschedule(asyncio.get_running_loop().time() + self.limits.idle_seconds)


async def read_head(reader: StreamReader) -> bytes:
    try:
        return await reader.readuntil(END_OF_HEAD)
    except asyncio.LimitOverrunError:
        raise WrongRequest(texts.HEAD_TOO_LONG, HEAD_TOO_LARGE) from None
    except asyncio.IncompleteReadError:
        raise WrongRequest(texts.NOT_A_REQUEST) from None


async def pump(source: StreamReader, sink: StreamWriter, meter: Meter, most: int | None) -> None:
    """Pass bytes on until the source ends, or `most` have passed; then end the sink, unless more may follow there."""
    left = most
    while left != 0 and (piece := await source.read(CHUNK_BYTES if left is None else min(left, CHUNK_BYTES))):
        meter.count(len(piece))
        sink.write(piece)
        await sink.drain()
        left = None if left is None else left - len(piece)
    if most is None and sink.can_write_eof():
        sink.write_eof()


async def answer(reader: StreamReader, writer: StreamWriter, status: str, text: str) -> None:
    """Answer, and drop what still comes: an end with unread bytes could take the answer away."""
    body = f"{text}\n".encode()
    lines = (f"HTTP/1.1 {status}", "Content-Type: text/plain; charset=utf-8", f"Content-Length: {len(body)}")
    writer.write("\r\n".join([*lines, "Connection: close", "", ""]).encode() + body)
    writer.write_eof()
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER_SECONDS):
            while await reader.read(CHUNK_BYTES):
                pass
