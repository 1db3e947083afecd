"""Back-ups of a tenant as files of its operator, and what is taken for one."""

import fcntl
import gzip
import os
import re
import subprocess
from pathlib import Path

import pytest

from bot.core.errors import ConfigError
from bot.core.exit_status import ExitStatus
from bot.core.texts import Text
from bot.tenants import texts
from bot.tenants.backups import (
    BACKUPS_FOLDER,
    UNFINISHED_BACKUP_SUFFIX,
    prepare_backup_path,
    prune_backups,
    read_backup_summary,
    save_backup,
    stream_backup,
)
from bot.tenants.commands import backup_tenant
from bot.tenants.commands import texts as printed
from tests.support.wording import like, says
from tests.tenants.nursery import CANNOT_COPY, Nursery

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="each tenant gets a user of its own, which takes root")


@pytest.fixture
def nursery(tmp_path: Path) -> Nursery:
    return Nursery(tmp_path / "srv")


def test_it_is_a_file_of_the_operators_alone_and_says_what_is_in_it(nursery: Nursery) -> None:
    path = prepare_backup_path(nursery.root, "acme")
    archive = save_backup(nursery.deployment(), path)
    assert (archive.message_count, archive.retinue_version, archive.last_migration_step) == (3, "1.0", 1)
    assert (path.stat().st_mode & 0o777, path.stat().st_uid) == (0o600, 0)
    assert path.parent.stat().st_mode & 0o777 == 0o700
    held = ", ".join([texts.CONVERSATIONS(1), texts.MESSAGES(3), texts.FILES(4)])
    assert says(nursery.said, texts.BACKED_UP, path=path, contents=held)


def test_one_that_fails_leaves_no_file_and_is_told_in_the_tenants_words(nursery: Nursery) -> None:
    nursery.upgrade("1 secretive")
    before = sorted(nursery.root.path.rglob("*.gz*"))
    with pytest.raises(ConfigError, match=CANNOT_COPY):
        save_backup(nursery.deployment(), prepare_backup_path(nursery.root, "acme"))
    assert sorted(nursery.root.path.rglob("*.gz*")) == before


def test_a_stream_is_a_whole_back_up_and_no_file_of_ours(nursery: Nursery, tmp_path: Path) -> None:
    files = sorted(nursery.root.path.rglob("*.gz*"))
    (tmp_path / "out").write_bytes(b"")
    with subprocess.Popen(["tee", tmp_path / "out"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as reader:
        assert reader.stdin
        stream_backup(nursery.deployment(), reader.stdin)
        reader.stdin.close()
    assert read_backup_summary(tmp_path / "out").message_count == 3
    assert sorted(nursery.root.path.rglob("*.gz*")) == files


def test_a_file_that_is_there_stays(nursery: Nursery, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("letters")
    with pytest.raises(ConfigError, match=re.escape(texts.BACKUP_EXISTS(path=tmp_path / "mine"))):
        save_backup(nursery.deployment(), tmp_path / "mine")
    assert (tmp_path / "mine").read_text() == "letters"


def test_a_backup_being_written_by_another_command_stays(nursery: Nursery) -> None:
    path = prepare_backup_path(nursery.root, "acme")
    part = path.with_name(path.name + UNFINISHED_BACKUP_SUFFIX)
    with part.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(ConfigError, match=re.escape(texts.BACKUP_BEING_WRITTEN(path=part))):
            save_backup(nursery.deployment(), path)
        assert prune_backups(nursery.root, "acme", 1) == []
        assert part.exists()
    assert prune_backups(nursery.root, "acme", 1) == [part]


def test_all_are_backed_up_but_those_that_cannot_be(
    nursery: Nursery, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (nursery.root.path / "aaaa").mkdir()
    (nursery.root.path / "aaaa/tenant.json").write_text("{")
    monkeypatch.setattr(backup_tenant, "deployment_of_tenant", lambda tenant, tell: nursery.deployment())
    words = ["--all", "--root", str(nursery.root.path)]
    assert backup_tenant.command.main(words, standalone_mode=False) == ExitStatus.NOT_DONE
    assert printed.ALL_NOT_BACKED_UP(names="aaaa") in capsys.readouterr().out
    assert len(list((nursery.root.path / BACKUPS_FOLDER).glob("acme-*.tar.gz"))) == 1


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda whole: whole[:-20], texts.BACKUP_CUT_OFF),
        (lambda whole: whole[:40] + bytes(8) + whole[48:], texts.BACKUP_DAMAGED),
        (lambda whole: b"PK" + whole, texts.BACKUP_DAMAGED),
        (
            lambda whole: gzip.compress(gzip.decompress(whole).replace(b"contents.json", b"contents.bson")),
            texts.NO_WHOLE_BACKUP,
        ),
        (lambda whole: gzip.compress(b""), texts.NO_WHOLE_BACKUP),
        (
            lambda whole: gzip.compress(gzip.decompress(whole).replace(b'"files": 4', b'"files": x')),
            texts.NO_WHOLE_BACKUP,
        ),
    ],
    ids=["short", "flipped", "foreign", "endless", "empty", "garbled"],
)
def test_an_incomplete_backup_is_none(nursery: Nursery, spoil: object, said: Text) -> None:
    path = prepare_backup_path(nursery.root, "acme")
    save_backup(nursery.deployment(), path)
    assert callable(spoil)
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(ConfigError, match=like(said, path=path)):
        read_backup_summary(path)


def test_of_backups_made_in_one_second_the_oldest_go(nursery: Nursery) -> None:
    shelf = nursery.root.path / BACKUPS_FOLDER
    shelf.mkdir()
    for number in ("", *(f"-{number}" for number in range(2, 12))):
        (shelf / f"acme-20260101-000000{number}.tar.gz").touch()
    prune_backups(nursery.root, "acme", 2)
    assert {path.name for path in shelf.iterdir()} == {
        "acme-20260101-000000-10.tar.gz",
        "acme-20260101-000000-11.tar.gz",
    }


def test_the_oldest_go_and_those_of_a_tenant_with_a_longer_name_stay(nursery: Nursery) -> None:
    shelf = nursery.root.path / BACKUPS_FOLDER
    shelf.mkdir()
    for name in ("acme-20260101-000000", "acme-20260102-000000", "acme-20260103-000000", "acme-1-20260101-000000"):
        (shelf / f"{name}.tar.gz").touch()
    (shelf / "acme-20260104-000000.tar.gz.part").touch()
    prune_backups(nursery.root, "acme", 2)
    assert sorted(path.name for path in shelf.iterdir()) == [
        "acme-1-20260101-000000.tar.gz",
        "acme-20260102-000000.tar.gz",
        "acme-20260103-000000.tar.gz",
    ]
