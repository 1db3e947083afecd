"""What the audit does not report, and how it tells owners, groups and many faults apart."""

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.cli.doctor import fix_finding
from bot.core.findings import CheckState
from bot.ops.audit import texts
from bot.ops.audit.check_list import MAX_SHOWN_FAULTS, AuditCheck, run_check
from bot.ops.audit.subject import AuditedBot, Fault
from tests.ops.audit.audited_place import ORDINARY_USER, AuditedPlace, backup_archive
from tests.ops.audit.breaks import ROLE
from tests.ops.audit.test_checks import place

__all__ = ["place"]

STRANGER = 65_534  # a user's number, and a group's
PERSIAN = "می\u200cخواهم"  # noqa: RUF001 -- with a joiner that the script needs
ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")


@needs_root
@pytest.mark.parametrize(("group", "is_reported"), [(STRANGER, True), (59_999, False), (0, False)])
def test_a_group_counts_if_somebody_else_may_be_in_it(place: AuditedPlace, group: int, is_reported: bool) -> None:
    """The second has no name, as that of a tenant; the third is that of root."""
    path = place.folder / "config.json"
    os.chown(path, ORDINARY_USER, group)
    path.chmod(0o660)
    assert place.reported() == ({"A01"} if is_reported else set())


@needs_root
def test_a_secret_file_of_another_user_needs_another_owner(place: AuditedPlace) -> None:
    path = place.folder / "secrets/model__api_key"
    os.chown(path, STRANGER, STRANGER)
    [finding] = place.findings()["A04"]
    assert finding.apply_fix is None
    assert finding.remedy.startswith("chown ")
    os.chown(path, ORDINARY_USER, ORDINARY_USER)
    assert place.reported() == set()


def test_a_parent_with_a_sticky_bit_is_no_fault(place: AuditedPlace) -> None:
    place.folder.chmod(0o1777)
    assert place.reported() == set()


@pytest.mark.parametrize("kept", [{"groups": ["browser"]}, {"roles": ["reader"]}])
def test_a_server_kept_to_some_may_reach_every_host(place: AuditedPlace, kept: dict[str, list[str]]) -> None:
    place.configure(mcp={"servers": {"a": {"command": "cat", "hosts": ["*"], **kept}}})
    assert place.reported() == set()


def test_fix_takes_away_no_more_than_it_must(place: AuditedPlace) -> None:
    place.write("roles/cook.md", ROLE.format(keys="", more=""), 0o646)
    place.fix()
    assert (place.folder / "roles/cook.md").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("make", [os.symlink, os.link])
def test_fix_changes_no_file_elsewhere_that_the_bot_has_named(
    place: AuditedPlace, make: Callable[[Path, Path], None]
) -> None:
    elsewhere = place.write("passwd", mode=0o644)
    make(elsewhere, place.data / "bot.db-evil")
    [finding] = place.findings()["A07"]
    assert finding.apply_fix is None
    place.fix()
    assert elsewhere.stat().st_mode & 0o777 == 0o644


def test_fix_changes_no_file_that_was_put_in_the_place_of_another(place: AuditedPlace) -> None:
    elsewhere, path = place.write("passwd", mode=0o644), place.write("data/bot.db-x", mode=0o644)
    [finding] = place.findings()["A07"]
    path.unlink()
    path.symlink_to(elsewhere)
    assert fix_finding(finding).state is CheckState.WARNING
    assert elsewhere.stat().st_mode & 0o777 == 0o644


def test_a_pipe_does_not_hold_the_audit_up(place: AuditedPlace) -> None:
    os.mkfifo(place.data / "retinue.log", 0o600)
    (place.workspace / ".git").mkdir()
    os.mkfifo(place.workspace / ".git/config")
    os.mkfifo(place.workspace / "old.tar.gz")
    assert place.reported() == set()


@pytest.mark.timeout(20)
def test_a_long_git_config_takes_no_time(place: AuditedPlace) -> None:
    place.write("workspace/.git/config", "\n" * 50_000 + " " * 49_000)
    assert place.reported() == set()


@pytest.mark.parametrize("text", [PERSIAN, ENGLAND, "שלום\u200f!", "👩\u200d🔬"])
def test_characters_that_a_script_needs_are_no_fault(place: AuditedPlace, text: str) -> None:
    place.write("roles/cook.md", ROLE.format(keys="", more=text))
    assert place.reported() == set()


def test_a_mark_at_the_beginning_of_a_file_is_no_fault(place: AuditedPlace) -> None:
    place.write("roles/cook.md", "\ufeff" + ROLE.format(keys="", more=""))
    assert place.reported() == set()


def test_a_language_may_isolate_what_it_fills_in(place: AuditedPlace) -> None:
    place.write("languages/he.toml", '# \u2068{name}\u2069\n[language]\nname = "עברית"\n')
    assert place.reported() == set()
    place.write("languages/he.toml", '# \u202e\n[language]\nname = "עברית"\n')
    assert place.reported() == {"A39"}


