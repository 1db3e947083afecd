"""Compose target: each tenant is a project with one service, on a machine with Docker or Podman."""

import json
import os
import shlex
import shutil
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from bot.core.errors import ConfigError
from bot.tenants.image import find_container_engine
from bot.tenants.programs import run_checked, run_program
from bot.tenants.targets import Command, ValidatorVerdict, compose_run, disk, render_template, texts
from bot.tenants.tenant import CONTAINER_FOLDER, SECRETS, SHELL_BY_PROFILE, Tenant

COMPOSE_FILE = "compose.yaml"
SECCOMP_FILE = "seccomp.json"  # beside it, for a tenant with a shell
MEMORY, MEMORY_WITH_SHELL = "512m", "1g"
COMPOSE_PROGRAMS = (("docker", "compose"), ("docker-compose",), ("podman", "compose"))


class Compose:
    def render_artefacts(self, tenant: Tenant, secrets: Collection[str], files: Collection[str]) -> Mapping[str, str]:
        inside = CONTAINER_FOLDER / SECRETS
        mounted = [f"\n  - {{source: {each}, target: {inside / each}}}" for each in sorted(secrets)]
        files_here = [f"\n  {each}: {{file: ./{SECRETS}/{each}}}" for each in sorted(secrets)]
        values = {
            "project": compose_project_name(tenant),
            "image": json.dumps(tenant.release),
            "pull_policy": pull_policy(tenant.release),
            "uid": tenant.uid,
            "seccomp": f', "seccomp:./{SECCOMP_FILE}"' if tenant.shell == SHELL_BY_PROFILE else "",
            "memory": MEMORY_WITH_SHELL if tenant.shell else MEMORY,
            "secrets": "".join(["secrets:", *mounted]) if secrets else "",
            "secret_files": "".join(["secrets:", *files_here]) if secrets else "",
        }
        profile = {SECCOMP_FILE: render_template(SECCOMP_FILE, {})} if tenant.shell == SHELL_BY_PROFILE else {}
        compose = {COMPOSE_FILE: render_template("compose.yaml", values)}
        return {**compose, **profile, **disk.render_mount_unit_artefact(tenant)}

    def run_validators(self, tenant: Tenant, folder: Path) -> Iterator[ValidatorVerdict]:
        yield validate_compose_file(tenant, folder)
        yield lint_compose_file(tenant, folder)
        yield from disk.validate_mount_unit(tenant, folder)

    def commands_to_start_bot(self, tenant: Tenant) -> list[Command]:
        disk.require_mounted_disk(tenant)
        return [compose_command(tenant, "up", "--detach", "--no-build", "--remove-orphans")]

    def commands_to_stop_bot(self, tenant: Tenant) -> list[Command]:
        return [compose_command(tenant, "stop")]

    def is_running(self, tenant: Tenant) -> bool:
        return bool(run_checked(compose_command(tenant, "ps", "--quiet", "--status", "running", "bot")))

    def retinue_command_while_running(self, tenant: Tenant, words: Sequence[str]) -> Command:
        return compose_command(tenant, "exec", "-T", "bot", "retinue", *words)

    def retinue_command_while_stopped(self, tenant: Tenant, words: Sequence[str]) -> Command:
        """Return a `compose run` command. It has no `--rm`: with that, Podman would lose the exit status."""
        disk.require_mounted_disk(tenant)
        run = compose_command(tenant, "run", "-T", "--no-deps", "--remove-orphans", "once", *words)
        look = compose_command(tenant, "ps", "--all", "--format", "json", "once")
        return [sys.executable, "-P", "-m", compose_run.__name__, json.dumps(look), json.dumps(run)]

    def release_version_command(self, tenant: Tenant, release: str) -> Command | None:
        """Return a command without network or data, or None if neither docker nor podman answers."""
        try:
            program = find_container_engine()
        except ConfigError:
            return None
        walls = ["--network", "none", "--read-only", "--cap-drop", "ALL", "--user", f"{tenant.uid}:{tenant.uid}"]
        return [*program, "run", "--rm", "--pull", pull_policy(release), *walls, release, "--version"]

    def logs_command(self, tenant: Tenant, *, follow: bool, lines: int) -> Command:
        following = ["--follow"] if follow else []
        return compose_command(tenant, "logs", "--no-log-prefix", "--tail", str(lines), *following, "bot")

    def commands_to_remove_deployment(self, tenant: Tenant) -> list[Command]:
        """Return the commands that remove the project, with `once` containers that still run, and unmount its disk."""
        down = compose_command(tenant, "--profile", "once", "down", "--remove-orphans")
        return [down, *disk.commands_to_unmount_disk(tenant)]

    def operator_start_steps(self, tenant: Tenant) -> list[str]:
        program = find_compose_program(os.environ.get("PATH", "")) or COMPOSE_PROGRAMS[0]
        up = [*program, *compose_project_arguments(tenant, tenant.folder), "up", "--detach"]
        return [*disk.operator_mount_steps(tenant), shlex.join(up)]


