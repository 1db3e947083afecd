"""The metrics. Their labels are channels, models, kinds, states and the like, never a person, a chat, a role or a text.

Each scrape reads the health and indexed rows. Only failures and the event loop's lag are measured between scrapes.
"""

import asyncio
from collections import Counter as Counts
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, ProcessCollector, disable_created_metrics, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from bot.config import Config
from bot.core.errors import ConfigError, StoreDamaged
from bot.core.prices import MILLION
from bot.ops.health import BotHealth, assess_health
from bot.ops.metrics.failure_counting import EventLoopLagMeter
from bot.store.chat_reader import query_database_file
from bot.store.connection import Connection
from bot.store.metric_counts import MetricCounts, QueueDepths, count_queue_depths

OTHER_MODEL_LABEL = "other"  # the label of models that the settings do not name, such as those of an earlier config

disable_created_metrics()  # type: ignore[no-untyped-call]  # export no start times of counters


class MetricsCollector:
    def __init__(self, config: Config, models: Collection[str]) -> None:
        self.config = config
        self.models = models
        self.names = config.channels.list_enabled_channels()
        self.lag = EventLoopLagMeter()
        self.counts = self.make_metric_counts_from_now()
        self._one_at_a_time = asyncio.Lock()
        self._registry = ours = CollectorRegistry()
        ours.register(self)
        ProcessCollector(registry=ours)
        what = "Requests to the model that failed: retried, failed for good, or refused by the model"
        self._faults = Counter("retinue_model_faults", what, ["model", "outcome"], registry=ours)
        what = "Attempts to deliver that failed: held up, not taken, of unknown outcome, or refused for good"
        self._delivery_faults = Counter("retinue_delivery_faults", what, ["channel", "outcome"], registry=ours)
        what = "Times when schedules were due, by what came of it: many are runs, or conditions that do not hold"
        self._schedule_times = Counter("retinue_schedule_times", what, ["outcome"], registry=ours)
        self._late_times = Counter("retinue_schedule_times_late", "Of these, the late ones", registry=ours)
        what = "Times that came while the bot was away, and were joined into a later one"
        self._missed_times = Counter("retinue_schedule_times_missed", what, registry=ours)
        what = "Messages and files that have held a secret of the settings, which was kept back"
        self._secrets_kept_back = Counter("retinue_secrets_kept_back", what, registry=ours)

    def make_metric_counts_from_now(self) -> MetricCounts:
        """Return counts that begin now, or at the first scrape if the database is unreadable or of an older version."""
        path, counts = self.config.data_dir / "bot.db", MetricCounts()
        if path.exists():
            with suppress(ConfigError, StoreDamaged):  # the bot's start reports this error
                query_database_file(path, counts.count_newly_finished_rows, None)
        else:
            counts.count_from_zero()
        return counts

    async def render_page(self) -> tuple[str, bytes]:
        """Return the content type and all metrics as text. A thread reads them: the event loop must not wait for it."""
        async with self._one_at_a_time:
            return CONTENT_TYPE_PLAIN_0_0_4, await asyncio.to_thread(generate_latest, self._registry)

    def count_model_failure(self, model: str, outcome: str) -> None:
        self._faults.labels(self.model_label(model), outcome).inc()

    def count_delivery_failure(self, channel: str, outcome: str) -> None:
        self._delivery_faults.labels(channel, outcome).inc()

    def count_schedule_time(self, outcome: str, is_late: bool, missed_count: int) -> None:
        self._schedule_times.labels(outcome.replace("'", "").replace(" ", "_")).inc()
        self._late_times.inc(is_late)
        self._missed_times.inc(missed_count)

    def count_secret_kept_back(self) -> None:
        self._secrets_kept_back.inc()

    def model_label(self, model: str) -> str:
        return model if model in self.models else OTHER_MODEL_LABEL

    def describe(self) -> Iterable[Metric]:
        """Return nothing, so that the registry never reads the rows only to learn the names."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics. The registry calls this at each scrape."""
        found = assess_health(self.config)
        there: QueueDepths | None = None
        with suppress(ConfigError, StoreDamaged):  # `assess_health` reports this error
            there = query_database_file(self.config.data_dir / "bot.db", self.count_new_rows_and_queues, there)
        yield InfoMetricFamily("retinue_build", "What runs", {"version": found.version})
        yield make_gauge("retinue_healthy", "Whether retinue health would say so", int(found.healthy))
        yield make_gauge("retinue_warnings", "Of retinue health", len(found.warnings))
        most = self.lag.pop_maximum_seconds()
        yield make_gauge("retinue_event_loop_lag_seconds", "The most since the last scrape", most)
        yield from health_metrics(found, self.config.data_dir)
        if there:
            yield from queue_depth_metrics(there, self.names)
        yield from self.metrics_of_counted_rows()

    def count_new_rows_and_queues(self, db: Connection) -> QueueDepths:
        self.counts.count_newly_finished_rows(db)
        return count_queue_depths(db, self.names)

    def metrics_of_counted_rows(self) -> Iterator[Metric]:
        counts = self.counts
        yield make_counter(
            "retinue_turns_ended", "Turns and delegations", ["kind", "status"], counts.ended_turns.items()
        )
        for name, what, counted in (
            ("retinue_messages_received", "From people who may speak", counts.received_messages),
            ("retinue_messages_sent", "Delivered", counts.sent_messages),
            ("retinue_deliveries_failed", "Messages given up", counts.failed_messages),
        ):
            yield make_counter(name, what, ["channel"], [((channel,), counted[channel]) for channel in self.names])
        requests = self.sum_by_model_label(counts.closed_requests)
        tokens = self.sum_by_model_label(counts.tokens_by_kind)
        yield make_counter("retinue_model_requests", "That are over", ["model", "outcome"], requests.items())
        yield make_counter("retinue_model_tokens", "By how they are paid", ["model", "kind"], tokens.items())
        micros = self.sum_by_model_label({(model, ""): micros for model, micros in counts.cost_micros.items()})
        dollars = [((model,), sum_of_model / MILLION) for (model, _), sum_of_model in micros.items()]
        yield make_counter("retinue_model_cost_dollars", "What they came to", ["model"], dollars)

    def sum_by_model_label(self, counted: Mapping[tuple[str, str], int]) -> Mapping[tuple[str, str], int]:
        """Return the sums by known model. All other models share one label."""
        sums: Counts[tuple[str, str]] = Counts()
        for (model, kind), many in counted.items():
            sums[self.model_label(model), kind] += many
        return sums


