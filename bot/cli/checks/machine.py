"""What can be seen on this machine: versions, folders, who may read what."""

import os
import platform
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from bot.cli.checks import Finding, ok, warning, wrong
from bot.cli.condition import LEAST_BYTES
from bot.config import Loaded
from bot.store import lock, review
from bot.tools.beneath import best, by_kernel

OTHERS = stat.S_IRWXG | stat.S_IRWXO


def versions() -> Iterator[Finding]:
    found = f"python {platform.python_version()}, sqlite {review.sqlite_version()}"
    if review.is_sqlite_too_old():
        yield wrong(f"versions: {found}", "install a Python with SQLite 3.35 or newer")
    else:
        yield ok(f"versions: {found}")


def data_folder(folder: Path) -> Iterator[Finding]:
    if not folder.exists():
        above = next(each for each in folder.parents if each.exists())
        if os.access(above, os.W_OK | os.X_OK):
            yield ok(f"data folder: {folder} is made at the first start")
        else:
            yield wrong(f"data folder: {above} takes no new folder", "set data_dir, or mend the rights of that folder")
        return
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        yield wrong(f"data folder: nothing can be written in {folder}", f"chown it to the user of the bot: {user()}")
        return
    open_ones = [path for path in (folder, folder / "bot.db") if path.exists() and path.stat().st_mode & OTHERS]
    for path in open_ones:
        mode = "700" if path.is_dir() else "600"
        yield warning(f"data folder: others on this machine may look into {path}", f"chmod {mode} {path}")
    free = shutil.disk_usage(folder).free
    if free < LEAST_BYTES:
        yield wrong(f"data folder: only {free / 1e6:.0f} MB are free there", "make room on that disk")
    elif not open_ones:
        yield ok(f"data folder: {folder}, {free / 1e9:.1f} GB free")


def holder(folder: Path) -> Iterator[Finding]:
    process = lock.holder(folder)
    yield ok(f"process: {f'the bot runs as process {process}' if process else 'no bot is running here'}")


def secrets(loaded: Loaded) -> Iterator[Finding]:
    """The loading of the settings refuses files that everybody can read."""
    folder = loaded.config.secrets_dir or (loaded.path.parent / "secrets" if loaded.path else None)
    files = [path for path in folder.iterdir() if path.is_file()] if folder and folder.is_dir() else []
    shared = [path for path in files if path.stat().st_mode & OTHERS]
    for path in shared:
        yield warning(f"secrets: the group may read {path}", f"chmod 600 {path}, unless that is meant")
    if loaded.path and holds_secret(loaded) and loaded.path.stat().st_mode & OTHERS:
        yield wrong(f"secrets: others may read {loaded.path}, which holds one", f"chmod 600 {loaded.path}")
    elif not shared:
        count = f"{len(files)} file{'s' * (len(files) != 1)}, for their owner alone" if files else "in no files"
        yield ok(f"secrets: {count}")


def holds_secret(loaded: Loaded) -> bool:
    """Whether a secret stands in the config file itself."""
    config = loaded.config
    held = (config.model.api_key, config.channels.telegram.token, config.channels.discord.token)
    text = loaded.path.read_text(encoding="utf-8-sig") if loaded.path else ""
    return any(secret and secret.get_secret_value() in text for secret in held)


def file_tools() -> Iterator[Finding]:
    how = "the kernel" if best() is by_kernel else "walking link by link, for want of openat2"
    searching = "ripgrep" if shutil.which("rg") else "Python, for want of ripgrep"
    yield ok(f"file tools: kept in the workspace by {how}; searched by {searching}")


def user() -> str:
    return str(os.getuid())
