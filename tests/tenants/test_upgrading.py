"""An upgrade, each way it can go, and killed at each step: the next run finishes or undoes it, and nothing is lost."""

import os
import re
from pathlib import Path

import pytest

from bot.core.errors import ConfigError
from bot.tenants import texts, upgrade_record
from bot.tenants.creation import refresh_files_and_owners
from bot.tenants.upgrade import start_resume_or_undo_upgrade
from tests.support.wording import like, says
from tests.tenants.dolls import Dolls, state_of
from tests.tenants.nursery import CANNOT_COPY, NEW, OLD, Nursery
from tests.tenants.papers import content

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="each tenant gets a user of its own, which takes root"),
    pytest.mark.timeout(60),
]
FIRST = 1  # before it asks a second time, an upgrade has not begun


@pytest.fixture
def nursery(tmp_path: Path) -> Nursery:
    return Nursery(tmp_path)


@pytest.mark.fast
def test_it_stops_backs_up_migrates_and_only_then_starts(nursery: Nursery) -> None:
    assert nursery.upgrade()
    nursery.check(NEW)
    before, after = like(texts.STOPPING, name="acme"), like(texts.WELL, name="acme")
    steps = [texts.BACKING_UP(name="acme"), texts.MIGRATING(release=NEW), texts.STARTING(name="acme")]
    assert re.search(".*".join([before, *steps, after]), nursery.said, re.DOTALL)
    assert len(list((nursery.root.path / ".backups").iterdir())) == 1


def test_a_release_that_is_not_there_stops_nothing(nursery: Nursery) -> None:
    with pytest.raises(ConfigError, match=texts.NO_SUCH_RELEASE(release=f"{NEW} absent", reason="no such release")):
        nursery.upgrade(f"{NEW} absent")
    nursery.check(OLD)
    assert not says(nursery.said, texts.STOPPING)
    assert not (nursery.root.path / ".backups").exists()


@pytest.mark.fast(cases=1)
@pytest.mark.parametrize("fault", ["faulty", "dies", "unwell"])
def test_a_failed_upgrade_brings_the_old_release_back(nursery: Nursery, fault: str) -> None:
    assert not nursery.upgrade(f"{NEW} {fault}")
    nursery.check(OLD)
    assert says(nursery.said, texts.PUTTING_ROWS_BACK) is (fault != "faulty")


def test_an_upgrade_to_the_same_step_puts_no_rows_back_and_keeps_new_ones(nursery: Nursery) -> None:
    assert not nursery.upgrade("1 talks unwell")
    assert (nursery.release, nursery.at("received")) == (OLD, "4")
    assert not says(nursery.said, texts.PUTTING_ROWS_BACK)


def test_messages_taken_in_by_the_new_release_are_kept(nursery: Nursery) -> None:
    assert not nursery.upgrade("2 talks unwell")
    assert (nursery.release, nursery.at("step")) == ("2 talks unwell", NEW)
    assert nursery.at("received") == "5", "it was started twice"
    said = nursery.said
    assert texts.NEW_RELEASE_STAYS(name="acme") in nursery.told
    assert f"restore-tenant acme {nursery.root.path}/.backups/acme-" in said
    assert not (nursery.tenant.folder / upgrade_record.UPGRADE_FILE).exists()


def test_without_a_back_up_nothing_is_changed(nursery: Nursery) -> None:
    nursery.tenant = nursery.root.read_tenant("acme")
    assert nursery.upgrade("1 secretive")
    with pytest.raises(ConfigError, match=CANNOT_COPY):
        nursery.upgrade(NEW)
    assert (nursery.release, state_of(nursery.tenant)) == ("1 secretive", f"running by {OLD}")
    assert not (nursery.tenant.folder / upgrade_record.UPGRADE_FILE).exists()


def test_a_stopped_bot_stays_stopped(nursery: Nursery) -> None:
    (nursery.tenant.folder / "data/state").write_text("")
    assert nursery.upgrade()
    assert (nursery.release, nursery.at("step"), state_of(nursery.tenant)) == (NEW, NEW, "")


def test_a_bot_unwell_before_need_not_be_well_after(nursery: Nursery) -> None:
    (nursery.tenant.folder / "secrets/model__api_key").write_text("bad")
    assert nursery.upgrade()
    assert nursery.release == NEW
    assert "  it is unwell" in nursery.told


@pytest.mark.parametrize("release", [NEW, f"{NEW} faulty", f"{NEW} dies"])
def test_killed_at_any_step_the_next_run_ends_it(tmp_path: Path, release: str) -> None:
    kills = FIRST
    while is_killed(nursery := Nursery(tmp_path / str(kills)), release, kills + 1):
        kills += 1
        with pytest.raises(ConfigError, match=like(texts.UPGRADE_INTERRUPTED, name="acme")):
            refresh_files_and_owners(nursery.root, nursery.tenant, Dolls(), content)
        assert nursery.upgrade(None) is (release == NEW)
        nursery.check(release if release == NEW else OLD)
    assert kills >= 8
    nursery.check(release if release == NEW else OLD)


@pytest.mark.fast
def test_killed_at_any_step_it_can_be_undone(tmp_path: Path) -> None:
    kills = FIRST
    while is_killed(nursery := Nursery(tmp_path / str(kills)), NEW, kills + 1):
        kills += 1
        assert not nursery.upgrade(None, is_undo=True)
        nursery.check(OLD)
    assert kills >= 8


def test_killed_while_it_is_undone_it_is_undone_by_the_next(tmp_path: Path) -> None:
    straight = Nursery(tmp_path / "straight")
    deployment = straight.deployment()
    start_resume_or_undo_upgrade(deployment, f"{NEW} dies", content)
    assert isinstance(deployment.target, Dolls)
    first = kill = deployment.target.said.index("start") + 2
    while is_killed(nursery := Nursery(tmp_path / str(kill)), f"{NEW} dies", kill):  # how often it looks, varies
        assert not nursery.upgrade(None)
        nursery.check(OLD)
        kill += 1
    assert kill >= first + 6


def test_killed_at_any_step_nothing_that_was_taken_in_is_lost(tmp_path: Path) -> None:
    kills = FIRST
    while is_killed(nursery := Nursery(tmp_path / str(kills)), f"{NEW} talks unwell", kills + 1):
        kills += 1
        taken_in = int(nursery.at("received"))
        nursery.upgrade(None)
        assert int(nursery.at("received")) >= taken_in
        assert state_of(nursery.tenant) == f"running by {nursery.release[0]}"
        assert not (nursery.tenant.folder / upgrade_record.UPGRADE_FILE).exists()
    assert kills >= 8


def test_an_upgrade_to_something_else_must_wait_for_the_first(nursery: Nursery) -> None:
    assert is_killed(nursery, NEW, 5)
    with pytest.raises(ConfigError, match=like(texts.UPGRADE_TO_ANOTHER, release=NEW)):
        nursery.upgrade("3")


def test_there_is_nothing_to_undo_where_nothing_was_begun(nursery: Nursery) -> None:
    with pytest.raises(ConfigError, match=texts.NO_UPGRADE_UNFINISHED(name="acme")):
        nursery.upgrade(None, is_undo=True)


def is_killed(nursery: Nursery, release: str, number: int) -> bool:
    return nursery.is_killed(lambda: nursery.upgrade(release, number))
