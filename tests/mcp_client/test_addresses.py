"""MCP servers at an address: through the guarded transport and a proxy, with all that such a server can do wrong."""

import asyncio
import gzip
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from bot.core.errors import ToolError
from bot.core.guarded_fetch import texts as fetch_texts
from bot.core.mcp_settings import McpServerSettings
from bot.core.network import NetworkAccess
from bot.mcp_client import texts
from bot.mcp_client.http_transport import GuardedTransport, make_client
from tests.fetching.conftest import Names
from tests.stand_ins import proxy
from tests.stand_ins.pages import answer
from tests.stand_ins.proxy import Authority, Proxy, secured
from tests.support.mcp_bench import Watched, connect
from tests.support.raw_mcp_address import McpAddress

PUBLIC = "93.184.216.34"  # the proxy's way there leads to this machine


@pytest.fixture
async def server() -> AsyncIterator[McpAddress]:
    async with McpAddress().open() as opened:
        yield opened


def settings(server: McpAddress, **fields: Any) -> McpServerSettings:
    usual = {"url": server.url, "allow_private_address": True}
    made = McpServerSettings.model_validate({**usual, **fields})
    return made.model_copy(update={"call_seconds": 0.5})


async def failure(watched: Watched, tool: str = "echo") -> str:
    with pytest.raises(ToolError) as error:
        await watched.connection.call(tool, {})
    return str(error.value)


async def test_a_call_has_its_result_and_headers_their_secrets(server: McpAddress, tmp_path: Path) -> None:
    headers = {"Authorization": None, "authorization": SecretStr("Bearer s3cret")}
    async with connect(settings(server, headers=headers), tmp_path) as watched:
        assert await watched.connection.call("echo", {}) == "hello"
    assert {head.get("authorization") for head in server.heads} == {"Bearer s3cret"}
    assert {head.get("accept-encoding") for head in server.heads} == {"identity"}


async def test_an_address_of_this_machine_must_be_allowed(server: McpAddress, tmp_path: Path) -> None:
    async with connect(settings(server, allow_private_address=False), tmp_path) as watched:
        reason = fetch_texts.NOT_PUBLIC(host="127.0.0.1")
        assert await failure(watched) == texts.SERVER_AWAY(fault=texts.PRIVATE_ADDRESS(reason=reason))
    assert server.heads == []


async def test_a_session_that_the_server_has_forgotten_is_made_again(server: McpAddress, tmp_path: Path) -> None:
    async with connect(settings(server), tmp_path) as watched:
        assert await watched.connection.call("echo", {}) == "hello"
        server.sessions = []
        assert await failure(watched) == texts.CALL_REFUSED(reason="Session terminated")
        assert await watched.connection.call("echo", {}) == "hello"


async def test_a_server_that_is_restarted_is_used_again(tmp_path: Path) -> None:
    place, gone = McpAddress(), "All connection attempts failed"
    async with place.open():
        used = settings(place)
    async with connect(used, tmp_path) as watched:
        assert await failure(watched) == texts.SERVER_AWAY(fault=gone)
        for _ in range(2):
            async with place.open():
                assert await watched.connection.call("echo", {}) == "hello"
            assert await failure(watched) == texts.CALL_CUT_OFF(fault=gone)


@pytest.mark.parametrize(
    ("instead", "fault"),
    [
        (answer(status="401 Unauthorized"), texts.STATUS(status=401)),
        (answer(status="500 Broken"), texts.STATUS(status=500)),
        (answer(b"", "Location: http://127.0.0.1:1/", status="307 Moved"), texts.LEADS_ELSEWHERE),
        (answer(gzip.compress(b"{}"), "Content-Encoding: gzip"), texts.UNKNOWN_PACKING),
    ],
)
async def test_a_server_that_refuses_is_a_fault_with_its_reason(
    server: McpAddress, tmp_path: Path, instead: bytes, fault: str
) -> None:
    server.instead = dict.fromkeys(("server/discover", "initialize"), instead)
    async with connect(settings(server), tmp_path) as watched:
        assert await failure(watched) == texts.SERVER_AWAY(fault=fault)


@pytest.mark.parametrize("body", [b"rubbish", b"[]", b"\xff"])
async def test_rubbish_is_a_fault(server: McpAddress, tmp_path: Path, body: bytes) -> None:
    server.instead = {"tools/list": answer(body, type="application/json")}
    async with connect(settings(server), tmp_path) as watched:
        assert (await failure(watched)).startswith("The server of this tool cannot be reached now (")


async def test_an_answer_that_is_too_large_is_not_read(server: McpAddress, tmp_path: Path) -> None:
    async with connect(settings(server), tmp_path) as watched:
        assert texts.ANSWER_TOO_LARGE(most=1_000_000) in await failure(watched, "huge")
        assert await watched.connection.call("echo", {}) == "hello"


async def test_a_call_without_an_answer_ends_in_time(server: McpAddress, tmp_path: Path) -> None:
    async with connect(settings(server), tmp_path) as watched:
        await watched.connection.call("echo", {})
        server.silent = {"tools/call"}
        assert await failure(watched) == texts.CALL_TOO_SLOW(seconds=0.5)
        server.silent = set()
        assert await watched.connection.call("echo", {}) == "hello"


@pytest.mark.skipif(not proxy.OPENSSL, reason="there is no openssl here")
async def test_the_proxy_is_asked_for_the_checked_address(server: McpAddress, tmp_path: Path) -> None:
    authority, names = Authority.made(tmp_path, "mcp.example"), Names()
    names.answers = {"mcp.example": [[PUBLIC]], "other.example": [[PUBLIC]], "home.example": [["10.0.0.1"]]}
    async with Proxy().open() as between, secured(server.port, authority) as port:
        between.ways[PUBLIC] = port
        network = NetworkAccess(proxy=between.address, ca_file=authority.ca_file)

        async def ask(host: str) -> str:
            url = f"https://{host}/mcp"
            transport = GuardedTransport(url, network, may_be_private=False, most_bytes=100_000, resolve=names.resolve)
            async with make_client({}, transport) as client, asyncio.timeout(5):
                try:
                    asked = {"jsonrpc": "2.0", "id": 1, "method": "server/discover"}
                    return str((await client.post(url, json=asked)).status_code)
                except httpx2.TransportError as error:
                    return type(error).__name__

        assert await ask("mcp.example") == "200"
        assert between.asked == [f"CONNECT {PUBLIC}:443"]
        assert server.heads[-1]["host"] == "mcp.example"
        assert await ask("other.example") == "ConnectError", "the certificate is of another name"
        assert await ask("home.example") == "AddressRefused"
        assert len(server.heads) == 1
