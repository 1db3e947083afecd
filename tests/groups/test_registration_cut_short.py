"""`retinue groups add` cut short: no half of a file is left, and the next one makes it whole."""

import errno
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager

from bot.cli.groups import texts as command_texts
from bot.config.groups import texts
from tests.support.group_commands import Desk, desk

__all__ = ["desk"]

NEW = ("add", "new", "--channel", "telegram", "--chat", "5")


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """As on a full disk: no file grows beyond it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_told_and_leaves_no_half_file(desk: Desk) -> None:
    with room_for(30):
        said = desk.refused(*NEW)
    assert said == texts.NO_ROOM(path=desk.folder, reason=os.strerror(errno.EFBIG))
    assert desk.say(*NEW)[0] == command_texts.GROUP_MADE(group="new", path=desk.folder / "new")
    assert desk.say("check")[0] == command_texts.GROUPS_IN_ORDER(1, groups="new")
