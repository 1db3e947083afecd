"""The metrics of a running bot: what they say, what they never say, and what they cost."""

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from typing import Any

import pytest

from bot.config import Config, load
from bot.core.channel import HealthReport
from bot.core.errors import DeliveryDelayed, DeliveryError, ModelFailed, NotDelivered, RetryableModelFailure
from bot.core.messages import OutboundKind
from bot.core.model import ModelReply, StopReason
from bot.core.phrases import refusal_text_for_person
from bot.core.prices import Usage
from bot.core.secret_search import SecretIndex
from bot.ops.metrics import serve_metrics_and_count_failures
from bot.ops.metrics.collector import MetricsCollector
from bot.store.chat_reader import query_database_file
from bot.store.connection import Connection
from bot.store.metric_counts import MetricCounts, count_queue_depths
from tests.ops.test_health import OPEN, bench, change, chat, has, has_pulse, shell
from tests.store.test_query_plans import scans
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import PRICE, Pause, delegates, reply
from tests.support.metrics_scraper import Samples, ask, free_port, scrape
from tests.support.named_chat import Named
from tests.support.patience import PATIENCE
from tests.support.shell import Shell

__all__ = ["bench", "chat", "shell"]

OUTCOMES = ("held_up", "not_taken", "unknown", "refused")
LEAD = "claude-sonnet-5-5"
TOKEN = "123456:a-token-of-telegrams"
REPLY_SENT = "SELECT 1 FROM outbox WHERE kind = 'reply' AND state = 'sent'"


def settings(shell: Shell, **metrics: Any) -> Config:
    return load(shell.config(channels={"telegram": {"enabled": True, "token": TOKEN}}, metrics=metrics)).config


@asynccontextmanager
async def at_work(bench: Bench, config: Config, **options: Any) -> AsyncIterator[asyncio.Event]:
    """The bot, and its metrics beside it."""
    models = {LEAD, "claude-haiku-5-5"}
    async with serve_metrics_and_count_failures(config, bench.model, [bench.chat], models) as counted:
        options = {**counted._asdict(), "access": OPEN, **options}
        async with bench.run(**options) as until:
            yield until


async def until(port: int, name: str, *labels: str, value: float = 1) -> Samples:
    """Scrape again and again until a sample has that value."""
    async with asyncio.timeout(PATIENCE):
        while (samples := await scrape(port)).get((name, labels)) != value:  # noqa: ASYNC110 -- it wakes nobody
            await asyncio.sleep(0.05)
    return samples


@pytest.mark.fast
async def test_a_talk_is_told_in_numbers(bench: Bench, shell: Shell) -> None:
    async def busy() -> ModelReply:
        raise RetryableModelFailure("overloaded", seconds=0)

    port, pause, model, chat = free_port(), Pause("found"), bench.model, bench.chat
    model.says("lead", busy, delegates("researcher", "analyst"), "done")
    model.says("researcher", pause)
    model.says("analyst", "looked")
    async with at_work(bench, settings(shell, port=port)):
        chat.hears("look into it")
        await pause.reached.wait()
        during = await until(port, "retinue_turns_ended_total", "delegation", "completed")
        pause.go_on.set()
        assert await chat.said(OutboundKind.REPLY) == "done"
        await has(bench, REPLY_SENT)
        after = await until(port, "retinue_turns_ended_total", "turn", "completed")
    assert during["retinue_turns", ("turn", "running")] == during["retinue_turns", ("delegation", "running")] == 1
    assert after["retinue_turns", ("turn", "running")] == after["retinue_unanswered_seconds", ()] == 0
    assert after["retinue_turns_ended_total", ("delegation", "completed")] == 2
    assert after["retinue_messages_received_total", ("telegram",)] == 1
    assert after["retinue_messages_sent_total", ("telegram",)] >= 1
    assert after["retinue_model_faults_total", (LEAD, "retried")] == 1
    assert after["retinue_model_requests_total", (LEAD, "settled")] == 3
    assert after["retinue_model_tokens_total", ("input", LEAD)] >= 2_000
    assert after["retinue_model_cost_dollars_total", (LEAD,)] >= 2 * PRICE / 1_000_000
    assert after["retinue_spent_today_dollars", ()] >= after["retinue_model_cost_dollars_total", (LEAD,)]
    assert after["retinue_day_limit_dollars", ()] == 20
    assert after["retinue_database_bytes", ()] > 0
    assert after["process_open_fds", ()] > 0
    assert after["retinue_event_loop_lag_seconds", ()] < 1


