"""Two models as one: the second answers requests for models whose name begins with `fallback/`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace

from bot.core.model import Model, ModelReply, ModelRequest, ShowTextCallback

FALLBACK_PREFIX = "fallback/"  # of the second model's name in rows: both may have the same name


def add_fallback_prefix(model: str) -> str:
    """Return the name of a fallback model in the rows."""
    return f"{FALLBACK_PREFIX}{model}"


def strip_fallback_prefix(model: str) -> str:
    return model.removeprefix(FALLBACK_PREFIX)


class FallbackModelRouter:
    """A Model in which `fallback` answers requests for `fallback/` names, and `primary` all others."""

    def __init__(self, primary: Model, fallback: Model) -> None:
        self.primary = primary
        self.fallback = fallback

    async def reply(self, request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        model = request.prefix.model
        if not model.startswith(FALLBACK_PREFIX):
            return await self.primary.reply(request, show)
        prefix = replace(request.prefix, model=strip_fallback_prefix(model))
        return await self.fallback.reply(replace(request, prefix=prefix), show)


@asynccontextmanager
async def open_fallback_router(
    primary: AbstractAsyncContextManager[Model], fallback: AbstractAsyncContextManager[Model]
) -> AsyncIterator[Model]:
    async with primary as first, fallback as second:
        yield FallbackModelRouter(first, second)
