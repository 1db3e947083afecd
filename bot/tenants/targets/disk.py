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
from bot.tenants.targets import Command, ValidatorVerdict, texts
from bot.tenants.targets.programs import run_program
from bot.tenants.targets.templates import render_template
from bot.tenants.tenant import DISK, WRITABLE, Tenant

IMAGE = "disk.img"
UNITS = Path("/etc/systemd/system")
UNITS_IN_FOLDER = "systemd"
MIN_DISK_BYTES = 256 << 20  # bytes; the bot reports itself unwell if less than 100 MB are free
UNIT_POWERS = {"M": 20, "G": 30, "T": 40}


def parse_disk_size(size: str) -> int:
    """Return the bytes of "512M", "2G" or "1T". Raise ConfigError for any other form, or if it is too small."""
    match = re.fullmatch(r"([1-9][0-9]{0,5})([MGT])", size)
    if not match:
        raise ConfigError(texts.NO_SIZE(size=size))
    found = int(match[1]) << UNIT_POWERS[match[2]]
    if found < MIN_DISK_BYTES:
        raise ConfigError(texts.SIZE_TOO_SMALL(size=size, least=MIN_DISK_BYTES >> 20))
    return found


def move_into_image(folder: Path, size: str) -> None:
    """Move the writable folders of a new tenant into an image, and put links in their place.

    Raise ConfigError if the machine has no room, or no mkfs.ext4. This takes a second or two. The space is allocated at
    once, because an image is damaged if the disk underneath fills up.
    """
    image, mounted = folder / IMAGE, folder / DISK
    mounted.mkdir(mode=0o755)
    for name in WRITABLE:
        (folder / name).rename(mounted / name)
    try:
        with image.open("xb") as file:
            os.chmod(file.fileno(), 0o600)
            os.posix_fallocate(file.fileno(), 0, parse_disk_size(size))
    except OSError as error:
        raise ConfigError(texts.NO_ROOM(image=image, size=size, error=error.strerror)) from None
    # No blocks are reserved for root, and no space is returned to the disk underneath (nodiscard).
    mkfs = ["mkfs.ext4", "-q", "-F", "-m", "0", "-E", "nodiscard", "-d", str(mounted), str(image)]
    made = run_program(mkfs, seconds=600)
    if made.status:
        raise ConfigError(texts.MKFS_FAILED(image=image, reason=made.output))
    for name in WRITABLE:
        shutil.rmtree(mounted / name)
        (folder / name).symlink_to(Path(DISK) / name)


def mount_unit_name(tenant: Tenant) -> str:
    """Return the name that systemd requires for the mount unit of the disk."""
    return escape_for_unit_name(tenant.folder / DISK) + ".mount"


def escape_for_unit_name(path: Path) -> str:
    """Return an absolute path as `systemd-escape --path` writes it."""
    text = str(path).strip("/")
    kept = (re.match(r"[a-zA-Z0-9:_]", char) or (char == "." and at) for at, char in enumerate(text))
    of_bytes = ("".join(rf"\x{byte:02x}" for byte in char.encode()) for char in text)
    parts = zip(text, kept, of_bytes, strict=True)
    return "".join("-" if char == "/" else char if is_kept else hexed for char, is_kept, hexed in parts) or "-"


def disk_artefacts(tenant: Tenant) -> Mapping[str, str]:
    """Return the unit that mounts the disk, or nothing without a limit."""
    if not tenant.disk:
        return {}
    unit = render_template("disk.mount", {"name": tenant.name, "folder": tenant.folder})
    return {f"{UNITS_IN_FOLDER}/{mount_unit_name(tenant)}": unit}


def validate_mount_unit(tenant: Tenant, folder: Path) -> Iterator[ValidatorVerdict]:
    """Yield systemd's verdict on the form of the mount unit; it does not check the mount itself."""
    if not tenant.disk:
        return
    if not shutil.which("systemd-analyze"):
        yield ValidatorVerdict(by="systemd-analyze verify", is_good=None, text=texts.NO_SYSTEMD)
        return
    said = run_program(["systemd-analyze", "verify", str(folder / UNITS_IN_FOLDER / mount_unit_name(tenant))])
    # systemd only warns about an unknown key, so any output is an error.
    yield ValidatorVerdict(by="systemd-analyze verify", is_good=not said.status and not said.output, text=said.output)


def require_mounted_disk(tenant: Tenant) -> None:
    """Raise ConfigError if the tenant has a disk that is not mounted."""
    if tenant.disk and not os.path.ismount(tenant.folder / DISK):
        steps = " && ".join(mount_steps(tenant))
        raise ConfigError(texts.NOT_MOUNTED(folder=tenant.folder / DISK, commands=steps))


def mount_steps(tenant: Tenant) -> list[str]:
    """Return the lines that an operator types to mount the disk."""
    if not tenant.disk:
        return []
    name = mount_unit_name(tenant)
    source = shlex.quote(str(tenant.folder / UNITS_IN_FOLDER / name))
    install = f"install -m 0644 {source} {shlex.quote(str(UNITS / name))}"
    return [install, "systemctl daemon-reload", f"systemctl enable --now {shlex.quote(name)}"]


def unmount_commands(tenant: Tenant) -> list[Command]:
    """Return the commands that unmount the disk and remove its unit, as far as they are there."""
    name = mount_unit_name(tenant)
    if tenant.disk and (UNITS / name).exists():
        gone = ["rm", "-f", str(UNITS / name)]
        return [["systemctl", "disable", "--now", name], gone, ["systemctl", "daemon-reload"]]
    return [["umount", str(tenant.folder / DISK)]] if os.path.ismount(tenant.folder / DISK) else []
