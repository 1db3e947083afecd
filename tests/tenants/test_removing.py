"""A tenant is taken out of service: what is kept, what goes, and what a kill leaves."""

import os
from pathlib import Path

import pytest

from bot.core.errors import ConfigError
from bot.tenants import texts
from bot.tenants.backups import read_backup_summary
from bot.tenants.creation import make_tenant
from bot.tenants.removal import ARCHIVE_FOLDER, remove_tenant
from tests.tenants.dolls import Dolls
from tests.tenants.nursery import CANNOT_COPY, Nursery
from tests.tenants.papers import blueprint, content, tenants_in

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="each tenant gets a user of its own, which takes root")


@pytest.fixture
def nursery(tmp_path: Path) -> Nursery:
    return Nursery(tmp_path / "srv")


def kept(nursery: Nursery) -> list[str]:
    return sorted(path.name.partition("-")[0] + path.suffix for path in (nursery.root.path / ARCHIVE_FOLDER).iterdir())


def test_its_archive_and_its_folder_are_kept_for_root_alone(nursery: Nursery) -> None:
    remove_tenant(nursery.deployment())
    archive, folder = sorted((nursery.root.path / ARCHIVE_FOLDER).iterdir(), key=Path.is_dir)
    assert (folder / "secrets/model__api_key").is_file()
    assert read_backup_summary(archive).message_count == 3
    assert (nursery.root.path / ARCHIVE_FOLDER).stat().st_mode & 0o777 == 0o700
    assert tenants_in(nursery.root) == []


def test_deleted_only_the_archive_is_left(nursery: Nursery) -> None:
    remove_tenant(nursery.deployment(), is_deleted=True)
    assert kept(nursery) == ["acme.gz"]
    assert not list(nursery.root.path.glob("*acme*"))


def test_its_name_is_free_again_and_its_uid_never(nursery: Nursery) -> None:
    remove_tenant(nursery.deployment(), is_deleted=True, is_archived=False)
    again, _ = make_tenant(nursery.root, blueprint(), Dolls(), content)
    assert again.uid == nursery.tenant.uid + 1


def test_an_unarchivable_tenant_is_not_deleted_and_may_be_kept(nursery: Nursery) -> None:
    nursery.upgrade("1 secretive")
    with pytest.raises(ConfigError, match=texts.CANNOT_ARCHIVE_SO_NOT_DELETED(error=CANNOT_COPY)):
        remove_tenant(nursery.deployment(), is_deleted=True)
    assert nursery.tenant.folder.is_dir()
    remove_tenant(nursery.deployment())
    assert texts.FOLDER_KEPT in nursery.told
    assert kept(nursery) == ["acme"]


def test_a_link_that_the_tenant_has_made_leads_the_deletion_nowhere(nursery: Nursery, tmp_path: Path) -> None:
    (tmp_path / "others").mkdir()
    (tmp_path / "others/file").write_text("mine")
    (nursery.tenant.folder / "workspace/link").symlink_to(tmp_path / "others")
    remove_tenant(nursery.deployment(), is_deleted=True)
    assert (tmp_path / "others/file").read_text() == "mine"


def test_no_folder_is_too_deep_to_be_deleted_and_stops_what_comes_after(nursery: Nursery) -> None:
    """One that could not be would be tried again by every command for every tenant."""
    here = os.open(nursery.tenant.folder / "data", os.O_RDONLY)
    for _ in range(3_000):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    remove_tenant(nursery.deployment(), is_deleted=True)
    assert [path.name for path in nursery.root.path.iterdir() if "acme" in path.name] == []
    with nursery.root.hold_lock():
        pass


@pytest.mark.fast
def test_a_removal_killed_at_any_step_is_finished_by_the_next_run(tmp_path: Path) -> None:
    kills = 0
    while True:
        nursery = Nursery(tmp_path / str(kills))
        deployment = nursery.deployment(kills + 1)
        if not nursery.is_killed(lambda: remove_tenant(deployment, is_deleted=True)):  # noqa: B023 -- it is called now
            break
        kills += 1
        remove_tenant(nursery.deployment(), is_deleted=True)
        assert tenants_in(nursery.root) == []
    assert kills >= 4
    assert tenants_in(nursery.root) == []


def test_the_next_command_completes_a_killed_deletion(nursery: Nursery) -> None:
    nursery.tenant.folder.rename(nursery.root.path / ".gone-acme")
    with nursery.root.hold_lock():
        pass
    assert not list(nursery.root.path.glob(".gone*"))
