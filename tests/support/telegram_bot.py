"""The whole bot on Telegram, from the stand-in's socket to the scripted model, and what people see of it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from bot.core.access import AccessByChannel
from channels.telegram.channel import NO_VOICES, Telegram
from channels.telegram.timing import TelegramRateLimits, TelegramTiming
from tests.stand_ins.telegram import Room, TelegramStandIn
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.patience import PATIENCE
from tests.support.places.telegram import ANN, HASTY, UNPACED, owned_by

BEN, EVE = 8, 9
QUICK = engine_options(draft_delay_seconds=0.05, draft_edit_seconds=(0.02,), delivery_retry_seconds=0.01)


def with_settings(**changes: Any) -> dict[str, Any]:
    """Return the options of a bot with other settings, as `engine_options` takes them."""
    quick = {"draft_delay_seconds": 0.05, "draft_edit_seconds": (0.02,), "delivery_retry_seconds": 0.01}
    return engine_options(**quick, **changes)


def private(server: TelegramStandIn, number: int = ANN, name: str = "Ann") -> Room:
    return server.private(server.person(number, name))


@asynccontextmanager
async def bot(
    bench: Bench,
    server: TelegramStandIn,
    access: AccessByChannel | None = None,
    rates: TelegramRateLimits = UNPACED,
    voices: Mapping[str, str] = NO_VOICES,
    timing: TelegramTiming = HASTY,
    *,
    reactions: bool = False,
    native_drafts: bool = False,
    **options: Any,
) -> AsyncIterator[Telegram]:
    own = {"timing": timing, "rates": rates, "voices": voices, "reactions": reactions, "native_drafts": native_drafts}
    async with Telegram(server.token, server.base_url, **own) as telegram:  # type: ignore[arg-type]  # of many types
        bench.chat = telegram  # type: ignore[assignment]  # a real one
        async with bench.run(**{"access": access or owned_by(ANN, BEN), **QUICK, **options}):
            yield telegram


async def sees(server: TelegramStandIn, room: Room, holds: Callable[[list[str]], bool]) -> list[str]:
    """Wait until what the bot has said in a chat meets a condition. Return it."""
    try:
        async with asyncio.timeout(PATIENCE):
            await server.until(lambda: holds(said(room)))
    except TimeoutError:
        raise AssertionError(f"it did not come; there is {said(room)}") from None
    return said(room)


def said(room: Room, thread: int | None = None) -> list[str]:
    return [message.text for message in room.answers(thread)]
