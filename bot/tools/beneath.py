"""Opening a folder beneath another one, and never outside of it: by the kernel where it can, else link by link.

Both follow links, and refuse (EXDEV) whatever would lead out: `..` at the top, an absolute link, even one that leads
back in, and what /proc calls a link. Neither trusts a path twice: what they give is the opened folder itself, so what
is renamed or linked elsewhere afterwards changes nothing.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import cache

Beneath = Callable[[int, str], int]  # the outer folder, opened; a path; gives the folder there, opened
Check = Callable[[str, str], None]  # the name of a folder, and one in it: raises if it must not be gone through

FOLDER = os.O_DIRECTORY | getattr(os, "O_PATH", os.O_RDONLY)  # for its place only: it need not be readable
MOST_LINKS = 40  # in one path, as Linux has it
MOST_FOLDERS = 100  # in one path: each is held open while it is walked

SYS_OPENAT2 = 437  # on every architecture that Python has Linux for
NO_MAGICLINKS, BENEATH = 0x02, 0x08
TRIES = 100  # the kernel says EAGAIN when somebody renames folders while it looks


class How(ctypes.Structure):
    """`struct open_how`"""

    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def by_kernel(root: int, path: str) -> int:
    how = How(flags=FOLDER | os.O_CLOEXEC, mode=0, resolve=BENEATH | NO_MAGICLINKS)
    for _ in range(TRIES):
        fd = system_call()(
            ctypes.c_long(SYS_OPENAT2),
            ctypes.c_int(root),
            ctypes.c_char_p(os.fsencode(path)),
            ctypes.byref(how),
            ctypes.c_size_t(ctypes.sizeof(how)),
        )
        if fd >= 0:
            return int(fd)
        code = ctypes.get_errno()
        if code not in (errno.EAGAIN, errno.EINTR):
            raise OSError(code, os.strerror(code))
    return by_hand(root, path)


@cache
def system_call() -> Callable[..., int]:
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    return call


@cache
def best() -> Beneath:
    """By the kernel, unless it is too old for it, a sandbox forbids it, or it is no Linux."""
    if sys.platform != "linux":
        return by_hand
    here = os.open("/", FOLDER)
    try:
        os.close(by_kernel(here, "."))
    except OSError:
        return by_hand
    finally:
        os.close(here)
    return by_kernel


def check_nothing(above: str, name: str) -> None:
    """Go through any name."""


def by_hand(root: int, path: str, check: Check = check_nothing) -> int:
    """Walk, holding every folder on the way open: `..` is the one before, wherever it has been moved to since.
    Each name is checked before it is gone through, those of links and those that they lead to."""
    links, ahead = 0, deque(names(path))
    way, above = [os.dup(root)], [""]
    try:
        while ahead:
            name = ahead.popleft()
            if name == "..":
                os.close(way.pop())
                above.pop()
                if not way:
                    raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
                continue
            check(above[-1], name)
            if (target := link(way[-1], name)) is not None:
                links += 1
                ahead.extendleft(reversed(names(target)))
            else:
                way.append(os.open(name, FOLDER | os.O_NOFOLLOW, dir_fd=way[-1]))
                above.append(name)
            if links > MOST_LINKS or len(way) > MOST_FOLDERS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        return way.pop()
    finally:
        for fd in way:
            os.close(fd)


def names(path: str) -> list[str]:
    if path.startswith("/"):
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
    return [name for name in path.split("/") if name not in ("", ".")]


def link(folder: int, name: str) -> str | None:
    """Where this link leads; None if it is none, or is not there."""
    with suppress(OSError):
        return os.readlink(name, dir_fd=folder)
    return None
