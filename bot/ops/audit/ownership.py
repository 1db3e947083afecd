"""Who may read or change a path: its owner, its group, and others."""

import errno
import grp
import os
import pwd
import stat
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from bot.ops.audit import texts

Users = frozenset[int]  # by uid

READ, WRITE, ANY = 0o4, 0o2, 0o7  # of one of the three digits of a mode


class Opening(NamedTuple):
    """How a path is open to users who should not reach it."""

    who: str
    mended_mode: int | None  # None: only another owner mends it
    seen: os.stat_result


def find_opening(path: Path, trusted: Users, wanted: int) -> Opening | None:
    """Return how others may do what is `wanted` with a path; None if they may not, or if it does not exist. The group
    counts only if somebody who is not trusted may be in it: many systems give each user a group of their own."""
    try:
        found = path.stat()
    except OSError:
        return None
    if found.st_uid not in trusted:
        return Opening(texts.OF_ANOTHER_USER(user=name_of_user(found.st_uid)), None, found)
    mended = stat.S_IMODE(found.st_mode) & ~wanted & ~(wanted << 3)
    if found.st_mode & wanted:
        return Opening(texts.EVERYBODY, mended, found)
    if is_open_to_group(found, trusted, wanted):
        return Opening(texts.ITS_GROUP(group=name_of_group(found.st_gid)), mended, found)
    return None


def may_be_mended(path: Path, seen: os.stat_result) -> bool:
    """Return False for a link, and for a file with several names: the bot may have made it, in a folder of its own, for
    root to change the rights of a file elsewhere."""
    return not path.is_symlink() and (stat.S_ISDIR(seen.st_mode) or seen.st_nlink == 1)


def set_mode(path: Path, mode: int, seen: os.stat_result) -> None:
    """Set the mode of a path. Raise OSError if it is not what was seen any more."""
    number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        now = os.fstat(number)
        if (now.st_dev, now.st_ino, now.st_nlink) != (seen.st_dev, seen.st_ino, seen.st_nlink):
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), str(path))
        os.fchmod(number, mode)
    finally:
        os.close(number)


def may_others_replace_below(folder: Path, trusted: Users) -> bool:
    """Return True if others may rename what lies in a folder: they may write there, and it has no sticky bit."""
    found = folder.stat()
    is_open = bool(found.st_mode & WRITE) or is_open_to_group(found, trusted, WRITE)
    return is_open and not found.st_mode & stat.S_ISVTX


def is_open_to_group(found: os.stat_result, trusted: Users, wanted: int) -> bool:
    return bool(found.st_mode & (wanted << 3)) and not is_group_trusted(found.st_gid, trusted)


@cache
def is_group_trusted(group: int, trusted: Users) -> bool:
    """Return True if only trusted users are in a group: root's, a user's own, or a tenant's, which has no name."""
    name, members = name_of_group(group), list[str]()
    with suppress(KeyError):
        members = grp.getgrgid(group).gr_mem
    within = {each.pw_uid for each in pwd.getpwall() if each.pw_gid == group or each.pw_name in members}
    is_own = group == 0 or name == str(group) or name in map(name_of_user, trusted)
    return is_own and within <= trusted


def name_of_user(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)


def name_of_group(group: int) -> str:
    try:
        return grp.getgrgid(group).gr_name
    except KeyError:
        return str(group)
