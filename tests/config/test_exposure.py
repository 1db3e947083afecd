"""Where settings would show a secret to others: refused, or said at the start and by `doctor`."""

import asyncio
import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from bot.assembly import claude_backend, demo_backend
from bot.config import LoadedConfig, exposure, load, texts
from bot.config.layers import DEFAULT_SECRETS_FOLDER
from bot.config.paths import CREDENTIALS_SOURCE_NAME
from bot.core.errors import ConfigError
from bot.core.findings import CheckState
from bot.ops.checks import machine
from tests.support.backup_bot import apart
from tests.support.shell import PATIENCE, Shell

KEY = "sk-ant-very-secret"
NOBODY = 65_534  # a user's number


def loaded(folder: Path, settings: dict[str, Any], variables: dict[str, str] | None = None) -> LoadedConfig:
    path = folder / "config.json"
    path.write_text(json.dumps(settings))
    path.chmod(0o600)
    return load(path, variables=variables or {})


@pytest.mark.parametrize("has_folder", [True, False])
@pytest.mark.parametrize("workspace", ["secrets", "secrets/../secrets", "./Secrets/../secrets"])
def test_the_usual_folder_of_secrets_is_no_workspace(tmp_path: Path, workspace: str, has_folder: bool) -> None:
    (tmp_path / "Secrets").mkdir()
    if has_folder:
        (tmp_path / DEFAULT_SECRETS_FOLDER).mkdir(exist_ok=True)
    with pytest.raises(ConfigError) as error:
        loaded(tmp_path, {"workspace": workspace})
    origin = tmp_path / "config.json"
    assert str(error.value) == texts.FIXED_SECRETS_IN_WORKSPACE(origin=origin, name=DEFAULT_SECRETS_FOLDER)


@pytest.mark.parametrize("workspace", ["given", "given/acme"])
def test_the_folder_of_a_services_credentials_is_no_workspace(tmp_path: Path, workspace: str) -> None:
    credentials = tmp_path / "given" / "acme"
    credentials.mkdir(parents=True)
    with pytest.raises(ConfigError) as error:
        loaded(tmp_path, {"workspace": workspace}, {"CREDENTIALS_DIRECTORY": str(credentials)})
    origin = tmp_path / "config.json"
    assert str(error.value) == texts.FIXED_SECRETS_IN_WORKSPACE(origin=origin, name=CREDENTIALS_SOURCE_NAME)


def test_a_config_file_with_a_key_that_others_may_read_is_told(tmp_path: Path) -> None:
    found = loaded(tmp_path, {"model": {"api_key": KEY}})
    assert list(exposure.exposure_warnings(found)) == []
    for mode in (0o640, 0o604):
        (tmp_path / "config.json").chmod(mode)
        (line,) = exposure.exposure_warnings(found)
        assert f"chmod 600 {found.path}" in line
        assert KEY not in line


@pytest.mark.parametrize(
    "settings", [{"model": {"api_key": 'quoted"key'}}, {"network": {"proxy": "http://ann:pass@proxy.lan:3128"}}]
)
def test_a_secret_with_escapes_and_a_proxys_password_are_found_in_the_file(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    found = loaded(tmp_path, settings)
    (tmp_path / "config.json").chmod(0o644)
    assert len(list(exposure.exposure_warnings(found))) == 1


def test_a_config_file_without_a_key_may_be_read_by_all(tmp_path: Path) -> None:
    found = loaded(tmp_path, {"busy": "queue"}, {"ANTHROPIC_API_KEY": KEY})
    (tmp_path / "config.json").chmod(0o644)
    assert list(exposure.exposure_warnings(found)) == []


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"model": {"base_url": "http://gateway.lan:4000"}}, "model.base_url"),
        ({"channels": {"telegram": {"base_url": "http://10.0.0.7/bot"}}}, "channels.telegram.base_url"),
        ({"channels": {"discord": {"base_url": "http://example.org/api"}}}, "channels.discord.base_url"),
        ({"channels": {"discord": {"gateway_url": "ws://example.org"}}}, "channels.discord.gateway_url"),
    ],
)
def test_an_address_of_another_machine_without_encryption_is_told(
    tmp_path: Path, settings: dict[str, Any], key: str
) -> None:
    found = loaded(tmp_path, settings)
    ((told, url),) = exposure.find_unencrypted_addresses(found.config)
    assert told == key
    assert list(exposure.exposure_warnings(found)) == [exposure.describe_unencrypted_address(key, url)]
    (finding,) = machine.check_addresses_are_encrypted(found.config)
    assert finding.state is CheckState.WARNING
    assert exposure.describe_unencrypted_address(key, url) in finding.text


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "127.3.4.5", "localhost:1", "[::1]:80", "claude.localhost"])
def test_an_address_of_this_machine_is_not(tmp_path: Path, host: str) -> None:
    found = loaded(tmp_path, {"model": {"base_url": f"http://{host}"}})
    assert list(exposure.exposure_warnings(found)) == []


