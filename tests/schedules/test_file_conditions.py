"""Files as conditions: their bytes count, in the folder of the chat."""

from datetime import timedelta
from pathlib import Path

import pytest

from bot.core.texts import people_schedules
from bot.engine.schedule_conditions import ABSENT, hash_watched_file
from tests.support.schedule_bot import ScheduleBot

HOUR = timedelta(hours=1)


async def make(bot: ScheduleBot, kind: str, workspace: Path) -> None:
    async with bot.run(workspace=workspace):
        condition = {"only_if": kind, "what": "notes.md"}
        await bot.calls(("schedule_create", {"task": "look", "repeat": "FREQ=HOURLY", **condition}))


async def checked(bot: ScheduleBot, workspace: Path) -> bool:
    """Let an hour pass. Return whether a run has begun."""
    before = bot.runs_that_ended()
    last = bot.bench.select("last_at", "schedules")
    bot.bench.model.says("lead", "changed")
    async with bot.run(after=HOUR, workspace=workspace):
        await bot.until(lambda: bot.bench.select("last_at", "schedules") != last)
        await bot.until(lambda: not bot.bench.count("inbox", "state IN ('received', 'taken')"))
    bot.bench.model.script["lead"].clear()
    return bot.runs_that_ended() > before


async def test_a_file_that_changes_begins_a_run(bot: ScheduleBot, tmp_path: Path) -> None:
    await make(bot, "file_changed", tmp_path)
    found = [await checked(bot, tmp_path)]
    (tmp_path / "notes.md").write_text("one")
    found += [await checked(bot, tmp_path) for _ in range(2)]
    (tmp_path / "notes.md").write_text("two")
    assert [*found, await checked(bot, tmp_path)] == [False, True, False, True]


async def test_a_file_that_is_there_begins_runs(bot: ScheduleBot, tmp_path: Path) -> None:
    await make(bot, "file_there", tmp_path)
    assert not await checked(bot, tmp_path)
    (tmp_path / "notes.md").write_bytes(b"\0" * 17 * 2**20)  # larger than what a model may read
    assert [await checked(bot, tmp_path) for _ in range(2)] == [True, True]


async def test_after_five_failed_checks_the_person_is_told_once(bot: ScheduleBot, tmp_path: Path) -> None:
    await make(bot, "file_changed", tmp_path)
    (tmp_path / "notes.md").mkdir()
    assert not any([await checked(bot, tmp_path) for _ in range(4)])
    assert bot.bench.count("outbox", "key LIKE 'schedule:%'") == 0
    assert not any([await checked(bot, tmp_path) for _ in range(2)])
    [(text,)] = bot.bench.select("text", "outbox", "key LIKE 'schedule:%'")
    assert text == people_schedules.CONDITION_NOT_SEEN(5, number=1, what="notes.md", beginning="look")
    assert bot.bench.select("failed_checks", "schedules") == [(6,)]


@pytest.mark.parametrize("beyond", [False, True], ids=["in the part that a model reads", "beyond it"])
def test_every_byte_of_a_file_counts(*, beyond: bool, tmp_path: Path) -> None:
    lines = [b"same\n"] * 100_000
    (tmp_path / "long.txt").write_bytes(b"".join(lines))
    before = hash_watched_file(tmp_path, "long.txt")
    lines[-1 if beyond else 0] = b"else\n"
    (tmp_path / "long.txt").write_bytes(b"".join(lines))
    assert hash_watched_file(tmp_path, "long.txt") != before


@pytest.mark.parametrize(
    ("path", "seen"), [("no.md", ABSENT), ("no/such.md", ABSENT), ("folder", None), ("../secret.md", None)]
)
def test_a_file_that_cannot_be_read_is_not_one_that_is_missing(path: str, seen: str | None, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    (tmp_path / "work" / "folder").mkdir(parents=True)
    assert hash_watched_file(tmp_path / "work", path) == seen
