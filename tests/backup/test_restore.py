"""What a restore puts where, what it leaves, and what it refuses: then nothing was changed."""

import errno
import json
import os
import re
import stat
from contextlib import closing
from pathlib import Path

import pytest

from bot.backup import texts
from bot.core.errors import ConfigError
from bot.core.exit_status import ExitStatus
from bot.store import folder_lock
from bot.store.migrations import STEPS
from bot.store.restore_exchange import REPLACED_DATA_PREFIX
from tests.support.backup_bot import (
    brought_back,
    connection,
    database,
    folder_of,
    rows,
    saved,
    words,
    write,
)
from tests.support.bench import Bench
from tests.support.config_folder import Home, home
from tests.support.running_bot import bench, shell
from tests.support.shell import Shell
from tests.support.wording import like, says

__all__ = ["bench", "home", "shell"]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    place = folder_of(tmp_path / "bot")
    write(place, "mine")
    (place / "workspace" / "file").write_text("mine")
    return place


def test_the_former_database_and_files_are_kept_aside(place: Path, tmp_path: Path) -> None:
    it = saved(place, tmp_path / "it.tar.gz")
    write(place, "later")
    (place / "workspace" / "file").write_text("later")
    (place / "workspace" / "more").mkdir()
    said = brought_back(place, it)
    assert words(place) == ["mine"]
    assert (place / "workspace" / "file").read_text() == "mine"
    [data_aside], [aside] = (list((place / name).glob(f"{REPLACED_DATA_PREFIX}*")) for name in ("data", "workspace"))
    assert sorted(path.name for path in aside.iterdir()) == ["file", "more"]
    assert (aside / "file").read_text() == "later"
    with closing(connection(data_aside / "bot.db")) as db:
        assert len(db.fetch_rows("SELECT text FROM inbox")) == 2
    assert [line for line in said if re.fullmatch(like(texts.FORMER_KEPT), line)] == [
        texts.FORMER_KEPT(folder=folder) for folder in (data_aside, aside)
    ]


def test_restored_files_are_for_their_owner_alone(place: Path, tmp_path: Path) -> None:
    tool = place / "workspace" / "in" / "tool"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh")
    tool.chmod(0o777)
    os.utime(tool, (1_000_000, 1_000_000))
    (tool.parent / "link").symlink_to("../file")
    there = folder_of(tmp_path / "there")
    brought_back(there, saved(place, tmp_path / "it.tar.gz"))
    found = (there / "workspace" / "in" / "tool").stat()
    assert (stat.S_IMODE(found.st_mode), found.st_mtime) == (0o700, 1_000_000)
    assert stat.S_IMODE((there / "workspace" / "in").stat().st_mode) == 0o700
    assert stat.S_IMODE((there / "data" / "bot.db").stat().st_mode) == 0o600
    assert os.readlink(there / "workspace" / "in" / "link") == "../file"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_root_does_not_restore_for_another_user(place: Path, tmp_path: Path) -> None:
    it = saved(place, tmp_path / "it.tar.gz")
    for folder in (place / "workspace", place / "data"):
        os.chown(folder, 4711, 4711)
        with pytest.raises(ConfigError, match=re.escape(texts.FOLDER_OF_ANOTHER_USER(folder=folder, uid=4711))):
            brought_back(place, it)
    assert words(place) == ["mine"]


def test_restored_twice_within_a_second_nothing_of_the_former_is_lost(place: Path, tmp_path: Path) -> None:
    it = saved(place, tmp_path / "it.tar.gz")
    for number in range(3):
        (place / "workspace" / "file").write_text(str(number))
        brought_back(place, it)
    texts = [(folder / "file").read_text() for folder in (place / "workspace").glob(f"{REPLACED_DATA_PREFIX}*")]
    assert sorted(texts) == ["0", "1", "2"]


def test_without_a_config_everything_is_put_in_its_place(place: Path, tmp_path: Path) -> None:
    (place / "config.json").write_text('{"model": {"api_key": "sk-key"}, "workspace": "ws", "tools_dir": "roles/t"}')
    (place / "config.json").chmod(0o600)
    (place / "workspace").rename(place / "ws")
    for name in ("roles/qa.md", "roles/t/dice.py", "groups/one/GROUP.md", "languages/fr.toml", "skills/tax/SKILL.md"):
        (place / name).parent.mkdir(parents=True)
        (place / name).write_text(name)
    it = saved(place, tmp_path / "it.tar.gz", with_secrets=True)
    there = tmp_path / "there"
    said = brought_back(there, it)
    assert words(there) == ["mine"]
    assert json.loads((there / "config.json").read_text()) == {"model": {}, "workspace": "ws", "tools_dir": "roles/t"}
    assert (there / "ws" / "file").read_text() == "mine"
    assert (there / "roles" / "qa.md").read_text() == "roles/qa.md"
    assert (there / "groups" / "one" / "GROUP.md").is_file()
    assert (there / "languages" / "fr.toml").is_file()
    assert (there / "skills" / "tax" / "SKILL.md").is_file()
    assert (there / "roles" / "t" / "dice.py").is_file()
    assert (there / "secrets" / "model__api_key").read_text() == "sk-key"
    assert stat.S_IMODE((there / "secrets" / "model__api_key").stat().st_mode) == 0o600
    assert texts.SECRETS_NOT_IN_IT(keys="model.api_key") in said
    assert sorted(path.name for path in there.iterdir()) == [
        "config.json",
        "data",
        "groups",
        "languages",
        "roles",
        "secrets",
        "skills",
        "ws",
    ]


