"""systemd target: each tenant is an instance of one template unit, confined by the kernel, without containers."""

import ipaddress
import pwd
import re
import shlex
import shutil
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

from bot.config import Config
from bot.core.errors import ConfigError
from bot.tenants.targets import Command, ValidatorVerdict, disk, texts
from bot.tenants.targets.disk import UNITS
from bot.tenants.targets.disk import UNITS_IN_FOLDER as FOLDER
from bot.tenants.targets.programs import run_checked, run_program
from bot.tenants.targets.templates import render_template
from bot.tenants.tenant import CONFIG, DISK, SECRETS, Tenant

TEMPLATE = "retinue@.service"
USERS = Path("/etc/sysusers.d")
# Hidden from the unit by its own settings.
HIDDEN_FOLDERS = tuple(map(Path, ("/home", "/root", "/run/user", "/tmp", "/var/tmp")))
EMPTIED_FOLDERS = HIDDEN_FOLDERS[:3]  # bind mounts below them are hidden too: ProtectHome= drops them
RESOLVERS = Path("/etc/resolv.conf")
COMMAND_MEMORY_BYTES = 1 << 30  # memory for a command beside the bot: its rows may have any size
MAX_EXPOSURE = 15  # tenths: the highest exposure that systemd-analyze may report


class Systemd:
    name: ClassVar[str] = "systemd"

    def artefacts(
        self, tenant: Tenant, config: Config, secrets: Collection[str], files: Collection[str]
    ) -> Mapping[str, str]:
        values = {
            "name": tenant.name,
            "folder": tenant.folder,
            "root": tenant.folder.parent,
            "user": unix_user_name(tenant),
            "uid": tenant.uid,
            "release": tenant.release,
            "disk": f"RequiresMountsFor={tenant.folder / DISK}" if tenant.disk else "",
            "credentials": "\n".join(
                f"LoadCredential={each}:{tenant.folder / SECRETS / each}" for each in sorted(secrets)
            ),
        }
        # Units have several kinds of quotes, and each line has its own.
        for key, path in (("folder", str(tenant.folder)), ("release", tenant.release)):
            if set(path) & set(" \t\n\"'\\%:;#$") or not path.startswith("/"):
                raise ConfigError(texts.ODD_PATH(key=key, path=path))
        return {
            f"{FOLDER}/{TEMPLATE}": render_template("systemd/retinue@.service", {}),
            f"{FOLDER}/{dropin_path(tenant)}": render_template("systemd/tenant.conf", values),
            f"{FOLDER}/{user_file(tenant)}": render_template("systemd/user.conf", values),
            **disk.disk_artefacts(tenant),
        }

    def validate(self, tenant: Tenant, folder: Path) -> Iterator[ValidatorVerdict]:
        if shutil.which("systemd-analyze"):
            yield from analyse_unit(tenant, folder / FOLDER)
        else:
            yield ValidatorVerdict(by="systemd-analyze verify", is_good=None, text=texts.NO_SYSTEMD)
        yield from disk.validate_mount_unit(tenant, folder)

    def start_commands(self, tenant: Tenant) -> list[Command]:
        disk.require_mounted_disk(tenant)
        if said := why_folder_is_hidden(tenant.folder) or why_release_is_unreachable(Path(tenant.release)):
            raise ConfigError(said)
        return install_and_start_commands(tenant)

    def stop_commands(self, tenant: Tenant) -> list[Command]:
        return [["systemctl", "disable", "--now", service_unit_name(tenant)]] if (UNITS / TEMPLATE).exists() else []

    def is_running(self, tenant: Tenant) -> bool:
        command = ["systemctl", "show", "--property", "ActiveState", "--value", service_unit_name(tenant)]
        return run_checked(command) not in ("inactive", "failed")

    def command_beside_bot(self, tenant: Tenant, words: Sequence[str]) -> Command:
        """Return a command that runs outside the unit's sandbox, as the unit's user.

        It has no privileges, none of our environment, and at most COMMAND_MEMORY_BYTES of memory.
        """
        settings = [f"RETINUE_CONFIG={tenant.folder / CONFIG}", "HOME=/", "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"]
        ids = [f"--reuid={tenant.uid}", f"--regid={tenant.uid}", "--clear-groups"]
        rights = ["--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"]
        limits = ["prlimit", f"--data={COMMAND_MEMORY_BYTES}", "--core=0", "--"]
        retinue = ["setpriv", *ids, *rights, "--", f"{tenant.release}/.venv/bin/retinue", *words]
        return ["env", "--ignore-environment", "--chdir=/", *settings, *limits, *retinue]

    def command_while_stopped(self, tenant: Tenant, words: Sequence[str]) -> Command:
        disk.require_mounted_disk(tenant)
        return self.command_beside_bot(tenant, words)

    def probe_command(self, tenant: Tenant, release: str) -> Command | None:
        return self.command_beside_bot(replace(tenant, release=release), ["--version"])

    def logs_command(self, tenant: Tenant, *, follow: bool, lines: int) -> Command:
        shown = ["-u", service_unit_name(tenant), "-n", str(lines), *(["--follow"] if follow else [])]
        return ["journalctl", "--no-pager", "--output", "cat", *shown]

    def remove_commands(self, tenant: Tenant) -> list[Command]:
        """Return the commands that remove the unit and user, and the template if no other tenant needs it."""
        gone = [UNITS / dropin_path(tenant).parent, USERS / user_file(tenant)]
        others = set(UNITS.glob("retinue@*.service.d")) - set(gone)
        gone += [] if others else [UNITS / TEMPLATE]
        there = [["rm", "-rf", str(each)] for each in gone if each.exists()]
        users = []
        with suppress(KeyError):  # there is no such user
            users.append(["userdel", pwd.getpwnam(unix_user_name(tenant)).pw_name])
        reload = [["systemctl", "daemon-reload"]] if there else []
        return [*self.stop_commands(tenant), *there, *reload, *users, *disk.unmount_commands(tenant)]

    def next_steps(self, tenant: Tenant) -> list[str]:
        said = [
            why_folder_is_hidden(tenant.folder),
            why_release_is_unreachable(Path(tenant.release)),
            why_names_are_unresolvable(RESOLVERS),
        ]
        return [
            *(f"# {each}" for each in said if each),
            *disk.mount_steps(tenant),
            *map(shlex.join, install_and_start_commands(tenant)),
        ]


