"""Talk with an MCP server at an address, through the guarded fetch's checks and the configured proxy.

The host is resolved once for each connection, each of its addresses must be allowed, and the connection goes to one of
these. Redirects are not followed, cookies are not kept, and no answer is read beyond a number of bytes.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from ipaddress import ip_network
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx2
from mcp.client.streamable_http import streamable_http_client

from bot.core.errors import FetchError
from bot.core.guarded_fetch import FetchPolicy, GuardedFetcher, ResolveName, resolve_by_system
from bot.core.network import NetworkAccess
from bot.mcp_client import texts

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

EVERY_NETWORK = (ip_network("0.0.0.0/0"), ip_network("::/0"))
CONNECT_SECONDS = 20.0
DEFAULT_PORTS = {"http": 80, "https": 443}


class AddressRefused(httpx2.TransportError):
    """A request is not made, or its answer is refused. The message is a clause for operators."""


class AnswerTooLarge(httpx2.StreamError):
    """An answer is not read to its end."""


class BoundedStream(httpx2.AsyncByteStream):
    """The bytes of an answer, up to a number."""

    def __init__(self, stream: httpx2.AsyncByteStream, most_bytes: int) -> None:
        self.stream = stream
        self.most_bytes = most_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        count = 0
        async for piece in self.stream:
            count += len(piece)
            if count > self.most_bytes:
                raise AnswerTooLarge(texts.ANSWER_TOO_LARGE(most=self.most_bytes))
            yield piece

    async def aclose(self) -> None:
        await self.stream.aclose()


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Sends a request to a checked address of its host. The certificate is checked for the host's name."""

    def __init__(
        self,
        url: str,
        network: NetworkAccess,
        *,
        may_be_private: bool,
        most_bytes: int,
        resolve: ResolveName = resolve_by_system,
    ) -> None:
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORTS[parts.scheme]
        networks = EVERY_NETWORK if may_be_private else ()
        policy = FetchPolicy(ports=frozenset({port}), allowed_networks=networks)
        self.guard = GuardedFetcher(network, policy, resolve)
        self.may_be_private = may_be_private
        self.most_bytes = most_bytes
        self.fault = ""  # of the last answer, for operators
        self.inner = httpx2.AsyncHTTPTransport(
            verify=network.ssl_context(), trust_env=False, proxy=network.proxy, limits=httpx2.Limits(max_connections=20)
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        try:
            response = await self.ask_checked_address(request)
        except httpx2.TransportError as error:
            self.fault = str(error) or type(error).__name__
            raise
        status = response.status_code
        self.fault = "" if status < 300 else texts.LEADS_ELSEWHERE if status < 400 else texts.STATUS(status=status)
        return response

    async def ask_checked_address(self, request: httpx2.Request) -> httpx2.Response:
        host = request.url.host
        try:
            hop = await self.guard.check_hop(self.guard.parse_web_address(str(request.url)))
        except FetchError as error:
            is_private = not self.may_be_private and error.seconds is None
            reason = texts.PRIVATE_ADDRESS(reason=error) if is_private else str(error)
            raise AddressRefused(reason, request=request) from None
        extensions = {**request.extensions, "sni_hostname": host}
        for number, checked in enumerate(hop.hosts, 1):
            sent = httpx2.Request(
                request.method,
                request.url.copy_with(host=checked),
                headers=request.headers,  # its Host is that of the name
                stream=request.stream,
                extensions=extensions,
            )
            try:
                response = await self.inner.handle_async_request(sent)
            except httpx2.ConnectError:
                if number == len(hop.hosts):
                    raise
                continue
            if response.headers.get("content-encoding", "identity") not in ("", "identity"):
                await response.aclose()
                raise AddressRefused(texts.UNKNOWN_PACKING, request=request)
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            bounded = BoundedStream(response.stream, self.most_bytes)
            return httpx2.Response(
                response.status_code, headers=response.headers, stream=bounded, extensions=response.extensions
            )
        raise AssertionError("a checked hop has a host")

    async def aclose(self) -> None:
        await self.inner.aclose()


def make_client(headers: Mapping[str, str], transport: GuardedTransport) -> httpx2.AsyncClient:
    """Return the client of a server: without redirects, cookies, variables of the environment, or unbounded answers."""
    return httpx2.AsyncClient(
        headers={**headers, "Accept-Encoding": "identity"},
        transport=transport,
        trust_env=False,
        follow_redirects=False,
        timeout=httpx2.Timeout(CONNECT_SECONDS, read=None),  # each call has a time limit of its own
    )


def address_transport(
    url: str, client: httpx2.AsyncClient, most_bytes: int
) -> "AbstractAsyncContextManager[TransportStreams]":
    return streamable_http_client(url, http_client=client, max_sse_event_size=most_bytes)
