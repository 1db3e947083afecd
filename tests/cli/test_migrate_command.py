"""`retinue migrate`: the gate before a new version answers."""

import os
from pathlib import Path

import pytest

from bot.cli import texts
from bot.core.texts import operators
from bot.ops import texts as ops_texts
from bot.store import folder_lock
from bot.store import texts as store_texts
from bot.store.migrations import STEPS
from tests.support.backup_bot import database, folder_of, rows, words, write
from tests.support.config_folder import Home, Said, home

__all__ = ["home"]

NOBODY = "http://127.0.0.1:9"  # where nobody answers


@pytest.fixture
def place(home: Home) -> Path:
    telegram = {"enabled": True, "token": "7:token", "base_url": f"{NOBODY}/bot", "owner": 7}
    model = {"api_key": "sk-key", "base_url": NOBODY}
    place = folder_of(home.here / "bot", model=model, channels={"telegram": telegram})
    (place / "config.json").chmod(0o600)
    return place


def migrate(home: Home, place: Path) -> Said:
    return home.retinue("migrate", "--config", str(place / "config.json"))


@pytest.mark.fast(cases=1)
@pytest.mark.parametrize("step", range(1, len(STEPS) + 1))
def test_the_rows_are_brought_up_to_date_and_nothing_else_of_them_changes(home: Home, place: Path, step: int) -> None:
    database(place, step)
    write(place, "hello")
    said = migrate(home, place)
    done = texts.ROWS_MIGRATED(before=step, step=len(STEPS)) if step < len(STEPS) else texts.ROWS_UP_TO_DATE(step=step)
    assert said.out.splitlines()[0] == f"ok       {done}"
    assert said.status == 0, said.out
    assert rows(place, "PRAGMA user_version") == [(len(STEPS),)]
    assert words(place) == ["hello"]
    outbox = rows(place, "SELECT key FROM outbox")
    assert outbox == []


def test_an_unreachable_check_is_a_warning_and_a_known_fault_fails(home: Home, place: Path) -> None:
    said = migrate(home, place)
    assert said.status == 0
    assert "warning  model: " in said.out
    assert "warning  telegram: " in said.out
    assert "process:" not in said.out
    (place / "roles").mkdir()
    (place / "roles" / "qa.md").write_text("---\nnonsense: [\n---\nhm")
    said = migrate(home, place)
    assert said.status == 1
    assert "wrong    roles: " in said.out


def test_an_impossible_migration_is_one_line(home: Home, place: Path) -> None:
    database(place)
    rows(place, f"PRAGMA user_version = {len(STEPS) + 1}")
    said = migrate(home, place)
    assert said.status == 1
    newer = store_texts.OF_NEWER_VERSION(step=len(STEPS) + 1, steps=len(STEPS))
    assert said.out.startswith(f"wrong    {texts.NOT_MIGRATED(reason=newer)}")
    (place / "data" / "bot.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 9000)
    said = migrate(home, place)
    assert (said.status, said.out.count("\n")) == (1, 1)
    damaged = store_texts.DAMAGED(path=place / "data" / "bot.db", reason="file is not a database", mending="")
    assert texts.NOT_MIGRATED(reason=damaged) in said.out
    (place / "config.json").write_text("{")
    said = migrate(home, place)
    assert (said.status, said.out.count("\n")) == (1, 1)
    assert said.out.startswith(f"wrong    {texts.NOT_MIGRATED(reason=place / 'config.json')}")


def test_while_a_bot_runs_nothing_is_migrated(home: Home, place: Path) -> None:
    database(place, 1)
    with folder_lock.lock_data_folder(place / "data"):
        said = migrate(home, place)
    assert said.status == 1
    assert operators.FOLDER_IN_USE(folder=place / "data", process=os.getpid()) in said.out
    assert rows(place, "PRAGMA user_version") == [(1,)]


def test_a_migration_without_rows_makes_none(home: Home, place: Path) -> None:
    (place / "data" / "bot.db").unlink()
    assert migrate(home, place).out.startswith(f"ok       {texts.NO_ROWS_YET}")
    assert not (place / "data" / "bot.db").exists()


def test_health_can_be_asked_of_rows_of_an_earlier_step(home: Home, place: Path) -> None:
    database(place, 1)
    said = home.retinue("health", "--config", str(place / "config.json"))
    assert said.status == 1
    no_bot = ops_texts.NO_BOT_IN_FOLDER(folder=place / "data")
    assert said.out == f"{ops_texts.UNHEALTHY(problems=no_bot)}\n"
