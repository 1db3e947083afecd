"""A server that accepts connections and never answers."""

import asyncio


class silent:
    """The server. `async with` yields its URL."""

    async def __aenter__(self) -> str:
        self.held: list[asyncio.StreamWriter] = []
        self.server = await asyncio.start_server(lambda _, writer: self.held.append(writer), "127.0.0.1", 0)
        return f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"

    async def __aexit__(self, *_: object) -> None:
        self.server.close()
        for writer in self.held:
            writer.transport.abort()
        await self.server.wait_closed()
