"""A tenant's disk: an image of a size, in which all lies that is writable, and the unit that mounts it."""

import errno
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.core.errors import ConfigError
from bot.tenants.targets import disk, render_template, texts
from bot.tenants.targets.compose import Compose
from bot.tenants.tenant import DATA, GROUPS, WORKSPACE
from tests.support.wording import like
from tests.tenants.validators import change, have, tenant, verdict, written

PATHS = ["/srv/retinue/acme/disk", "/srv/my-bots/a.b/disk", "/.hidden/a-b_c:d", "/srv/ä b/%i", "/a", "/"]


@contextmanager
def mounted(image: Path, place: Path) -> Iterator[None]:
    """As the unit mounts it."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount an image")
    unit = render_template("disk.mount", {"name": "acme", "folder": place.parent})
    options = next(line.removeprefix("Options=") for line in unit.splitlines() if line.startswith("Options="))
    done = subprocess.run(["mount", "-t", "ext4", "-o", options, image, place], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no loop device can be had here: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", place], check=True)


@pytest.mark.parametrize("path", PATHS)
def test_a_path_is_escaped_as_systemd_does_it(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    have("systemd-analyze", environment=monkeypatch)
    said = subprocess.run(["systemd-escape", "--path", path], capture_output=True, text=True, check=True).stdout
    assert disk.escape_for_unit_name(Path(path)) == said.rstrip("\n")


@pytest.mark.parametrize("size", ["", "2", "2g", "-2G", "2.5G", "02G", "2GB", " 2G", "2G\n", "9999999G", "0G"])
def test_an_invalid_size_is_refused(size: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(texts.NO_SIZE(size=size))):
        disk.parse_disk_size(size)


def test_a_size_that_no_bot_is_well_with_is_refused() -> None:
    with pytest.raises(ConfigError, match=texts.SIZE_TOO_SMALL(size="255M", least=256)):
        disk.parse_disk_size("255M")
    assert (disk.parse_disk_size("256M"), disk.parse_disk_size("2G"), disk.parse_disk_size("1T")) == (
        256 << 20,
        2 << 30,
        1 << 40,
    )


def made(folder: Path, size: str) -> None:
    for name in (GROUPS, WORKSPACE, DATA):
        (folder / name).mkdir(parents=True)
        (folder / name).chmod(0o700)
    (folder / WORKSPACE / "note.txt").write_text("kept")
    disk.move_writable_folders_into_image(folder, size)


def fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        while file.write(b"x" * (1 << 20)):
            pass


@pytest.mark.skipif(shutil.which("mkfs.ext4") is None, reason="mkfs.ext4 is not installed: apt install e2fsprogs")
def test_a_tenants_writes_end_where_its_disk_ends(tmp_path: Path) -> None:
    acme = tmp_path / "acme"
    made(acme, "256M")
    assert (acme / disk.IMAGE_FILE).stat().st_blocks * 512 >= 256 << 20  # set aside, not promised
    assert not (acme / WORKSPACE).exists()  # the link leads nowhere: nothing can be written beside the disk
    with mounted(acme / disk.IMAGE_FILE, acme / "disk"):
        assert (acme / WORKSPACE / "note.txt").read_text() == "kept"
        assert {(acme / name).stat().st_mode & 0o777 for name in (GROUPS, WORKSPACE, DATA)} == {0o700}
        with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
            fill(acme / WORKSPACE / "large")
        with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
            (acme / DATA / "bot.db").write_bytes(b"x" * (16 << 20))
        (acme / WORKSPACE / "large").unlink()
        (acme / DATA / "bot.db").write_bytes(b"x" * (16 << 20))
        program = acme / WORKSPACE / "program"
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        with pytest.raises(PermissionError):
            subprocess.run([program], check=False)


def test_a_machine_without_room_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=like(texts.NO_ROOM, size="99999T")):
        made(tmp_path / "acme", "99999T")


@pytest.mark.parametrize("name", ["acme", "my-bot"])
def test_systemd_reads_the_unit_without_a_word_and_finds_a_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    have("systemd-analyze", environment=monkeypatch)
    of = written(Compose(), tenant(tmp_path / name, "compose", disk="1G"))
    found = verdict(Compose(), of, "systemd-analyze")
    assert (found.is_good, found.text) == (True, "")
    unit = of.folder / "systemd" / disk.mount_unit_name(of)
    change(unit, "Options=", "Option=")
    assert "Unknown key 'Option'" in verdict(Compose(), of, "systemd-analyze").text
    change(unit, "Option=", "Options=")
    change(unit, f"Where={of.folder}", "Where=/elsewhere")  # the unit's name would say another place
    assert verdict(Compose(), of, "systemd-analyze").is_good is False


def test_a_tenant_without_a_limit_has_no_disk(tmp_path: Path) -> None:
    of = written(Compose(), tenant(tmp_path / "acme", "compose"))
    assert not (of.folder / "systemd").exists()
    assert (disk.operator_mount_steps(of), disk.commands_to_unmount_disk(of)) == ([], [])


def test_the_steps_install_its_unit_and_mount_it(tmp_path: Path) -> None:
    of = tenant(tmp_path / "my-bot", "compose", disk="1G")
    name = disk.mount_unit_name(of)
    assert name.endswith(r"my\x2dbot-disk.mount")
    assert disk.operator_mount_steps(of) == [
        f"install -m 0644 '{of.folder}/systemd/{name}' '/etc/systemd/system/{name}'",
        "systemctl daemon-reload",
        f"systemctl enable --now '{name}'",
    ]
