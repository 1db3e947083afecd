"""The front over HTTP: each client has a token. Before a request is read, its host, its origin and its token count.

It keeps no sessions: each request stands for itself, so a client goes on after a restart as if nothing had been.
"""

import asyncio
import socket
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import uvicorn
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from bot.config.exposure import is_this_machine
from bot.mcp_server import texts
from bot.mcp_server.server import Context, DelegationServer
from bot.ops.client_tokens import WRONG_TOKEN_SECONDS, ClientTokens
from bot.ops.control.delegations import RunningBot

PATH = "/mcp"
CLIENT_KEY = "retinue.client"  # in the scope of a request: the client whose token it came with
MAX_BODY_BYTES = 2 * 2**20
MAX_REQUESTS_AT_ONCE = 100  # of one client
HEAD_SECONDS = 10.0
STOP_SECONDS = 2


class Guard:
    """Let in the requests of programs that name this place and have a client's token. A page in a browser can do
    neither: it names where it is from, and its own host."""

    def __init__(self, app: ASGIApp, tokens: Mapping[str, str], hosts: Sequence[str]) -> None:
        self.app = app
        self.tokens = ClientTokens(tokens)
        named = TransportSecuritySettings(allowed_hosts=list(hosts), allowed_origins=[])
        self.security = TransportSecurityMiddleware(named)
        self.at_work = Counter[str]()  # requests, by client

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            refusal = await self.refuse(scope)
            if refusal:
                await refusal(scope, receive, send)
                return
            with self.counted(scope[CLIENT_KEY]):
                await self.app(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    @contextmanager
    def counted(self, client: str) -> Iterator[None]:
        self.at_work[client] += 1
        try:
            yield
        finally:
            self.at_work[client] -= 1

    async def refuse(self, scope: Scope) -> Response | None:
        """Return the answer to a request that is not let in. Note the client of one that is."""
        request = Request(scope)
        if refusal := await self.security.validate_request(request):
            return refusal
        authorization = request.headers.get("authorization", "")
        client = self.tokens.find_client(authorization)
        if client is None:
            return self.refuse_wrong_token(request.client.host if request.client else "", authorization)
        if self.at_work[client] >= MAX_REQUESTS_AT_ONCE:
            return PlainTextResponse(texts.TOO_MANY_REQUESTS, 503, {"Retry-After": "1"})
        scope[CLIENT_KEY] = client
        return None

    def refuse_wrong_token(self, peer: str, authorization: str) -> Response:
        """Return the answer to a request without a client's token."""
        if self.tokens.is_wrong_too_often(peer, authorization):
            wait = {"Retry-After": str(round(WRONG_TOKEN_SECONDS))}
            return PlainTextResponse(texts.TOO_MANY_WRONG_TOKENS, 429, wait)
        return PlainTextResponse(texts.WRONG_TOKEN, 401, {"WWW-Authenticate": "Bearer"})


def names_of_place(host: str, port: int, others: Sequence[str]) -> list[str]:
    """Return what a request may call this place in its Host header: the address itself, and the operator's names."""
    shown = f"[{host}]" if ":" in host else host
    local = ("127.0.0.1", "localhost", "[::1]") if is_this_machine(host) else ()
    own = [f"{name}:{port}" for name in (shown, *local)]
    return [*own, *(name for other in others for name in (other, f"{other}:*"))]


def find_client_of_request(context: Context) -> str:
    assert context.request, "each request came over HTTP, and the guard has let it in"
    return str(context.request.scope[CLIENT_KEY])


def make_http_app(bot: RunningBot, version: str, tokens: Mapping[str, str], hosts: Sequence[str]) -> Guard:
    server = DelegationServer(bot, find_client_of_request, version)
    return Guard(
        server.server.streamable_http_app(
            streamable_http_path=PATH,
            stateless_http=True,
            max_request_body_size=MAX_BODY_BYTES,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the guard does it
        ),
        tokens,
        hosts,
    )


class ImpatientProtocol(H11Protocol):
    """HTTP/1.1 on one connection. It ends if no complete head of a request comes for `head_seconds`, so nobody without
    a token holds many."""

    head_seconds = HEAD_SECONDS

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the base class
        super().connection_made(transport)
        self.loop.call_later(self.head_seconds, self.close_if_still_idle, self.cycle)

    def close_if_still_idle(self, idle_since: object) -> None:
        """Close the connection if the request `idle_since`, or None before the first, is still the newest and done."""
        if self.transport.is_closing():
            return
        is_idle = self.cycle is None or self.cycle.response_complete
        if is_idle and self.cycle is idle_since:
            self.transport.close()
            return
        self.loop.call_later(self.head_seconds, self.close_if_still_idle, self.cycle if is_idle else self)


async def serve_http(app: Any, listening: socket.socket, protocol: type[ImpatientProtocol] = ImpatientProtocol) -> None:
    """Serve until a signal ends the process, or until cancelled."""
    config = uvicorn.Config(
        app,
        http=protocol,
        log_config=None,
        access_log=False,
        ws="none",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    server = uvicorn.Server(config)
    with listening:
        async with asyncio.TaskGroup() as owner:
            serving = owner.create_task(server.serve(sockets=[listening]), name="HTTP")
            try:
                await asyncio.shield(serving)
            finally:
                server.should_exit = True  # requests at work get STOP_SECONDS to end
                await asyncio.wait([serving])
