"""The MCP server over HTTP: the official client with a token, and everybody else, on a socket of this machine."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx2
import mcp
import pytest
from mcp.client.streamable_http import streamable_http_client
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from bot.core.client_settings import ClientSettings
from bot.mcp_server import texts
from bot.mcp_server.http_front import (
    MAX_BODY_BYTES,
    MAX_REQUESTS_AT_ONCE,
    Guard,
    ImpatientProtocol,
    make_http_app,
    names_of_place,
    serve_http,
)
from bot.ops.client_tokens import MAX_WRONG_TOKENS
from tests.support.bench import Bench
from tests.support.client_bench import CLIENTS, TOKEN, VERSION, running_for_clients
from tests.support.patience import PATIENCE

ASK = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}'
BEARER = {"authorization": f"Bearer {TOKEN}"}
Post = Callable[..., Awaitable[int]]
ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@pytest.fixture
async def url(tmp_path: Path) -> AsyncIterator[str]:
    bench = Bench(tmp_path)
    bench.model.says("writer", "written")
    async with running_for_clients(bench) as bot:
        listening = socket.create_server(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        tokens = {name: token_of(client) for name, client in CLIENTS.items() if client.token}
        app = make_http_app(bot, VERSION, tokens, names_of_place("127.0.0.1", port, ["bot.example"]))
        serving = asyncio.create_task(serve_http(app, listening))
        yield f"http://127.0.0.1:{port}/mcp"
        serving.cancel()
        await asyncio.wait([serving])


def token_of(client: ClientSettings) -> str:
    assert client.token
    return client.token.get_secret_value()


@asynccontextmanager
async def official_client(url: str, token: str) -> AsyncIterator[mcp.Client]:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE) as http,
        mcp.Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client


async def test_the_official_client_delegates_and_each_token_sees_its_own(url: str) -> None:
    told: list[str | None] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async with official_client(url, TOKEN) as editor:
        call = {"role": "writer", "task": "write"}
        found = await editor.call_tool("delegate_task", call, progress_callback=note)
        assert found.structured_content["result"] == "written"
        assert told[0] == texts.STARTED(role="writer", id=found.structured_content["delegationId"])
    async with official_client(url, token_of(CLIENTS["script"])) as other:
        assert (await other.call_tool("list_sub_agents", {})).structured_content == {"delegations": []}


@pytest.fixture
async def post(url: str) -> AsyncIterator[Post]:
    """Return a function that posts a request with these headers, and returns the status of the answer."""
    async with httpx2.AsyncClient(timeout=PATIENCE) as http:

        async def post(headers: Mapping[str, str], query: str = "", content: bytes = ASK) -> int:
            return (await http.post(url + query, headers={**ACCEPT, **headers}, content=content)).status_code

        yield post


@pytest.mark.parametrize("version", ["2024-11-05", "2025-11-25"])
async def test_each_request_stands_for_itself_in_older_protocols_too(url: str, version: str) -> None:
    async with httpx2.AsyncClient(
        headers={**ACCEPT, **BEARER, "mcp-protocol-version": version}, timeout=PATIENCE
    ) as http:
        body = (await http.post(url, content=ASK)).text
    assert '"delegate_task"' in body, body


@pytest.mark.fast
async def test_only_programs_with_a_token_that_name_this_place_are_let_in(url: str, post: Post) -> None:
    assert await post(BEARER) == 200
    assert await post({**BEARER, "host": "bot.example"}) == 200
    assert await post({**BEARER, "host": "evil.example"}) == 421  # a name that leads here, by DNS
    assert await post({**BEARER, "host": "127.0.0.1:1"}) == 421
    for origin in ("https://evil.example", "null", url.removesuffix("/mcp")):
        assert await post({**BEARER, "origin": origin}) == 403
    assert await post({}) == 401
    assert await post({}, f"?token={TOKEN}&authorization=Bearer%20{TOKEN}") == 401
    assert await post({"authorization": f"Basic {TOKEN}"}) == 401
    assert await post({"authorization": f"Bearer {TOKEN[:-1]}"}) == 401
    assert await post(BEARER, content=b" " * (MAX_BODY_BYTES + 1)) == 413


async def test_many_wrong_tokens_are_told_to_wait_and_lock_nobody_out(post: Post) -> None:
    wrong = {"authorization": "Bearer wrong"}
    assert {await post(wrong) for _ in range(MAX_WRONG_TOKENS)} == {401}
    assert await post(wrong) == 429
    assert await post({}) == 401
    assert await post(BEARER) == 200  # behind a proxy, it comes from the same address


async def test_connections_that_ask_nothing_keep_nobody_out(url: str, post: Post) -> None:
    port = int(url.rpartition(":")[2].removesuffix("/mcp"))
    idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(MAX_REQUESTS_AT_ONCE)]
    assert await post(BEARER) == 200
    for connection in idle:
        connection.close()


async def nothing_there(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("", 404)(scope, receive, send)


class HastyProtocol(ImpatientProtocol):
    head_seconds = 0.05


@pytest.mark.parametrize("asked", [b"", b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"])
async def test_a_connection_ends_on_which_a_head_comes_slowly(asked: bytes) -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    serving = asyncio.create_task(serve_http(nothing_there, listening, HastyProtocol))
    reader, writer = await asyncio.open_connection(*listening.getsockname())
    writer.write(asked)
    async with asyncio.timeout(PATIENCE):
        with suppress(ConnectionError):
            while not reader.at_eof():
                writer.write(b"P")
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.01):
                        await reader.read(1_000)
    writer.close()
    serving.cancel()
    await asyncio.wait([serving])


async def test_a_client_has_only_so_many_requests_at_work_and_others_have_theirs() -> None:
    may_end = asyncio.Event()

    async def work(scope: Scope, receive: Receive, send: Send) -> None:
        await may_end.wait()
        await nothing_there(scope, receive, send)

    guard = Guard(work, {"one": "1", "other": "2"}, ["there"])
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=guard), base_url="http://there") as http:

        async def ask(token: str) -> int:
            return (await http.get("/", headers={"authorization": f"Bearer {token}"})).status_code

        asking = [asyncio.create_task(ask("1")) for _ in range(MAX_REQUESTS_AT_ONCE)]
        while guard.at_work["one"] < MAX_REQUESTS_AT_ONCE:  # noqa: ASYNC110 -- they begin in the loop's next rounds
            await asyncio.sleep(0)
        assert await ask("1") == 503
        may_end.set()
        assert await ask("2") == 404
        assert set(await asyncio.gather(*asking, ask("1"))) == {404}
