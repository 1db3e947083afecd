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

OpenBeneath = Callable[[int, str], int]  # the outer folder, opened; a path; gives the folder there, opened
NameCheck = Callable[[str, str], None]  # the name of a folder, and one in it: raises if it must not be gone through

FOLDER_FLAGS = os.O_DIRECTORY | getattr(os, "O_PATH", os.O_RDONLY)  # for its place only: it need not be readable
MOST_LINKS = 40  # in one path, as Linux has it
MOST_FOLDERS = 100  # in one path: each is held open while it is walked

SYS_OPENAT2 = 437  # on every architecture that Python has Linux for
NO_MAGICLINKS, BENEATH = 0x02, 0x08
TRIES = 100  # the kernel says EAGAIN when somebody renames folders while it looks


class OpenHow(ctypes.Structure):
    """`struct open_how`"""

    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def open_by_kernel(root: int, path: str) -> int:
    how = OpenHow(flags=FOLDER_FLAGS | os.O_CLOEXEC, mode=0, resolve=BENEATH | NO_MAGICLINKS)
    for _ in range(TRIES):
        fd = load_syscall()(
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
    return open_by_walking(root, path)


@cache
def load_syscall() -> Callable[..., int]:
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    return call


@cache
def best_opener() -> OpenBeneath:
    """By the kernel, unless it is too old for it, a sandbox forbids it, or it is no Linux."""
    if sys.platform != "linux":
        return open_by_walking
    here = os.open("/", FOLDER_FLAGS)
    try:
        os.close(open_by_kernel(here, "."))
    except OSError:
        return open_by_walking
    finally:
        os.close(here)
    return open_by_kernel


def allow_any_name(above: str, name: str) -> None:
    """Go through any name."""


def open_by_walking(root: int, path: str, check: NameCheck = allow_any_name) -> int:
    """Walk, holding every folder on the way open: `..` is the one before, wherever it has been moved to since.
    Each name is checked before it is gone through, those of links and those that they lead to."""
    links, ahead = 0, deque(split_path(path))
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
            if (target := link_target(way[-1], name)) is not None:
                links += 1
                ahead.extendleft(reversed(split_path(target)))
            else:
                way.append(os.open(name, FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=way[-1]))
                above.append(name)
            if links > MOST_LINKS or len(way) > MOST_FOLDERS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        return way.pop()
    finally:
        for fd in way:
            os.close(fd)


def split_path(path: str) -> list[str]:
    if path.startswith("/"):
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
    return [name for name in path.split("/") if name not in ("", ".")]


def link_target(folder: int, name: str) -> str | None:
    """Where this link leads; None if it is none, or is not there."""
    with suppress(OSError):
        return os.readlink(name, dir_fd=folder)
    return None