def test_an_operators_own_files_stay_and_are_named(place: Path, tmp_path: Path) -> None:
    (place / "roles").mkdir()
    (place / "roles" / "qa.md").write_text("saved")
    it = saved(place, tmp_path / "it.tar.gz")
    (place / "roles" / "qa.md").write_text("mended since")
    (place / "config.json").write_text('{"keep_days": 3}')
    said = brought_back(place, it)
    assert (place / "roles" / "qa.md").read_text() == "mended since"
    assert (place / "config.json").read_text() == '{"keep_days": 3}'
    assert texts.FOLDER_STAYS(folder=place / "roles") in said
    assert texts.CONFIG_STAYS(path=place / "config.json") in said


def test_only_the_data_leaves_all_that_is_the_operators_alone(place: Path, tmp_path: Path) -> None:
    (place / "roles").mkdir()
    (place / "roles" / "qa.md").write_text("saved")
    it = saved(place, tmp_path / "it.tar.gz", with_secrets=True)
    there = folder_of(tmp_path / "there")
    brought_back(there, it, only_data=True)
    assert words(there) == ["mine"]
    assert sorted(path.name for path in there.iterdir()) == ["config.json", "data", "workspace"]


def test_unpacked_is_the_operators_part_and_nothing_is_restored(home: Home) -> None:
    place = folder_of(home.here / "bot", model={"api_key": "sk-key"})
    (place / "config.json").chmod(0o600)
    (place / "roles").mkdir()
    (place / "roles" / "qa.md").write_text("qa")
    (place / "roles" / "other.md").symlink_to("qa.md")
    it = saved(place, home.here / "it.tar.gz")
    said = home.retinue("restore", "it.tar.gz", "--unpack", "out")
    assert said.status == 0, said.err
    assert texts.LINK_LEFT_OUT(name="roles/other.md") in said.err
    files = sorted(
        str(path.relative_to(home.here / "out")) for path in (home.here / "out").rglob("*") if path.is_file()
    )
    assert files == ["config.json", "roles/qa.md"]
    for there in ("out", ".", "/"):
        assert home.retinue("restore", "it.tar.gz", "--unpack", there).status == 2
    it.write_bytes(it.read_bytes()[:-100])
    said = home.retinue("restore", "it.tar.gz", "--unpack", "new")
    cut_off = texts.NOTHING_CHANGED(path="it.tar.gz", reason=texts.CUT_OFF)
    assert (said.status, cut_off in said.err) == (2, True)
    assert sorted(path.name for path in home.here.iterdir()) == ["bot", "it.tar.gz", "out"]


def test_the_command_names_excluding_options_and_missing_files(home: Home) -> None:
    said = home.retinue("restore", "it.tar.gz", "--unpack", "out", "--as-is")
    assert (said.status, said.err) == (
        2,
        f"retinue: {texts.UNPACK_ALONE}\n",
    )
    said = home.retinue("restore", "it.tar.gz")
    why = texts.CANNOT_READ(error=os.strerror(errno.ENOENT))
    assert (said.status, said.err) == (2, f"retinue: {texts.NOTHING_CHANGED(path='it.tar.gz', reason=why)}\n")


def test_the_command_restores_as_it_is_where_that_is_asked_for(home: Home) -> None:
    place = folder_of(home.here / "bot")
    write(place, "hello")
    saved(place, home.here / "it.tar.gz")
    said = home.retinue("restore", "--config", str(place / "config.json"), "it.tar.gz", "--as-is", "--only-data")
    assert said.status == 0
    assert texts.NOTHING_UNKNOWN in said.err
    assert rows(place, "SELECT key, text FROM outbox") == []


async def test_while_a_bot_runs_nothing_is_restored(bench: Bench, shell: Shell) -> None:
    source = saved(folder_of(shell.folder / "other"), shell.folder / "it.tar.gz")
    async with bench.run():
        said = await shell.retinue("restore", str(source))
        assert said.status == ExitStatus.IN_USE
        assert says(said.err, texts.NOTHING_CHANGED, path=source)
        assert {str(shell.data), f"{os.getpid()}:"} <= set(said.err.split())
        bench.model.says("lead", "still here")
        bench.chat.hears("Are you there?")
        assert await bench.chat.said() == "still here"


async def test_the_command_reads_from_stdin(shell: Shell) -> None:
    place = folder_of(shell.folder / "bot")
    write(place, "hello")
    source = saved(place, shell.folder / "it.tar.gz")
    async with shell.begun("restore", "--config", str(shell.folder / "new" / "config.json"), "-") as process:
        out, err = await process.communicate(source.read_bytes())
    assert (process.returncode, out) == (0, b""), err
    assert words(shell.folder / "new") == ["hello"]
    assert texts.CHECKED(conversations=texts.CONVERSATIONS(0), messages=texts.MESSAGES(1)) in err.decode()


def test_a_restore_keeps_the_time_the_last_bot_was_alive(place: Path, tmp_path: Path) -> None:
    path = place / "data" / folder_lock.LOCK_FILE_NAME
    path.write_text("4711")
    os.utime(path, (1_000_000, 1_000_000))
    brought_back(place, saved(place, tmp_path / "it.tar.gz"))
    assert (path.read_text(), path.stat().st_mtime) == ("4711", 1_000_000)


def test_a_database_of_an_earlier_step_is_put_aside_like_any_other(place: Path, tmp_path: Path) -> None:
    it = saved(place, tmp_path / "it.tar.gz")
    database(place, 1)
    brought_back(place, it)
    assert words(place) == ["mine"]
    assert rows(place, "PRAGMA user_version") == [(len(STEPS),)]