def test_words_for_acts_hide_nothing(place: AuditedPlace) -> None:
    place.write("languages/acts/fr.toml", "# a\u200bb\n")
    assert place.reported() == {"A39"}


def test_the_line_of_a_hidden_character_is_named(place: AuditedPlace) -> None:
    place.write("roles/cook.md", ROLE.format(keys="", more="\n\n\u200b"))
    [finding] = place.findings()["A39"]
    told = texts.HIDDEN_CHARACTER(path=place.folder / "roles/cook.md", line=7, code="U+200B")
    assert finding.text == f"A39 {told}"


def test_a_repository_as_git_makes_it_is_no_fault(place: AuditedPlace) -> None:
    place.write("workspace/.git/hooks/pre-commit.sample", "#!/bin/sh\n", 0o755)
    place.write("workspace/.git/hooks/notes", "not run", 0o644)
    place.write("workspace/.git/config", "[core]\n\tfsmonitor = true\n\teditorconfig = x\n")
    assert place.reported() == set()


def test_links_inside_to_themselves_and_to_programs_are_no_fault(place: AuditedPlace) -> None:
    place.write("workspace/notes.md")
    (place.workspace / "same.md").symlink_to("notes.md")
    (place.workspace / "loop").symlink_to("loop")
    (place.workspace / "python").symlink_to("/usr/bin/env")
    assert place.reported() == set()


def test_another_archive_is_no_back_up(place: AuditedPlace) -> None:
    place.write("workspace/photos.tar.gz", b"\x1f\x8bnot an archive")
    place.write("workspace/manifest.json", backup_archive())
    place.write("photos.tar.gz", b"", 0o644)
    assert place.reported() == set()


def test_the_data_of_a_young_restore_is_no_fault(place: AuditedPlace) -> None:
    (place.data / f"before-restore-{datetime.now(UTC):%Y%m%d-%H%M%S}").mkdir()
    (place.data / "before-restore-odd").mkdir()
    assert place.reported() == set()
    os.utime(place.data / "before-restore-odd", (0, 0))
    assert place.reported() == {"A40"}


def test_without_the_web_a_role_may_name_its_tools(place: AuditedPlace) -> None:
    place.write("roles/cook.md", ROLE.format(keys="tools: [web_fetch, read_file]", more=""))
    assert place.reported() == {"A37"}
    place.configure(web=False)
    assert place.reported() == set()


def test_a_disk_of_this_machine_below_one_of_a_network_is_none(place: AuditedPlace) -> None:
    above, here = place.folder.parent, place.data
    lines = [f"40 22 0:50 / {above} rw - nfs4 nas:/x rw", f"41 40 8:2 / {here} rw shared:1 - xfs /dev/sdb rw"]
    place.mounts.write_text("\n".join(lines))
    assert place.reported() == set()


def test_many_faults_of_a_check_are_counted(place: AuditedPlace) -> None:
    for number in range(MAX_SHOWN_FAULTS + 3):
        (place.workspace / f"link{number}").symlink_to("/etc/passwd")
    *shown, last = place.findings()["A17"]
    assert len(shown) == MAX_SHOWN_FAULTS
    assert last.text == f"A17 {texts.MORE(3)}"


def test_a_check_that_may_not_look_says_so(place: AuditedPlace) -> None:
    def closed(bot: AuditedBot) -> Iterator[Fault]:
        raise PermissionError(13, "Permission denied", "/srv/closed")
        yield

    [finding] = run_check(AuditCheck(id="A01", state=CheckState.WRONG, find=closed), place.bot())
    assert finding.state is CheckState.WARNING
    assert finding.text == f"A01 {texts.NOT_CHECKED(path='/srv/closed', reason='Permission denied')}"


def test_a_damaged_database_is_left_to_the_other_checks(place: AuditedPlace) -> None:
    place.write("data/bot.db", b"these are my notes, " * 1000)
    assert place.reported() == set()


def test_no_secret_is_shown(place: AuditedPlace) -> None:
    place.write("config.json.bak", "sk-ant-key-of-a-test")
    place.configure(network={"proxy": "http://ann:password@proxy.lan:3128"}, model={"api_key": "sk-ant-other-key"})
    said = "\n".join(str(each) for findings in place.findings().values() for each in findings)
    assert place.reported() == {"A03", "A21", "A42"}
    assert not [secret for secret in ("sk-ant", "ann:password", "AAHtelegram") if secret in said]


def test_a_bot_without_a_config_file_is_audited_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = AuditedPlace(tmp_path / "at")
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.chdir(place.folder / "roles")
    (place.folder / "config.json").unlink()
    assert place.bot().loaded.path is None
    assert place.findings() == {}
