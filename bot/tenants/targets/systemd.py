"""systemd: each tenant is an instance of one template unit, confined by the kernel, without containers."""

import ipaddress
import pwd
import re
import shlex
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

from bot.config import Config
from bot.errors import ConfigError
from bot.tenants.targets import Command, Verdict, disk, texts
from bot.tenants.targets.disk import UNITS
from bot.tenants.targets.disk import UNITS_IN_FOLDER as FOLDER
from bot.tenants.targets.programs import is_there, run
from bot.tenants.targets.templates import rendered
from bot.tenants.tenant import CONFIG, DISK, SECRETS, Tenant

TEMPLATE = "retinue@.service"
USERS = Path("/etc/sysusers.d")
HIDDEN = tuple(map(Path, ("/home", "/root", "/run/user", "/tmp", "/var/tmp")))  # from the unit, by its own settings
SHUT = HIDDEN[:3]  # so that not even what is bound below them is seen: ProtectHome= drops it
RESOLVERS = Path("/etc/resolv.conf")
BESIDE = 1 << 30  # bytes of memory that a command beside the bot may take: its rows may be of any size
EXPOSED = 15  # tenths: the most that systemd-analyze may find the unit exposed


class Systemd:
    name: ClassVar[str] = "systemd"

    def artefacts(
        self, tenant: Tenant, config: Config, secrets: Collection[str], files: Collection[str]
    ) -> Mapping[str, str]:
        values = {
            "name": tenant.name,
            "folder": tenant.folder,
            "root": tenant.folder.parent,
            "user": user(tenant),
            "uid": tenant.uid,
            "release": tenant.release,
            "disk": f"RequiresMountsFor={tenant.folder / DISK}" if tenant.disk else "",
            "credentials": "\n".join(
                f"LoadCredential={each}:{tenant.folder / SECRETS / each}" for each in sorted(secrets)
            ),
        }
        for key in ("folder", "release"):
            must_be_plain(key, str(values[key]))
        return {
            f"{FOLDER}/{TEMPLATE}": rendered("systemd/retinue@.service", {}),
            f"{FOLDER}/{dropin(tenant)}": rendered("systemd/tenant.conf", values),
            f"{FOLDER}/{user_file(tenant)}": rendered("systemd/user.conf", values),
            **disk.artefacts(tenant),
        }

    def check(self, tenant: Tenant, folder: Path) -> Iterator[Verdict]:
        if is_there("systemd-analyze"):
            yield from analysed(tenant, folder / FOLDER)
        else:
            yield Verdict(by="systemd-analyze verify", is_good=None, text=texts.NO_SYSTEMD)
        yield from disk.check(tenant, folder)

    def start(self, tenant: Tenant) -> list[Command]:
        disk.must_be_mounted(tenant)
        if said := unseen(tenant.folder) or unreachable(Path(tenant.release)):
            raise ConfigError(said)
        return [*installing(tenant), ["systemctl", "enable", "--now", unit(tenant)]]

    def stop(self, tenant: Tenant) -> list[Command]:
        return [["systemctl", "disable", "--now", unit(tenant)]] if (UNITS / TEMPLATE).exists() else []

    def is_running(self, tenant: Tenant) -> bool:
        command = ["systemctl", "show", "--property", "ActiveState", "--value", unit(tenant)]
        outcome = run(command)
        if outcome.status:
            raise ConfigError(texts.FAILED(command=shlex.join(command), reason=outcome.said))
        return outcome.out.strip() not in ("inactive", "failed")

    def inside(self, tenant: Tenant, words: Sequence[str]) -> Command:
        """Outside the unit's walls, but as its user: no rights, nothing of the environment here, and so much memory."""
        settings = [f"RETINUE_CONFIG={tenant.folder / CONFIG}", "HOME=/", "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"]
        ids = [f"--reuid={tenant.uid}", f"--regid={tenant.uid}", "--clear-groups"]
        rights = ["--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"]
        retinue = f"{tenant.release}/.venv/bin/retinue"
        limited = ["prlimit", f"--data={BESIDE}", "--core=0", "--", "setpriv", *ids, *rights, "--", retinue, *words]
        return ["env", "--ignore-environment", "--chdir=/", *settings, *limited]

    def once(self, tenant: Tenant, words: Sequence[str]) -> Command:
        disk.must_be_mounted(tenant)
        return self.inside(tenant, words)

    def probe(self, tenant: Tenant, release: str) -> Command | None:
        return self.inside(replace(tenant, release=release), ["--version"])

    def logs(self, tenant: Tenant, *, follow: bool, lines: int) -> Command:
        following = ["--follow"] if follow else []
        return ["journalctl", "--no-pager", "--output", "cat", "-u", unit(tenant), "-n", str(lines), *following]

    def remove(self, tenant: Tenant) -> list[Command]:
        """Its unit, its user; the template too, when nobody else is left that needs it."""
        gone = [UNITS / dropin(tenant).parent, USERS / user_file(tenant)]
        others = set(UNITS.glob("retinue@*.service.d")) - set(gone)
        gone += [] if others else [UNITS / TEMPLATE]
        there = [["rm", "-rf", str(each)] for each in gone if each.exists()]
        users = [["userdel", user(tenant)]] if is_known(user(tenant)) else []
        reload = [["systemctl", "daemon-reload"]] if there else []
        return [*self.stop(tenant), *there, *reload, *users, *disk.remove(tenant)]

    def next_steps(self, tenant: Tenant) -> list[str]:
        steps = [*installing(tenant), ["systemctl", "enable", "--now", unit(tenant)]]
        said = [unseen(tenant.folder), unreachable(Path(tenant.release)), unnamed(RESOLVERS)]
        return [*(f"# {each}" for each in said if each), *disk.next_steps(tenant), *map(shlex.join, steps)]


