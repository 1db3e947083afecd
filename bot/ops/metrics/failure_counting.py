"""Measure what no row records: failed attempts of requests and deliveries, and the event loop's lag."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bot.core.channel import Channel, MessagePart
from bot.core.errors import DeliveryDelayed, DeliveryError, ModelFailed, NotDelivered, RetryableModelFailure
from bot.core.messages import PlatformId
from bot.core.model import Model, ModelReply, ModelRequest, ShowTextCallback, StopReason

LAG_INTERVAL_SECONDS = 1.0
OUTCOME_BY_ERROR = {DeliveryDelayed: "held_up", NotDelivered: "not_taken", DeliveryError: "refused", OSError: "unknown"}


class FailureCountingModel:
    def __init__(self, model: Model, count: Callable[[str, str], None]) -> None:
        self.model = model
        self.count_failure = count  # takes the model's name and "retried", "failed" or "refused"

    async def reply(self, request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        try:
            reply = await self.model.reply(request, show)
        except (RetryableModelFailure, ModelFailed) as error:
            outcome = "retried" if isinstance(error, RetryableModelFailure) else "failed"
            self.count_failure(request.prefix.model, outcome)
            raise
        if reply.stop_reason is StopReason.REFUSAL:
            self.count_failure(request.prefix.model, "refused")
        return reply


class FailureCountingChannel:
    """Wrap a channel and count its failed deliveries. All other attributes are the channel's own."""

    def __init__(self, channel: Channel, count: Callable[[str, str], None]) -> None:
        self.channel = channel
        self.count_failure = count  # takes the channel's name and "held_up", "not_taken", "unknown" or "refused"

    def __getattr__(self, name: str) -> Any:
        return getattr(self.channel, name)

    async def send(self, part: MessagePart) -> PlatformId:
        with self.count_if_delivery_fails():
            return await self.channel.send(part)

    async def edit(self, id: PlatformId, part: MessagePart) -> None:
        with self.count_if_delivery_fails():
            await self.channel.edit(id, part)

    @contextmanager
    def count_if_delivery_fails(self) -> Iterator[None]:
        try:
            yield
        except (DeliveryError, OSError) as error:
            outcome = next(word for kind, word in OUTCOME_BY_ERROR.items() if isinstance(error, kind))
            self.count_failure(self.channel.name, outcome)
            raise


class EventLoopLagMeter:
    """Measure how late the event loop calls a timer. Keep the maximum since the last call of `pop_maximum_seconds`."""

    def __init__(self) -> None:
        self._maximum_seconds = 0.0
        self._next: asyncio.TimerHandle | None = None

    @contextmanager
    def measure(self) -> Iterator[None]:
        self._schedule_next()
        try:
            yield
        finally:
            if self._next:
                self._next.cancel()

    def pop_maximum_seconds(self) -> float:
        """Return the maximum lag since the last call, and start again at 0."""
        most, self._maximum_seconds = self._maximum_seconds, 0.0
        return most

    def _schedule_next(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time() + LAG_INTERVAL_SECONDS
        self._next = loop.call_at(due, self._measure_once, due)

    def _measure_once(self, due: float) -> None:
        self._maximum_seconds = max(self._maximum_seconds, asyncio.get_running_loop().time() - due)
        self._schedule_next()
