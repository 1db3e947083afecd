"""What lies around: back-ups, replaced data, copies of the config, secrets in the log, and places that share files."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from bot.config import exposure
from bot.config.config_file import CONFIG_FILE_NAME
from bot.config.layers import DEFAULT_SECRETS_FOLDER
from bot.config.settings import iterate_keys_and_secrets
from bot.ops.audit import texts
from bot.ops.audit.file_rights import find_open_paths
from bot.ops.audit.ownership import READ, WRITE
from bot.ops.audit.subject import AuditedBot, Fault, entries_of_folder, plain_files, read_beginning
from bot.ops.audit.workspaces import is_backup
from bot.ops.logs import LOG_FILE_NAME, MAX_LOG_BYTES
from bot.store.restore_exchange import REPLACED_DATA_PREFIX

REPLACED_DATA_DAYS = 7
DAY_SECONDS = 86_400
TIME_STAMP_PATTERN = re.compile(rf"{re.escape(REPLACED_DATA_PREFIX)}(\d{{8}}-\d{{6}})", re.ASCII)
BACKUP_FOLDER_NAMES = ("backups", ".backups")
MIN_SECRET_CHARACTERS = 8  # shorter ones may be a word of the log
MAX_COPY_BYTES = 1_000_000
MAX_OTHER_BOTS = 500
CHANNELS_KEY = "channels"

SPACE_SEPARATED_NETWORK_FILE_SYSTEMS = (
    "9p afs ceph cifs davfs fuse.davfs2 fuse.glusterfs fuse.rclone fuse.s3fs fuse.sshfs gfs2 lustre ncpfs"
    " nfs nfs4 ocfs2 smb3 smbfs"
)
NETWORK_FILE_SYSTEMS = frozenset(SPACE_SEPARATED_NETWORK_FILE_SYSTEMS.split())
SPACE_SEPARATED_SHARED_FOLDER_NAMES = (  # names with a space are written with a hyphen
    "dropbox google-drive googledrive icloud-drive nextcloud onedrive owncloud pcloud public public_html syncthing"
)
SHARED_FOLDER_NAMES = frozenset(SPACE_SEPARATED_SHARED_FOLDER_NAMES.split())
PUBLIC_FOLDERS = tuple(map(Path, ("/var/www", "/srv/http", "/srv/www", "/srv/ftp", "/usr/share/nginx")))


def find_old_replaced_data(bot: AuditedBot) -> Iterator[Fault]:
    for folder in (bot.config.data_dir, bot.config.workspace):
        for entry in entries_of_folder(folder):
            if entry.name.startswith(REPLACED_DATA_PREFIX) and entry.is_dir(follow_symlinks=False):
                days = (bot.now - moment_of_restore(entry.name, entry.stat().st_mtime)) / DAY_SECONDS
                if days > REPLACED_DATA_DAYS:
                    yield Fault(text=texts.REPLACED_DATA(path=entry.path, days=int(days)), remedy=texts.DELETE_IT)


def moment_of_restore(name: str, changed_at: float) -> float:
    """Return when a restore made a folder, by its name; `changed_at` if the name has no time."""
    if match := TIME_STAMP_PATTERN.match(name):
        with suppress(ValueError):
            return datetime.strptime(match[1], "%Y%m%d-%H%M%S").replace(tzinfo=UTC).timestamp()
    return changed_at


def find_open_backups(bot: AuditedBot) -> Iterator[Fault]:
    """Yield a fault for each back-up that others may read, where back-ups usually lie."""
    homes = [bot.folder, bot.folder.parent, bot.config.data_dir, Path.home()]
    folders = [*homes, *(home / name for home in homes for name in BACKUP_FOLDER_NAMES)]
    paths = [path for path in plain_files(dict.fromkeys(folders)) if is_backup(path)]
    yield from find_open_paths(bot, texts.BACKUP, paths, READ | WRITE)


def find_config_copies_with_secrets(bot: AuditedBot) -> Iterator[Fault]:
    """Yield a fault for each copy of the config file beside it that holds a secret of the settings."""
    config = bot.loaded.path
    if config is None:
        return
    secrets = list_long_secrets(bot)
    for path in plain_files([config.parent]):
        if path != config and config.name in path.name and holds_secret(path, secrets, MAX_COPY_BYTES):
            yield Fault(text=texts.COPY_WITH_SECRET(path=path), remedy=texts.DELETE_COPY)


def find_secrets_in_log(bot: AuditedBot) -> Iterator[Fault]:
    secrets = list_long_secrets(bot)
    for name in (LOG_FILE_NAME, f"{LOG_FILE_NAME}.1"):
        path = bot.config.data_dir / name
        if holds_secret(path, secrets, 2 * MAX_LOG_BYTES):
            yield Fault(text=texts.SECRET_IN_LOG(path=path), remedy=texts.REPLACE_SECRET)


def find_other_bots_with_token(bot: AuditedBot) -> Iterator[Fault]:
    """Yield a fault for each bot whose folder lies beside this one's and which has one of its tokens: both would take
    each other's messages. (The settings refuse a token that stands twice in one config.)"""
    keys_and_secrets = iterate_keys_and_secrets(bot.config)
    tokens = [secret.get_secret_value().strip().encode() for key, secret in keys_and_secrets if key[0] == CHANNELS_KEY]
    for entry in entries_of_folder(bot.folder.resolve().parent)[:MAX_OTHER_BOTS]:
        other = Path(entry.path)
        if other == bot.folder.resolve() or not os.path.isfile(other / CONFIG_FILE_NAME):
            continue
        paths = [other / CONFIG_FILE_NAME, *plain_files([other / DEFAULT_SECRETS_FOLDER])]
        if any(holds_secret(path, tokens, MAX_COPY_BYTES) for path in paths):
            yield Fault(text=texts.TOKEN_OF_OTHER_BOT(folder=other), remedy=texts.OWN_TOKENS)


