"""What a restore puts where, what it leaves, and what it refuses: then nothing was changed."""

import gzip
import json
import os
import stat
import tarfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bot.errors import ConfigError, StoreDamaged
from bot.store import lock
from bot.store.exchange import ASIDE
from bot.store.migrations import STEPS
from tests.beside import bench, shell
from tests.conftest import Bench
from tests.saving import (
    brought_back,
    connection,
    database,
    empty_database,
    folder_of,
    manifest,
    packed,
    rows,
    saved,
    words,
    write,
)
from tests.settings import Home, home
from tests.shell import Shell

__all__ = ["bench", "home", "shell"]

END = ("contents.json", b'{"files": 1, "bytes": 1, "left_out": [], "left_out_in_all": 0}')
LINK = tarfile.SYMTYPE


@pytest.fixture
def place(tmp_path: Path) -> Path:
    place = folder_of(tmp_path / "bot")
    write(place, "mine")
    (place / "workspace" / "file").write_text("mine")
    return place


def everything(place: Path) -> dict[str, Any]:
    """All that lies there, but for what a look at the rows makes."""
    paths = [path for path in place.rglob("*") if not path.name.startswith(("bot.db-", "lock"))]
    return {str(path): path.read_bytes() if path.is_file() else None for path in paths}


def refused(place: Path, source: Path) -> str:
    """Why it cannot be restored; and that nothing was changed."""
    with closing(connection(place / "data" / "bot.db")) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = everything(place)
    with pytest.raises((ConfigError, StoreDamaged)) as error:
        brought_back(place, source)
    assert everything(place) == before
    return str(error.value)


def test_the_former_database_and_files_are_kept_aside(place: Path, tmp_path: Path) -> None:
    it = saved(place, tmp_path / "it.tar.gz")
    write(place, "later")
    (place / "workspace" / "file").write_text("later")
    (place / "workspace" / "more").mkdir()
    said = brought_back(place, it)
    assert words(place) == ["mine"]
    assert (place / "workspace" / "file").read_text() == "mine"
    [data_aside], [aside] = (list((place / name).glob(f"{ASIDE}*")) for name in ("data", "workspace"))
    assert sorted(path.name for path in aside.iterdir()) == ["file", "more"]
    assert (aside / "file").read_text() == "later"
    with closing(connection(data_aside / "bot.db")) as db:
        assert db.count("SELECT count(*) FROM inbox") == 2
    assert [line for line in said if line.startswith("what was there before")] == [
        f"what was there before is in {folder}; remove it when all is well" for folder in (data_aside, aside)
    ]


def test_what_is_restored_is_for_its_owner_alone(place: Path, tmp_path: Path) -> None:
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


def test_restored_twice_within_a_second_nothing_of_the_former_is_lost(place: Path, tmp_path: Path) -> None:
    it = saved(place, tmp_path / "it.tar.gz")
    for number in range(3):
        (place / "workspace" / "file").write_text(str(number))
        brought_back(place, it)
    texts = [(folder / "file").read_text() for folder in (place / "workspace").glob(f"{ASIDE}*")]
    assert sorted(texts) == ["0", "1", "2"]


def test_where_there_is_no_config_everything_is_put_in_its_place(place: Path, tmp_path: Path) -> None:
    (place / "config.json").write_text('{"model": {"api_key": "sk-key"}, "workspace": "ws"}')
    (place / "config.json").chmod(0o600)
    (place / "workspace").rename(place / "ws")
    for name in ("roles/qa.md", "groups/one/GROUP.md"):
        (place / name).parent.mkdir(parents=True)
        (place / name).write_text(name)
    it = saved(place, tmp_path / "it.tar.gz", with_secrets=True)
    there = tmp_path / "there"
    said = brought_back(there, it)
    assert words(there) == ["mine"]
    assert json.loads((there / "config.json").read_text()) == {"model": {}, "workspace": "ws"}
    assert (there / "ws" / "file").read_text() == "mine"
    assert (there / "roles" / "qa.md").read_text() == "roles/qa.md"
    assert (there / "groups" / "one" / "GROUP.md").is_file()
    assert (there / "secrets" / "model__api_key").read_text() == "sk-key"
    assert stat.S_IMODE((there / "secrets" / "model__api_key").stat().st_mode) == 0o600
    assert "not in it: the secrets model.api_key, which stood in config.json; set them again" in said
    assert sorted(path.name for path in there.iterdir()) == ["config.json", "data", "groups", "roles", "secrets", "ws"]


