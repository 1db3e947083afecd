"""The wheel works alone: away from the checkout it has its roles, the demo's pages and the tenants' templates."""

import asyncio
import email
import json
import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from bot.core.picture_types import picture_type
from tests.support import wheels
from tests.support.shell import Said

pytestmark = pytest.mark.timeout(180)
QUESTION = "compare the README, the design page and CHANGELOG.md"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheels.build(wheels.REPOSITORY, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of commands of an environment of its own; the libraries are those of this one."""
    home = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    pip = [str(home / "bin" / "pip"), "install", "--quiet", "--no-index", "--no-deps", str(wheel)]
    subprocess.run([*pip, "--disable-pip-version-check"], check=True)
    site = home / "lib" / f"python3.{sys.version_info[1]}" / "site-packages"
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return home / "bin"


async def run(installed: Path, folder: Path, *words: str, is_on_path: bool = True, stdin: str = "") -> Said:
    homes = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), str(folder / "home"))
    path = f"{installed}{os.pathsep}/usr/bin:/bin" if is_on_path else "/usr/bin:/bin"
    process = await asyncio.create_subprocess_exec(
        str(installed / words[0]),
        *words[1:],
        cwd=folder,
        env={"PATH": path, **homes},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate(stdin.encode())
    return Said(status=process.returncode, out=out.decode(), err=err.decode())


async def test_the_demo_reads_the_pages_that_the_wheel_carries(installed: Path, tmp_path: Path) -> None:
    said = await run(installed, tmp_path, "retinue", "chat", "-m", QUESTION)
    assert said.status == 0, said.err
    assert "docs/architecture.md" in said.out
    assert "Changelog" in said.out


async def test_the_roles_are_there_and_doctor_finds_no_fault_with_them(installed: Path, tmp_path: Path) -> None:
    said = await run(installed, tmp_path, "retinue", "roles")
    assert {"lead", "researcher", "writer"} <= {line.strip() for line in said.out.splitlines()}
    said = await run(installed, tmp_path, "retinue", "doctor")
    assert "ok       roles: " in said.out


def test_each_role_that_names_a_picture_has_it_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        texts = [archive.read(name).decode() for name in archive.namelist() if re.fullmatch(r"roles/\w+\.md", name)]
        pictures = [found[1] for text in texts if (found := re.search(r"^picture: (\S+)$", text, re.MULTILINE))]
        assert len(pictures) >= 5
        assert [name for name in pictures if not picture_type(archive.read(f"roles/{name}"))] == []


@pytest.mark.parametrize("target", ["compose", "kubernetes"])
async def test_tenants_are_made_of_the_templates_in_it(installed: Path, tmp_path: Path, target: str) -> None:
    config = {"channels": {"telegram": {"enabled": True, "owner": 7}}}
    (tmp_path / "its.json").write_text(json.dumps(config))
    secrets = json.dumps({"model__api_key": "sk-ant-x", "channels__telegram__token": "1:" + "a" * 35})
    root = ["--root", str(tmp_path / "root"), "--config", "its.json", "--secrets", "-", "--dry-run", "--anyway"]
    image = ["--image", f"registry.example/retinue@sha256:{'a' * 64}", "--target", target]
    said = await run(installed, tmp_path, "retinue-tenants", "add-tenant", "acorn", *root, *image, stdin=secrets)
    assert said.status == 0, said.out + said.err
    assert "bot/tenants/templates/" in said.out


async def test_printed_commands_are_on_path_or_whole(installed: Path, tmp_path: Path) -> None:
    said = await run(installed, tmp_path, "retinue", "setup", stdin="\nn\nn\ny\n")
    assert "`retinue chat`" in said.out
    (tmp_path / "other").mkdir()
    said = await run(installed, tmp_path / "other", "retinue", "setup", is_on_path=False, stdin="\nn\nn\ny\n")
    assert f"`{installed / 'retinue'} chat`" in said.out
    said = await run(installed, tmp_path, "retinue", "caht", is_on_path=False)
    assert f"{installed / 'retinue'} --help" in said.err


def test_its_metadata_is_complete(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        [path] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        said = email.message_from_bytes(archive.read(path))
        licences = {Path(name).name for name in archive.namelist() if "/licenses/" in name}
        assert not [name for name in archive.namelist() if name.startswith("tests/") or "__pycache__" in name]
    for name in ("Name", "Version", "Summary", "Author", "License-Expression", "Requires-Python", "Keywords"):
        assert said[name], name
    assert "Classifier" in said
    assert said.get_payload().startswith("# Retinue")  # type: ignore[union-attr]  # it is no multipart
    assert licences == {"LICENSE", "NOTICE"}
