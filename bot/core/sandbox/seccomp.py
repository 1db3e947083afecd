"""A filter of system calls for what runs in the sandbox. Without it a program could make further namespaces, leave a
set-user-id program in its folder, reach the machine through sockets that no network namespace separates (as AF_VSOCK),
or take memory that counts for no process.

The filter is a program for the kernel's packet filter: `struct sock_filter` in the machine's byte order."""

from __future__ import annotations

import errno
import os
import platform
import struct
import sys
from collections.abc import Iterator, Mapping
from functools import cache

LOAD_WORD, JUMP_IF_EQUAL, JUMP_IF_NOT_LOWER, JUMP_IF_ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, KILL_PROCESS, FAIL = 0x7FFF0000, 0x80000000, 0x00050000  # FAIL has the error number in its lower half
NUMBER_OFFSET, ARCHITECTURE_OFFSET, ARGUMENTS_OFFSET = 0, 4, 16  # in `struct seccomp_data`
FIRST_X32_NUMBER = 0x40000000  # x86-64 has a second table of calls from here on

AUDIT_ARCHITECTURES: Mapping[str, int] = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
NAMESPACE_FLAGS = 0x7E020080  # CLONE_NEW…: user, mount, pid, network, ipc, uts, cgroup, time
TIOCSTI, TIOCLINUX = 0x5412, 0x541C  # type into a terminal, as a person would
ALLOWED_SOCKET_FAMILIES = (1, 2, 10, 16)  # AF_UNIX, AF_INET, AF_INET6, AF_NETLINK

NO_NUMBER = 0x3FFFFFFF  # of a call that a processor does not have
# Calls that no program needs for its work, by their numbers on x86-64 and on aarch64
FORBIDDEN_CALLS: Mapping[str, tuple[int, int]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "delete_module": (176, 106),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "msgget": (68, 186),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "pivot_root": (155, 41),
    "quotactl": (179, 60),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "shmget": (29, 194),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "userfaultfd": (323, 282),
    "vhangup": (153, 58),
}
# Calls that programs replace by others if they do not exist. A filter cannot read their flags, which are in memory.
MISSING_CALLS = ((435, 435), (437, 437))  # clone3, openat2
# Calls that make or change a file, and which of their arguments is its mode
SET_ID_BITS = 0o6000
MODE_CALLS: Mapping[str, tuple[tuple[int, int], int]] = {
    "chmod": ((90, NO_NUMBER), 1),
    "creat": ((85, NO_NUMBER), 1),
    "fchmod": ((91, 52), 1),
    "fchmodat": ((268, 53), 2),
    "fchmodat2": ((452, 452), 2),
    "mknod": ((133, NO_NUMBER), 1),
    "mknodat": ((259, 33), 2),
}
# Those where the mode counts only with the flag O_CREAT; else it may be anything
OPEN_CALLS: Mapping[str, tuple[tuple[int, int], int]] = {"open": ((2, NO_NUMBER), 1), "openat": ((257, 56), 2)}
O_CREAT, O_TMPFILE = 0o100, 0o20000000
CLONE, UNSHARE, SOCKET, SOCKETPAIR, IOCTL = (56, 220), (272, 97), (41, 198), (53, 199), (16, 29)

Instruction = tuple[int, int, int, int]  # code, steps forward if true, steps forward if false, value


@cache
def open_seccomp_filter() -> str | None:
    """Return the path of the filter for this machine, in a file in memory; None if there is none for its processor. The
    file stays open as long as this process runs."""
    program = make_seccomp_filter(platform.machine(), sys.byteorder)
    if program is None:
        return None
    file = os.memfd_create("sandbox filter")
    os.write(file, program)
    return f"/proc/{os.getpid()}/fd/{file}"


