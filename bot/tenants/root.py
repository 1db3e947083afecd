"""The folder with all tenants of a machine: it has the list of tenants, a lock for changes, and the next uid."""

import fcntl
import grp
import json
import os
import pwd
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bot.config import Config, load
from bot.config.layers import KeyPath
from bot.config.settings import iterate_keys_and_secrets
from bot.core.durable_files import make_missing_folders, replace_file
from bot.core.errors import ConfigError
from bot.tenants import TellOperator, making_texts, texts
from bot.tenants.programs import run_program
from bot.tenants.secret_names import key_of_secret_file, service_of_secret
from bot.tenants.tenant import CONFIG, RECORD_FILE, SECRETS, Tenant, read_tenant_record
from channels.registry import platforms

LOCK_FILE, UIDS_FILE = ".lock", "uids.json"
UNFINISHED_PREFIX = ".new-"  # of a folder being made: no tenant's name begins with a dot
DELETING_PREFIX = ".gone-"  # of a folder being deleted
FIRST_UID, LAST_UID = 50_000, 59_999  # above people's uids, below those that systemd assigns itself
LOCK_TIMEOUT_SECONDS, LOCK_POLL_SECONDS = 60.0, 0.2
MAX_SHOWN_ERROR_CHARACTERS = 300  # of the output of `rm`


