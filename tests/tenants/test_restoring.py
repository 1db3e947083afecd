"""A back-up in the place of what a tenant has: what comes back, what stays, and what happens where it fails."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from bot.cli.roles import load_delegation_rules
from bot.core.errors import ConfigError
from bot.tenants import making_texts, texts
from bot.tenants.backups import prepare_backup_path, read_backup_summary, save_backup
from bot.tenants.creation import make_tenant
from bot.tenants.operator_files import read_operator_files, replace_operator_files
from bot.tenants.restoration import restore_tenant
from tests.support.wording import like
from tests.tenants.dolls import Dolls, state_of
from tests.tenants.nursery import CANNOT_COPY, NEW, OLD, Nursery
from tests.tenants.papers import COOK, PNG, blueprint, content

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="each tenant gets a user of its own, which takes root")


@pytest.fixture
def nursery(tmp_path: Path) -> Nursery:
    return Nursery(tmp_path / "srv")


@pytest.fixture
def archive(nursery: Nursery) -> Path:
    """Of when there were three messages; there are nine now."""
    path = prepare_backup_path(nursery.root, "acme")
    save_backup(nursery.deployment(), path)
    (nursery.tenant.folder / "data/received").write_text("9")
    return path


def restored(nursery: Nursery, path: Path, **wishes: Any) -> bool:
    return restore_tenant(nursery.deployment(), path, content, **wishes)


def written(folder: Path, *, picture: bytes = b"", **roles: str) -> Path:
    """An operator's part of a back-up, unpacked."""
    (folder / "roles").mkdir(parents=True)
    (folder / "groups/home").mkdir(parents=True)
    for name, text in roles.items():
        (folder / f"roles/{name}.md").write_text(text)
    if picture:
        (folder / "roles/cook.png").write_bytes(picture)
    (folder / "groups/home/AGENTS.md").write_text("Be brief.")
    values = {"channels": {"telegram": {"enabled": True, "owner": 8}}}
    (folder / "config.json").write_text(json.dumps(values))
    return folder


def test_a_restore_backs_up_the_old_data_and_the_bot_runs_with_the_new(nursery: Nursery, archive: Path) -> None:
    assert restored(nursery, archive)
    assert (nursery.at("received"), state_of(nursery.tenant)) == ("3", "running by 1")
    assert (nursery.tenant.folder / "data/told").exists(), "the chats concerned are told"
    assert len(list(archive.parent.iterdir())) == 2
    assert texts.RESTORED(contents=read_backup_summary(archive).describe()) in nursery.told


@pytest.mark.fast
def test_its_own_config_stays_unless_the_other_is_asked_for(nursery: Nursery, archive: Path, tmp_path: Path) -> None:
    folder = nursery.tenant.folder
    (folder / "roles/old.md").write_text("old")
    before = (folder / "config.json").read_text()
    assert restored(nursery, archive)
    assert ((folder / "config.json").read_text(), (folder / "roles/old.md").read_text()) == (before, "old")

    assert restored(nursery, archive, operator_folder=written(tmp_path / "unpacked", cook="You cook."))
    assert '"owner": 8' in (folder / "config.json").read_text()
    assert [path.name for path in (folder / "roles").iterdir()] == ["cook.md"]
    known = (folder / "groups/home/AGENTS.md").stat()
    assert (known.st_uid, known.st_gid, known.st_mode & 0o777) == (0, nursery.tenant.uid, 0o640)


def test_the_pictures_of_roles_come_back_and_stay(nursery: Nursery, archive: Path, tmp_path: Path) -> None:
    roles = nursery.tenant.folder / "roles"
    unpacked = written(tmp_path / "unpacked", cook=COOK, picture=PNG)
    assert restore_tenant(nursery.deployment(), archive, load_delegation_rules, operator_folder=unpacked)
    assert {path.name: path.read_bytes() for path in roles.iterdir()} == {"cook.md": COOK.encode(), "cook.png": PNG}
    other = written(tmp_path / "other", cook=COOK, picture=PNG + b"new")
    assert not restored(nursery, archive, operator_folder=other, release=f"{OLD} faulty")
    assert (roles / "cook.png").read_bytes() == PNG


