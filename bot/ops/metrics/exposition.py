"""The metrics. Their labels are channels, models, kinds and states: never a person, a chat, a role or a text.

All figures except the failures and the loop's lag come from the health and from indexed rows, at each scrape. Between
two scrapes they cost nothing.
"""

import asyncio
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, ProcessCollector, disable_created_metrics, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from bot.config import Config
from bot.core.errors import ConfigError, StoreDamaged
from bot.core.prices import MILLION
from bot.ops.health import BotHealth, assess_health
from bot.ops.metrics.failure_counting import EventLoopLag
from bot.store.chat_reader import read_database
from bot.store.connection import Connection
from bot.store.metric_counts import QueueDepths, Tally, count_queue_depths

OTHER_MODEL = "other"  # a model that the settings do not name, as one of an earlier config
NO_DEPTHS: QueueDepths | None = None

disable_created_metrics()  # type: ignore[no-untyped-call]  # a series beside each counter, of when it began


class Exposition:
    def __init__(self, config: Config, models: Collection[str]) -> None:
        self.config = config
        self.models = models
        self.names = config.channels.list_enabled()
        self.lag = EventLoopLag()
        self.tally = self.start_tally()
        self._one_at_a_time = asyncio.Lock()
        self._registry = CollectorRegistry()
        self._registry.register(self)
        ProcessCollector(registry=self._registry)
        self._faults = Counter(
            "retinue_model_faults",
            "Requests to the model that failed: retried, failed for good, or refused by the model",
            ["model", "outcome"],
            registry=self._registry,
        )
        self._delivery_faults = Counter(
            "retinue_delivery_faults",
            "Attempts to deliver that failed: held up, not taken, of unknown outcome, or refused for good",
            ["channel", "outcome"],
            registry=self._registry,
        )

    def start_tally(self) -> Tally:
        """Return a tally from now on. Without tables, or with old ones, it begins at the first scrape."""
        path, tally = self.config.data_dir / "bot.db", Tally()
        if path.exists():
            with suppress(ConfigError, StoreDamaged):  # the start says so
                read_database(path, tally.count_new_rows, None)
        else:
            tally.start_from_zero()
        return tally

    async def render_page(self) -> tuple[str, bytes]:
        """Return the content type and all metrics as text. Read them in a thread, so that nobody waits for the disk."""
        async with self._one_at_a_time:
            return CONTENT_TYPE_PLAIN_0_0_4, await asyncio.to_thread(generate_latest, self._registry)

    def count_fault(self, model: str, outcome: str) -> None:
        self._faults.labels(self.model_label(model), outcome).inc()

    def count_delivery_fault(self, channel: str, outcome: str) -> None:
        self._delivery_faults.labels(channel, outcome).inc()

    def model_label(self, model: str) -> str:
        return model if model in self.models else OTHER_MODEL

    def describe(self) -> Iterable[Metric]:
        """Return nothing. Otherwise the registry would read the rows at its start, to learn the names."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics. The registry calls this at each scrape."""
        found, there = assess_health(self.config), NO_DEPTHS
        with suppress(ConfigError, StoreDamaged):  # `assess_health` has found it too
            there = read_database(self.config.data_dir / "bot.db", self.read_depths, NO_DEPTHS)
        yield InfoMetricFamily("retinue_build", "What runs", {"version": found.version})
        yield make_gauge("retinue_healthy", "Whether retinue health would say so", int(found.healthy))
        yield make_gauge("retinue_warnings", "Of retinue health", len(found.warnings))
        most = self.lag.take_maximum_seconds()
        yield make_gauge("retinue_event_loop_lag_seconds", "The most since the last scrape", most)
        yield from health_metrics(found, self.config.data_dir)
        if there:
            yield from depth_metrics(there, self.names)
        yield from self.tally_metrics()

    def read_depths(self, db: Connection) -> QueueDepths:
        self.tally.count_new_rows(db)
        return count_queue_depths(db, self.names)

    def tally_metrics(self) -> Iterator[Metric]:
        tally = self.tally
        turns = CounterMetricFamily("retinue_turns_ended", "Turns and delegations", labels=["kind", "status"])
        for (kind, status), many in sorted(tally.turns.items()):
            turns.add_metric([kind, status], many)
        yield turns
        for name, what, counted in (
            ("retinue_messages_received", "From people who may speak", tally.received),
            ("retinue_messages_sent", "Delivered", tally.sent),
            ("retinue_deliveries_failed", "Messages given up", tally.failed),
        ):
            family = CounterMetricFamily(name, what, labels=["channel"])
            for channel in self.names:
                family.add_metric([channel], counted[channel])
            yield family
        requests = CounterMetricFamily("retinue_model_requests", "That are over", labels=["model", "outcome"])
        tokens = CounterMetricFamily("retinue_model_tokens", "By how they are paid", labels=["model", "kind"])
        cost = CounterMetricFamily("retinue_model_cost_dollars", "What they came to", labels=["model"])
        for (model, outcome), many in self.sum_by_model_label(tally.requests).items():
            requests.add_metric([model, outcome], many)
        for (model, kind), many in self.sum_by_model_label(tally.tokens).items():
            tokens.add_metric([model, kind], many)
        micros_by_model = {(model, ""): micros for model, micros in tally.micros.items()}
        for (model, _), micros in self.sum_by_model_label(micros_by_model).items():
            cost.add_metric([model], micros / MILLION)
        yield from (requests, tokens, cost)

    def sum_by_model_label(self, counted: Mapping[tuple[str, str], int]) -> dict[tuple[str, str], int]:
        """Return the sums by known model. All other models count as one."""
        sums: dict[tuple[str, str], int] = {}
        for (model, kind), many in sorted(counted.items()):
            key = self.model_label(model), kind
            sums[key] = sums.get(key, 0) + many
        return sums