def compose_project_name(tenant: Tenant) -> str:
    return f"retinue-{tenant.name}"


def pull_policy(image: str) -> str:
    """Return when Compose pulls the image: never if it is an image id, which no registry knows."""
    return "never" if image.startswith("sha256:") else "missing"


def compose_project_arguments(tenant: Tenant, folder: Path) -> list[str]:
    """Return the arguments that fix the project, regardless of a `.env` file or the environment."""
    place = ["--project-directory", str(folder), "--env-file", "/dev/null", "-f", str(folder / COMPOSE_FILE)]
    return ["-p", compose_project_name(tenant), *place]


@cache
def find_compose_program(path: str) -> tuple[str, ...] | None:
    """Return the first of COMPOSE_PROGRAMS that answers, or None. `path` is the PATH to search. It is cached."""
    there = (words for words in COMPOSE_PROGRAMS if shutil.which(words[0], path=path))
    return next((words for words in there if run_program([*words, "version"]).status == 0), None)


def compose_command(tenant: Tenant, *words: str) -> Command:
    """Return a Compose command for the tenant's project. Raise ConfigError if there is no Compose here."""
    program = find_compose_program(os.environ.get("PATH", ""))
    if program is None:
        raise ConfigError(texts.NO_COMPOSE)
    return [*program, *compose_project_arguments(tenant, tenant.folder), *words]


def validate_compose_file(tenant: Tenant, folder: Path) -> ValidatorVerdict:
    """Return the verdict of `compose config`, without warnings. Also check that the mounted files exist."""
    program = find_compose_program(os.environ.get("PATH", ""))
    by = f"{' '.join(program or COMPOSE_PROGRAMS[0])} config"
    if program is None:
        return ValidatorVerdict(by, None, texts.NO_COMPOSE)
    outcome = run_program([*program, *compose_project_arguments(tenant, folder), "config", "--format", "json"])
    said = outcome.err.strip()
    if outcome.status == 0 and not said:
        read = json.loads(outcome.out)
        sources = [each["source"] for each in read["services"]["bot"]["volumes"]]
        sources += [each["file"] for each in read.get("secrets", {}).values()]
        said = "\n".join(texts.MOUNT_MISSING(path=each) for each in sources if not os.path.lexists(each))
    return ValidatorVerdict(by, outcome.status == 0 and not said, said)


def lint_compose_file(tenant: Tenant, folder: Path) -> ValidatorVerdict:
    """Return the security linter's verdict. Ignore its rule on changing tags for an image id, which cannot change."""
    if not shutil.which("compose-lint"):
        return ValidatorVerdict("compose-lint", None, texts.INSTALL_COMPOSE_LINT)
    outcome = run_program(["compose-lint", "check", "--format", "json", "--no-env", str(folder / COMPOSE_FILE)])
    try:
        report = json.loads(outcome.out)
    except ValueError:
        return ValidatorVerdict("compose-lint", False, outcome.output)
    ignored = "CL-0019" if tenant.release.startswith("sha256:") else None
    findings = [each for each in report["findings"] if each["rule_id"] != ignored]
    found = [f"{each['rule_id']}: {each['message']}" for each in findings]
    said = "\n".join([*found, *map(str, report["errors"]), *map(str, report["warnings"])])
    return ValidatorVerdict("compose-lint", not said, said)
