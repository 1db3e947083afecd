"""What lies in a workspace or around it: there roles read, write, and may be told to by what they read."""

import gzip
import os
import re
import stat
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

from bot.ops.audit import texts
from bot.ops.audit.file_rights import ENVIRONMENT_FILE
from bot.ops.audit.subject import AuditedBot, Fault, entries_of_folder, read_beginning
from bot.ops.checks.machine import find_path_named_like_secret, is_or_contains_home_folder

SPACE_SEPARATED_PROGRAM_FOLDERS = "/bin /boot /etc /lib /proc /sbin /sys /usr"
PROGRAM_FOLDERS = tuple(map(Path, SPACE_SEPARATED_PROGRAM_FOLDERS.split()))  # no workspace is in one or holds one
INSTALLED_FOLDERS = tuple(map(Path, ("/bin", "/lib", "/sbin", "/usr")))
STATE_FOLDERS = tuple(map(Path, ("/home", "/root", "/var/lib", "/var/log")))  # no workspace is or holds one
GIT_FOLDER, GIT_SAMPLE_SUFFIX, MAX_GIT_CONFIG_BYTES = ".git", ".sample", 100_000
COMMAND_IN_GIT_CONFIG_PATTERN = re.compile(
    r"^[ \t]*(hooksPath|fsmonitor|sshCommand|pager|editor|askPass|gitProxy|textconv)[ \t]*="
    r"[ \t]*(?!true[ \t]*$|false[ \t]*$)\S",
    re.IGNORECASE | re.MULTILINE,
)
BACKUP_SUFFIXES = (".tar.gz", ".tgz", ".gz", ".part")
BACKUP_BEGINNING = b"manifest.json\0"  # how the first header of a back-up's archive begins


def find_system_folders(bot: AuditedBot) -> Iterator[Fault]:
    for name, folder in bot.workspaces.items():
        here = folder.resolve()
        is_above = any(each.is_relative_to(here) for each in (*PROGRAM_FOLDERS, *STATE_FOLDERS))
        is_below = any(here.is_relative_to(each) for each in PROGRAM_FOLDERS)
        if is_above or is_below or is_or_contains_home_folder(folder):
            yield Fault(text=texts.WORKSPACE_IS_SYSTEM(name=name, folder=here), remedy=texts.OWN_FOLDER)


def find_secrets(bot: AuditedBot) -> Iterator[Fault]:
    for name, folder in bot.workspaces.items():
        if path := find_path_named_like_secret(folder):
            yield Fault(text=texts.SECRET_IN_WORKSPACE(name=name, path=path), remedy=texts.MOVE_OUTSIDE)


def find_guarded_paths(bot: AuditedBot) -> Iterator[Fault]:
    """Yield a fault for each workspace that holds what decides about the bot. The start refuses most of these; a group
    with one is off."""
    guarded: list[tuple[str, Path | None]] = [
        (texts.CONFIG_FILE, bot.loaded.path),
        (texts.DATA_FOLDER, bot.config.data_dir),
        (texts.PROGRAM, bot.program_folder / "bot"),
        (texts.ENVIRONMENT_FILE, bot.folder / ENVIRONMENT_FILE),
        *((texts.FOLDER_OF(key=key), folder) for key, folder in bot.operator_folders.items()),
        *((texts.SECRETS_FOLDER, folder) for folder in bot.secret_folders),
    ]
    for name, folder in bot.workspaces.items():
        here = folder.resolve()
        for what, path in guarded:
            if path and os.path.lexists(path) and path.resolve().is_relative_to(here):
                yield Fault(text=texts.HOLDS_GUARDED(name=name, what=what, path=path), remedy=texts.OWN_FOLDER)


def find_overlapping_workspaces(bot: AuditedBot) -> Iterator[Fault]:
    places = {name: folder.resolve() for name, folder in bot.workspaces.items()}
    for (name, here), (other, there) in combinations(places.items(), 2):
        if here.is_relative_to(there) or there.is_relative_to(here):
            text = texts.WORKSPACES_OVERLAP(name=name, folder=here, other=other, place=there)
            yield Fault(text=text, remedy=texts.SEPARATE_WORKSPACES)


def find_links_outside(bot: AuditedBot) -> Iterator[Fault]:
    """Yield a fault for each link to files of somebody. What links to installed programs lead to, as in a Python
    environment, everybody may read."""
    for name, entries in bot.paths_in_workspaces.items():
        allowed = (bot.workspaces[name].resolve(), *INSTALLED_FOLDERS)
        for entry in entries:
            if entry.is_symlink() and not any(is_inside(Path(entry.path), folder) for folder in allowed):
                yield Fault(text=texts.LINK_OUTSIDE(name=name, path=entry.path), remedy=texts.COPY_INSTEAD_OF_LINK)


def is_inside(path: Path, folder: Path) -> bool:
    try:
        return path.resolve().is_relative_to(folder)
    except (OSError, RuntimeError):  # a link to itself leads nowhere
        return True


def find_git_commands(bot: AuditedBot) -> Iterator[Fault]:
    """Yield a fault for each git repository in a workspace that runs commands of its own."""
    for name, entries in bot.paths_in_workspaces.items():
        inner = [Path(entry.path) for entry in entries if entry.name == GIT_FOLDER and os.path.isdir(entry.path)]
        for repository in inner:
            for path in paths_with_git_commands(repository):
                yield Fault(text=texts.GIT_RUNS_COMMANDS(name=name, path=path), remedy=texts.NO_GIT_COMMANDS)


def paths_with_git_commands(repository: Path) -> Iterator[Path]:
    for entry in entries_of_folder(repository / "hooks"):
        is_hook = os.path.isfile(entry.path) and not entry.name.endswith(GIT_SAMPLE_SUFFIX)
        if is_hook and entry.stat().st_mode & stat.S_IXUSR:
            yield Path(entry.path)
    config = repository / "config"
    if COMMAND_IN_GIT_CONFIG_PATTERN.search(read_beginning(config, MAX_GIT_CONFIG_BYTES).decode(errors="replace")):
        yield config


def find_backups(bot: AuditedBot) -> Iterator[Fault]:
    for name, entries in bot.paths_in_workspaces.items():
        for entry in entries:
            if entry.is_file(follow_symlinks=False) and is_backup(Path(entry.path)):
                yield Fault(
                    text=texts.BACKUP_IN_WORKSPACE(name=name, path=entry.path), remedy=texts.MOVE_OUTSIDE_BACKUP
                )


def is_backup(path: Path) -> bool:
    """Return True if a file begins as a back-up of a bot does."""
    if not path.name.lower().endswith(BACKUP_SUFFIXES):
        return False
    try:
        with gzip.open(path) as file:
            return file.read(len(BACKUP_BEGINNING)) == BACKUP_BEGINNING
    except (OSError, EOFError, ValueError):
        return False
