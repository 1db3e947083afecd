"""Connect to a checked address of a host, directly or through the operator's own proxy."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from urllib.parse import unquote, urlsplit

from bot.core.host_proxy import texts
from bot.core.host_proxy.requests import END_OF_HEAD, Header, ProxyRequest, WrongRequest
from bot.core.network import NetworkAccess
from bot.core.texts import escape_unprintable

BAD_GATEWAY = "502 Bad Gateway"
MAX_SHOWN_ANSWER = 100

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def open_upstream(network: NetworkAccess, request: ProxyRequest, addresses: Sequence[str]) -> Streams:
    """Return a connection to one of the addresses, on which a plain request has been made already, without its body.
    Raise WrongRequest if there is none."""
    if network.proxy:
        return await open_through_proxy(network, network.proxy, request, addresses[0])
    reader, writer = await open_directly(request, addresses)
    if not request.is_tunnel:
        writer.write(request.head_for(request.path))
    return reader, writer


async def open_directly(request: ProxyRequest, addresses: Sequence[str]) -> Streams:
    for address in addresses:
        try:
            return await asyncio.open_connection(address, request.port)
        except OSError:
            continue  # the next address may answer
    raise WrongRequest(texts.CANNOT_CONNECT(place=request.place), BAD_GATEWAY)


async def open_through_proxy(network: NetworkAccess, proxy: str, request: ProxyRequest, address: str) -> Streams:
    parts = urlsplit(proxy)
    context = network.ssl_context() if parts.scheme == "https" else None
    try:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port, ssl=context)
    except OSError:
        raise WrongRequest(texts.UPSTREAM_AWAY, BAD_GATEWAY) from None
    with aborted_on_error(writer):
        place = f"{f'[{address}]' if ':' in address else address}:{request.port}"
        allowing = list(authorization(parts.username, parts.password))
        if request.is_tunnel:
            writer.write(connect_head(place, allowing))
            await require_tunnel(reader, request)
        else:
            writer.write(request.head_for(f"http://{place}{request.path}", allowing))
        return reader, writer


def connect_head(place: str, headers: Sequence[Header]) -> bytes:
    lines = [f"CONNECT {place} HTTP/1.1", f"Host: {place}", *(f"{name}: {value}" for name, value in headers)]
    return "\r\n".join([*lines, "", ""]).encode()


async def require_tunnel(reader: asyncio.StreamReader, request: ProxyRequest) -> None:
    """Raise WrongRequest unless the other proxy answers that the tunnel stands."""
    try:
        answer = (await reader.readuntil(END_OF_HEAD)).split(b"\r\n")[0].decode(errors="replace")
    except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        answer = ""
    if answer.split(" ")[1:2] != ["200"]:
        shown = escape_unprintable(answer, MAX_SHOWN_ANSWER)
        raise WrongRequest(texts.UPSTREAM_REFUSED(place=request.place, answer=shown), BAD_GATEWAY)


@contextmanager
def aborted_on_error(writer: asyncio.StreamWriter) -> Iterator[None]:
    """Drop a connection, with what was still to be sent, if the block fails or is cancelled."""
    try:
        yield
    except BaseException:
        writer.transport.abort()
        raise


@contextmanager
def closed_at_end(writer: asyncio.StreamWriter) -> Iterator[None]:
    """Close a connection at the end of the block; drop it if the block fails or is cancelled."""
    with aborted_on_error(writer):
        yield
    writer.close()


def authorization(name: str | None, password: str | None) -> Sequence[Header]:
    if name is None:
        return []
    known = f"{unquote(name)}:{unquote(password or '')}".encode()
    return [("Proxy-Authorization", f"Basic {b64encode(known).decode()}")]
