"""Metrics of a running bot, for Prometheus. If the settings name no port and no socket, no module here is imported."""

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple, cast

from bot.config import Config
from bot.core.channel import Channel
from bot.core.model import Model
from bot.engine.scheduler import OnScheduleTime, count_no_time
from bot.journal.removed_secrets import count_nothing


class CountedParts(NamedTuple):
    """Parts of a bot that count what no row records."""

    model: Model
    channels: Sequence[Channel]
    on_schedule_time: OnScheduleTime = count_no_time
    on_secret_kept_back: Callable[[], None] = count_nothing


@asynccontextmanager
async def serve_metrics_and_count_failures(
    config: Config, model: Model, channels: Sequence[Channel], models: Collection[str]
) -> AsyncIterator[CountedParts]:
    """Serve the metrics until the block ends. Yield the model and the channels, wrapped to count failures, and what
    counts the times of schedules and the secrets that were kept back. `models` has all models that may be asked. Raise
    ConfigError if the port or the socket cannot be used."""
    if config.metrics.port is None and config.metrics.socket is None:
        yield CountedParts(model, channels)
        return
    from bot.ops.metrics.collector import MetricsCollector
    from bot.ops.metrics.failure_counting import FailureCountingChannel, FailureCountingModel
    from bot.ops.metrics.metrics_server import serve_page

    told = MetricsCollector(config, models)
    counting = [cast(Channel, FailureCountingChannel(channel, told.count_delivery_failure)) for channel in channels]
    async with serve_page(config.metrics, told.render_page):
        with told.lag.measure():
            counted = FailureCountingModel(model, told.count_model_failure)
            yield CountedParts(counted, counting, told.count_schedule_time, told.count_secret_kept_back)