def service_unit_name(tenant: Tenant) -> str:
    return f"retinue@{tenant.name}.service"


def dropin_path(tenant: Tenant) -> Path:
    return Path(f"{service_unit_name(tenant)}.d") / "tenant.conf"


def unix_user_name(tenant: Tenant) -> str:
    return f"retinue-{tenant.uid}"


def user_file(tenant: Tenant) -> str:
    return f"{unix_user_name(tenant)}.conf"


def install_and_start_commands(tenant: Tenant) -> list[Command]:
    """Return the commands that copy the unit to systemd's folders, and start it.

    They copy, because systemd reads its units before it has mounted all folders.
    """
    places = {TEMPLATE: UNITS / TEMPLATE, str(dropin_path(tenant)): UNITS / dropin_path(tenant)}
    places[user_file(tenant)] = USERS / user_file(tenant)
    copied = [
        ["install", "-D", "-m", "0644", str(tenant.folder / FOLDER / name), str(place)]
        for name, place in places.items()
    ]
    return [
        *copied,
        ["systemd-sysusers", str(USERS / user_file(tenant))],
        ["systemctl", "daemon-reload"],
        ["systemctl", "enable", "--now", service_unit_name(tenant)],
    ]


def analyse_unit(tenant: Tenant, folder: Path) -> Iterator[ValidatorVerdict]:
    """Yield systemd's verdicts on the unit and its drop-in, as they would be installed."""
    with TemporaryDirectory() as place:
        units = Path(place)
        instance = units / service_unit_name(tenant)
        (units / dropin_path(tenant)).parent.mkdir()
        (units / dropin_path(tenant)).write_bytes((folder / dropin_path(tenant)).read_bytes())
        instance.write_bytes((folder / TEMPLATE).read_bytes())
        verified = run_program(["systemd-analyze", "verify", "--man=no", str(instance)])
        # systemd only warns about an unknown key, so any output is an error.
        is_good = verified.status == 0 and not verified.output
        yield ValidatorVerdict(by="systemd-analyze verify", is_good=is_good, text=verified.output)
        options = ["--offline=true", f"--threshold={MAX_EXPOSURE}"]
        scored = run_program(["systemd-analyze", "security", *options, str(instance)])
        level = next((line for line in scored.out.splitlines() if "Overall exposure" in line), scored.output)
        yield ValidatorVerdict(by="systemd-analyze security", is_good=scored.status == 0, text=level.strip(" →"))


def why_folder_is_hidden(folder: Path) -> str:
    """Return why the unit could not see its tenant's folder, or an empty string if it could."""
    if any(folder.is_relative_to(each) for each in EMPTIED_FOLDERS):
        return texts.UNIT_HIDES_ROOT(folder=folder)
    return ""


def why_release_is_unreachable(release: Path) -> str:
    """Return why the tenant's user could not run that release within the unit, or an empty string if it could."""
    python = release / ".venv" / "bin" / "python"
    if missing := next((path for path in (python, python.with_name("retinue")) if not path.exists()), None):
        return texts.RELEASE_NOT_INSTALLED(path=missing, release=release)
    for path in (release.resolve(), python.resolve()):
        if any(path.is_relative_to(hidden) for hidden in HIDDEN_FOLDERS):
            return texts.UNIT_HIDES_RELEASE(path=path)
        if shut := next((each for each in (path, *path.parents) if not each.stat().st_mode & stat.S_IXOTH), None):
            return texts.RELEASE_SHUT(path=shut)
    return ""


def why_names_are_unresolvable(resolvers: Path) -> str:
    """Return why the bot could not resolve names, or an empty string if it could.

    The unit blocks this machine's own addresses.
    """
    text = resolvers.read_text(errors="replace") if resolvers.is_file() else ""
    named = re.findall(r"^nameserver\s+([0-9a-fA-F.:]+)", text, re.MULTILINE)
    if not named or any(is_allowed_resolver(each) for each in named):
        return ""
    return texts.RESOLVER_SHUT(path=resolvers, address=named[0])


def is_allowed_resolver(address: str) -> bool:
    """Return True if the unit may ask that address for names."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    return address in ("127.0.0.53", "127.0.0.54") or not (found.is_loopback or found.is_link_local)
