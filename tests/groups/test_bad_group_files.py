"""Groups' files as nobody should write them: each is off, quickly, and no other group is harmed."""

import errno
import os
import time
from pathlib import Path

import pytest

from bot.config.roles import texts as role_texts
from bot.core.messages import Address
from tests.support.group_folders import HERE, OWNER, Groups


@pytest.fixture
def groups(tmp_path: Path) -> Groups:
    return Groups(tmp_path)


def without_path(line: str) -> str:
    return line.removeprefix(": ")


NOT_UTF8 = without_path(role_texts.FILE_NOT_UTF8(path=""))
TOO_LARGE = without_path(role_texts.FILE_TOO_LARGE(path="", kib=64))
RUBBISH = [
    (b"address: telegram:6\nYou are.", role_texts.NO_FRONT_MATTER),
    (b"---\naddress: 'telegram:6'  # here\nYou are.", role_texts.FRONT_MATTER_OPEN),
    (b"---\naddress: telegram:6\n\tx: y\n---\nYou.", "3: " + role_texts.NOT_YAML(problem="found character '\\t'")),
    (b"---\naddress: telegram:6\r\naddress: telegram:5\r\n---\r\nYou.", "3: " + role_texts.KEY_TWICE(key="address")),
    (b"---\naddress: telegram:6\n---\nYou \x80.", NOT_UTF8),
    (b"\x00\xff\xfe" * 5000 + b"\naddress: telegram:6\n" + os.urandom(100), NOT_UTF8),
    (b"---\naddress: telegram:6\n---\n" + b"x" * 10_000_000, TOO_LARGE),
    (b"---\naddress: telegram:6\na: " + b"{b: " * 10_000 + b"\n---\nYou.", role_texts.TOO_DEEP),
    (b"---\naddress: telegram:6\nb: &a [x]\nc: [*a, *a]\n---\nYou.", role_texts.NO_ANCHORS),
    (b"---\naddress: telegram:6\nx: !!python/object/apply:os.system [true]\n---\nYou.", role_texts.NO_TAGS),
]


@pytest.mark.parametrize(("content", "said"), RUBBISH, ids=[said for _, said in RUBBISH])
def test_rubbish_is_off_quickly_and_nobody_else_answers_at_its_address(
    groups: Groups, content: bytes, said: str
) -> None:
    groups.write("notes", "address: telegram:5")
    groups.put("bad", content)
    begun = time.monotonic()
    assert said in groups.faults()["bad"]
    assert time.monotonic() - begun < 2
    there = groups.read().groups
    assert [group.name for group in there] == ["notes"]
    assert there.group_name_at(Address(channel="telegram", chat="6")) == "bad"


def test_an_entry_that_is_no_file_is_off_and_delays_nothing(groups: Groups) -> None:
    groups.write("notes", "address: telegram:5")
    for name in ("folder", "pipe", "ring", "nowhere"):
        (groups.folder / name).mkdir()
    (groups.folder / "folder" / "instructions.md").mkdir()
    os.mkfifo(groups.folder / "pipe" / "instructions.md")
    (groups.folder / "ring" / "instructions.md").symlink_to("instructions.md")
    (groups.folder / "nowhere" / "instructions.md").symlink_to("/nowhere/at/all")
    said = groups.faults()
    no_file = without_path(role_texts.NO_FILE(path=""))
    assert (said["folder"], said["pipe"]) == (no_file, no_file)
    assert said["nowhere"] == without_path(role_texts.FILE_NOT_READABLE(path="", reason=os.strerror(errno.ENOENT)))
    assert said.keys() == {"folder", "pipe", "ring", "nowhere"}
    assert [group.name for group in groups.read().groups] == ["notes"]


def test_a_main_whose_file_is_broken_leaves_its_chats_to_nobody(groups: Groups) -> None:
    groups.write("home", "main: true\nfoo: x")
    there = groups.read().groups
    assert (there.group_name_at(OWNER), there.group_name_at(HERE), there.find_working_group("home")) == (
        "home",
        "home",
        None,
    )
