"""A restore that is killed at each of its steps leaves what was or what is new, and never something of both; and so
does one whose disk takes no more, or that cannot move what is there."""

import errno
import os
import re
import resource
import shutil
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from bot.backup import texts
from bot.core.errors import ConfigError
from bot.store import folder_lock, restore_exchange
from bot.store.restore_exchange import REPLACED_DATA_PREFIX, STAGE_FOLDER_PREFIX, RestoreExchange, RestoreUnfinished
from tests.support.backup_bot import apart, brought_back, folder_of, killed_at, rows, saved, words, write
from tests.support.wording import says

PUT_ASIDE = re.compile(
    rf"/{REPLACED_DATA_PREFIX}|/{re.escape(STAGE_FOLDER_PREFIX)}"
)  # in one of the paths of each rename of the exchange
OLD = (["old", "since"], {"both": "old", "former": "old", "deep/er": "old"})
NEW = (["old"], {"both": "new", "later": "new", "deep/er": "new"})


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "bot"


def fill(place: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = place / "workspace" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def begun_anew(place: Path, archive: Path) -> Path:
    """A folder in which more has happened since its back-up was made."""
    folder_of(place)
    write(place, "old")
    fill(place, NEW[1])
    saved(place, archive)
    write(place, "since")
    (place / "workspace" / "later").unlink()
    fill(place, OLD[1])
    return place


def state(place: Path) -> tuple[list[str], dict[str, str]]:
    workspace = place / "workspace"
    names = [path.relative_to(workspace) for path in workspace.rglob("*") if path.is_file()]
    files = {
        str(name): (workspace / name).read_text() for name in names if not str(name).startswith(REPLACED_DATA_PREFIX)
    }
    return words(place), files


def take_hold(place: Path) -> None:
    with folder_lock.lock_data_folder_without_trace(place / "data"):
        pass


def leftovers(place: Path) -> list[str]:
    return [str(path) for path in place.rglob("*") if "restoring" in path.name or path.name.startswith(".copy")]


def put_aside(place: Path) -> list[str]:
    return sorted(
        str(path.parent.parent.name)
        for path in place.rglob(f"{REPLACED_DATA_PREFIX}*/*")
        if path.name in ("bot.db", "former")
    )


@pytest.mark.timeout(240)  # a hundred restores
def test_killed_at_any_step_it_is_all_as_before_or_all_restored(tmp_path: Path) -> None:
    states, archive = [], tmp_path / "it.tar.gz"
    begun = begun_anew(tmp_path / "begun", archive)
    for number in range(1, 1000):
        bot = shutil.copytree(begun, tmp_path / f"bot{number}")
        is_killed = killed_at(number, partial(brought_back, bot, archive))
        for again in (1, 2, 4):  # the process that finishes it is killed as well
            killed_at(again, partial(take_hold, bot))
        take_hold(bot)
        states.append(state(bot))
        assert states[-1] in (OLD, NEW), number
        assert leftovers(bot) == []
        assert put_aside(bot) == (["data", "workspace"] if states[-1] == NEW else [])
        assert rows(bot, "PRAGMA quick_check") == [("ok",)]
        if not is_killed:
            break
    assert len(states) > 20
    assert states == sorted(states, key=lambda each: each == NEW)  # from one step on it is restored
    assert states[0] == OLD
    assert states[-2:] == [NEW, NEW]  # the last kill came when it was complete


@pytest.mark.fast
@pytest.mark.timeout(240)
def test_on_an_empty_machine_it_can_be_killed_at_any_step_and_done_again(tmp_path: Path) -> None:
    archive = tmp_path / "it.tar.gz"
    begun_anew(tmp_path / "bot", archive)
    for number in range(1, 1000):
        there = tmp_path / f"there{number}"
        is_killed = killed_at(number, partial(brought_back, there, archive))
        killed_at(number % 7 + 1, partial(brought_back, there, archive))
        brought_back(there, archive)
        assert state(there) == NEW
        assert (there / "config.json").read_text() == "{}"
        assert leftovers(there) == []
        if not is_killed:
            break
    assert number > 20


def test_after_a_kill_it_can_be_restored_once_more(place: Path, tmp_path: Path) -> None:
    begun_anew(place, tmp_path / "it.tar.gz")
    assert killed_at(12, lambda: brought_back(place, tmp_path / "it.tar.gz"))
    assert leftovers(place)
    brought_back(place, tmp_path / "it.tar.gz")
    assert state(place) == NEW
    assert leftovers(place) == []


@pytest.mark.parametrize("most", [0, 100, 20_000, 200_000, 300_000])
def test_a_restore_to_a_full_disk_changes_nothing(place: Path, tmp_path: Path, most: int) -> None:
    begun_anew(place, tmp_path / "it.tar.gz")

    def on_a_full_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        with pytest.raises((ConfigError, OSError)):
            brought_back(place, tmp_path / "it.tar.gz")

    assert apart(on_a_full_disk) == 0
    assert leftovers(place) == []
    assert state(place) == OLD


def test_only_the_folders_of_the_data_and_the_workspace_are_written_to(place: Path, tmp_path: Path) -> None:
    begun_anew(place, tmp_path / "it.tar.gz")
    (place / "roles").mkdir()
    own = (str(place / "data"), str(place / "workspace"))
    elsewhere: list[str] = []

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if event in ("os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.symlink"):
            elsewhere.extend(str(each) for each in arguments[:2] if isinstance(each, str) and not each.startswith(own))

    def watched() -> None:
        sys.addaudithook(watch)
        brought_back(place, tmp_path / "it.tar.gz", only_data=True)
        assert not [path for path in elsewhere if path.startswith("/")]

    assert apart(watched) == 0
    assert state(place) == NEW


def test_an_unfinishable_restore_keeps_the_bot_from_starting_and_says_why(place: Path) -> None:
    folder_of(place)
    data, gone = place / "data", place / "gone" / "file"
    (place / "new").write_text("")
    restore_exchange.write_restore_note(
        data, RestoreExchange(stages=[], place=[(str(place / "new"), str(gone))], is_complete=True)
    )
    for _ in range(2):
        with pytest.raises(RestoreUnfinished, match=re.escape(str(place / "new"))):
            take_hold(place)
    gone.parent.mkdir()
    take_hold(place)
    assert gone.exists()
    assert not (data / restore_exchange.RESTORE_NOTE_FILE_NAME).exists()
    (data / restore_exchange.RESTORE_NOTE_FILE_NAME).write_text("nonsense")
    with pytest.raises(RestoreUnfinished, match=re.escape(str(data / restore_exchange.RESTORE_NOTE_FILE_NAME))):
        take_hold(place)


def test_a_restore_into_moved_folders_keeps_the_bot_from_starting_empty(place: Path) -> None:
    folder_of(place)
    former = place.parent / "where it was" / "data"
    stage = former / ".restoring-1"
    note = RestoreExchange(
        stages=[str(stage)], place=[(str(stage / "bot.db"), str(former / "bot.db"))], is_complete=True
    )
    restore_exchange.write_restore_note(place / "data", note)
    with pytest.raises(RestoreUnfinished, match=re.escape(str(stage))):
        take_hold(place)
    assert (place / "data" / restore_exchange.RESTORE_NOTE_FILE_NAME).exists()


def on_exchange(number: int, work: Callable[[], object]) -> Callable[[], int]:
    """Do something before the `number`-th rename of the exchange. Return a function that counts the renames so far.
    Call this in a process of its own."""
    seen = 0

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal seen
        if event == "os.rename" and any(PUT_ASIDE.search(str(each)) for each in arguments[:2]):
            seen += 1
            if seen == number:
                work()

    sys.addaudithook(watch)
    return lambda: seen


@pytest.mark.parametrize("number", [1, 3, 8])
def test_a_restore_interrupted_during_the_exchange_completes_and_says_so(
    place: Path, tmp_path: Path, number: int
) -> None:
    begun_anew(place, tmp_path / "it.tar.gz")

    def interrupted() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        count_renames = on_exchange(number, lambda: os.kill(os.getpid(), signal.SIGINT))
        said = brought_back(place, tmp_path / "it.tar.gz")
        assert count_renames() > number
        assert sum(says(line, texts.FORMER_KEPT) for line in said) == 2

    assert apart(interrupted) == 0
    assert state(place) == NEW
    assert leftovers(place) == []


def test_a_disk_that_is_full_at_the_very_end_does_not_make_it_a_failure(place: Path, tmp_path: Path) -> None:
    begun_anew(place, tmp_path / "it.tar.gz")

    def on_a_disk_that_fills_up() -> None:
        on_exchange(1, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
        assert brought_back(place, tmp_path / "it.tar.gz")[-1] == texts.LOST_SINCE
        with pytest.raises(OSError, match=re.escape(os.strerror(errno.EFBIG))):
            (place / "data" / "one more").write_text("x")

    assert apart(on_a_disk_that_fills_up) == 0
    assert state(place) == NEW
