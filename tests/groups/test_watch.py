"""What changes in the groups' files while the bot runs: taken up, told once, and no harm to it."""

import errno
import logging
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.config import texts as config_texts
from bot.config.groups import LoadedGroups, texts
from bot.config.groups.file import address_forms_by_channel
from bot.config.watchers import GroupWatcher
from bot.core.messages import Address
from bot.core.texts import logs
from tests.support.group_folders import Groups
from tests.support.patience import PATIENCE

NOTES = Address(channel="telegram", chat="5")


@pytest.fixture
def groups(tmp_path: Path) -> Groups:
    made = Groups(tmp_path)
    made.write("notes", "address: telegram:5")
    return made


class Looker:
    """A watch whose looks the test makes itself, and which counts how often the files are read."""

    def __init__(self, groups: Groups) -> None:
        self.groups, self.reads = groups, 0
        self.watch = GroupWatcher(groups.folder, self.read)

    def read(self) -> LoadedGroups:
        self.reads += 1
        return self.groups.read(may_make_workspaces=True)

    def names(self) -> list[str]:
        """After a look."""
        self.watch.reload_if_changed()
        return [group.name for group in self.watch.last_loaded_groups()]


@pytest.fixture
def looker(groups: Groups) -> Looker:
    return Looker(groups)


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was logged since this was asked last."""
    lines = [f"{record.levelname} {record.getMessage()}" for record in caplog.records]
    caplog.clear()
    return lines


def test_added_changed_and_removed_files_are_taken_up(looker: Looker) -> None:
    groups = looker.groups
    assert looker.names() == ["notes"]
    groups.write("repo", "address: telegram:6")
    assert looker.names() == ["notes", "repo"]
    assert (groups.folder / "repo" / "workspace").is_dir(), "its workspace is made"
    groups.write("notes", "address: telegram:7")
    assert looker.names() == ["notes", "repo"]
    assert (
        looker.watch.last_loaded_groups().group_name_at(NOTES),
        looker.watch.last_loaded_groups().group_name_at(Address(channel="telegram", chat="7")),
    ) == ("", "notes")
    (groups.folder / "repo" / "instructions.md").unlink()
    assert looker.names() == ["notes"]
    (groups.folder / "notes").rename(groups.folder / "letters")
    assert looker.names() == ["letters"]


def test_a_group_whose_file_lost_its_address_is_off_at_its_old_place(looker: Looker) -> None:
    groups = looker.groups
    groups.write("notes", "adress: telegram:5")
    assert looker.names() == []
    assert (
        looker.watch.last_loaded_groups().group_name_at(NOTES),
        looker.watch.last_loaded_groups().names_of_faulty_groups,
    ) == (
        "notes",
        ["notes"],
    )
    groups.write("repo", "address: telegram:6")
    assert (looker.names(), looker.watch.last_loaded_groups().group_name_at(NOTES)) == (
        ["repo"],
        "notes",
    )  # and stays so
    groups.write("repo", "address: telegram:5")
    assert (looker.names(), looker.watch.last_loaded_groups().group_name_at(NOTES)) == (
        ["repo"],
        "repo",
    )  # unless another lives there now
    (groups.folder / "notes" / "instructions.md").unlink()
    (groups.folder / "repo" / "instructions.md").unlink()
    assert (looker.names(), looker.watch.last_loaded_groups().group_name_at(NOTES)) == ([], "")


def test_a_change_of_as_many_letters_in_the_same_file_is_seen(looker: Looker) -> None:
    looker.names()
    file = looker.groups.folder / "notes" / "instructions.md"
    was = file.stat()
    looker.groups.write("notes", "address: telegram:6")
    os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))
    looker.names()
    assert looker.watch.last_loaded_groups().group_name_at(Address(channel="telegram", chat="6")) == "notes"


def test_files_that_stay_as_they_are_are_not_read_again(looker: Looker) -> None:
    looker.names()
    before = looker.reads
    (looker.groups.folder / "notes" / "workspace" / "a.md").write_text("written by the group")
    for _ in range(20):
        looker.names()
    assert looker.reads == before


def test_a_workspace_that_was_taken_away_is_made_again(looker: Looker) -> None:
    looker.names()
    (looker.groups.folder / "notes" / "workspace").rmdir()
    looker.names()
    assert (looker.groups.folder / "notes" / "workspace").is_dir()


def test_a_fault_is_told_once_and_so_is_its_end(looker: Looker, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    looker.names()
    assert told(caplog) == []
    file = looker.groups.write("notes", "address: telegram:5\nfoo: x")
    for _ in range(3):
        assert looker.names() == []
    assert looker.watch.last_loaded_groups().group_name_at(NOTES) == "notes", "nobody else answers there"
    line = f"{file}: " + texts.UNKNOWN_KEY(key="foo", nearest="tools")
    assert told(caplog) == ["WARNING " + logs.FOLDER_FAULT % ("groups", line)]
    looker.groups.write("repo", "address: telegram:6")
    assert looker.names() == ["repo"]
    assert told(caplog) == []
    looker.groups.write("notes", "address: telegram:5")
    for _ in range(3):
        assert looker.names() == ["notes", "repo"]
    assert told(caplog) == ["INFO " + logs.FAULT_MENDED % ("groups", line)]


def test_a_fault_is_reported_at_the_start(groups: Groups, caplog: pytest.LogCaptureFixture) -> None:
    file = groups.write("bad", "address: telegram:x")
    looker = Looker(groups)
    problem = texts.NO_CHAT(example=address_forms_by_channel()["telegram"].example)
    wrong = config_texts.WRONG_VALUE(key="address", problem=problem)
    assert told(caplog) == ["WARNING " + logs.FOLDER_FAULT % ("groups", f"{file}: {wrong}")]
    assert looker.names() == ["notes"]


def test_a_folder_that_is_away_takes_no_group_away(looker: Looker, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    folder = looker.groups.folder
    folder.rename(folder.with_name("elsewhere"))
    assert [looker.names() for _ in range(2)] == [["notes"], ["notes"]]
    line = texts.GROUPS_STAY(fault=texts.GROUPS_FOLDER_GONE(path=folder))
    assert told(caplog) == ["WARNING " + logs.FOLDER_FAULT % ("groups", line)]
    folder.with_name("elsewhere").rename(folder)
    assert looker.names() == ["notes"]
    assert told(caplog) == ["INFO " + logs.FAULT_MENDED % ("groups", line)]
    (folder / "notes" / "instructions.md").unlink()
    assert looker.names() == []


def test_while_the_folder_cannot_be_read_the_groups_stay_as_they_were(
    looker: Looker, caplog: pytest.LogCaptureFixture
) -> None:
    folder = looker.groups.folder
    folder.rename(folder.with_name("elsewhere"))
    folder.write_text("no folder")
    for _ in range(3):
        assert looker.names() == ["notes"]
    fault = texts.GROUPS_FOLDER_NOT_READABLE(path=folder, reason=os.strerror(errno.ENOTDIR))
    assert told(caplog) == ["WARNING " + logs.FOLDER_FAULT % ("groups", texts.GROUPS_STAY(fault=fault))]


def test_a_half_written_file_is_taken_up_when_it_is_whole(groups: Groups) -> None:
    """Somebody goes on writing at each reading: what was read then is never the groups."""

    class Writing(Looker):
        is_over = False

        def read(self) -> LoadedGroups:
            found = super().read()
            if not self.is_over:
                groups.write("notes", f"address: telegram:{100 + self.reads}")
            return found

    looker = Writing(groups)
    before = looker.watch.last_loaded_groups()
    looker.names()
    assert looker.watch.last_loaded_groups() is before
    looker.is_over = True
    assert looker.names() == ["notes"]
    assert looker.watch.last_loaded_groups() is not before


def until(is_so: Iterator[bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not next(is_so):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_it_looks_by_itself_beside_the_bot_and_ends_with_it(groups: Groups) -> None:
    watch = GroupWatcher(groups.folder, groups.read, seconds=0.01)
    with watch:
        groups.write("repo", "address: telegram:6")
        until(watch.last_loaded_groups().find_working_group("repo") is not None for _ in iter(int, 1))
    assert "groups" not in {thread.name for thread in threading.enumerate()}


def test_a_bug_in_reading_is_logged_once_and_ends_nothing(groups: Groups, caplog: pytest.LogCaptureFixture) -> None:
    bugs: list[Exception] = []
    reads: list[int] = []

    def read() -> LoadedGroups:
        reads.append(1)
        if bugs:
            raise bugs[0]
        return groups.read()

    watch = GroupWatcher(groups.folder, read, seconds=0.01)
    bugs.append(RuntimeError("a bug"))
    with watch:
        groups.write("repo", "address: telegram:6")
        until(len(reads) > 5 for _ in iter(int, 1))
        assert [group.name for group in watch.last_loaded_groups()] == ["notes"]
        bugs.clear()
        until(watch.last_loaded_groups().find_working_group("repo") is not None for _ in iter(int, 1))
    assert caplog.messages == [logs.LOOK_FAILED % "groups"]
