"""What a back-up holds, and what it leaves out; the command, beside a bot at work."""

import asyncio
import errno
import fcntl
import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from bot.backup import texts
from bot.backup.creation import format_bytes, require_free_disk_for_bot
from bot.cli.backup import open_file_for_backup
from bot.core.errors import ConfigError, StoreDamaged
from bot.store import restore_exchange
from bot.store import texts as store_texts
from bot.store.migrations import STEPS
from bot.store.restore_exchange import RestoreExchange, RestoreUnfinished
from tests.support.backup_bot import brought_back, contents, database, folder_of, rows, saved, taken, words, write
from tests.support.bench import Bench
from tests.support.config_folder import Home, home
from tests.support.patience import PATIENCE
from tests.support.running_bot import bench, shell
from tests.support.shell import Shell
from tests.support.stores import Commits
from tests.support.wording import like

__all__ = ["bench", "home", "shell"]

MANY = 300  # messages


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return folder_of(tmp_path / "bot")


async def test_a_backup_beside_a_running_bot_holds_every_message_taken_in_before(bench: Bench, shell: Shell) -> None:
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
        waiting = "SELECT 1 FROM inbox WHERE state != 'done'"
        await commits.until(lambda: not bench.rows(waiting))
    there = folder_of(shell.folder / "there")
    brought_back(there, target)
    assert set(words(there)) >= {f"message {number}" for number in range(MANY)}
    assert len(words(there)) <= taken_in
    assert rows(there, "PRAGMA quick_check") == [("ok",)]


