"""A folder to configure the bot in, without this machine's own settings."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.cli import main

OF_THE_MACHINE = ("ANTHROPIC_API_KEY", "TELEGRAM_BOT_TOKEN", "DISCORD_BOT_TOKEN", "CREDENTIALS_DIRECTORY")
SECRET = "sk-very-secret"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    status: int | str | None
    out: str
    err: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """What an operator may write and run. `here` is the current folder."""

    here: Path
    user: Path
    environment: pytest.MonkeyPatch
    terminal: pytest.CaptureFixture[str]

    def config(self, content: object = None, *, text: str = "") -> Path:
        path = self.here / "config.json"
        path.write_text(text or json.dumps(content), encoding="utf-8")
        return path

    def secret(self, name: str, text: str = SECRET, *, mode: int = 0o600, folder: str = "secrets") -> Path:
        (self.here / folder).mkdir(exist_ok=True)
        path = self.here / folder / name
        path.write_text(text)
        path.chmod(mode)
        return path

    def retinue(self, *arguments: str) -> Said:
        with pytest.raises(SystemExit) as end:
            main(arguments)
        said = self.terminal.readouterr()
        return Said(status=end.value.code, out=said.out, err=said.err)


def without_settings(environment: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("RETINUE_")]:
        environment.delenv(name)
    for name in OF_THE_MACHINE:
        environment.delenv(name, raising=False)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Home:
    without_settings(monkeypatch)
    here, user = tmp_path / "here", tmp_path / "user"
    for folder in (here, user):
        folder.mkdir()
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "HOME"):
        monkeypatch.setenv(name, str(user))
    monkeypatch.chdir(here)
    return Home(here=here, user=user, environment=monkeypatch, terminal=capsys)