async def test_failures_of_the_model_and_of_deliveries_are_counted(bench: Bench, shell: Shell) -> None:
    async def gone() -> ModelReply:
        raise ModelFailed("it is not there")

    async def declines() -> ModelReply:
        return ModelReply(content=[], usage=Usage(), stop_reason=StopReason.REFUSAL, refusal_category="bio")

    port = free_port()
    bench.model.says("lead", gone, declines, "hello")
    async with at_work(bench, settings(shell, port=port), **engine_options(delivery_retry_seconds=0.01)):
        bench.chat.hears("hello")
        assert "not there" in await bench.chat.said(OutboundKind.REPLY)
        bench.chat.hears("and now?")
        assert refusal_text_for_person("bio") in await bench.chat.said(OutboundKind.REPLY)
        bench.chat.faults += [NotDelivered("no"), DeliveryDelayed(0.01), OSError("no"), DeliveryError("no")]
        bench.chat.hears("hello again")
        samples = await until(port, "retinue_deliveries_failed_total", "telegram")
    assert samples["retinue_model_faults_total", (LEAD, "failed")] == 1
    assert samples["retinue_model_faults_total", (LEAD, "refused")] == 1
    assert samples["retinue_turns_ended_total", ("turn", "failed")] == 2
    assert all(samples["retinue_delivery_faults_total", ("telegram", each)] == 1 for each in OUTCOMES)


async def test_counters_begin_at_the_start_and_include_work_under_way(bench: Bench, shell: Shell) -> None:
    lost = Pause()
    bench.model.says("lead", "hello", lost, "done")
    async with bench.run(access=OPEN):
        bench.chat.hears("one")
        assert await bench.chat.said(OutboundKind.REPLY) == "hello"
        bench.chat.hears("two")
        await lost.reached.wait()
        bench.crashes()
    port = free_port()
    async with at_work(bench, settings(shell, port=port)):
        assert await bench.chat.said(OutboundKind.REPLY) == "done"
        samples = await until(port, "retinue_turns_ended_total", "turn", "completed")
    assert samples["retinue_messages_received_total", ("telegram",)] == 0
    assert samples["retinue_model_requests_total", (LEAD, "lost")] == 1
    assert samples["retinue_model_requests_total", (LEAD, "settled")] == 1


async def test_a_silent_channel_and_its_fault_are_told_and_not_its_words(
    bench: Bench, chat: Named, shell: Shell
) -> None:
    port = free_port()
    chat.condition = HealthReport(silent_seconds=100.0, fault="canary of a fault")
    async with at_work(bench, settings(shell, port=port)):
        await has_pulse(bench, "fault != ''")
        samples, (_, body) = await scrape(port), await ask(port)
    assert samples["retinue_channel_silent_seconds", ("telegram",)] >= 100
    assert samples["retinue_channel_fault", ("telegram",)] == 1
    assert samples["retinue_healthy", ()] == 0
    assert "canary" not in body


async def test_no_person_chat_text_role_or_secret_is_in_them(bench: Bench, shell: Shell) -> None:
    port = free_port()
    made_up = {"role": "Canaryrole", "task": "canary of a task", "system_prompt": "canary"}
    call = {"type": "tool_use", "id": "toolu_canary", "name": "delegate", "input": made_up}
    bench.model.says("lead", reply(call), "canary of a reply")
    async with at_work(bench, settings(shell, port=port)):
        bench.chat.hears("canary of a text", by="canaryperson", chat="canarychat")
        assert await bench.chat.said(OutboundKind.REPLY)
        samples, (head, body) = await scrape(port), await ask(port)
    assert "canary" not in (head + body).lower()
    assert not any(secret in body for secret in (TOKEN, TOKEN.partition(":")[2]))
    labels = {value for _, values in samples for value in values}
    known = {"telegram", LEAD, "claude-haiku-5-5", "turn", "delegation", "queued", "running", "stopping"}
    known |= {"active", "paused", "paused_after_failures"}
    assert labels <= known | {"settled", "lost", "completed", "failed", "input", "output"} | CACHE | {version()}


