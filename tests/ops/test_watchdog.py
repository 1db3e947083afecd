"""The watchdog: a process whose loop stands still ends, one that was stopped itself does not; what systemd is told."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bot.core.exit_status import ExitStatus
from bot.ops.watchdog import NOTIFY_VARIABLE
from tests.support.patience import PATIENCE
from tests.support.shell import REPOSITORY

# It turns for a while, so that it may be stopped; then its loop stands still, or it ends well.
LOOP = """
import asyncio, logging, sys, time
from bot.ops.watchdog import Watchdog
logging.basicConfig()
async def main(turns, stands_still):
    async with Watchdog(max_hang_seconds=1.0, interval_seconds=0.05).watch_event_loop():
        print("turning", flush=True)
        for _ in range(turns):
            await asyncio.sleep(0.05)
        if stands_still:
            time.sleep(60)
asyncio.run(main(int(sys.argv[1]), sys.argv[2] == "stands still"))
"""


def begun(turns: int, then: str, **variables: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", LOOP, str(turns), then],
        cwd=REPOSITORY,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.fast
def test_a_process_whose_loop_stands_still_ends_and_says_where_it_stood() -> None:
    with begun(1, "stands still") as process:
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == ExitStatus.HUNG
    assert "bot.ops.watchdog" in errors
    assert "in main" in errors


def test_one_that_was_stopped_itself_goes_on() -> None:
    with begun(20, "ends") as process:
        assert process.stdout
        process.stdout.readline()
        process.send_signal(signal.SIGSTOP)
        time.sleep(2.5)  # more than twice as long as its loop may stand still
        process.send_signal(signal.SIGCONT)
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 0


def test_systemd_is_told_that_the_loop_turns(tmp_path: Path) -> None:
    for address in (str(tmp_path / "notify"), f"@retinue-test-{os.getpid()}"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
            listening.bind("\0" + address[1:] if address.startswith("@") else address)
            listening.settimeout(PATIENCE)
            with begun(3, "ends", **{NOTIFY_VARIABLE: address}) as process:
                assert listening.recv(100) == b"WATCHDOG=1"
                process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