def list_long_secrets(bot: AuditedBot) -> list[bytes]:
    values = [secret.get_secret_value().strip() for secret in exposure.list_config_secrets(bot.config)]
    values.append(exposure.proxy_password(bot.config))
    return [value.encode() for value in values if len(value) >= MIN_SECRET_CHARACTERS]


def holds_secret(path: Path, secrets: list[bytes], most: int) -> bool:
    content = read_beginning(path, most)
    return any(secret in content for secret in secrets)


def find_network_file_system(bot: AuditedBot) -> Iterator[Fault]:
    kind = file_system_of(bot.config.data_dir, bot.mounts_file)
    if kind in NETWORK_FILE_SYSTEMS:
        yield Fault(text=texts.DATA_ON_NETWORK(folder=bot.config.data_dir, kind=kind), remedy=texts.LOCAL_DISK)


def file_system_of(folder: Path, mounts_file: Path) -> str:
    """Return the kind of the file system that holds a folder; empty if that is unknown, as outside Linux."""
    here, found = folder.resolve(), dict[Path, str]()
    with suppress(OSError):
        for line in mounts_file.read_text(errors="replace").splitlines():
            before, _, after = line.partition(" - ")
            if len(before.split()) > 4 and after:
                place = before.split()[4].replace("\\040", " ")
                found[Path(place)] = after.split()[0]  # a later line covers an earlier one
    return next((found[place] for place in (here, *here.parents) if place in found), "")


def find_shared_folders(bot: AuditedBot) -> Iterator[Fault]:
    """Yield a fault if the data, the config or the secrets lie where a program copies them to other machines, or where
    a server offers them."""
    for path in (bot.config.data_dir, bot.folder, *bot.secret_folders):
        here = path.resolve()
        by_name = next((part for part in here.parts if part.casefold().replace(" ", "-") in SHARED_FOLDER_NAMES), "")
        by_place = next((str(each) for each in PUBLIC_FOLDERS if here.is_relative_to(each)), "")
        if by_name or by_place:
            yield Fault(text=texts.IN_SHARED_FOLDER(path=path, folder=by_name or by_place), remedy=texts.OTHER_PLACE)
