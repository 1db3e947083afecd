"""`retinue doctor --fix`: which rights it mends, and that it goes on."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.config import Config, LoadedConfig
from bot.core.errors import SecretExposed
from bot.ops.checks import texts
from bot.ops.checks.machine import check_data_folder, check_secret_file_permissions
from tests.support.doctor_visit import KEY, Outside, doctor, lines, outside, shell
from tests.support.shell import Shell

__all__ = ["outside", "shell"]

MENDED = texts.MENDED(finding="")

pytestmark = pytest.mark.timeout(60)  # each run imports three large libraries


async def test_fix_mends_rights_and_makes_folders_and_says_so(shell: Shell, outside: Outside) -> None:
    (shell.folder / "data").chmod(0o755)
    (shell.folder / "secrets").mkdir()
    secret = shell.folder / "secrets" / "model__api_key"
    secret.write_text("sk-ant-x")
    secret.chmod(0o640)
    config = shell.config(**outside.settings(), workspace="files")
    assert len(lines(await doctor(shell), "warning")) == 2
    said = await shell.retinue("doctor", "--fix")
    assert said.status == 0, said.out
    assert said.out.count(MENDED) == 3
    assert (shell.folder / "data").stat().st_mode & 0o777 == 0o700
    assert secret.stat().st_mode & 0o777 == 0o600
    assert (shell.folder / "files").is_dir()
    del shell.settings["ANTHROPIC_API_KEY"]
    config.write_text(json.dumps({**outside.settings(), "model": {"api_key": KEY}}))
    secret.unlink()
    config.chmod(0o644)
    assert (await shell.retinue("doctor", "--fix")).out.count(MENDED) == 2
    assert config.stat().st_mode & 0o777 == 0o600
    assert not [line for line in lines(await shell.retinue("doctor"), "wrong") if line.startswith("secrets: ")]


async def test_fix_mends_secrets_that_everybody_can_read_and_goes_on(shell: Shell) -> None:
    (shell.folder / "secrets").mkdir()
    paths = [shell.folder / "secrets" / name for name in ("channels__telegram__token", "model__api_key")]
    for path in paths:
        path.write_text("a-secret")
        path.chmod(0o604)
    error = SecretExposed(paths[0])
    said = await doctor(shell)
    assert (said.status, lines(said, "wrong")) == (1, [f"{texts.SECRET_EXPOSED(fault=error.words)} → {error.remedy}"])
    assert error.remedy == f"chmod o-rwx {paths[0]}"
    said = await shell.retinue("doctor", "--fix")
    assert (said.status, lines(said, "wrong")) == (0, [])
    assert [line for line in lines(said, "ok") if line.startswith("secrets: ") and line.endswith(MENDED)] == [
        texts.MENDED(finding=texts.SECRET_EXPOSED(fault=SecretExposed(path).words)) for path in paths
    ]
    assert texts.SECRET_FILES(2) in lines(said, "ok")
    assert {path.stat().st_mode & 0o777 for path in paths} == {0o600}


@pytest.mark.parametrize("make", [os.symlink, os.link])
def test_fix_changes_no_file_elsewhere_by_another_name(tmp_path: Path, make: Callable[[Path, Path], None]) -> None:
    elsewhere, data, secrets = tmp_path / "passwd", tmp_path / "data", tmp_path / "secrets"
    elsewhere.write_text("x")
    elsewhere.chmod(0o640)
    data.mkdir(mode=0o700)
    secrets.mkdir()
    for path in (data / "bot.db", secrets / "model__api_key"):
        make(elsewhere, path)
    loaded = LoadedConfig(config=Config(), path=None, secret_folders=(("secrets", secrets),))
    of_database, of_secret = (*check_data_folder(data), *check_secret_file_permissions(loaded))
    assert (of_database.apply_fix, of_secret.apply_fix) == (None, None)
