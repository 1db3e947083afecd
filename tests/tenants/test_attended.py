"""A command of one use ends when its container has, whether Compose notices or not."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bot.tenants.targets import compose_run
from tests.support.patience import PATIENCE

POLL_SECONDS, EXIT_GRACE_SECONDS = 0.3, 0.5  # both shorter than on a real machine
OLD = {"ID": "a1", "State": "exited", "ExitCode": 9}


def look(tmp_path: Path, *tellings: str) -> list[str]:
    """A command that prints these, one each time that it is asked, and then the last."""
    (tmp_path / "tellings").write_text(json.dumps(tellings))
    program = (
        "import json, pathlib; path = pathlib.Path('tellings'); now, *later = json.loads(path.read_text());"
        " later and path.write_text(json.dumps(later)); print(now)"
    )
    return [sys.executable, "-c", program]


def run(tmp_path: Path, looking: list[str], running: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    waits = f"poll_seconds={POLL_SECONDS}, exit_grace_seconds={EXIT_GRACE_SECONDS}"
    program = (
        f"import sys; from {compose_run.__name__} import run_until_container_exits;"
        f" sys.exit(run_until_container_exits({looking!r}, {['sh', '-c', running]!r}, {waits}))"
    )
    command = [sys.executable, "-c", program]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE)


@pytest.mark.parametrize("status", [0, 3])
def test_a_command_that_ends_has_its_own_status_and_our_streams(tmp_path: Path, status: int) -> None:
    said = run(tmp_path, look(tmp_path, ""), f"cat; echo bad >&2; exit {status}", stdin="archive")
    assert (said.returncode, said.stdout, said.stderr) == (status, "archive", "bad\n")


@pytest.mark.parametrize("as_list", [False, True])
def test_an_unnoticed_end_has_the_status_of_its_container(tmp_path: Path, as_list: bool) -> None:
    old, running, ended = ([OLD], [OLD, new("running", 0)], [OLD, new("exited", 7)])
    tellings = [printed(each, as_list) for each in (old, running, ended)]
    began = time.monotonic()
    said = run(tmp_path, look(tmp_path, *tellings), "echo all; exec sleep 60")
    assert (said.returncode, said.stdout) == (7, "all\n")
    assert time.monotonic() - began > 2 * POLL_SECONDS + EXIT_GRACE_SECONDS, "not while it ran"


@pytest.mark.parametrize("telling", ["no json", "[3]", json.dumps(OLD)])
def test_an_invisible_container_ends_nothing(tmp_path: Path, telling: str) -> None:
    said = run(
        tmp_path,
        look(tmp_path, printed([OLD], False), telling),
        f"sleep {2 * POLL_SECONDS + EXIT_GRACE_SECONDS}; exit 5",
    )
    assert said.returncode == 5


def new(state: str, status: int) -> dict[str, object]:
    return {"ID": "b2", "State": state, "ExitCode": status}


def printed(containers: list[dict[str, object]], as_list: bool) -> str:
    return json.dumps(containers) if as_list else "\n".join(map(json.dumps, containers))
