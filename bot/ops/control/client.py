"""Ask a running bot one thing over its control socket, without asyncio: for commands that must be quick."""

from __future__ import annotations

import json
import os
import time
from typing import Any

from bot.ops.control.socket_path import connect_to_bot

CHUNK_BYTES = 65_536


def ask_running_bot(folder: str | os.PathLike[str], seconds: float, **request: Any) -> dict[str, Any] | None:
    """Return what the bot in that folder answers; None if none runs, or it does not answer in time."""
    until = time.monotonic() + seconds
    connection = connect_to_bot(folder, seconds)
    if connection is None:
        return None
    with connection:
        try:
            connection.sendall(json.dumps(request).encode() + b"\n")
            said = b""
            while not said.endswith(b"\n"):
                connection.settimeout(max(0.001, until - time.monotonic()))
                if not (more := connection.recv(CHUNK_BYTES)):
                    return None
                said += more
            answer = json.loads(said)
        except (OSError, ValueError):
            return None
    return answer if isinstance(answer, dict) else None
