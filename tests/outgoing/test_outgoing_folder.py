"""The copies of files that are on their way: how long they stay."""

import io
from pathlib import Path

from bot.tools.outgoing_folder import MAX_PLANNING_SECONDS, OutgoingFolder
from tests.stand_ins.clock import Clock


def copied(folder: OutgoingFolder, tmp_path: Path, content: bytes = b"hello") -> str:
    (tmp_path / "a").write_bytes(content)
    with (tmp_path / "a").open("rb") as file:
        copy = folder.copy_in(file)
    assert copy
    return copy.name


def names(folder: OutgoingFolder) -> set[str]:
    return {path.name for path in folder.path.iterdir()}


def test_a_copy_outlives_its_original(tmp_path: Path) -> None:
    folder = OutgoingFolder(tmp_path / "outgoing")
    name = copied(folder, tmp_path)
    (tmp_path / "a").unlink()
    assert (folder.path / name).read_bytes() == b"hello"
    assert (folder.path / name).stat().st_mode & 0o077 == 0


def test_a_copy_without_a_row_stays_while_its_message_may_be_planned(tmp_path: Path) -> None:
    clock = Clock()
    folder = OutgoingFolder(tmp_path / "outgoing", clock)
    name = copied(folder, tmp_path)
    folder.remove_all_except(())
    assert names(folder) == {name}
    clock.advance(MAX_PLANNING_SECONDS + 1)
    folder.remove_all_except(())
    assert names(folder) == set()


def test_a_copy_that_rows_named_goes_with_them(tmp_path: Path) -> None:
    folder = OutgoingFolder(tmp_path / "outgoing")
    name, other = copied(folder, tmp_path), copied(folder, tmp_path)
    folder.remove_all_except({name})
    assert names(folder) == {name, other}
    folder.remove_all_except(())
    assert names(folder) == {other}


def test_what_a_killed_process_left_goes_at_once(tmp_path: Path) -> None:
    folder = OutgoingFolder(tmp_path / "outgoing")
    folder.remove_all_except(())  # the folder may not exist
    name = copied(folder, tmp_path)
    (folder.path / "half.part").touch()
    after = OutgoingFolder(tmp_path / "outgoing")
    after.remove_all_except({name})
    assert names(after) == {name}


def test_a_file_that_grows_meanwhile_is_not_copied(tmp_path: Path) -> None:
    folder = OutgoingFolder(tmp_path / "outgoing")
    path = tmp_path / "a"
    path.write_bytes(b"one")

    class Growing(io.FileIO):
        def read(self, size: int | None = -1) -> bytes:
            found = super().read(size) or b""
            with path.open("ab") as more:
                more.write(b"more")
            return found

    with Growing(path) as file:
        assert folder.copy_in(file) is None
    assert names(folder) == set()
