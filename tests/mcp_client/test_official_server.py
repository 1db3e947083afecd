"""A server of the official SDK, over its input and output and at an address. Both are one process for all tests."""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.core.errors import ToolError
from bot.core.images_and_pdfs import Media
from bot.core.mcp_settings import McpServerSettings
from tests.support.mcp_bench import Watched, connect

REPOSITORY = Path(__file__).parents[2]
SERVER = ("-W", "ignore", "-m", "tests.support.sdk_mcp_server")


@pytest.fixture
async def port() -> AsyncIterator[int]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *SERVER, "http"), stdout=asyncio.subprocess.PIPE, cwd=REPOSITORY
    )
    assert process.stdout
    try:
        yield int(await process.stdout.readline())
    finally:
        process.kill()
        await process.wait()


async def test_a_program_of_the_sdk_is_used(tmp_path: Path) -> None:
    settings = McpServerSettings(command=sys.executable, args=(*SERVER, "stdio"), sandbox=False, folder=REPOSITORY)
    async with connect(settings, tmp_path) as watched:
        await do_all(watched)


async def test_an_address_of_the_sdk_is_used(port: int, tmp_path: Path) -> None:
    settings = McpServerSettings(
        url=f"http://127.0.0.1:{port}/mcp", headers={"X-Key": SecretStr("s3cret")}, allow_private_address=True
    )
    async with connect(settings, tmp_path) as watched:
        await do_all(watched)
        assert await watched.connection.call("key_of_request", {}) == "s3cret"


async def do_all(watched: Watched) -> None:
    call = watched.connection.call
    assert await call("add", {"a": 2, "b": 40}) == "42"
    [offered] = watched.listings
    [add] = [tool for tool in offered if tool.name == "add"]
    assert add.description == "Add two numbers."
    assert add.input_schema["properties"].keys() == {"a", "b"}
    together = await asyncio.gather(*(call("wait_together", {"count": 3}) for _ in range(3)))
    assert together == ["together"] * 3
    assert isinstance(await call("picture", {}), Media)
    with pytest.raises(ToolError, match="a"):
        await call("add", {"a": "two"})
    assert watched.faults == [""]