def health_metrics(found: BotHealth, data: Path) -> Iterator[Metric]:
    """Yield the figures of `retinue health`. An age is 0 if nothing waits."""
    heard = {each.name: each.silent_seconds for each in found.channels if each.silent_seconds is not None}
    faults = {each.name: float(bool(each.fault)) for each in found.channels}
    yield make_gauge_by_channel("retinue_channel_silent_seconds", "Since its last good poll or heartbeat", heard)
    yield make_gauge_by_channel("retinue_channel_fault", "Whether the channel needs a hand", faults)
    without_answer, alone, unsent = found.unanswered_seconds, found.unattended_seconds, found.outbox_seconds
    yield make_gauge("retinue_unanswered_seconds", "Age of the oldest message without its answer", without_answer)
    yield make_gauge("retinue_unattended_seconds", "Age of the oldest message that nobody is at", alone)
    yield make_gauge("retinue_outbox_seconds", "Age of the oldest thing said and not delivered", unsent)
    if planned := found.schedules:
        states = {"active": planned.active, "paused": planned.paused, "paused_after_failures": planned.failed}
        yield make_gauge_by_label("retinue_schedules", "That may be due again", "state", states)
        yield make_gauge("retinue_schedules_due", "Whose time has come, and nothing was done yet", planned.due)
        yield make_gauge("retinue_schedules_late_seconds", "Since the first of these times", planned.late_seconds)
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


def queue_depth_metrics(there: QueueDepths, names: Iterable[str]) -> Iterator[Metric]:
    turns = GaugeMetricFamily("retinue_turns", "That are open", labels=["kind", "state"])
    for kind in ("turn", "delegation"):
        for state in ("queued", "running", "stopping"):
            turns.add_metric([kind, state], there.open_turns[kind, state])
    yield turns
    inbox = {channel: there.waiting_inbound[channel] for channel in names}
    outbox = {channel: there.waiting_outbound[channel] for channel in names}
    yield make_gauge_by_channel("retinue_inbox_waiting", "Messages that no turn has taken", inbox)
    yield make_gauge_by_channel("retinue_outbox_waiting", "Messages to be delivered", outbox)


def make_gauge(name: str, what: str, value: float | None) -> Metric:
    return GaugeMetricFamily(name, what, value=value or 0)


def make_gauge_by_channel(name: str, what: str, values: Mapping[str, float]) -> Metric:
    return make_gauge_by_label(name, what, "channel", values)


def make_gauge_by_label(name: str, what: str, label: str, values: Mapping[str, float]) -> Metric:
    family = GaugeMetricFamily(name, what, labels=[label])
    for key, value in values.items():
        family.add_metric([key], value)
    return family


def make_counter(name: str, what: str, labels: list[str], values: Iterable[tuple[Sequence[str], float]]) -> Metric:
    family = CounterMetricFamily(name, what, labels=labels)
    for key, value in sorted(values):
        family.add_metric(key, value)
    return family


def file_size_or_zero(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
