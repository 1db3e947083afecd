"""What operators see of the schedules of people, and how they stop one."""

from datetime import UTC, datetime
from typing import Any

from bot.cli import texts as cli_texts
from bot.cli.schedules import schedule_lines
from bot.core.findings import CheckFinding
from bot.core.texts import operators, people_schedules
from bot.journal.schedule_runs import FAILURES_BEFORE_PAUSE
from bot.ops import health
from bot.ops import texts as ops_texts
from bot.ops.checks import texts
from bot.ops.checks.rows import check_schedules
from bot.store.chat_reader import query_database_file
from bot.store.connection import Connection
from bot.store.schedules import count_schedules, list_schedules_with_last_outcome
from tests.schedules.test_schedule_runs import DAILY, DAY, HOUR, make
from tests.support.fakes import failing
from tests.support.running_bot import bench, shell
from tests.support.schedule_bot import FIRST_DAY, ScheduleBot
from tests.support.shell import Shell

__all__ = ["bench", "shell"]
AT_NIGHT = {"task": "read", "repeat": "FREQ=DAILY", "only_if": "window", "what": "01:00-02:00"}


def listed(bot: ScheduleBot) -> list[str]:
    nothing: Any = []
    return [
        *schedule_lines(query_database_file(bot.bench.data / "bot.db", list_schedules_with_last_outcome, nothing), UTC)
    ]


def findings(bot: ScheduleBot) -> list[CheckFinding]:
    def check(db: Connection) -> list[CheckFinding]:
        return [*check_schedules(db, is_running=True)]

    nothing: list[CheckFinding] = []
    return query_database_file(bot.bench.data / "bot.db", check, nothing)


async def fail_until_paused(bot: ScheduleBot) -> None:
    await make(bot)
    bot.bench.model.says("lead", *[failing] * FAILURES_BEFORE_PAUSE)
    for runs in range(1, FAILURES_BEFORE_PAUSE + 1):
        async with bot.run(after=DAY):
            await bot.until(lambda runs=runs: bot.runs_that_ended() == runs)  # type: ignore[misc]


async def test_the_list_names_person_next_time_and_last_outcome(bot: ScheduleBot) -> None:
    assert [*schedule_lines([], UTC)] == [cli_texts.NO_SCHEDULES]
    async with bot.run():
        await bot.calls(("remind_me", {"text": "tea", "repeat": "FREQ=DAILY"}), ("schedule_create", AT_NIGHT))
        await bot.calls(("remind_me", {"text": "jam", "when": "P9D"}))
        await bot.hears("/schedules pause 3")
    async with bot.run(after=DAY + HOUR):
        await bot.until(lambda: bot.bench.count("schedules", "last_at IS NOT NULL") == 2)
    of_ann, next_time = "fake:room  Ann (Ann)", cli_texts.SCHEDULE_NEXT(time=FIRST_DAY + 2 * DAY, zone=UTC)
    assert listed(bot) == [
        f"1  {of_ann}  {next_time}; reminder posted; reminder: tea",
        f"2  {of_ann}  {next_time}; condition does not hold; task: read",
        f"3  {of_ann}  {cli_texts.SCHEDULE_PAUSED}; {cli_texts.SCHEDULE_NEVER_DUE}; reminder: jam",
    ]


async def test_operators_pause_and_delete_beside_a_bot_that_runs(bot: ScheduleBot, shell: Shell) -> None:
    async with bot.run():
        await bot.calls(("remind_me", {"text": "tea", "when": "P1D"}))
        said = await shell.retinue("schedules", "pause", "1")
        assert (said.status, said.out.strip()) == (0, operators.SCHEDULE_IS_PAUSED(number="1"))
        told = await bot.bench.chat.said()
        assert told == people_schedules.PAUSED_BY_OPERATOR(number=1, beginning="tea")
        assert (await shell.retinue("schedules", "delete", "1")).status == 0
        told = await bot.bench.chat.said()
        assert told == people_schedules.DELETED_BY_OPERATOR(number=1, beginning="tea")
    said = await shell.retinue("schedules", "delete", "1")
    assert (said.status, said.err.strip()) == (1, operators.NO_SUCH_SCHEDULE(number="1"))


async def test_doctor_and_health_tell_of_schedules_that_failed(bot: ScheduleBot) -> None:
    await fail_until_paused(bot)
    address = "fake:room"
    failed = texts.SCHEDULE_FAILED(number=1, address=address, name="Ann")
    assert [(each.text, each.remedy) for each in findings(bot)] == [(failed, texts.RESUME_SCHEDULE(number=1))]
    assert listed(bot)[0].split(";")[0].endswith(cli_texts.SCHEDULE_FAILED)
    async with bot.run():
        bot.bench.chat.hears("/schedules resume 1")
        await bot.until(lambda: bot.bench.count("schedules", "state = 'active'"))
    assert [each.text for each in findings(bot)] == [texts.SCHEDULES(active=1, paused=0)]


async def test_a_paused_schedule_that_is_run_and_fails_says_so(bot: ScheduleBot) -> None:
    await fail_until_paused(bot)
    posted = bot.bench.count("outbox", "kind = 'reply'")
    bot.bench.model.says("lead", failing)
    async with bot.run():
        bot.bench.chat.hears("/schedules run 1")
        await bot.until(lambda: bot.runs_that_ended() == FAILURES_BEFORE_PAUSE + 1)
    assert bot.bench.count("outbox", "kind = 'reply'") == posted + 1


async def test_doctor_and_health_tell_that_the_scheduler_is_behind(bot: ScheduleBot) -> None:
    bot.now = bot.now.replace(year=2020)  # what is due then is long past
    async with bot.run():
        await bot.calls(("remind_me", {"text": "tea", "when": "P1D"}))
    [finding] = findings(bot)
    assert finding.text.startswith(texts.SCHEDULE_IS_LATE(1, seconds=0).partition(" 0 s")[0])
    counted = query_database_file(bot.bench.data / "bot.db", lambda db: count_schedules(db, datetime.now(UTC), 5), None)
    assert counted is not None
    status = health.assess_schedules(counted, datetime.now(UTC))
    found = health.BotHealth(process="1", schedules=status)
    [problem] = health.list_problems(found, bot.bench.data, 0.0, ())
    assert problem == ops_texts.SCHEDULE_IS_LATE(seconds=status.late_seconds)


async def test_what_comes_of_each_time_is_counted_for_metrics(bot: ScheduleBot) -> None:
    counted: list[tuple[str, bool, int]] = []

    def count(outcome: str, is_late: bool, missed_count: int) -> None:
        counted.append((outcome, is_late, missed_count))

    with_ = {"on_schedule_time": count}
    async with bot.run(assembly=with_):
        await bot.calls(("remind_me", {"text": "tea", "repeat": "FREQ=DAILY"}), ("schedule_create", AT_NIGHT))
        await bot.calls(("schedule_create", DAILY))
    bot.bench.model.says("lead", "done")
    async with bot.run(after=2 * DAY + HOUR, assembly=with_):
        await bot.until(lambda: len(counted) == 3)
    assert sorted(counted) == [(each, True, 1) for each in ("condition does not hold", "reminder posted", "run")]