def unit(tenant: Tenant) -> str:
    return f"retinue@{tenant.name}.service"


def dropin(tenant: Tenant) -> Path:
    return Path(f"{unit(tenant)}.d") / "tenant.conf"


def user(tenant: Tenant) -> str:
    return f"retinue-{tenant.uid}"


def user_file(tenant: Tenant) -> str:
    return f"{user(tenant)}.conf"


def is_known(name: str) -> bool:
    try:
        return bool(pwd.getpwnam(name))
    except KeyError:
        return False


def installing(tenant: Tenant) -> list[Command]:
    """What puts its unit where systemd looks: copies, since it reads its units before it has mounted all folders."""
    places = {TEMPLATE: UNITS / TEMPLATE, str(dropin(tenant)): UNITS / dropin(tenant)}
    places[user_file(tenant)] = USERS / user_file(tenant)
    copied = [
        ["install", "-D", "-m", "0644", str(tenant.folder / FOLDER / name), str(place)]
        for name, place in places.items()
    ]
    return [*copied, ["systemd-sysusers", str(USERS / user_file(tenant))], ["systemctl", "daemon-reload"]]


def must_be_plain(key: str, path: str) -> None:
    """Units have several kinds of quotes, and each line its own; a path that needs any is refused."""
    if set(path) & set(" \t\n\"'\\%:;#$") or not path.startswith("/"):
        raise ConfigError(texts.ODD_PATH(key=key, path=path))


def analysed(tenant: Tenant, folder: Path) -> Iterator[Verdict]:
    """What systemd says of the unit and its drop-in, as they would be installed."""
    with TemporaryDirectory() as place:
        units = Path(place)
        instance = units / unit(tenant)
        (units / dropin(tenant)).parent.mkdir()
        (units / dropin(tenant)).write_bytes((folder / dropin(tenant)).read_bytes())
        instance.write_bytes((folder / TEMPLATE).read_bytes())
        verified = run(["systemd-analyze", "verify", "--man=no", str(instance)])
        # A key that it does not know is told of, and is no error to it: so any word is one.
        is_good = verified.status == 0 and not verified.said
        yield Verdict(by="systemd-analyze verify", is_good=is_good, text=verified.said)
        scored = run(["systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSED}", str(instance)])
        level = next((line for line in scored.out.splitlines() if "Overall exposure" in line), scored.said)
        yield Verdict(by="systemd-analyze security", is_good=scored.status == 0, text=level.strip(" →"))


def unseen(folder: Path) -> str:
    """Why the unit could not see its tenant's folder; nothing if it could."""
    if any(folder.is_relative_to(each) for each in SHUT):
        return texts.UNIT_HIDES_ROOT(folder=folder)
    return ""


def unreachable(release: Path) -> str:
    """Why the tenant's user could not run that release from within the unit; nothing if it could."""
    python = release / ".venv" / "bin" / "python"
    if missing := next((path for path in (python, python.with_name("retinue")) if not path.exists()), None):
        return texts.RELEASE_NOT_INSTALLED(path=missing, release=release)
    for path in (release.resolve(), python.resolve()):
        if any(path.is_relative_to(hidden) for hidden in HIDDEN):
            return texts.UNIT_HIDES_RELEASE(path=path)
        if shut := next((each for each in (path, *path.parents) if not each.stat().st_mode & stat.S_IXOTH), None):
            return texts.RELEASE_SHUT(path=shut)
    return ""


def unnamed(resolvers: Path) -> str:
    """Why the bot could look up no name: the unit shuts this machine's own addresses. Nothing if it could."""
    text = resolvers.read_text(errors="replace") if resolvers.is_file() else ""
    named = re.findall(r"^nameserver\s+([0-9a-fA-F.:]+)", text, re.MULTILINE)
    if not named or any(is_open(each) for each in named):
        return ""
    return texts.RESOLVER_SHUT(path=resolvers, address=named[0])


def is_open(address: str) -> bool:
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    return address in ("127.0.0.53", "127.0.0.54") or not (found.is_loopback or found.is_link_local)
