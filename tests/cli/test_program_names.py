"""What the program calls itself where it prints a command to type."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.shell import REPOSITORY

ASK = (
    "from bot.core.program_names import retinue_command, script_command;"
    " print(retinue_command('chat')); print(script_command('add-tenant'))"
)


def asked(folder: Path, path: str) -> list[str]:
    environment = {"PATH": path, "PYTHONPATH": str(REPOSITORY)}
    said = subprocess.run([sys.executable, "-c", ASK], cwd=folder, env=environment, capture_output=True, text=True)
    return said.stdout.splitlines()


def test_a_checkout_is_called_by_its_scripts() -> None:
    assert asked(REPOSITORY, "/usr/bin") == ["scripts/run chat", "scripts/add-tenant"]


def test_from_another_folder_the_scripts_are_named_whole(tmp_path: Path) -> None:
    assert asked(tmp_path, "/usr/bin") == [f"{REPOSITORY}/scripts/run chat", f"{REPOSITORY}/scripts/add-tenant"]


def test_on_path_it_is_retinue(tmp_path: Path) -> None:
    link = tmp_path / "retinue"
    link.symlink_to(Path(sys.executable).parent / "retinue")
    assert asked(REPOSITORY, str(tmp_path))[0] == "retinue chat"


def test_another_retinue_on_path_is_not_ours(tmp_path: Path) -> None:
    other = tmp_path / "retinue"
    shutil.copy(Path(sys.executable).parent / "retinue", other)
    os.chmod(other, 0o755)
    assert asked(REPOSITORY, str(tmp_path))[0] == "scripts/run chat"