def test_what_the_operator_has_written_stays_and_is_named(place: Path, tmp_path: Path) -> None:
    (place / "roles").mkdir()
    (place / "roles" / "qa.md").write_text("saved")
    it = saved(place, tmp_path / "it.tar.gz")
    (place / "roles" / "qa.md").write_text("mended since")
    (place / "config.json").write_text('{"keep_days": 3}')
    said = brought_back(place, it)
    assert (place / "roles" / "qa.md").read_text() == "mended since"
    assert (place / "config.json").read_text() == '{"keep_days": 3}'
    assert f"left: {place / 'roles'} is there, and stays as it is" in said
    assert f"left: {place / 'config.json'} differs from the one in it, and stays as it is" in said


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
    assert "left out: roles/other.md: it is a link" in said.err
    files = sorted(
        str(path.relative_to(home.here / "out")) for path in (home.here / "out").rglob("*") if path.is_file()
    )
    assert files == ["config.json", "contents.json", "roles/qa.md"] or files == ["config.json", "roles/qa.md"]
    assert home.retinue("restore", "it.tar.gz", "--unpack", "out").status == 2
    it.write_bytes(it.read_bytes()[:-100])
    said = home.retinue("restore", "it.tar.gz", "--unpack", "new")
    assert (said.status, "cut off" in said.err) == (2, True)
    assert sorted(path.name for path in home.here.iterdir()) == ["bot", "it.tar.gz", "out"]


def good(place: Path) -> list[tuple[str, Any]]:
    return [("manifest.json", manifest()), ("bot.db", empty_database(place.parent))]


def test_an_archive_put_together_by_hand_is_restored_if_nothing_is_wrong_with_it(place: Path, tmp_path: Path) -> None:
    brought_back(place, packed(tmp_path / "it.tar.gz", *good(place), ("workspace/a", b"x"), END))
    assert words(place) == []
    assert (place / "workspace" / "a").read_text() == "x"


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ([("workspace/../../evil", b"x")], "its name leads elsewhere"),
        ([("/workspace/evil", b"x")], "its name leads elsewhere"),
        ([("workspace//evil", b"x")], "its name leads elsewhere"),
        ([("workspace/./evil", b"x")], "its name leads elsewhere"),
        ([("workspace/" + "x" * 256, b"x")], "its name leads elsewhere"),
        ([("elsewhere/evil", b"x")], "that is no part of a back-up"),
        ([("lock", b"x")], "that is no part of a back-up"),
        ([("workspace/before-restore-x", {"type": tarfile.DIRTYPE})], "that is no part of a back-up"),
        ([("workspace/dev", {"type": tarfile.CHRTYPE, "devmajor": 1, "devminor": 3})], "neither a file nor a folder"),
        ([("workspace/pipe", {"type": tarfile.FIFOTYPE})], "neither a file nor a folder"),
        ([("workspace/hard", {"type": tarfile.LNKTYPE, "linkname": "bot.db"})], "neither a file nor a folder"),
        ([("bot.db", {"type": LINK, "linkname": "/etc/passwd"})], "that is no part of a back-up"),
        ([("workspace/out", {"type": LINK, "linkname": "/etc/passwd"})], "a link that leads out"),
        ([("workspace/out", {"type": LINK, "linkname": "../config.json"})], "a link that leads out"),
        (
            [
                ("workspace/here", {"type": LINK, "linkname": "."}),
                ("workspace/out", {"type": LINK, "linkname": "here/../config.json"}),
            ],
            "a link that leads out",
        ),
        ([("workspace/d", {"type": LINK, "linkname": "/tmp"}), ("workspace/d/evil", b"x")], "without the folder"),
        ([("workspace/a", b"x"), ("workspace/a", b"y")], "stands there twice"),
        ([("workspace/a", b"x"), ("workspace/a/b", b"y")], "without the folder"),
        ([("bot.db", b"x")], "stands there twice"),
        ([END, ("workspace/a", b"x")], "nothing more may come there"),
        ([("workspace/a", {"size": 2**50})], "MB are free: make room there"),
    ],
)
def test_an_archive_that_is_hostile_is_refused(place: Path, tmp_path: Path, parts: list[Any], why: str) -> None:
    said = refused(place, packed(tmp_path / "it.tar.gz", *good(place), *parts, END))
    assert why in said
    assert not (tmp_path / "evil").exists()
    assert len(said) < 500


def test_a_header_that_would_fill_the_memory_is_refused(place: Path, tmp_path: Path) -> None:
    target = tmp_path / "it.tar.gz"
    header = tarfile.TarInfo("long")
    header.type, header.size = tarfile.XHDTYPE, 2**40
    packed(target, *good(place), ("workspace/a", b"x" * 512))
    plain = gzip.decompress(target.read_bytes()).rstrip(b"\0")
    target.write_bytes(gzip.compress(plain + header.tobuf(tarfile.GNU_FORMAT)))
    assert "its length is impossible" in refused(place, target)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "damaged, or no back-up"),
        (b"no archive at all", "no back-up of Retinue"),
        (gzip.compress(b""), "no back-up"),
        (gzip.compress(b"x" * 2000), "no back-up"),
    ],
)
def test_what_is_no_archive_is_refused(place: Path, tmp_path: Path, content: bytes, why: str) -> None:
    (tmp_path / "it").write_bytes(content)
    assert why in refused(place, tmp_path / "it")


