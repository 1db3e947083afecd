"""What a back-up holds, and what it leaves out; the command, beside a bot at work."""

import io
import json
import os
import shutil
import socket
import stat
import tarfile
import time
from contextlib import closing
from pathlib import Path

import pytest

from bot.backup.trees import Found
from bot.backup.writing import CHUNK, Archive, archive
from bot.errors import ConfigError, StoreDamaged
from bot.store.copying import SPARE_BYTES, copied
from bot.store.migrations import STEPS
from tests.beside import bench, shell
from tests.conftest import Bench
from tests.saving import brought_back, connection, contents, database, folder_of, rows, saved, taken, words, write
from tests.settings import Home, home
from tests.shell import Shell
from tests.stores import Commits

__all__ = ["bench", "home", "shell"]

MANY = 300  # messages


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return folder_of(tmp_path / "bot")


async def test_beside_a_bot_at_work_it_holds_every_message_that_was_taken_in_before(bench: Bench, shell: Shell) -> None:
    bench.model.says("lead", *(f"answer {number}" for number in range(2 * MANY)))
    target = shell.folder / "it.tar.gz"
    commits = Commits()
    async with bench.run(store=commits.store()):
        for number in range(MANY):
            bench.chat.hears(f"message {number}", chat=f"room{number % 20}")
        await bench.chat.is_taken_in()
        async with shell.begun("backup", str(target)) as process:
            for number in range(MANY, 2 * MANY):
                bench.chat.hears(f"message {number}", chat=f"room{number % 20}")
                await bench.chat.is_taken_in()
                if process.returncode is not None:
                    break
            _, err = await process.communicate()
        assert process.returncode == 0, err
        taken_in = bench.rows("SELECT count(*) FROM inbox")[0][0]
        await commits.until(lambda: not bench.rows("SELECT 1 FROM inbox WHERE state != 'done'"))
    there = folder_of(shell.folder / "there")
    brought_back(there, target)
    assert set(words(there)) >= {f"message {number}" for number in range(MANY)}
    assert len(words(there)) <= taken_in
    assert rows(there, "PRAGMA quick_check") == [("ok",)]


def test_nobody_who_writes_waits_for_a_copy_and_the_copy_ends(place: Path) -> None:
    path = place / "data" / "bot.db"
    with closing(connection(path)) as db:
        db.execute("CREATE TABLE ballast (body BLOB)")
        db.execute("INSERT INTO ballast SELECT zeroblob(1000000) FROM (VALUES (1), (2), (3), (4), (5), (6), (7), (8))")
        waits: list[float] = []

        def told(left: int, of: int) -> None:
            begun = time.monotonic()
            db.execute("INSERT INTO orders (name, arguments, given_at) VALUES ('stop', '{}', '')")
            waits.append(time.monotonic() - begun)

        with copied(path, told) as copy:
            there = place / "copy.db"
            there.write_bytes(copy.file.read())
        written = db.count("SELECT count(*) FROM orders")
    with closing(connection(there)) as db:
        assert db.count("SELECT count(*) FROM orders") == 0  # it is of the moment in which it began
        assert db.all("PRAGMA quick_check")[0][0] == "ok"
    assert written == len(waits) >= 8
    assert max(waits) < 1


