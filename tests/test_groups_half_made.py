"""`retinue groups add` cut short: whatever stops it, no half of a file is left, and the next one makes it whole."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager

from tests.test_groups_command import Desk, desk

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


def test_where_there_is_no_room_no_half_file_is_left_and_it_says_so(desk: Desk) -> None:
    with room_for(30):
        said = desk.refused(*NEW)
    assert said == f"{desk.folder}: nothing can be written here: File too large; make room there"
    assert desk.say(*NEW)[0] == f"new is a group now: {desk.folder / 'new'}"
    assert desk.say("check") == ["1 group in order: new"]
