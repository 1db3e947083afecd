"""An MCP server by the official SDK, which takes a second to start: one process serves all tests of a module.

python sdk_mcp_server.py stdio
python sdk_mcp_server.py http      (it prints its port)
"""

import asyncio
import socket
import sys

from mcp.server import MCPServer
from mcp.server.mcpserver import Context, Image

from tests.support.raw_mcp_server import PICTURE

server = MCPServer("sdk")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
async def wait_together(count: int) -> str:
    """Wait until so many calls wait."""
    waiting.append(1)
    while len(waiting) < count:  # noqa: ASYNC110 -- it is short
        await asyncio.sleep(0.01)
    return "together"


@server.tool()
def picture() -> list[str | Image]:
    """Show a dot."""
    import base64

    return ["a dot", Image(data=base64.b64decode(PICTURE), format="png")]


@server.tool()
def key_of_request(context: Context) -> str:
    """Return the key that the request came with."""
    return str(dict(context.headers or {}).get("x-key"))


waiting: list[int] = []

if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        server.run("stdio")
    else:
        import uvicorn

        listening = socket.create_server(("127.0.0.1", 0))
        print(listening.getsockname()[1], flush=True)  # noqa: T201 -- that is what it is for
        app = server.streamable_http_app()
        uvicorn.Server(uvicorn.Config(app, log_level="critical")).run(sockets=[listening])