@pytest.mark.parametrize(
    ("first", "why"),
    [
        (("other.json", b"{}"), "does not begin with manifest.json"),
        (("manifest.json", b"nonsense"), "its manifest.json cannot be read"),
        (("manifest.json", b"[" * 100_000), "its manifest.json cannot be read"),
        (("manifest.json", b'{"format": "another"}'), "its manifest.json cannot be read"),
        (("manifest.json", manifest(made_at="yesterday")), "its manifest.json cannot be read"),
        (("manifest.json", manifest(number=2, version="9.1")), r"made by a newer version of Retinue (9.1)"),
        (("manifest.json", b"x" * 1_000_001), "it is no short file"),
        (("manifest.json", manifest(messages=7)), "not the one that its manifest tells of"),
    ],
)
def test_a_manifest_that_cannot_be_is_refused(place: Path, tmp_path: Path, first: Any, why: str) -> None:
    assert why in refused(place, packed(tmp_path / "it.tar.gz", first, *good(place)[1:], END))


def test_wherever_it_is_cut_off_it_is_refused(place: Path, tmp_path: Path) -> None:
    (place / "workspace" / "more").write_bytes(os.urandom(50_000))
    whole = saved(place, tmp_path / "it.tar.gz").read_bytes()
    for length in (*range(2, 40), *range(40, len(whole), len(whole) // 25), len(whole) - 1):
        (tmp_path / "cut").write_bytes(whole[:length])
        assert "cut off" in refused(place, tmp_path / "cut")
    plain = gzip.decompress(whole)
    (tmp_path / "cut").write_bytes(gzip.compress(plain[: plain.index(b"contents.json") // 512 * 512]))
    assert "cut off" in refused(place, tmp_path / "cut")  # also where somebody has packed what is left anew


def test_wherever_it_is_damaged_it_is_refused(place: Path, tmp_path: Path) -> None:
    whole = bytearray(saved(place, tmp_path / "it.tar.gz").read_bytes())
    for at in range(0, len(whole), len(whole) // 40):
        if at in range(3, 10):
            continue  # the time and the system in gzip's header, which mean nothing
        broken = whole.copy()
        broken[at] ^= 0xFF
        (tmp_path / "broken").write_bytes(broken)
        assert refused(place, tmp_path / "broken")


def sql(place: Path, statement: str) -> bytes:
    path = place / "other.db"
    path.write_bytes(empty_database(place))
    with closing(connection(path)) as db:
        db.executescript(f"PRAGMA foreign_keys=OFF; PRAGMA ignore_check_constraints=ON; {statement}")
    return path.read_bytes()


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("DROP TABLE memories", "no database of Retinue (memories"),
        ("CREATE TABLE more (a)", "no database of Retinue (more)"),
        ("CREATE TRIGGER evil AFTER INSERT ON inbox BEGIN DELETE FROM outbox; END", "no database of Retinue (evil)"),
        ("ALTER TABLE inbox DROP COLUMN quotes", "no database of Retinue (inbox)"),
        ("DROP TABLE sessions", "nothing of Retinue's"),
        (f"PRAGMA user_version = {len(STEPS) + 1}", "newer version of Retinue"),
        ("INSERT INTO entries VALUES ('none', 0, 0, 'none', 'user', '[]')", "names rows that are not there"),
    ],
)
def test_a_database_that_is_none_of_ours_is_refused(place: Path, tmp_path: Path, statement: str, why: str) -> None:
    parts = [("manifest.json", manifest()), ("bot.db", sql(tmp_path, statement)), END]
    assert why in refused(place, packed(tmp_path / "it.tar.gz", *parts))


def test_a_database_that_is_damaged_is_refused(place: Path, tmp_path: Path) -> None:
    for number in range(60):
        write(place, f"{number}" * 500)
    with closing(connection(place / "data" / "bot.db")) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = (place / "data" / "bot.db").read_bytes()
    parts = [("manifest.json", manifest(messages=61)), END]
    broken = whole[: len(whole) - 20_000] + b"\xff" * 20_000
    for content, why in ((broken, "damaged|cannot be used"), (b"x" * 5000, "cannot be used"), (b"", "nothing of")):
        source = packed(tmp_path / "it.tar.gz", parts[0], ("bot.db", content), parts[1])
        assert any(each in refused(place, source) for each in why.split("|"))
    assert "no database in it" in refused(place, packed(tmp_path / "it.tar.gz", *parts))


async def test_while_a_bot_runs_nothing_is_restored(bench: Bench, shell: Shell) -> None:
    source = saved(folder_of(shell.folder / "other"), shell.folder / "it.tar.gz")
    async with bench.run():
        said = await shell.retinue("restore", str(source))
        assert said.status == 2
        assert f"{shell.data} is in use by process {os.getpid()}: stop that first; nothing was changed" in said.err
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
    assert b"checked: the database is whole; 0 conversations, 1 messages" in err


def test_when_the_last_bot_was_alive_is_known_afterwards_too(place: Path, tmp_path: Path) -> None:
    path = place / "data" / lock.NAME
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
