"""The `retinue` command, as a terminal runs it."""

import errno
import os
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest

from bot.cli import texts
from bot.cli.commands import COMMANDS
from bot.core.exit_status import ExitStatus
from bot.core.texts import operators
from bot.store import folder_lock
from bot.store import texts as store_texts

RETINUE = Path(sys.executable).parent / "retinue"
PROJECT = Path(__file__).parents[2] / "pyproject.toml"
VERSION = tomllib.loads(PROJECT.read_text())["project"]["version"]
HEAVY = {"pydantic", "pydantic_settings", "anthropic", "rich", "prompt_toolkit", "aiosqlite", "asyncio", "yaml"}
pytestmark = pytest.mark.skipif(not RETINUE.exists(), reason="retinue is not installed here; scripts/test does it")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A machine where nobody has configured anything."""
    return {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}


def retinue(environment: dict[str, str], *arguments: str) -> "subprocess.CompletedProcess[str]":
    folder = environment["HOME"]
    return subprocess.run([RETINUE, *arguments], cwd=folder, env=environment, capture_output=True, text=True)


def test_it_says_its_version(environment: dict[str, str]) -> None:
    assert retinue(environment, "--version").stdout == f"retinue {VERSION}\n"


def test_help_names_every_command_as_the_command_names_itself(environment: dict[str, str]) -> None:
    listed = re.split(
        r"^  (?=\S)", retinue(environment, "--help").stdout.partition("Commands:\n")[2], flags=re.MULTILINE
    )
    found = dict(" ".join(entry.split()).split(maxsplit=1) for entry in listed if entry)  # a line may go on below
    assert found == {name: line for name, (_, line) in COMMANDS.items()}
    for name, (module, line) in COMMANDS.items():
        assert str(getattr(import_module(module), name.replace("-", "_")).help).startswith(line)


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_it_answers_without_importing_what_it_does_not_need(environment: dict[str, str], option: str) -> None:
    repository = Path(__file__).parents[2]
    command = [sys.executable, "-X", "importtime", "-m", "bot", option]
    said = subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, check=True)
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in said.stderr.splitlines()}
    assert "click" in imported
    assert not imported & HEAVY


def test_a_wrong_setting_is_one_line_and_exit_status_two(environment: dict[str, str]) -> None:
    said = retinue(environment | {"RETINUE_BUSY": "maybe"}, "run")
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr == "retinue: RETINUE_BUSY: busy must be 'steer' or 'queue'\n"


def test_an_unknown_command_is_exit_status_two(environment: dict[str, str]) -> None:
    said = retinue(environment, "fly")
    assert said.returncode == 2
    assert texts.NO_SUCH_COMMAND(command="fly") in said.stderr


def test_an_interruption_leaves_no_traceback(environment: dict[str, str], tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    os.mkfifo(config)
    command = [str(RETINUE), "config", "--config", str(config)]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    with process:
        with config.open("w"):  # opens once the command reads at the other end, and so is at work
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):  # the signal came just before it waited for what is written there
                process.wait(1)
        _, errors = process.communicate()
    assert (process.returncode, errors.strip()) == (130, "")


@pytest.mark.parametrize("arguments", [["config"], ["config", "--schema"], ["--help"], ["--version"]])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_stdout_that_takes_nothing_is_one_line_and_no_success(
    environment: dict[str, str], arguments: list[str], unbuffered: str
) -> None:
    with Path("/dev/full").open("w") as full:
        said = subprocess.run(
            [RETINUE, *arguments],
            cwd=environment["HOME"],
            env=environment | {"PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert said.returncode == 1
    assert said.stderr.splitlines()[-1] == f"retinue: {texts.CANNOT_WRITE_TO_STDOUT(reason=os.strerror(errno.ENOSPC))}"
    assert "Traceback" not in said.stderr


@pytest.mark.parametrize(("arguments", "status"), [(["config"], 1), (["--version"], 0), (["fly"], 2), (["stop"], 2)])
def test_the_exit_status_is_right_though_stderr_is_full(
    environment: dict[str, str], arguments: list[str], status: int
) -> None:
    with Path("/dev/full").open("w") as full:
        said = subprocess.run([RETINUE, *arguments], cwd=environment["HOME"], env=environment, stderr=full)
    assert said.returncode == status


@pytest.mark.parametrize(
    ("harm", "status", "why"),
    [
        (lambda file: file.write_bytes(b"no database" * 1000), 3, "file is not a database"),
        (Path.touch, 3, "no such table: orders"),
        (Path.mkdir, 2, "unable to open database file"),
        (lambda file: None, 2, "unable to open database file"),
    ],
)
def test_an_order_that_the_file_cannot_take_is_one_line(
    environment: dict[str, str], tmp_path: Path, harm: Callable[[Path], object], status: int, why: str
) -> None:
    file = tmp_path / "bot.db"
    with folder_lock.lock_data_folder(tmp_path):
        harm(file)
        was_there = file.exists()
        said = retinue(environment | {"RETINUE_DATA_DIR": str(tmp_path)}, "stop")
    assert (said.returncode, said.stdout, len(said.stderr.splitlines())) == (status, "", 1)
    if status == ExitStatus.DAMAGED:
        words = store_texts.DAMAGED(path=file, reason=why, mending=store_texts.MEND_DAMAGE)
    else:
        words = operators.CANNOT_USE_DATA(path=file, reason=why)
    assert said.stderr == f"retinue: {words}\n"
    assert file.exists() is was_there


def test_a_lock_that_cannot_be_read_is_one_line(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()
    said = retinue(environment | {"RETINUE_DATA_DIR": str(tmp_path)}, "stop")
    assert (said.returncode, said.stdout) == (2, "")
    words = operators.CANNOT_USE_DATA(path=tmp_path / "lock", reason="Is a directory")
    assert said.stderr == f"retinue: {words}\n"
