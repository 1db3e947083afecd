"""The server of the page, which ends although pages are open."""

import socket
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

END_SECONDS = 1  # for answers that are on their way


class PageServer(uvicorn.Server):
    """A server that names itself in no header, logs no request, and lets its event streams end before it does."""

    def __init__(self, application: ASGIApp, end_streams: Callable[[], None]) -> None:
        config = uvicorn.Config(
            application,
            log_config=None,
            access_log=False,
            server_header=False,
            lifespan="off",
            timeout_graceful_shutdown=END_SECONDS,
        )
        super().__init__(config)
        self.end_streams = end_streams

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.end_streams()
        await super().shutdown(sockets)
