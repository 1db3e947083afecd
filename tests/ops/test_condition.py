"""What `retinue health` knows besides the channels: the last message, the money, and that it costs little to look."""

from datetime import UTC, datetime

from bot.core.access import Access
from bot.ops import health
from bot.ops import texts as ops_texts
from bot.store.chat_reader import query_database_file
from bot.store.connection import Connection
from tests.ops.test_health import OPEN, bench, change, chat, found, has_pulse, shell
from tests.support.bench import Bench
from tests.support.shell import Shell

__all__ = ["bench", "chat", "shell"]


async def test_the_last_messages_time_is_known_and_strangers_do_not_count(bench: Bench, shell: Shell) -> None:
    bench.model.says("lead", "Hello")
    async with bench.run(access={"telegram": Access(allowed_ids=frozenset({"Ann"}), may_strangers_pair=True)}):
        bench.chat.hears("hello")
        await bench.chat.said()
        change(bench, "UPDATE inbox SET kept_at = ?", (before := "2026-01-01T00:00:00+00:00",))
        bench.chat.hears("let me in", by="Eve")
        await bench.chat.is_taken_in()
        _, found_ = await found(shell)
    assert found_["last_message_at"] == before
    change(bench, "UPDATE inbox SET address = replace(address, 'telegram:', 'terminal:')")
    assert (await found(shell))[1]["last_message_at"] is None


async def test_money_that_runs_out_is_a_warning_and_no_reason_to_restart(bench: Bench, shell: Shell) -> None:
    shell.config(channels={"telegram": {"enabled": True, "token": "1:x"}}, time_zone="UTC", limits={"day_usd": 10})
    async with bench.run(access=OPEN):
        await has_pulse(bench)
        today = str(datetime.now(UTC).date())
        sums = "INSERT INTO spending (chat, day, cost, reserved) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET cost = ?"
        seen = []
        for cost in (7_990_000, 8_000_000, 9_950_000, 9_999_000):
            change(bench, sums, ("", today, cost, 20_000, cost))
            status, now = await found(shell)
            seen.append((status, now["budget"]["is_used_up"], now["warnings"]))
        said = await shell.retinue("health")
    nearly = ops_texts.BUDGET_NEARLY_USED_UP(spent=8, limit=10)
    assert seen[:2] == [(0, False, []), (0, False, [nearly])]
    assert [each[:2] for each in seen[2:]] == [(0, False), (0, True)]
    assert now["budget"] == {"spent_usd": 9.999, "reserved_usd": 0.02, "limit_usd": 10, "is_used_up": True}
    assert said.status == 0
    used_up = ops_texts.BUDGET_USED_UP(spent=9.999, limit=10)
    assert f"; {ops_texts.WARNING(warning=used_up)}" in said.out


async def test_it_reads_no_more_where_there_is_a_long_history(bench: Bench, shell: Shell) -> None:
    async with bench.run(access=OPEN):
        await has_pulse(bench)
    steps = [await work_of_a_look(bench), 0]
    row = "'telegram:c', 'p', 'n', '', 'text', 't', '2026-01-01T00:00:00+00:00', '2026-01-01T00:00:00+00:00', 'done'"
    columns = "key, address, person, name, origin, kind, text, sent_at, kept_at, state"
    numbers = "WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
    change(bench, f"{numbers} INSERT INTO inbox ({columns}) SELECT 'k' || i, {row} FROM n")
    spent = f"{numbers} INSERT INTO spending (chat, day, cost) SELECT '', '0' || i, 1 FROM n"
    change(bench, spent)
    steps[1] = await work_of_a_look(bench)
    assert steps[1] < steps[0] + 200


async def work_of_a_look(bench: Bench) -> int:
    """The steps of SQLite's machine."""
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0  # go on

    def watched(db: Connection) -> None:
        db.set_progress_handler(step, 1)
        now = datetime.now(UTC)
        health.read_health_figures(db, ["telegram"], now.date(), now)

    query_database_file(bench.data / "bot.db", watched, None)
    return steps
