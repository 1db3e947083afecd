"""What of the folders goes into a back-up, and what comes back of it."""

import errno
import io
import json
import os
import socket
import tarfile
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from bot.backup.archive_writer import CHUNK_BYTES, ArchiveWriter, open_archive_writer
from bot.backup.folder_walk import MAX_PATH_BYTES, TreeEntry
from bot.store import restore_exchange
from tests.support.backup_bot import brought_back, contents, folder_of, saved, taken


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return folder_of(tmp_path / "bot")


def test_special_files_and_outward_links_are_left_out_and_told(place: Path, tmp_path: Path) -> None:
    workspace = place / "workspace"
    (workspace / "in").mkdir()
    (workspace / "file").write_text("here")
    (workspace / "in" / "link").symlink_to("../file")
    (workspace / "in" / "nowhere").symlink_to("not/there")
    (workspace / "out").symlink_to("../config.json")
    (workspace / "far").symlink_to("/etc/passwd")
    (workspace / "round").symlink_to("round")
    os.mkfifo(workspace / "pipe")
    with closing(socket.socket(socket.AF_UNIX)) as listening:
        listening.bind(str(workspace / "socket"))
        said: list[str] = []
        there = contents(saved(place, tmp_path / "it.tar.gz", said=said.append))
    kept = {name: each.linkname for name, each in there.items() if name.startswith("workspace/") and not each.isdir()}
    links = {"workspace/in/link": "../file", "workspace/in/nowhere": "not/there", "workspace/round": "round"}
    assert kept == {"workspace/file": "", **links}
    end = json.loads(taken(tmp_path / "it.tar.gz", "contents.json"))
    names, whys = zip(*(each.split(": ", 1) for each in end["left_out"]), strict=True)
    assert names == ("workspace/far", "workspace/out", "workspace/pipe", "workspace/socket")
    assert [kind in why for kind, why in zip(("link", "link", "pipe", "socket"), whys, strict=True)] == [True] * 4
    assert all(f"  left out: {what}" in said for what in end["left_out"])


@pytest.mark.parametrize("depth", [1200, 1900])
def test_folders_may_be_as_deep_as_paths_can_be_long(
    place: Path, tmp_path: Path, depth: int, request: pytest.FixtureRequest
) -> None:
    request.addfinalizer(partial(restore_exchange.remove_tree, tmp_path))  # pytest's own way is to call itself for each
    for number in range(1, depth + 1):  # as roles can make them, by one file
        os.mkdir(place / "workspace" / "/".join("d" * number))
    said: list[str] = []
    it = saved(place, tmp_path / "it.tar.gz", said=said.append)
    deepest = min(depth, (MAX_PATH_BYTES - len("workspace")) // 2)
    assert max(name.count("/") for name in contents(it)) == deepest
    too_long = [line.split(": ")[1] for line in said if "too long" in line]
    assert too_long == ([f"workspace{'/d' * (deepest + 1)}"] if depth > deepest else [])
    there = folder_of(tmp_path / "there")
    brought_back(there, it)
    assert (there / "workspace" / "/".join("d" * deepest)).is_dir()


def test_names_that_are_no_utf_8_come_back_as_they_were(place: Path, tmp_path: Path) -> None:
    odd = os.fsencode(place / "workspace") + b"/\xff\xfe\n"
    Path(os.fsdecode(odd)).write_text("odd")
    there = folder_of(tmp_path / "there")
    brought_back(there, saved(place, tmp_path / "it.tar.gz"))
    assert os.listdir(os.fsencode(there / "workspace")) == [b"\xff\xfe\n"]


def test_a_file_that_changes_while_it_is_read_spoils_nothing_behind_it(tmp_path: Path) -> None:
    shrinking, growing, gone = tmp_path / "shrinking", tmp_path / "growing", tmp_path / "gone"
    shrinking.write_bytes(b"x" * (3 * CHUNK_BYTES))
    growing.write_bytes(b"y" * (3 * CHUNK_BYTES))
    into, said = io.BytesIO(), list[str]()

    def passed(count: int) -> None:
        if shrinking.stat().st_size > CHUNK_BYTES:
            os.truncate(shrinking, CHUNK_BYTES)
        with growing.open("ab") as file:
            file.write(b"z" * CHUNK_BYTES)

    with open_archive_writer(into, said.append, passed) as archived:
        assert isinstance(archived, ArchiveWriter)
        for path in (shrinking, growing, gone):
            archived.add_tree_entry(TreeEntry(archive_name=f"workspace/{path.name}", path=str(path)))
        archived.add_content("last", b"whole")
    into.seek(0)
    with tarfile.open(fileobj=into) as tar:
        held = {each.name: tar.extractfile(each).read() for each in tar}  # type: ignore[union-attr]  # all are files
    assert held["workspace/shrinking"] == b"x" * CHUNK_BYTES + bytes(2 * CHUNK_BYTES)
    grown = growing.read_bytes()
    assert 3 * CHUNK_BYTES <= len(held["workspace/growing"]) < len(grown)
    assert grown.startswith(held["workspace/growing"])
    assert held["last"] == b"whole"
    shortened, unreadable = said
    assert shortened.startswith("workspace/shrinking: ")
    assert str(2 * CHUNK_BYTES) in shortened
    assert unreadable.startswith("workspace/gone: ")
    assert os.strerror(errno.ENOENT) in unreadable


def test_files_put_aside_by_an_earlier_restore_are_left_out(place: Path, tmp_path: Path) -> None:
    (place / "workspace" / "kept").write_text("kept")
    first = saved(place, tmp_path / "first.tar.gz")
    brought_back(place, first)
    again = contents(saved(place, tmp_path / "again.tar.gz"))
    assert [name for name in again if name.startswith("workspace")] == ["workspace/kept"]
