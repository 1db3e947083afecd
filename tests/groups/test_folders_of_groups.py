"""Where the files of a group may lie: never where it could reach another's, a secret, or what makes it what it is."""

import errno
import os
from pathlib import Path

import pytest

from bot.config.groups import texts
from tests.support.group_folders import Groups


@pytest.fixture
def groups(tmp_path: Path) -> Groups:
    made = Groups(tmp_path)
    for number, name in enumerate(["a", "b"]):
        made.write(name, f"address: telegram:{number + 1}")
        (made.folder / name / "workspace").mkdir()
    return made


def lead(groups: Groups, place: Path, name: str = "a") -> None:
    """The operator's own link in the place of a workspace."""
    (groups.folder / name / "workspace").rmdir()
    (groups.folder / name / "workspace").symlink_to(place)


def test_a_workspace_may_be_a_link_to_a_folder_of_the_operators(groups: Groups, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    lead(groups, tmp_path / "notes")
    assert groups.faults() == {}
    assert [group.name for group in groups.read(may_make_workspaces=True).groups] == ["a", "b"]


@pytest.mark.parametrize("below", ["", "deep/down"])
def test_one_that_lies_in_anothers_is_off_and_the_other_is_not(groups: Groups, below: str) -> None:
    place = groups.folder / "b" / "workspace" / below
    place.mkdir(parents=True, exist_ok=True)
    lead(groups, place)
    assert groups.faults() == {"a": texts.WORKSPACE_IN_ANOTHER(other="b")}


def test_two_links_to_the_same_or_nested_places_are_both_faults(groups: Groups, tmp_path: Path) -> None:
    (tmp_path / "notes" / "deep").mkdir(parents=True)
    lead(groups, tmp_path / "notes")
    lead(groups, tmp_path / "notes" / "deep", "b")
    assert groups.faults() == {
        "a": texts.WORKSPACE_HOLDS_ANOTHER(other="b"),
        "b": texts.WORKSPACE_IN_ANOTHER(other="a"),
    }
    (groups.folder / "b" / "workspace").unlink()
    (groups.folder / "b" / "workspace").symlink_to(tmp_path / "notes")
    assert groups.faults().keys() == {"a", "b"}


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("data", texts.WORKSPACE_IN_DATA),
        ("data/deep", texts.WORKSPACE_IN_DATA),
        ("secrets", texts.WORKSPACE_IN_SECRETS),
        ("roles", texts.WORKSPACE_IN_ROLES),
        (".", texts.WORKSPACE_HOLDS_ANOTHER(other="b")),
        ("groups", texts.WORKSPACE_HOLDS_ANOTHER(other="b")),
        ("groups/a", texts.WORKSPACE_HOLDS_GROUP_FILE(group="a")),
        ("groups/b", texts.WORKSPACE_HOLDS_ANOTHER(other="b")),
        ("groups/draft", texts.WORKSPACE_ELSEWHERE),
    ],
)
def test_a_workspace_that_reaches_forbidden_places_is_off(
    groups: Groups, tmp_path: Path, place: str, said: str
) -> None:
    (tmp_path / place).mkdir(parents=True, exist_ok=True)
    (tmp_path / "roles").mkdir(exist_ok=True)
    lead(groups, tmp_path / place)
    assert groups.faults()["a"] == said
    assert [group.name for group in groups.read(may_make_workspaces=True).groups] == ["b"]


def test_one_round_the_config_or_the_data_is_off(groups: Groups, tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    groups.file = tmp_path / "conf" / "config.json"
    lead(groups, tmp_path / "conf")
    groups.settings["secrets_dir"] = tmp_path / "secrets"
    assert groups.faults() == {"a": texts.WORKSPACE_HOLDS_CONFIG}
    groups.settings["data_dir"] = tmp_path / "conf" / "data"
    assert groups.faults() == {"a": texts.WORKSPACE_HOLDS_DATA}
    groups.settings = {"metrics": {"socket": tmp_path / "conf" / "socket"}, "secrets_dir": tmp_path / "secrets"}
    assert groups.faults() == {"a": texts.WORKSPACE_HOLDS_SOCKET}


@pytest.mark.parametrize(
    ("place", "off", "said"),
    [
        ("workspace", "a", texts.FILE_IN_WORKSPACE),
        ("groups/b/workspace", "b", texts.WORKSPACE_HOLDS_GROUP_FILE(group="a")),
    ],
)
def test_a_file_that_is_a_link_into_a_workspace_is_off(
    groups: Groups, tmp_path: Path, place: str, off: str, said: str
) -> None:
    (tmp_path / place).mkdir(exist_ok=True)
    file = groups.folder / "a" / "instructions.md"
    file.rename(tmp_path / place / "written.md")
    file.symlink_to(tmp_path / place / "written.md")
    assert groups.faults() == {off: said}


@pytest.mark.parametrize("kind", ["file", "pipe", "nowhere", "ring"])
def test_a_workspace_that_is_no_folder_is_a_fault(groups: Groups, kind: str) -> None:
    place = groups.folder / "a" / "workspace"
    place.rmdir()
    match kind:
        case "file":
            place.write_text("x")
        case "pipe":
            os.mkfifo(place)
        case _:
            place.symlink_to(place if kind == "ring" else "/nowhere/at/all")
    assert groups.faults() == {"a": texts.WORKSPACE_NO_FOLDER(path=place)}


def test_the_bot_makes_a_missing_workspace_and_no_mere_look_does(groups: Groups) -> None:
    place = groups.folder / "a" / "workspace"
    place.rmdir()
    assert groups.faults() == {}
    assert not place.exists()
    groups.write("draft", "description: x")
    assert groups.read(may_make_workspaces=True).faults == ()
    assert place.stat().st_mode & 0o777 == 0o700
    assert not (groups.folder / "draft" / "workspace").exists(), "it is no group"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may make it")
def test_one_that_cannot_be_made_is_a_fault_of_that_group_alone(groups: Groups) -> None:
    place = groups.folder / "a" / "workspace"
    place.rmdir()
    place.parent.chmod(0o500)
    try:
        found = groups.read(may_make_workspaces=True)
    finally:
        place.parent.chmod(0o700)
    why = texts.WORKSPACE_NOT_MADE(path=place, reason=os.strerror(errno.EACCES))
    assert found.faults == (f"{place.parent / 'instructions.md'}: {why}",)
    assert [group.name for group in found.groups] == ["b"]
