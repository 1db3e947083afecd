"""Metrics of a running bot, for Prometheus: off unless a port or a socket is set; while off, nothing is imported."""

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

from bot.config import Config
from bot.model import Model


@asynccontextmanager
async def watched(config: Config, model: Model, models: Collection[str]) -> AsyncIterator[Model]:
    """Serve the metrics meanwhile; gives the model, whose failures are counted. `models` are all that may be asked.

    Raises ConfigError where the port or the socket cannot be had.
    """
    if config.metrics.port is None and config.metrics.socket is None:
        yield model
        return
    from bot.cli.metrics.exposition import Exposition
    from bot.cli.metrics.serving import serving
    from bot.cli.metrics.watching import Watched

    exposition = Exposition(config, models)
    async with serving(config.metrics, exposition.page):
        with exposition.lag.measured():
            yield Watched(model, exposition.count_fault)