def test_a_restore_that_the_bot_cannot_run_with_is_undone(nursery: Nursery, archive: Path, tmp_path: Path) -> None:
    before = (nursery.tenant.folder / "config.json").read_text()
    unpacked = written(tmp_path / "unpacked")
    assert not restored(nursery, archive, operator_folder=unpacked, release=f"{OLD} faulty")
    assert (nursery.at("received"), state_of(nursery.tenant), nursery.release) == ("9", "running by 1", "1")
    assert (nursery.tenant.folder / "config.json").read_text() == before
    assert texts.PUTTING_BACK in nursery.told


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"data_dir": "/etc"}, making_texts.FOLDER_ELSEWHERE(key="data_dir", name="data")),
        ({"secrets_dir": "roles"}, making_texts.SECRETS_DIR_SET),
        (
            {"channels": {"telegram": {"enabled": True, "owner": 8, "token": "77:another"}}},
            making_texts.BOT_OF_ANOTHER_TENANT(key="channels.telegram.token", name="zeta", bot="77"),
        ),
    ],
)
def test_a_config_that_no_new_tenant_could_have_is_undone(
    nursery: Nursery, archive: Path, tmp_path: Path, change: dict[str, object], why: str
) -> None:
    secrets = {"channels__telegram__token": "77:another", "model__api_key": "sk-ant-another"}
    make_tenant(nursery.root, blueprint("zeta", secrets=secrets), Dolls(), content)
    (nursery.tenant.folder / "secrets/channels__telegram__token").unlink()
    before = (nursery.tenant.folder / "config.json").read_text()
    unpacked = written(tmp_path / "unpacked")
    values = json.loads((unpacked / "config.json").read_text())
    (unpacked / "config.json").write_text(json.dumps({**values, **change}))
    assert not restored(nursery, archive, operator_folder=unpacked)
    assert why in nursery.said
    assert (nursery.tenant.folder / "config.json").read_text() == before


@pytest.mark.parametrize("place", ["groups/team/workspace/below", "groups/team/below"])
def test_root_goes_nowhere_that_the_tenant_could_turn_to_another_place(
    nursery: Nursery, tmp_path: Path, place: str
) -> None:
    (victim := tmp_path / "cron.d").mkdir()
    (victim / "secret").write_text("of the machine")
    link = nursery.tenant.folder / place
    link.parent.mkdir(parents=True)
    os.chown(link.parent, nursery.tenant.uid, nursery.tenant.uid)
    link.symlink_to(victim)
    (link.parent / "photo.jpg").write_bytes(b"\xff\xd8")
    assert set(read_operator_files(nursery.tenant.folder)) == {"config.json"}
    with pytest.raises(ConfigError, match=like(texts.TENANT_CAN_WRITE)):
        replace_operator_files(nursery.tenant, {f"{place}/evil": "* * * * * root id"})
    assert [path.name for path in victim.iterdir()] == ["secret"]


def test_a_link_of_the_operators_own_to_what_is_mounted_is_followed(nursery: Nursery) -> None:
    folder = nursery.tenant.folder
    (folder / "disk").mkdir()
    (folder / "groups").rename(folder / "disk/groups")
    (folder / "groups").symlink_to("disk/groups")
    files = {"groups/home/AGENTS.md": "Be brief."}
    replace_operator_files(nursery.tenant, files)
    assert {path: text for path, text in read_operator_files(folder).items() if path != "config.json"} == files


def test_a_file_that_is_no_back_up_stops_nothing(nursery: Nursery, tmp_path: Path) -> None:
    (tmp_path / "letters").write_text("letters")
    with pytest.raises(ConfigError, match=re.escape(texts.BACKUP_DAMAGED(path=tmp_path / "letters"))):
        restored(nursery, tmp_path / "letters")
    assert (nursery.at("received"), state_of(nursery.tenant)) == ("3", "running by 1")
    assert nursery.told == []


def test_one_too_broken_for_a_back_up_is_restored_all_the_same(nursery: Nursery, archive: Path) -> None:
    nursery.upgrade("1 secretive")
    assert restored(nursery, archive)
    assert texts.CANNOT_BE_BACKED_UP(error=CANNOT_COPY) in nursery.told
    assert nursery.at("received") == "3"


def test_it_goes_back_to_an_earlier_release_too(nursery: Nursery, archive: Path) -> None:
    assert nursery.upgrade(NEW)
    assert restored(nursery, archive, release=OLD)
    assert (nursery.release, nursery.at("step"), nursery.at("received")) == (OLD, OLD, "3")
    assert nursery.root.read_tenant("acme").version == "1.0"


def test_killed_at_any_step_the_next_run_restores_it(tmp_path: Path) -> None:
    kills = 0
    while True:
        nursery = Nursery(tmp_path / str(kills))
        archive = prepare_backup_path(nursery.root, "acme")
        save_backup(nursery.deployment(), archive)
        (nursery.tenant.folder / "data/received").write_text("9")
        this = nursery.deployment(kills + 1)
        if not nursery.is_killed(lambda: restore_tenant(this, archive, content)):  # noqa: B023 -- called now
            break
        kills += 1
        assert nursery.at("received") in ("3", "9")
        assert restored(nursery, archive)
        assert nursery.at("received") == "3"
    assert kills >= 5