def test_it_holds_the_database_the_config_and_the_files_under_names_of_their_own(tmp_path: Path) -> None:
    place = folder_of(tmp_path / "bot", workspace="elsewhere", swarm={"roles_dir": "who"})
    for name in ("elsewhere/a/b.txt", "who/qa.md", "groups/one/GROUP.md", "data/retinue.log", "data/user_key"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(name)
    (place / "elsewhere" / "tool").write_text("#!/bin/sh")
    (place / "elsewhere" / "tool").chmod(0o755)
    os.utime(place / "elsewhere" / "tool", (1_000_000, 1_000_000))
    there = contents(saved(place, tmp_path / "it.tar.gz"))
    files = [name for name, each in there.items() if each.isfile()]
    assert files[:3] == ["manifest.json", "config.json", "bot.db"]
    assert files[3:-1] == ["roles/qa.md", "groups/one/GROUP.md", "workspace/a/b.txt", "workspace/tool"]
    assert files[-1] == "contents.json"
    assert (there["workspace/tool"].mode, there["workspace/tool"].mtime) == (0o700, 1_000_000)
    assert (there["workspace/a/b.txt"].mode, there["bot.db"].mode) == (0o600, 0o600)
    assert taken(tmp_path / "it.tar.gz", "config.json") == (place / "config.json").read_bytes()


def test_what_is_no_file_or_leads_out_is_left_out_and_told(place: Path, tmp_path: Path) -> None:
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
    assert end["left_out"] == [
        "workspace/far: it is a link that leads out of the folder",
        "workspace/out: it is a link that leads out of the folder",
        "workspace/pipe: it is a pipe",
        "workspace/socket: it is a socket",
    ]
    assert all(f"  left out: {what}" in said for what in end["left_out"])


def test_names_that_are_no_utf_8_come_back_as_they_were(place: Path, tmp_path: Path) -> None:
    odd = os.fsencode(place / "workspace") + b"/\xff\xfe\n"
    Path(os.fsdecode(odd)).write_text("odd")
    there = folder_of(tmp_path / "there")
    brought_back(there, saved(place, tmp_path / "it.tar.gz"))
    assert os.listdir(os.fsencode(there / "workspace")) == [b"\xff\xfe\n"]


def test_a_file_that_changes_while_it_is_read_spoils_nothing_behind_it(tmp_path: Path) -> None:
    shrinking, growing, gone = tmp_path / "shrinking", tmp_path / "growing", tmp_path / "gone"
    shrinking.write_bytes(b"x" * (3 * CHUNK))
    growing.write_bytes(b"y" * (3 * CHUNK))
    into, said = io.BytesIO(), list[str]()

    def passed(count: int) -> None:
        if shrinking.stat().st_size > CHUNK:
            os.truncate(shrinking, CHUNK)
        with growing.open("ab") as file:
            file.write(b"z" * CHUNK)

    with archive(into, said.append, passed) as archived:
        assert isinstance(archived, Archive)
        for path in (shrinking, growing, gone):
            archived.add(Found(name=f"workspace/{path.name}", path=str(path)))
        archived.put("last", b"whole")
    into.seek(0)
    with tarfile.open(fileobj=into) as tar:
        held = {each.name: tar.extractfile(each).read() for each in tar}  # type: ignore[union-attr]  # all are files
    assert held["workspace/shrinking"] == b"x" * CHUNK + bytes(2 * CHUNK)
    grown = growing.read_bytes()
    assert 3 * CHUNK <= len(held["workspace/growing"]) < len(grown)
    assert grown.startswith(held["workspace/growing"])
    assert held["last"] == b"whole"
    assert said == [
        f"workspace/shrinking: the last {2 * CHUNK} bytes of it, gone while it was read",
        "workspace/gone: it cannot be read (No such file or directory)",
    ]


def test_secrets_are_in_it_only_if_that_was_asked_for(tmp_path: Path) -> None:
    place = folder_of(tmp_path / "bot", model={"api_key": "sk-key", "effort": "low"}, time_zone="Europe/Berlin")
    (place / "secrets").mkdir(mode=0o700)
    (place / "secrets" / "channels__telegram__token").write_text("7:token")
    (place / "secrets" / "channels__telegram__token").chmod(0o600)
    (place / "config.json").chmod(0o600)
    plain = saved(place, tmp_path / "plain.tar.gz")
    assert json.loads(taken(plain, "config.json")) == {"model": {"effort": "low"}, "time_zone": "Europe/Berlin"}
    assert json.loads(taken(plain, "manifest.json"))["taken_out"] == ["model.api_key"]
    inside = b"".join(taken(plain, name) for name, each in contents(plain).items() if each.isfile())
    assert b"sk-key" not in inside
    assert b"7:token" not in inside
    full = saved(place, tmp_path / "full.tar.gz", with_secrets=True)
    assert taken(full, "secrets/model__api_key") == b"sk-key"
    assert taken(full, "secrets/channels__telegram__token") == b"7:token"


@pytest.mark.parametrize("step", range(1, len(STEPS) + 1))
def test_a_database_of_any_step_can_be_saved_and_restored(place: Path, tmp_path: Path, step: int) -> None:
    database(place, step)
    write(place, "before")
    there = folder_of(tmp_path / "there")
    brought_back(there, saved(place, tmp_path / "it.tar.gz"))
    assert json.loads(taken(tmp_path / "it.tar.gz", "manifest.json"))["step"] == step
    assert rows(place, "PRAGMA user_version") == [(step,)]  # it was only looked at
    assert rows(there, "PRAGMA user_version") == [(len(STEPS),)]
    assert words(there) == ["before"]


def test_what_an_earlier_restore_has_put_aside_is_no_part_of_it(place: Path, tmp_path: Path) -> None:
    (place / "workspace" / "kept").write_text("kept")
    first = saved(place, tmp_path / "first.tar.gz")
    brought_back(place, first)
    again = contents(saved(place, tmp_path / "again.tar.gz"))
    assert [name for name in again if name.startswith("workspace")] == ["workspace/kept"]


def test_what_a_killed_copy_has_left_is_taken_away_by_the_next(place: Path, tmp_path: Path) -> None:
    (place / "data" / ".copy-abc").write_text("")
    saved(place, tmp_path / "it.tar.gz")
    assert not list((place / "data").glob(".copy*"))


def test_without_a_database_or_with_none_of_ours_there_is_nothing_to_save(place: Path, tmp_path: Path) -> None:
    path = place / "data" / "bot.db"
    path.unlink()
    with pytest.raises(ConfigError, match="there is no database yet"):
        saved(place, tmp_path / "it.tar.gz")
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    with pytest.raises((ConfigError, StoreDamaged), match=r"damaged|cannot copy"):
        saved(place, tmp_path / "it.tar.gz")
    path.write_bytes(b"")
    with pytest.raises(StoreDamaged, match="nothing of Retinue's"):
        saved(place, tmp_path / "it.tar.gz")


def test_where_the_copy_would_fill_the_disk_none_is_made(place: Path, tmp_path: Path) -> None:
    path = place / "data" / "bot.db"
    room = os.statvfs(place)
    os.truncate(place / "data" / "bot.db", room.f_bavail * room.f_frsize - SPARE_BYTES // 2)  # a file with a hole
    with pytest.raises(ConfigError, match=r"needs \d+ MB and 100 MB to spare, and \d+ MB are free"):
        saved(place, tmp_path / "it.tar.gz")
    path.unlink()


def test_the_command_writes_a_file_for_its_owner_alone_and_replaces_none_unasked(home: Home) -> None:
    place = folder_of(home.here / "bot")
    arguments = ("backup", "--config", str(place / "config.json"), "it.tar.gz")
    said = home.retinue(*arguments)
    assert said.status == 0
    assert said.out == ""
    assert said.err.splitlines()[-1] == "done: 3 files, 0.3 MB"
    assert stat.S_IMODE((home.here / "it.tar.gz").stat().st_mode) == 0o600
    was = (home.here / "it.tar.gz").read_bytes()
    said = home.retinue(*arguments)
    assert (said.status, said.err) == (
        2,
        "retinue: it.tar.gz is there; name another file, or replace it with --force\n",
    )
    assert (home.here / "it.tar.gz").read_bytes() == was
    assert home.retinue(*arguments, "--force").status == 0
    assert (home.here / "it.tar.gz").read_bytes() != was
    assert sorted(path.name for path in home.here.iterdir()) == ["bot", "it.tar.gz"]


def test_the_command_says_where_a_back_up_cannot_be(home: Home) -> None:
    place = folder_of(home.here / "bot")
    inside = place / "workspace" / "it.tar.gz"
    said = home.retinue("backup", "--config", str(place / "config.json"), str(inside))
    assert said.status == 2
    assert "lies in the workspace, where roles could read all of it" in said.err
    said = home.retinue("backup", "--config", str(place / "config.json"), "not/there.tar.gz")
    assert (said.status, said.err) == (
        2,
        "retinue: not/there.tar.gz.part: cannot be written: No such file or directory\n",
    )
    assert not inside.exists()


async def test_the_command_writes_to_stdout_and_says_the_rest_on_stderr(shell: Shell) -> None:
    shutil.rmtree(shell.folder / "data", ignore_errors=True)
    place = folder_of(shell.folder / "bot")
    write(place, "hello")
    async with shell.begun("backup", "--config", str(place / "config.json"), "-", "--with-secrets") as process:
        out, err = await process.communicate()
    assert process.returncode == 0
    assert err.decode().startswith("the key and the tokens are put in: whoever can read the back-up has them\n")
    (shell.folder / "it.tar.gz").write_bytes(out)
    there = folder_of(shell.folder / "there")
    brought_back(there, shell.folder / "it.tar.gz")
    assert words(there) == ["hello"]


async def test_told_to_end_it_leaves_nothing_behind_and_the_bot_can_be_saved_again(shell: Shell) -> None:
    place = folder_of(shell.folder / "bot")
    with (place / "workspace" / "large").open("wb") as file:
        file.truncate(20 * 10**9)  # a hole, which takes a while to read
    target, part = shell.folder / "it.tar.gz", shell.folder / "it.tar.gz.part"
    async with shell.begun("backup", "--config", str(place / "config.json"), str(target)) as process:
        assert process.stderr
        while b"roles" not in (line := await process.stderr.readline()) and b"messages" not in line:
            assert line, "it has ended"
        assert part.exists()
        process.terminate()
        await process.communicate()
    assert process.returncode == 130
    assert not part.exists()
    assert not target.exists()
    assert sorted(path.name for path in (place / "data").iterdir() if not path.name.startswith("bot.db-")) == ["bot.db"]