def health_metrics(found: BotHealth, data: Path) -> Iterator[Metric]:
    """Yield the figures of `retinue health`; 0 where nothing waits."""
    heard = {each.name: each.silent_seconds for each in found.channels if each.silent_seconds is not None}
    faults = {each.name: float(bool(each.fault)) for each in found.channels}
    yield gauge_by_channel("retinue_channel_silent_seconds", "Since its last good poll or heartbeat", heard)
    yield gauge_by_channel("retinue_channel_fault", "Whether the channel needs a hand", faults)
    for name, what, seconds in (
        ("retinue_unanswered_seconds", "Age of the oldest message without its answer", found.unanswered_seconds),
        ("retinue_unattended_seconds", "Age of the oldest message that nobody is at", found.unattended_seconds),
        ("retinue_outbox_seconds", "Age of the oldest thing said and not delivered", found.outbox_seconds),
    ):
        yield make_gauge(name, what, seconds)
    if found.disk_free_bytes is not None:
        yield make_gauge("retinue_disk_free_bytes", "Where the data lies", found.disk_free_bytes)
    yield make_gauge("retinue_data_bytes", "What the data folder takes on the disk", found.data_bytes)
    yield make_gauge("retinue_database_bytes", "The database file", file_size_or_zero(data / "bot.db"))
    yield make_gauge("retinue_database_wal_bytes", "Its write-ahead log", file_size_or_zero(data / "bot.db-wal"))
    if budget := found.budget:
        yield make_gauge("retinue_spent_today_dollars", "By all chats, since the day began", budget.spent_usd)
        yield make_gauge("retinue_reserved_dollars", "Of today, for requests under way", budget.reserved_usd)
        yield make_gauge("retinue_day_limit_dollars", "limits.day_usd", budget.limit_usd)
        yield make_gauge("retinue_budget_used_up", "Whether the day's money is", int(budget.is_used_up))


def depth_metrics(there: QueueDepths, names: Iterable[str]) -> Iterator[Metric]:
    turns = GaugeMetricFamily("retinue_turns", "That are open", labels=["kind", "state"])
    for kind in ("turn", "delegation"):
        for state in ("queued", "running", "stopping"):
            turns.add_metric([kind, state], there.turns[kind, state])
    yield turns
    for name, what, depth in (
        ("retinue_inbox_waiting", "Messages that no turn has taken", there.inbox),
        ("retinue_outbox_waiting", "Messages to be delivered", there.outbox),
    ):
        yield gauge_by_channel(name, what, {channel: depth[channel] for channel in names})


def make_gauge(name: str, what: str, value: float | None) -> Metric:
    return GaugeMetricFamily(name, what, value=value or 0)


def gauge_by_channel(name: str, what: str, values: Mapping[str, float]) -> Metric:
    family = GaugeMetricFamily(name, what, labels=["channel"])
    for channel, value in values.items():
        family.add_metric([channel], value)
    return family


def file_size_or_zero(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