class TenantsRoot:
    """The tenants' folder. Methods raise ConfigError if the folder cannot be read or written."""

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.realpath(path))  # units and mounts accept no links and no `..`
        if any(letter.isspace() or letter in "%$\\'\"" or not letter.isprintable() for letter in str(self.path)):
            raise ConfigError(making_texts.ODD_ROOT(folder=str(self.path)))

    def read_tenant(self, name: str) -> Tenant:
        """Return the tenant of that name. Raise ConfigError if there is none."""
        if self.has_tenant(name):
            return read_tenant_record(self.path / name)
        others = [folder.name for folder in self.tenant_folders()]
        if not others:
            raise ConfigError(making_texts.NO_SUCH_TENANT(name=name, root=self.path))
        if len(others) == 1:
            raise ConfigError(making_texts.NO_SUCH_TENANT_BUT_ONE(name=name, root=self.path, other=others[0]))
        raise ConfigError(making_texts.NO_SUCH_TENANT_BUT_OTHERS(name=name, root=self.path, others=", ".join(others)))

    def has_tenant(self, name: str) -> bool:
        """Return True if the folder of that name has a tenant's record."""
        try:
            return (self.path / name / RECORD_FILE).is_file()
        except OSError as error:
            folder = self.path / name
            raise ConfigError(making_texts.TENANT_UNREADABLE(folder=folder, error=error.strerror)) from None

    def tenant_folders(self) -> list[Path]:
        """Return the tenants' folders, sorted by name. Skip folders without a record."""
        return [path for path in self.visible_entries() if path.is_dir() and self.has_tenant(path.name)]

    def visible_entries(self) -> list[Path]:
        """Return all entries except hidden ones, sorted by name."""
        try:
            return sorted(path for path in self.path.iterdir() if not path.name.startswith("."))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise ConfigError(making_texts.FOLDER_UNREADABLE(folder=self.path, error=error.strerror)) from None

    def check_name_is_free(self, name: str) -> None:
        """Raise ConfigError if an entry has this name, or one that differs only in case."""
        if twin := next((each for each in self.visible_entries() if each.name.casefold() == name), None):
            raise ConfigError(making_texts.NAME_TAKEN(folder=twin))

    def check_bots_are_unique(self, name: str, config: Config) -> None:
        """Raise ConfigError if another tenant has one of these bots: both would take the same messages."""
        bots = bot_ids(config)
        for other in (folder for folder in self.tenant_folders() if folder.name != name):
            taken = {(service_of_secret(key), bot) for key, bot in bot_ids_of_tenant(other).items()}
            for key, bot in sorted(bots.items()):
                if (service_of_secret(key), bot) in taken:
                    setting = ".".join(key)
                    raise ConfigError(making_texts.BOT_OF_ANOTHER_TENANT(key=setting, name=other.name, bot=bot))

    @contextmanager
    def hold_lock(self, tell: TellOperator = lambda _: None) -> Iterator[None]:
        """Hold the lock of the root: no other command makes, changes or removes tenants meanwhile.

        Delete the folders that killed commands left half made or half deleted. Tell the operator through `tell` if this
        command must wait. Raise ConfigError if the lock is not free in time.
        """
        try:
            make_missing_folders(self.path)
            file = os.open(self.path / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise ConfigError(making_texts.ROOT_UNUSABLE(path=error.filename, error=error.strerror)) from None
        try:
            self.acquire_lock(file, tell)
            for left in (*self.path.glob(f"{UNFINISHED_PREFIX}*"), *self.path.glob(f"{DELETING_PREFIX}*")):
                with suppress(ConfigError):  # the next command continues the deletion
                    delete_folder_tree(left, seconds=LOCK_TIMEOUT_SECONDS)
            yield
        finally:
            os.close(file)

    def acquire_lock(self, file: int, tell: TellOperator) -> None:
        """Take the lock. Raise ConfigError if it is not free in time. The kernel frees it when its holder dies."""
        until, is_told = time.monotonic() + LOCK_TIMEOUT_SECONDS, False
        while True:
            with suppress(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            if time.monotonic() > until:
                raise ConfigError(making_texts.BEING_CHANGED(root=self.path))
            if not is_told:
                tell(making_texts.WAITING_FOR_CHANGE(root=self.path, seconds=LOCK_TIMEOUT_SECONDS))
            is_told = True
            time.sleep(LOCK_POLL_SECONDS)

    def next_uid(self) -> int:
        """Return the lowest uid that no tenant has or had, and that no other user or group of this machine has."""
        path = self.path / UIDS_FILE
        try:
            unused = int(json.loads(path.read_text())["next"])
        except FileNotFoundError:
            unused = FIRST_UID
        except OSError as error:
            raise ConfigError(making_texts.FILE_UNREADABLE(path=path, error=error.strerror)) from None
        except (ValueError, TypeError, KeyError, OverflowError):
            raise ConfigError(making_texts.UIDS_BROKEN(path=path)) from None
        uid = max([FIRST_UID, unused, *(uid_of_tenant(folder) + 1 for folder in self.tenant_folders())])
        while is_uid_or_gid_in_use(uid):
            uid += 1
        if uid > LAST_UID:
            raise ConfigError(making_texts.UIDS_USED_UP(path=path, last=LAST_UID))
        return uid

    def mark_uid_as_used(self, uid: int) -> None:
        """Record that this uid is never assigned again, because an archive may hold files with it."""
        replace_file(self.path / UIDS_FILE, json.dumps({"next": uid + 1}) + "\n", mode=0o600)


def delete_folder_tree(folder: Path, *, seconds: float) -> None:
    """Delete the folder if it exists, without following links. Raise ConfigError if part of it remains."""
    # A tenant may have nested its folders deeper than Python's own rmtree can go.
    outcome = run_program(["rm", "-rf", "--", str(folder)], seconds=seconds)
    if outcome.status:
        raise ConfigError(texts.CANNOT_DELETE(folder=folder, reason=outcome.output[:MAX_SHOWN_ERROR_CHARACTERS]))


def bot_ids(config: Config) -> dict[KeyPath, str]:
    """Return the id of each bot in these settings, by its token's key. Raise ConfigError if a token is malformed."""
    tokens = {key: secret for key, secret in iterate_keys_and_secrets(config) if key[0] == "channels"}
    return {key: bot_id_of_token(key, token.get_secret_value()) for key, token in tokens.items()}


def bot_id_of_token(key: KeyPath, token: str) -> str:
    return platforms()[service_of_secret(key)].bot_id_of_token(token.strip())


def bot_ids_of_tenant(folder: Path) -> dict[KeyPath, str]:
    """Return a tenant's bot ids by the keys of their tokens. If the config is broken, read the secret files."""
    try:
        return bot_ids(load(folder / CONFIG, variables={}).config)
    except ConfigError:
        bots = {}
        with suppress(OSError):
            for path in (folder / SECRETS).iterdir():
                key = key_of_secret_file(path.name)
                with suppress(OSError, UnicodeDecodeError, ConfigError):
                    if key and key[0] == "channels":
                        bots[key] = bot_id_of_token(key, path.read_text(encoding="utf-8-sig"))
        return bots


def uid_of_tenant(folder: Path) -> int:
    """Return the tenant's uid. If its record is broken, return the gid of its folder."""
    try:
        return read_tenant_record(folder).uid
    except ConfigError:
        return min(folder.stat().st_gid, LAST_UID)


def is_uid_or_gid_in_use(uid: int) -> bool:
    """Return True if a user or a group has that number: a tenant's group has the same number as its user."""
    for known in (pwd.getpwuid, grp.getgrgid):
        with suppress(KeyError):
            return bool(known(uid))
    return False