def test_an_archive_holds_database_config_and_files_under_their_own_names(tmp_path: Path) -> None:
    place = folder_of(tmp_path / "bot", workspace="elsewhere", swarm={"roles_dir": "who"}, tools_dir="own")
    operators = ("who/qa.md", "groups/one/GROUP.md", "languages/acts/fr.toml", "skills/tax/SKILL.md", "own/dice.py")
    for name in ("elsewhere/a/b.txt", *operators, "data/retinue.log", "data/user_key"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(name)
    (place / "elsewhere" / "tool").write_text("#!/bin/sh")
    (place / "elsewhere" / "tool").chmod(0o755)
    os.utime(place / "elsewhere" / "tool", (1_000_000, 1_000_000))
    there = contents(saved(place, tmp_path / "it.tar.gz"))
    files = [name for name, each in there.items() if each.isfile()]
    assert files[:3] == ["manifest.json", "config.json", "bot.db"]
    of_operator = ["roles/qa.md", *operators[1:4], "tools/dice.py"]
    assert files[3:-1] == [*of_operator, "workspace/a/b.txt", "workspace/tool"]
    assert files[-1] == "contents.json"
    assert (there["workspace/tool"].mode, there["workspace/tool"].mtime) == (0o700, 1_000_000)
    assert (there["workspace/a/b.txt"].mode, there["bot.db"].mode) == (0o600, 0o600)
    assert taken(tmp_path / "it.tar.gz", "config.json") == (place / "config.json").read_bytes()


def test_the_archive_does_not_fill_the_disk_of_the_bot(place: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=like(texts.DISK_NEARLY_FULL, folder=place / "data")):
        saved(place, tmp_path / "it.tar.gz", least_free_bytes=2**60)
    read, written = os.pipe()  # it goes elsewhere
    with open(read, "rb"), open(written, "wb") as pipe:
        require_free_disk_for_bot(pipe, place / "data", 2**60)


def test_while_a_restore_is_not_finished_nothing_is_saved(place: Path, tmp_path: Path) -> None:
    restore_exchange.write_restore_note(place / "data", RestoreExchange(stages=[]))
    with pytest.raises(RestoreUnfinished):
        saved(place, tmp_path / "it.tar.gz")


def test_secrets_are_in_it_only_if_that_was_asked_for(tmp_path: Path) -> None:
    channels = {"telegram": {"voices": {"writer": "8:voice"}}}
    model = {"api_key": "sk-key", "effort": "low"}
    place = folder_of(tmp_path / "bot", model=model, channels=channels, time_zone="Europe/Berlin")
    (place / "secrets").mkdir(mode=0o700)
    (place / "secrets" / "channels__telegram__token").write_text("7:token")
    (place / "secrets" / "channels__telegram__token").chmod(0o600)
    (place / "config.json").chmod(0o600)
    plain = saved(place, tmp_path / "plain.tar.gz")
    assert json.loads(taken(plain, "config.json")) == {
        "model": {"effort": "low"},
        "channels": {"telegram": {"voices": {}}},
        "time_zone": "Europe/Berlin",
    }
    removed = ["model.api_key", "channels.telegram.voices.writer"]
    assert json.loads(taken(plain, "manifest.json"))["taken_out"] == removed
    inside = b"".join(taken(plain, name) for name, each in contents(plain).items() if each.isfile())
    assert b"sk-key" not in inside
    assert b"7:token" not in inside
    assert b"8:voice" not in inside
    full = saved(place, tmp_path / "full.tar.gz", with_secrets=True)
    assert taken(full, "secrets/model__api_key") == b"sk-key"
    assert taken(full, "secrets/channels__telegram__token") == b"7:token"
    assert taken(full, "secrets/channels__telegram__voices__writer") == b"8:voice"


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


def test_without_a_database_or_with_none_of_ours_there_is_nothing_to_save(place: Path, tmp_path: Path) -> None:
    path = place / "data" / "bot.db"
    path.unlink()
    said: list[str] = []
    with pytest.raises(ConfigError, match=like(store_texts.NO_DATABASE, path=path)):
        saved(place, tmp_path / "it.tar.gz", said=said.append)
    assert said == []
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    with pytest.raises((ConfigError, StoreDamaged), match=r"damaged|cannot copy"):
        saved(place, tmp_path / "it.tar.gz")
    path.write_bytes(b"")
    with pytest.raises(StoreDamaged, match=like(store_texts.NOTHING_OF_OURS)):
        saved(place, tmp_path / "it.tar.gz")


def test_the_written_file_is_its_owners_alone_and_replaces_none_unasked(home: Home) -> None:
    place = folder_of(home.here / "bot")
    arguments = ("backup", "--config", str(place / "config.json"), "it.tar.gz")
    said = home.retinue(*arguments)
    assert said.status == 0
    assert said.out == ""
    *files, _ = contents(home.here / "it.tar.gz").values()  # the last is the summary of the others
    size = format_bytes(sum(file.size for file in files))
    assert said.err.splitlines()[-1] == texts.DONE(files=texts.FILES(3), size=size)
    assert stat.S_IMODE((home.here / "it.tar.gz").stat().st_mode) == 0o600
    was = (home.here / "it.tar.gz").read_bytes()
    said = home.retinue(*arguments)
    assert (said.status, said.err) == (
        2,
        f"retinue: {texts.FILE_EXISTS(path='it.tar.gz')}\n",
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
    assert said.err == f"retinue: {texts.IN_WORKSPACE(path=inside)}\n"
    said = home.retinue("backup", "--config", str(place / "config.json"), "not/there.tar.gz")
    assert (said.status, said.err) == (
        2,
        f"retinue: {texts.CANNOT_WRITE(path='not/there.tar.gz', error=os.strerror(errno.ENOENT))}\n",
    )
    assert not inside.exists()


def test_two_at_once_do_not_write_one_file(tmp_path: Path) -> None:
    target = tmp_path / "it.tar.gz"
    (tmp_path / "it.tar.gz.part").write_text("left by a kill")
    with open_file_for_backup(target, tmp_path / "workspace", is_forced=False) as into:
        with (
            pytest.raises(ConfigError, match=re.escape(texts.BEING_WRITTEN(path=f"{target}.part"))),
            open_file_for_backup(target, tmp_path / "workspace", is_forced=False),
        ):
            pass
        into.write(b"whole")
    assert target.read_bytes() == b"whole"
    assert [path.name for path in tmp_path.iterdir()] == ["it.tar.gz"]


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    with (
        pytest.raises(ConfigError, match=re.escape(texts.TARGET_IS_A_FOLDER(path=tmp_path))),
        open_file_for_backup(tmp_path, tmp_path / "workspace", is_forced=True),
    ):
        pass


async def test_the_command_writes_to_stdout_and_says_the_rest_on_stderr(shell: Shell) -> None:
    shutil.rmtree(shell.folder / "data", ignore_errors=True)
    place = folder_of(shell.folder / "bot")
    write(place, "hello")
    async with shell.begun("backup", "--config", str(place / "config.json"), "-", "--with-secrets") as process:
        out, err = await process.communicate()
    assert process.returncode == 0
    assert err.decode().startswith(f"{texts.SECRETS_PUT_IN}\n")
    (shell.folder / "it.tar.gz").write_bytes(out)
    there = folder_of(shell.folder / "there")
    brought_back(there, shell.folder / "it.tar.gz")
    assert words(there) == ["hello"]


async def test_a_backup_to_a_closed_stdout_is_not_called_done(shell: Shell) -> None:
    place = folder_of(shell.folder / "bot")
    command = [sys.executable, "-m", "bot", "backup", "--config", str(place / "config.json"), "-"]
    process = await asyncio.create_subprocess_shell(f"{shlex.join(command)} >&-", stderr=asyncio.subprocess.PIPE)
    _, err = await process.communicate()
    assert (process.returncode, err) == (2, f"retinue: {texts.STDOUT_CLOSED}\n".encode())


def test_told_to_end_it_does_not_wait_for_who_reads_it(tmp_path: Path) -> None:
    place = folder_of(tmp_path / "bot")
    (place / "workspace" / "large").write_bytes(os.urandom(3_000_000))
    words = [sys.executable, "-m", "bot", "backup", "--config", str(place / "config.json"), "-"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        until, held, before = time.monotonic() + PATIENCE, 0, -1
        while not before == held > 0 and time.monotonic() < until:  # until the pipe takes no more
            time.sleep(0.2)
            before, held = held, held_in(process.stdout.fileno())
        assert 0 < held < 3_000_000
        process.terminate()
        try:
            assert process.wait(PATIENCE) == 130
        finally:
            process.kill()


def held_in(pipe: int) -> int:
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


async def test_a_terminated_backup_leaves_nothing_and_the_next_one_works(shell: Shell) -> None:
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