def test_an_encrypted_address_is_not(tmp_path: Path) -> None:
    assert list(exposure.exposure_warnings(loaded(tmp_path, {"model": {"base_url": "https://example.org"}}))) == []


@pytest.mark.fast
async def test_a_start_says_it(tmp_path: Path) -> None:
    nobody = "http://127.0.0.1:9/bot"
    shell = Shell(tmp_path, {"TELEGRAM_BOT_TOKEN": "123456:ABC-def"})
    shell.config(
        model={"base_url": "http://gateway.invalid"}, channels={"telegram": {"enabled": True, "base_url": nobody}}
    )
    async with shell.begun("run") as bot, asyncio.timeout(PATIENCE):
        assert bot.stderr
        line = await bot.stderr.readline()
    assert exposure.describe_unencrypted_address("model.base_url", "http://gateway.invalid") in line.decode()


@pytest.mark.parametrize("folder", [".", ".."])
def test_a_home_folder_is_warned_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    home = tmp_path / "homes" / "ann"
    home.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    (finding,) = machine.check_workspaces_for_secrets({"workspace": home / folder})
    assert finding.state is CheckState.WARNING
    assert not list(machine.check_workspaces_for_secrets({"workspace": home / "workspace"}))


@pytest.mark.parametrize("name", [".env", ".ssh/config", "deep/id_ed25519", "deep/Server.PEM", "Credentials.json"])
def test_a_workspace_that_holds_a_secret_is_warned_of(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    (finding,) = machine.check_workspaces_for_secrets({"workspace": tmp_path})
    assert finding.state is CheckState.WARNING
    assert str(tmp_path / name.partition("/")[0]) in finding.text


def test_a_secret_is_found_beside_a_folder_that_cannot_be_read() -> None:
    with TemporaryDirectory() as folder:
        workspace = Path(folder)
        workspace.chmod(0o755)
        (workspace / "closed").mkdir(mode=0)
        (workspace / "open").mkdir()
        (workspace / "open" / ".env").write_text("x")

        def look() -> None:
            if os.geteuid() == 0:  # root may read everything
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            assert not os.access(workspace / "closed", os.R_OK)
            (finding,) = machine.check_workspaces_for_secrets({"workspace": workspace})
            assert str(workspace / "open" / ".env") in finding.text

        assert apart(look) == 0


async def test_doctor_looks_at_the_workspace(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.config(workspace="ours")
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / ".netrc").write_text("x")
    said = await shell.retinue("doctor")
    (finding,) = machine.check_workspaces_for_secrets({"workspace": tmp_path / "ours"})
    assert str(finding) in said.out


def test_all_secrets_are_kept_from_people_wherever_they_are_set(tmp_path: Path) -> None:
    """Those of a role, in a file, in a variable, and the password of the proxy: they go to the exits by their keys."""
    folder = tmp_path / DEFAULT_SECRETS_FOLDER
    folder.mkdir()
    (folder / "channels__telegram__token").write_text("7412589630:AAGx4kP9vZq2Lr7Tn_5Wb8Yc3Md6Hf1Js0\n")
    for path in (folder, *folder.iterdir()):
        path.chmod(path.stat().st_mode & 0o700)
    settings: dict[str, Any] = {
        "model": {"api_key": KEY, "fallback": {"api_key": "sk-of-the-fallback"}},
        "channels": {"telegram": {"voices": {"writer": "123456:of-the-writer"}}},
        "voice": {"base_url": "https://speech.example/v1"},
        "network": {"proxy": "http://ann:pass%20word@proxy.example:3128"},
    }
    found = loaded(
        tmp_path, settings, {"RETINUE_VOICE__API_KEY": "of-the-voice", "RETINUE_WEB__API_KEY": "of-the-search"}
    )
    values = {
        "model.api_key": {KEY},
        "model.fallback.api_key": {"sk-of-the-fallback"},
        "channels.telegram.token": {
            "7412589630:AAGx4kP9vZq2Lr7Tn_5Wb8Yc3Md6Hf1Js0",
            "AAGx4kP9vZq2Lr7Tn_5Wb8Yc3Md6Hf1Js0",
        },
        "channels.telegram.voices.writer": {"123456:of-the-writer", "of-the-writer"},
        "voice.api_key": {"of-the-voice"},
        "web.api_key": {"of-the-search"},
        "network.proxy": {"pass word", "pass%20word"},
    }
    assert exposure.secret_values_by_setting(found.config) == values
    assert set(claude_backend(found).secrets.names) == set().union(*values.values())
    assert set(demo_backend(found).secrets.names) == set().union(*values.values())
