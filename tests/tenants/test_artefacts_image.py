"""The file that the image is built from, as its linter reads it."""

import subprocess
from pathlib import Path

import pytest

from bot.core.program_names import PROJECT_FOLDER
from bot.tenants.image import CONTAINERFILE
from tests.tenants.validators import have


def findings(file: Path) -> str:
    said = subprocess.run(["hadolint", "--no-color", file], capture_output=True, text=True)
    return said.stdout + said.stderr


def test_the_linter_finds_no_fault_of_ours_and_every_planted_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    have("hadolint", environment=monkeypatch)
    assert findings(PROJECT_FOLDER / CONTAINERFILE) == ""
    worse = tmp_path / "Containerfile"
    worse.write_text((PROJECT_FOLDER / CONTAINERFILE).read_text() + "USER root\nRUN apt-get install curl\n")
    assert {"DL3002", "DL3008"} <= set(findings(worse).split())