CACHE = {"cache_read", "cache_write_5m", "cache_write_1h"}


def version() -> str:
    from bot.ops.health import retinue_version

    return retinue_version()


async def test_a_model_that_nobody_names_any_more_is_another(bench: Bench, shell: Shell) -> None:
    collector = MetricsCollector(settings(shell, port=1), {LEAD})
    collector.count_model_failure("of an earlier config", "failed")
    collector.counts.closed_requests["of an earlier config", "settled"] += 2
    collector.counts.closed_requests["of another", "settled"] += 3
    _, body = await collector.render_page()
    assert b"earlier" not in body
    assert b'retinue_model_requests_total{model="other",outcome="settled"} 5.0' in body


async def test_a_scrape_reads_little_and_no_more_where_there_is_a_long_history(bench: Bench) -> None:
    async with bench.run(access=OPEN):
        await has_pulse(bench)
    tally, statements, steps = MetricCounts(), list[str](), 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0  # go on

    def read(db: Connection) -> None:
        db.set_trace_callback(statements.append)
        db.set_progress_handler(step, 1)
        tally.count_newly_finished_rows(db)
        count_queue_depths(db, ["telegram"])

    def work() -> tuple[int, int]:
        nonlocal steps
        statements.clear()
        steps = 0
        query_database_file(bench.data / "bot.db", read, None)
        return len(statements), steps

    work()
    with closing(sqlite3.connect(bench.data / "bot.db")) as db:
        assert [step for each in statements if each.startswith("SELECT") for step in scans(db, each)] == []
    quiet = work()
    numbers = "WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)"
    columns = "key, address, person, name, origin, kind, text, sent_at, kept_at, state"
    row = "'telegram:c', 'p', 'n', '', 'text', 't', '2026', '2026', 'done'"
    change(bench, f"{numbers} INSERT INTO inbox ({columns}) SELECT 'k' || i, {row} FROM n")
    received = []
    for _ in range(3):  # what has come meanwhile is counted, so many at a time
        work()
        received.append(tally.received_messages["telegram"])
    assert received == [5_000, 9_000, 9_000]
    again = work()
    assert quiet[0] == again[0] <= 11
    assert again[1] <= quiet[1] + 100


async def test_a_number_that_is_given_again_is_counted_again(bench: Bench) -> None:
    async with bench.run(access=OPEN):
        await has_pulse(bench)
    tally, row = MetricCounts(), "('t', '', 'telegram:c', 'd', 'm', 1, 0, 0, 0, 0, 'settled')"
    columns = "(turn, root, chat, day, model, attempt, max_tokens, is_doubled, fresh, reserved, state)"
    for statement in (f"INSERT INTO requests {columns} VALUES {row}", "DELETE FROM requests") * 2:
        change(bench, "PRAGMA foreign_keys = OFF")
        query_database_file(bench.data / "bot.db", tally.count_newly_finished_rows, None)
        change(bench, statement)
        query_database_file(bench.data / "bot.db", tally.count_newly_finished_rows, None)
    assert tally.closed_requests == {("m", "settled"): 2}


async def test_a_scrape_costs_little(bench: Bench, shell: Shell) -> None:
    async with bench.run(access=OPEN):
        await has_pulse(bench)
    collector = MetricsCollector(settings(shell, port=1), {LEAD})
    await collector.render_page()
    began = time.process_time()
    for _ in range(20):
        await collector.render_page()
    each = (time.process_time() - began) / 20
    assert each < 0.1, "seconds of processor time: at one each 15 s less than a hundredth"


async def test_secrets_that_were_kept_back_are_counted(bench: Bench, shell: Shell) -> None:
    bench.model.says("lead", TOKEN, "nothing", f"{TOKEN} {TOKEN}")
    port = free_port()
    async with at_work(bench, settings(shell, port=port), secrets=SecretIndex({"channels.telegram.token": [TOKEN]})):
        assert (await scrape(port))["retinue_secrets_kept_back_total", ()] == 0
        for _ in range(3):
            bench.chat.hears("go")
            assert TOKEN not in await bench.chat.said(OutboundKind.REPLY)
        await until(port, "retinue_secrets_kept_back_total", value=2)
