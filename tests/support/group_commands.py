"""The folder of an operator who changes groups with `retinue groups`."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.cli import load_retinue_command, run_click_command

TELEGRAM = {"telegram": {"enabled": True, "owner": 7, "allow_from": [-55]}}


class Desk:
    """An operator's folder, with a bot on Telegram whose owner has the id 7."""

    def __init__(self, place: Path, printed: pytest.CaptureFixture[str]) -> None:
        self.place, self.folder, self.printed = place, place / "groups", printed
        self.configure(channels=TELEGRAM)

    def configure(self, **settings: Any) -> None:
        (self.place / "config.json").write_text(json.dumps(settings))

    def run(self, *words: str) -> tuple[int, str, str]:
        """Run a command. Return its exit status, stdout and stderr."""
        self.printed.readouterr()
        status = run_click_command(
            ["groups", "--config", str(self.place / "config.json"), *words], load_retinue_command, "retinue"
        )
        return status, *self.printed.readouterr()

    def say(self, *words: str) -> list[str]:
        """Run a command that must succeed. Return its lines."""
        status, out, err = self.run(*words)
        assert (status, err) == (0, "")
        return out.splitlines()

    def refused(self, *words: str) -> str:
        """Run a command that must fail and change no file. Return its error."""
        before = self.files()
        status, out, err = self.run(*words)
        assert (self.files(), out, status in (1, 2)) == (before, "", True)
        return err.splitlines()[-1].removeprefix("retinue: ")

    def files(self) -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}

    def write(self, name: str, front: str, text: str = "You are.\n") -> Path:
        return self.put(name, f"---\n{front}---\n{text}".encode())

    def put(self, name: str, content: bytes) -> Path:
        (self.folder / name).mkdir(parents=True, exist_ok=True)
        (self.folder / name / "instructions.md").write_bytes(content)
        return self.folder / name / "instructions.md"


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, capsys)