def make_seccomp_filter(machine: str, byte_order: str = "little") -> bytes | None:
    if machine not in AUDIT_ARCHITECTURES or byte_order != "little":
        return None
    column = tuple(AUDIT_ARCHITECTURES).index(machine)
    return b"".join(struct.pack("<HBBI", *each) for each in list_instructions(machine, column))


def list_instructions(machine: str, column: int) -> Iterator[Instruction]:
    yield from (
        (LOAD_WORD, 0, 0, ARCHITECTURE_OFFSET),
        (JUMP_IF_EQUAL, 1, 0, AUDIT_ARCHITECTURES[machine]),
        (RETURN, 0, 0, KILL_PROCESS),  # 32-bit calls have other numbers
        (LOAD_WORD, 0, 0, NUMBER_OFFSET),
        (JUMP_IF_NOT_LOWER, 0, 1, FIRST_X32_NUMBER),
        (RETURN, 0, 0, FAIL | errno.ENOSYS),
    )
    for numbers in FORBIDDEN_CALLS.values():
        yield from ((JUMP_IF_EQUAL, 0, 1, numbers[column]), (RETURN, 0, 0, FAIL | errno.EPERM))
    for numbers in MISSING_CALLS:
        yield from ((JUMP_IF_EQUAL, 0, 1, numbers[column]), (RETURN, 0, 0, FAIL | errno.ENOSYS))
    for numbers, position in MODE_CALLS.values():
        yield from (
            (JUMP_IF_EQUAL, 0, 4, numbers[column]),
            (LOAD_WORD, 0, 0, ARGUMENTS_OFFSET + 8 * position),
            (JUMP_IF_ANY_BIT, 0, 1, SET_ID_BITS),
            (RETURN, 0, 0, FAIL | errno.EPERM),
            (RETURN, 0, 0, ALLOW),
        )
    for numbers, position in OPEN_CALLS.values():
        yield from (
            (JUMP_IF_EQUAL, 0, 6, numbers[column]),
            (LOAD_WORD, 0, 0, ARGUMENTS_OFFSET + 8 * position),
            (JUMP_IF_ANY_BIT, 0, 3, O_CREAT | O_TMPFILE),
            (LOAD_WORD, 0, 0, ARGUMENTS_OFFSET + 8 * (position + 1)),
            (JUMP_IF_ANY_BIT, 0, 1, SET_ID_BITS),
            (RETURN, 0, 0, FAIL | errno.EPERM),
            (RETURN, 0, 0, ALLOW),
        )
    for numbers in (CLONE, UNSHARE):
        yield from (
            (JUMP_IF_EQUAL, 0, 4, numbers[column]),
            (LOAD_WORD, 0, 0, ARGUMENTS_OFFSET),
            (JUMP_IF_ANY_BIT, 0, 1, NAMESPACE_FLAGS),
            (RETURN, 0, 0, FAIL | errno.EPERM),
            (RETURN, 0, 0, ALLOW),
        )
    yield from (
        (JUMP_IF_EQUAL, 0, 5, IOCTL[column]),
        (LOAD_WORD, 0, 0, ARGUMENTS_OFFSET + 8),
        (JUMP_IF_EQUAL, 1, 0, TIOCSTI),
        (JUMP_IF_EQUAL, 0, 2, TIOCLINUX),
        (RETURN, 0, 0, FAIL | errno.EPERM),
        (RETURN, 0, 0, ALLOW),
    )
    families = ALLOWED_SOCKET_FAMILIES
    yield (JUMP_IF_EQUAL, 1, 0, SOCKET[column])
    yield (JUMP_IF_EQUAL, 0, len(families) + 2, SOCKETPAIR[column])
    yield (LOAD_WORD, 0, 0, ARGUMENTS_OFFSET)
    for ahead, family in zip(range(len(families), 0, -1), families, strict=True):
        yield (JUMP_IF_EQUAL, ahead, 0, family)
    yield (RETURN, 0, 0, FAIL | errno.EAFNOSUPPORT)
    yield (RETURN, 0, 0, ALLOW)
