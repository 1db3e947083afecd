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

from bot.config.config_file import read_config_file_layer
from bot.core.errors import ConfigError
from bot.tenants.programs import run_checked, run_program
from bot.tenants.targets import Command, ValidatorVerdict, disk, render_template, texts
from bot.tenants.targets.disk import TENANT_UNITS_FOLDER_NAME, UNITS_FOLDER
from bot.tenants.tenant import CONFIG, DISK_FOLDER, SECRETS, Tenant

TEMPLATE_UNIT_NAME = "retinue@.service"
SYSUSERS_FOLDER = Path("/etc/sysusers.d")
# The unit's own settings hide these folders from it.
HIDDEN_FOLDERS = tuple(map(Path, ("/home", "/root", "/run/user", "/tmp", "/var/tmp")))
FOLDERS_HIDING_MOUNTS = HIDDEN_FOLDERS[:3]  # bind mounts below them are hidden too: ProtectHome= drops them
RESOLV_CONF_FILE = Path("/etc/resolv.conf")
COMMAND_MEMORY_BYTES = 1 << 30  # memory for a command beside the bot: its rows may have any size
MAX_SECURITY_EXPOSURE_TENTHS = 15  # tenths: the highest exposure that systemd-analyze may report
MAX_EXPOSURE_TENTHS_WITH_SHELL = 25
SHELL_TEMPLATE = "systemd/shell.conf"


class Systemd:
    def render_artefacts(self, tenant: Tenant, secrets: Collection[str], files: Collection[str]) -> Mapping[str, str]:
        credentials = [f"LoadCredential={each}:{tenant.folder / SECRETS / each}" for each in sorted(secrets)]
        values = {
            "name": tenant.name,
            "folder": tenant.folder,
            "root": tenant.folder.parent,
            "user": unix_user_name(tenant),
            "uid": tenant.uid,
            "release": tenant.release,
            "disk": f"RequiresMountsFor={tenant.folder / DISK_FOLDER}" if tenant.disk else "",
            "credentials": "\n".join(credentials),
        }
        # Each line of a unit has its own rules for quotes, so a path must need none.
        for key, path in (("folder", str(tenant.folder)), ("release", tenant.release)):
            if set(path) & set(" \t\n\"'\\%:;#$") or not path.startswith("/"):
                raise ConfigError(texts.ODD_PATH(key=key, path=path))
        templates = {
            TEMPLATE_UNIT_NAME: "systemd/retinue@.service",
            dropin_path(tenant, "tenant"): "systemd/tenant.conf",
            f"{unix_user_name(tenant)}.conf": "systemd/user.conf",
            dropin_path(tenant, "shell"): SHELL_TEMPLATE,
        }
        return {
            **{
                f"{TENANT_UNITS_FOLDER_NAME}/{path}": render_template(templates[path], values)
                for path in installed_unit_and_user_paths(tenant)
            },
            **disk.render_mount_unit_artefact(tenant),
        }

    def run_validators(self, tenant: Tenant, folder: Path) -> Iterator[ValidatorVerdict]:
        with TemporaryDirectory() as units:  # as they would be installed
            instance, dropin = Path(units) / service_unit_name(tenant), dropin_path(tenant, "tenant")
            shutil.copytree((folder / TENANT_UNITS_FOLDER_NAME / dropin).parent, (Path(units) / dropin).parent)
            shutil.copyfile(folder / TENANT_UNITS_FOLDER_NAME / TEMPLATE_UNIT_NAME, instance)
            yield disk.verify_systemd_unit(instance)
            if shutil.which("systemd-analyze"):
                most = MAX_EXPOSURE_TENTHS_WITH_SHELL if tenant.shell else MAX_SECURITY_EXPOSURE_TENTHS
                options = ["--offline=true", f"--threshold={most}"]
                scored = run_program(["systemd-analyze", "security", *options, str(instance)])
                level = next((line for line in scored.out.splitlines() if "Overall exposure" in line), scored.output)
                yield ValidatorVerdict("systemd-analyze security", scored.status == 0, level.strip(" →"))
        yield from disk.validate_mount_unit(tenant, folder)

    def commands_to_start_bot(self, tenant: Tenant) -> list[Command]:
        disk.require_mounted_disk(tenant)
        if said := why_folder_is_hidden(tenant.folder) or why_release_is_unreachable(Path(tenant.release)):
            raise ConfigError(said)
        return commands_to_install_and_start(tenant)

    def commands_to_stop_bot(self, tenant: Tenant) -> list[Command]:
        is_installed = (UNITS_FOLDER / TEMPLATE_UNIT_NAME).exists()
        return [["systemctl", "disable", "--now", service_unit_name(tenant)]] if is_installed else []

    def is_running(self, tenant: Tenant) -> bool:
        command = ["systemctl", "show", "--property", "ActiveState", "--value", service_unit_name(tenant)]
        return run_checked(command) not in ("inactive", "failed")

    def retinue_command_while_running(self, tenant: Tenant, words: Sequence[str]) -> Command:
        """Return a command outside the unit: as its user, unprivileged, in limited memory and a clean environment."""
        settings = [f"RETINUE_CONFIG={tenant.folder / CONFIG}", "HOME=/", "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"]
        ids = [f"--reuid={tenant.uid}", f"--regid={tenant.uid}", "--clear-groups"]
        rights = ["--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"]
        limits = ["prlimit", f"--data={COMMAND_MEMORY_BYTES}", "--core=0", "--"]
        retinue = ["setpriv", *ids, *rights, "--", f"{tenant.release}/.venv/bin/retinue", *words]
        return ["env", "--ignore-environment", "--chdir=/", *settings, *limits, *retinue]

    def retinue_command_while_stopped(self, tenant: Tenant, words: Sequence[str]) -> Command:
        disk.require_mounted_disk(tenant)
        return self.retinue_command_while_running(tenant, words)

    def release_version_command(self, tenant: Tenant, release: str) -> Command | None:
        return self.retinue_command_while_running(replace(tenant, release=release), ["--version"])

    def logs_command(self, tenant: Tenant, *, follow: bool, lines: int) -> Command:
        shown = ["-u", service_unit_name(tenant), "-n", str(lines), *(["--follow"] if follow else [])]
        return ["journalctl", "--no-pager", "--output", "cat", *shown]

    def commands_to_remove_deployment(self, tenant: Tenant) -> list[Command]:
        """Return the commands that remove the unit and user, and the template if no other tenant needs it."""
        template, dropin, user, *_ = installed_unit_and_user_paths(tenant).values()
        others = set(UNITS_FOLDER.glob("retinue@*.service.d")) - {dropin.parent}
        gone = [dropin.parent, user, *([] if others else [template])]
        there = [["rm", "-rf", str(each)] for each in gone if each.exists()]
        users = []
        with suppress(KeyError):  # there is no such user
            users.append(["userdel", pwd.getpwnam(unix_user_name(tenant)).pw_name])
        reload = [["systemctl", "daemon-reload"]] if there else []
        return [*self.commands_to_stop_bot(tenant), *there, *reload, *users, *disk.commands_to_unmount_disk(tenant)]

    def operator_start_steps(self, tenant: Tenant) -> list[str]:
        release = Path(tenant.release)
        said = [why_folder_is_hidden(tenant.folder), why_release_is_unreachable(release)]
        said += [why_dns_names_are_unresolvable(RESOLV_CONF_FILE), why_named_hosts_are_unreachable(tenant)]
        commands = map(shlex.join, commands_to_install_and_start(tenant))
        return [*(f"# {each}" for each in said if each), *disk.operator_mount_steps(tenant), *commands]


