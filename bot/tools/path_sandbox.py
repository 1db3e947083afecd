"""Open a folder beneath another one, never outside it: by the kernel if it can, otherwise by walking link by link.

Both ways follow links. Both refuse (EXDEV) everything that would lead out: `..` at the top, an absolute link (even one
that leads back in), and the magic links of /proc. Both return the opened folder itself and use no path twice, so
renaming or linking afterwards changes nothing."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import cache

OpenBeneath = Callable[[int, str], int]  # takes the opened outer folder and a path; returns the opened folder
NameCheck = Callable[[str, str], None]  # takes a folder's name and a name in it; raises if the walk must not enter

FOLDER_OPEN_FLAGS = os.O_DIRECTORY | getattr(os, "O_PATH", os.O_RDONLY)  # only as a location: it need not be readable
MAX_LINKS_IN_PATH = 40  # in one path, as in Linux
MAX_FOLDERS_IN_PATH = 100  # in one path: the walk holds each open

OPENAT2_SYSCALL_NUMBER = 437  # on every Linux architecture that Python supports
RESOLVE_NO_MAGICLINKS, RESOLVE_BENEATH = 0x02, 0x08
OPENAT2_TRIES = 100  # the kernel says EAGAIN if somebody renames folders during the look-up


class OpenHow(ctypes.Structure):
    """`struct open_how`"""

    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def open_folder_by_kernel(root: int, path: str) -> int:
    how = OpenHow(flags=FOLDER_OPEN_FLAGS | os.O_CLOEXEC, mode=0, resolve=RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS)
    for _ in range(OPENAT2_TRIES):
        fd = load_libc_syscall()(OPENAT2_SYSCALL_NUMBER, root, os.fsencode(path), how, ctypes.sizeof(how))
        if fd >= 0:
            return int(fd)
        code = ctypes.get_errno()
        if code not in (errno.EAGAIN, errno.EINTR):
            raise OSError(code, os.strerror(code))
    return open_folder_by_walking(root, path)


@cache
def load_libc_syscall() -> Callable[..., int]:
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    call.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(OpenHow), ctypes.c_size_t)
    return call


@cache
def best_folder_opener() -> OpenBeneath:
    """Return the kernel's way. Walk instead if the kernel is too old, a sandbox forbids it, or this is not Linux."""
    if sys.platform != "linux":
        return open_folder_by_walking
    here = os.open("/", FOLDER_OPEN_FLAGS)
    try:
        os.close(open_folder_by_kernel(here, "."))
    except OSError:
        return open_folder_by_walking
    finally:
        os.close(here)
    return open_folder_by_kernel


def open_folder_by_walking(root: int, path: str, check: NameCheck | None = None) -> int:
    """Walk to the folder and return it opened, holding every folder on the way open. `..` leads back to the folder
    before, even if that was moved since. `check` sees each name before the walk enters it, also the names in links.
    Raise OSError with EXDEV if the path leads out, ELOOP if it has too many links or folders."""
    links, ahead = 0, deque(split_relative_path(path))
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
            if check:
                check(above[-1], name)
            if (target := link_target(way[-1], name)) is not None:
                links += 1
                ahead.extendleft(reversed(split_relative_path(target)))
            else:
                way.append(os.open(name, FOLDER_OPEN_FLAGS | os.O_NOFOLLOW, dir_fd=way[-1]))
                above.append(name)
            if links > MAX_LINKS_IN_PATH or len(way) > MAX_FOLDERS_IN_PATH:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        return way.pop()
    finally:
        for fd in way:
            os.close(fd)


def split_relative_path(path: str) -> list[str]:
    """Return the names in a relative path. Raise OSError (EXDEV) for an absolute one."""
    if path.startswith("/"):
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
    return [name for name in path.split("/") if name not in ("", ".")]


def link_target(folder: int, name: str) -> str | None:
    """Return where this link leads; None if it is not a link or does not exist."""
    with suppress(OSError):
        return os.readlink(name, dir_fd=folder)
    return None
