"""Long commands: what they say is told as they say it, and none goes on without anybody who waits for it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bot.core.errors import ConfigError
from bot.tenants import texts
from bot.tenants.programs import run_and_report_lines, run_long_command
from tests.support.shell import REPOSITORY
from tests.support.wording import like

INTERRUPTED = """
import sys
from bot.tenants.programs import run_long_command
run_long_command(["sh", "-c", "echo $$; sleep 60 & wait"], lambda text: print(text, flush=True))
"""


def shell(script: str, told: list[str], **options: object) -> None:
    run_long_command(["sh", "-c", script], told.append, **options)  # type: ignore[arg-type]


def test_each_line_is_told_and_files_are_the_commands_own(tmp_path: Path) -> None:
    told = list[str]()
    (tmp_path / "from").write_text("letters")
    with (tmp_path / "from").open("rb") as source, (tmp_path / "to").open("wb") as into:
        shell("echo begins >&2; cat; echo; echo ends >&2", told, source=source, into=into)
    assert (tmp_path / "to").read_text() == "letters\n"
    assert told == ["  begins", "  ends"]


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo one; echo two; echo three; exit 4", "two; three"),
        ("echo 'wrong    roles: none → write one'; echo 'ok       web: off'; exit 1", "roles: none → write one"),
        ("exit 5", texts.EXIT_STATUS(status=5)),
        ("kill -9 $$", texts.EXIT_STATUS(status=-9)),
    ],
)
def test_one_that_fails_is_told_by_its_own_words(script: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        shell(script, [])


def test_composes_lines_on_each_container_are_not_repeated() -> None:
    told = list[str]()
    shell("echo ' Container retinue-acme-once-run-4d  Removed'; echo 'Container of letters'", told)
    assert told == ["  Container of letters"]


def test_one_that_stands_still_is_ended_with_all_that_it_has_begun(tmp_path: Path) -> None:
    began = time.monotonic()
    with pytest.raises(ConfigError, match=like(texts.STANDS_STILL)):
        shell(f"sleep 60 & echo $! > {tmp_path}/pid; wait", [], silence_limit_seconds=0.3)
    assert time.monotonic() - began < 20
    assert is_gone(int((tmp_path / "pid").read_text()))


def test_a_stream_that_would_fill_the_disk_is_ended(tmp_path: Path) -> None:
    with (tmp_path / "to").open("wb") as into, pytest.raises(ConfigError, match=like(texts.DISK_NEARLY_FULL)):
        shell("exec cat /dev/zero", [], into=into, min_free_bytes=1 << 60)


def test_an_interruption_ends_what_was_begun() -> None:
    command = [sys.executable, "-c", INTERRUPTED]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout
        child = int(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        process.wait(20)
    assert is_gone(child)


def test_a_log_is_told_line_by_line_and_its_status_is_the_commands() -> None:
    told = list[str]()
    assert run_and_report_lines(["sh", "-c", r"printf 'one\ntwo\n'; exit 3"], told.append) == 3
    assert told == ["one", "two"]


def is_gone(pid: int) -> bool:
    """Within a moment, at least."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.02)
    return False
