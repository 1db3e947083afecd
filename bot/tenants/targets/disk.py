"""Limit what a tenant can write: an image of fixed size, mounted in its folder, holds all writable folders.

`groups`, `workspace` and `data` are links into the mounted image. While it is not mounted, the links lead nowhere. So
the bot cannot start without its data, and cannot fill the machine's disk.
"""

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from bot.core.errors import ConfigError
from bot.tenants.programs import run_program
from bot.tenants.targets import Command, ValidatorVerdict, render_template, texts
from bot.tenants.tenant import DISK_FOLDER, WRITABLE_FOLDERS, Tenant

IMAGE_FILE = "disk.img"
UNITS_FOLDER = Path("/etc/systemd/system")
TENANT_UNITS_FOLDER_NAME = "systemd"  # in the tenant's folder
MIN_DISK_BYTES = 256 << 20  # the bot reports itself unwell if less than 100 MB are free
SIZE_UNIT_BIT_SHIFTS = {"M": 20, "G": 30, "T": 40}


def parse_disk_size(size: str) -> int:
    """Return the bytes of "512M", "2G" or "1T". Raise ConfigError for any other form, or if it is too small."""
    match = re.fullmatch(r"([1-9][0-9]{0,5})([MGT])", size)
    if not match:
        raise ConfigError(texts.NO_SIZE(size=size))
    found = int(match[1]) << SIZE_UNIT_BIT_SHIFTS[match[2]]
    if found < MIN_DISK_BYTES:
        raise ConfigError(texts.SIZE_TOO_SMALL(size=size, least=MIN_DISK_BYTES >> 20))
    return found


def move_writable_folders_into_image(folder: Path, size: str) -> None:
    """Move a new tenant's writable folders into an image, and link them. Raise ConfigError if that fails."""
    image, mounted = folder / IMAGE_FILE, folder / DISK_FOLDER
    mounted.mkdir(mode=0o755)
    for name in WRITABLE_FOLDERS:
        (folder / name).rename(mounted / name)
    try:
        with image.open("xb") as file:
            os.chmod(file.fileno(), 0o600)
            # Allocate all space now: an image is damaged if the disk underneath fills up.
            os.posix_fallocate(file.fileno(), 0, parse_disk_size(size))
    except OSError as error:
        raise ConfigError(texts.NO_ROOM(image=image, size=size, error=error.strerror)) from None
    # No blocks are reserved for root, and no space is returned to the disk underneath (nodiscard).
    mkfs = ["mkfs.ext4", "-q", "-F", "-m", "0", "-E", "nodiscard", "-d", str(mounted), str(image)]
    made = run_program(mkfs, seconds=600)
    if made.status:
        raise ConfigError(texts.MKFS_FAILED(image=image, reason=made.failure_reason))
    for name in WRITABLE_FOLDERS:
        shutil.rmtree(mounted / name)
        (folder / name).symlink_to(Path(DISK_FOLDER) / name)


def mount_unit_name(tenant: Tenant) -> str:
    """Return the name that systemd requires for the mount unit of the disk."""
    return escape_for_unit_name(tenant.folder / DISK_FOLDER) + ".mount"


def escape_for_unit_name(path: Path) -> str:
    """Return an absolute path as `systemd-escape --path` writes it."""
    text = str(path).strip("/") or "/"
    special = re.compile(r"^\.|[^a-zA-Z0-9:_./]")
    return special.sub(lambda match: "".join(rf"\x{byte:02x}" for byte in match[0].encode()), text).replace("/", "-")


def render_mount_unit_artefact(tenant: Tenant) -> Mapping[str, str]:
    """Return the unit that mounts the disk, or nothing without a limit."""
    if not tenant.disk:
        return {}
    unit = render_template("disk.mount", {"name": tenant.name, "folder": tenant.folder})
    return {f"{TENANT_UNITS_FOLDER_NAME}/{mount_unit_name(tenant)}": unit}


def validate_mount_unit(tenant: Tenant, folder: Path) -> Iterator[ValidatorVerdict]:
    """Yield systemd's verdict on the form of the mount unit; it does not check the mount itself."""
    if tenant.disk:
        yield verify_systemd_unit(folder / TENANT_UNITS_FOLDER_NAME / mount_unit_name(tenant))


def verify_systemd_unit(unit: Path) -> ValidatorVerdict:
    if not shutil.which("systemd-analyze"):
        return ValidatorVerdict("systemd-analyze verify", None, texts.NO_SYSTEMD)
    said = run_program(["systemd-analyze", "verify", "--man=no", str(unit)])
    # systemd only warns about an unknown key, so any output is an error.
    return ValidatorVerdict("systemd-analyze verify", not said.status and not said.output, said.output)


def require_mounted_disk(tenant: Tenant) -> None:
    """Raise ConfigError if the tenant has a disk that is not mounted."""
    if tenant.disk and not os.path.ismount(tenant.folder / DISK_FOLDER):
        steps = " && ".join(operator_mount_steps(tenant))
        raise ConfigError(texts.NOT_MOUNTED(folder=tenant.folder / DISK_FOLDER, commands=steps))


def operator_mount_steps(tenant: Tenant) -> list[str]:
    if not tenant.disk:
        return []
    name = mount_unit_name(tenant)
    install = ["install", "-m", "0644", str(tenant.folder / TENANT_UNITS_FOLDER_NAME / name), str(UNITS_FOLDER / name)]
    return [shlex.join(install), "systemctl daemon-reload", f"systemctl enable --now {shlex.quote(name)}"]


def commands_to_unmount_disk(tenant: Tenant) -> list[Command]:
    """Return the commands that unmount the disk and remove its unit, if they exist."""
    name = mount_unit_name(tenant)
    if tenant.disk and (UNITS_FOLDER / name).exists():
        gone = ["rm", "-f", str(UNITS_FOLDER / name)]
        return [["systemctl", "disable", "--now", name], gone, ["systemctl", "daemon-reload"]]
    return [["umount", str(tenant.folder / DISK_FOLDER)]] if os.path.ismount(tenant.folder / DISK_FOLDER) else []
