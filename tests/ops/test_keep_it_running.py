"""The page on one bot as a service: what stands there is read by those who would run it."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from bot.cli.commands import COMMANDS
from bot.ops.watchdog import MAX_HANG_SECONDS
from tests.support.wheels import REPOSITORY

PAGE = (REPOSITORY / "docs" / "keep-it-running.md").read_text()


def block(kind: str) -> str:
    [found] = re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)
    return re.sub("(?m)^   ", "", found)


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd-analyze here")
def test_the_unit_is_one_that_systemd_takes(tmp_path: Path) -> None:
    unit = tmp_path / "retinue.service"
    unit.write_text(block("ini").replace("%h/.local/bin/retinue", "/bin/true"))
    said = subprocess.run(["systemd-analyze", "verify", "--user", unit], capture_output=True, text=True)
    assert "retinue.service" not in said.stderr, said.stderr


def test_the_unit_does_not_try_again_what_no_restart_mends() -> None:
    unit = dict(line.partition("=")[::2] for line in block("ini").splitlines() if "=" in line)
    assert unit["ExecStart"].endswith("retinue run")
    assert unit["RestartPreventExitStatus"] == "2 3"


def test_the_unit_starts_again_a_bot_that_stands_still() -> None:
    unit = dict(line.partition("=")[::2] for line in block("ini").splitlines() if "=" in line)
    assert unit["Type"] == "notify"
    assert int(unit["WatchdogSec"]) > MAX_HANG_SECONDS


def test_the_container_finds_its_config_where_the_image_looks() -> None:
    service = yaml.safe_load(block("yaml"))["services"]["bot"]
    containerfile = (REPOSITORY / "scripts" / "deploy" / "Containerfile").read_text()
    assert service["volumes"] == ["./:/tenant"]
    assert "RETINUE_CONFIG=/tenant/config.json" in containerfile
    assert service["read_only"]


def test_every_command_on_the_page_is_there() -> None:
    named = set(re.findall(r"(?m)^    retinue (\w+)", PAGE)) | set(re.findall(r"`retinue (\w+)", PAGE))
    assert named <= set(COMMANDS)
    assert {"setup", "doctor", "backup", "logs", "report"} <= named
