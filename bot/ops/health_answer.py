"""Answer on the control socket how healthy this running bot is."""

import asyncio
import json
from asyncio import StreamReader, StreamWriter
from dataclasses import asdict

from bot.config import Config
from bot.ops.control.server import Request
from bot.ops.health import assess_health, format_health


async def answer_health_request(config: Config, request: Request, reader: StreamReader, writer: StreamWriter) -> None:
    """Check the health in a thread, so that nobody else waits for the disk."""
    found = await asyncio.to_thread(assess_health, config)
    said = {"healthy": found.healthy, "words": format_health(found), "condition": asdict(found)}
    writer.write(json.dumps(said).encode() + b"\n")
    await writer.drain()
