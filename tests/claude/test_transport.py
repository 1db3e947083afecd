"""What the way to the model's server tells: whether a request was sent, so that it may be billed, and its silence."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bot.core.model import ModelReply, RequestMeter
from bot.core.network import DEFAULT_NETWORK_ACCESS, NetworkAccess
from bot.models.claude import operator_texts as texts
from bot.models.claude.faults import Fault, FaultKind
from bot.models.claude.request_body import encode_request
from bot.models.claude.sdk_client import SdkClient
from bot.models.claude.server_errors import ModelServer
from tests.stand_ins.http import Connection
from tests.stand_ins.port import Port, Serve

BODY = {"model": "claude-sonnet-5-5", "max_tokens": 10, "messages": [{"role": "user", "content": "hi"}]}
READ_SECONDS, WHOLE_SECONDS = 0.3, 20.0


async def ask(url: str, network: NetworkAccess = DEFAULT_NETWORK_ACCESS) -> ModelReply | Fault:
    client = SdkClient(ModelServer("key", url), WHOLE_SECONDS, READ_SECONDS, network)
    try:
        meter = RequestMeter(estimated_prompt_tokens=1)
        return await client.make_request_and_read_reply(BODY, meter, lambda text, activity="": None, "5m", None)
    finally:
        await client.close()


@asynccontextmanager
async def serving(serve: Serve) -> AsyncIterator[int]:
    port = Port(serve, lambda: None)
    try:
        yield port.open(0)
    finally:
        await port.hang_up()


async def hang_up(connection: Connection) -> None:
    pass


async def read_and_hang_up(connection: Connection) -> None:
    await connection.request()


async def stay_silent(connection: Connection) -> None:
    await connection.request()
    await connection.watch()


async def refuse_tunnel(connection: Connection) -> None:
    await connection.opening()
    connection.writer.write(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n")
    await connection.writer.drain()


@pytest.mark.fast
@pytest.mark.parametrize("url", ["http://127.0.0.1:{port}", "http://no-such-host.invalid:{port}"])
async def test_a_request_that_reached_nobody_is_unbilled(url: str) -> None:
    async with serving(hang_up) as port:
        pass  # from now on nobody listens there
    fault = await ask(url.format(port=port))
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.is_unbilled) == (FaultKind.UNAVAILABLE, True)


async def test_a_request_to_a_server_without_tls_is_unbilled() -> None:
    async with serving(hang_up) as port:
        fault = await ask(f"https://127.0.0.1:{port}")
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.is_unbilled) == (FaultKind.UNAVAILABLE, True)


async def test_a_request_that_a_proxy_refuses_is_unbilled() -> None:
    async with serving(refuse_tunnel) as port:
        fault = await ask("https://model.example", NetworkAccess(proxy=f"http://127.0.0.1:{port}"))
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.is_unbilled) == (FaultKind.UNAVAILABLE, True)


@pytest.mark.fast
@pytest.mark.parametrize("serve", [read_and_hang_up, hang_up])
async def test_a_request_whose_connection_is_lost_may_be_billed(serve: Serve) -> None:
    async with serving(serve) as port:
        fault = await ask(f"http://127.0.0.1:{port}")
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.is_unbilled) == (FaultKind.UNAVAILABLE, False)


@pytest.mark.fast
async def test_a_silent_server_is_left_after_the_read_timeout() -> None:
    clock = asyncio.get_running_loop().time
    async with serving(stay_silent) as port:
        began = clock()
        fault = await ask(f"http://127.0.0.1:{port}")
    assert clock() - began < WHOLE_SECONDS / 2
    assert isinstance(fault, Fault)
    words = texts.SILENT(server=texts.OTHER_SERVER(address=f"127.0.0.1:{port}"))
    assert (fault.problem, fault.is_unbilled) == (words, False)


@pytest.mark.parametrize("number", [7, 2**70], ids=["usual", "above 64 bits"])
def test_a_request_is_encoded_whatever_numbers_a_call_had(number: int) -> None:
    call = {"type": "tool_use", "input": {"n": number, "é": "😀"}}
    body = {"model": "m", "tools": [{"maximum": number}], "messages": [{"role": "assistant", "content": [call]}]}
    assert json.loads(encode_request(body)) == body
    assert "😀".encode() in encode_request(body)  # as it is, not escaped