def service_unit_name(tenant: Tenant) -> str:
    return f"retinue@{tenant.name}.service"


def unix_user_name(tenant: Tenant) -> str:
    return f"retinue-{tenant.uid}"


def installed_unit_and_user_paths(tenant: Tenant) -> dict[str, Path]:
    """Return where the template unit, the tenant's drop-ins and its user's file are installed, by its tenant path."""
    dropin, user = dropin_path(tenant, "tenant"), f"{unix_user_name(tenant)}.conf"
    shell = [dropin_path(tenant, "shell")] if tenant.shell else []
    return {
        TEMPLATE_UNIT_NAME: UNITS_FOLDER / TEMPLATE_UNIT_NAME,
        dropin: UNITS_FOLDER / dropin,
        user: SYSUSERS_FOLDER / user,
        **{each: UNITS_FOLDER / each for each in shell},
    }


def dropin_path(tenant: Tenant, name: str) -> str:
    return f"{service_unit_name(tenant)}.d/{name}.conf"


def commands_to_install_and_start(tenant: Tenant) -> list[Command]:
    """Return the commands that start the unit. They copy it: systemd reads units before it has mounted all folders."""
    paths = installed_unit_and_user_paths(tenant)
    _, _, user, *_ = paths.values()
    install = ["install", "-D", "-m", "0644"]
    return [
        *([*install, str(tenant.folder / TENANT_UNITS_FOLDER_NAME / name), str(path)] for name, path in paths.items()),
        ["systemd-sysusers", str(user)],
        ["systemctl", "daemon-reload"],
        ["systemctl", "enable", "--now", service_unit_name(tenant)],
    ]


def why_folder_is_hidden(folder: Path) -> str:
    """Return why the unit could not see its tenant's folder, or an empty string if it could."""
    is_hidden = any(folder.is_relative_to(each) for each in FOLDERS_HIDING_MOUNTS)
    return texts.UNIT_HIDES_ROOT(folder=folder) if is_hidden else ""


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


def why_dns_names_are_unresolvable(resolvers: Path) -> str:
    """Return why the bot could not resolve names, or an empty string. The unit blocks the machine's own addresses."""
    text = resolvers.read_text(errors="replace") if resolvers.is_file() else ""
    named = re.findall(r"^nameserver\s+([0-9a-fA-F.:]+)", text, re.MULTILINE)
    if not named or any(is_allowed_resolver(each) for each in named):
        return ""
    return texts.RESOLVER_SHUT(path=resolvers, address=named[0])


def why_named_hosts_are_unreachable(tenant: Tenant) -> str:
    """Return why no program in a sandbox could reach the hosts that the config names, or an empty string. The unit's
    filter of packets holds in the network of a sandbox, too."""
    path = tenant.folder / CONFIG
    if not (tenant.shell and path.is_file()):
        return ""
    config = read_config_file_layer(path).values
    programs = [config.get("shell", {}), *config.get("mcp", {}).get("servers", {}).values()]
    return texts.NAMED_HOSTS_SHUT(path=path) if any(each.get("hosts") for each in programs) else ""


def is_allowed_resolver(address: str) -> bool:
    """Return True if the unit may ask that address for names."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    return address in ("127.0.0.53", "127.0.0.54") or not (found.is_loopback or found.is_link_local)
