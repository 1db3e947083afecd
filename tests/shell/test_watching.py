"""What strace has written of a sandbox, and what of it reaches out."""

from pathlib import Path

import pytest

from tests.shell.watching import find_foreign_reads, find_successful_attempts, list_refused_addresses

BEGIN = '7 openat(AT_FDCWD, "/root/before", O_RDONLY) = 3\n7 execve("/usr/bin/prlimit", ["prlimit"], 0x1) = 0\n'
OUTSIDE = '8 openat(AT_FDCWD, "/root/key", O_RDONLY) = 3'
CONNECTED = '8 connect(3, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("9.9.9.9")}, 16) = '
SPLIT = '8 openat(AT_FDCWD, "/root/key", O_RDWR <unfinished ...>\n9 getpid() = 9\n8 <... openat resumed>) = 3'
LOOPBACK_V6 = '8 connect(3, {sa_family=AF_INET6, sin6_port=htons(9), inet_pton(AF_INET6, "::1", &sin6_addr)}, 28) = 0'


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "calls"


def test_a_call_that_was_interrupted_by_another_thread_counts(log: Path) -> None:
    log.write_text(BEGIN + SPLIT)
    assert len([*find_successful_attempts(log)]) == len([*find_foreign_reads(log, [])]) == 1


def test_a_file_counts_as_foreign_unless_the_sandbox_shows_it(log: Path) -> None:
    log.write_text(BEGIN + OUTSIDE)
    assert [*find_foreign_reads(log, [])] == [OUTSIDE]
    assert [*find_foreign_reads(log, ["/root"])] == []
    log.write_text(BEGIN + OUTSIDE.replace("= 3", "= -1 ENOENT (No such file or directory)"))
    assert [*find_foreign_reads(log, [])] == []


def test_an_address_counts_as_reached_or_as_refused(log: Path) -> None:
    log.write_text(f"{BEGIN}{CONNECTED}0\n{LOOPBACK_V6}")
    assert [*find_successful_attempts(log)] == [f"{CONNECTED}0"]
    assert list_refused_addresses(log) == []
    log.write_text(f"{BEGIN}{CONNECTED}-1 ENETUNREACH (Network is unreachable)")
    assert [*find_successful_attempts(log)] == []
    assert list_refused_addresses(log) == ["9.9.9.9:443"]
