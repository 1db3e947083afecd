"""Compose: each tenant is a project with one service, on a machine with Docker or Podman."""

import json
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from bot.config import Config
from bot.errors import ConfigError
from bot.tenants.targets import Command, Verdict, disk
from bot.tenants.targets.programs import Outcome, first_that_answers, is_there, run
from bot.tenants.targets.templates import rendered
from bot.tenants.tenant import SECRETS, Tenant

FILE = "compose.yaml"
PROGRAMS = (("docker", "compose"), ("docker-compose",), ("podman", "compose"))
MISSING = "no Compose here: install Docker with its Compose plugin, or docker-compose beside Podman"


class Compose:
    name: ClassVar[str] = "compose"

    def artefacts(self, tenant: Tenant, config: Config, secrets: Collection[str]) -> Mapping[str, str]:
        values = {
            "project": project(tenant),
            "image": json.dumps(tenant.release),
            "pull_policy": "never" if is_local(tenant.release) else "missing",
            "uid": tenant.uid,
            "secrets": "\n".join(mounted(name) for name in sorted(secrets)),
        }
        return {FILE: rendered("compose.yaml", values), **disk.artefacts(tenant)}

    def check(self, tenant: Tenant, folder: Path) -> Iterator[Verdict]:
        program = first_that_answers(PROGRAMS, "version")
        by = f"{' '.join(program or PROGRAMS[0])} config"
        if program is None:
            yield Verdict(by=by, is_good=None, text=MISSING)
        else:
            yield verdict(by, run([*program, *of(tenant, folder), "config", "--quiet"]))
        if is_there("compose-lint"):
            yield verdict("compose-lint", run(["compose-lint", "--fail-on", "medium", str(folder / FILE)]))
        else:
            yield Verdict(by="compose-lint", is_good=None, text="pip install compose-lint")
        yield from disk.check(tenant, folder)

    def start(self, tenant: Tenant) -> list[Command]:
        disk.must_be_mounted(tenant)
        return [compose(tenant, "up", "--detach", "--no-build")]

    def stop(self, tenant: Tenant) -> list[Command]:
        return [compose(tenant, "stop")]

    def is_running(self, tenant: Tenant) -> bool:
        command = compose(tenant, "ps", "--quiet", "--status", "running", "bot")
        outcome = run(command)
        if outcome.status:
            raise ConfigError(f"{shlex.join(command)}: {outcome.said}")
        return bool(outcome.out.strip())

    def inside(self, tenant: Tenant, words: Sequence[str]) -> Command:
        return compose(tenant, "exec", "-T", "bot", "retinue", *words)

    def once(self, tenant: Tenant, words: Sequence[str]) -> Command:
        disk.must_be_mounted(tenant)
        name = f"{project(tenant)}-once"  # a name of its own: two at a time on the same data would be a mistake
        return compose(tenant, "run", "--rm", "-T", "--no-deps", "--name", name, "bot", *words)

    def logs(self, tenant: Tenant, *, follow: bool, lines: int) -> Command:
        following = ["--follow"] if follow else []
        return compose(tenant, "logs", "--no-log-prefix", "--tail", str(lines), *following, "bot")

    def remove(self, tenant: Tenant) -> list[Command]:
        return [compose(tenant, "down", "--remove-orphans"), *disk.remove(tenant)]

    def next_steps(self, tenant: Tenant) -> list[str]:
        program = first_that_answers(PROGRAMS, "version") or PROGRAMS[0]
        up = [*program, *of(tenant, tenant.folder), "up", "--detach"]
        return [*disk.next_steps(tenant), shlex.join(up)]


def project(tenant: Tenant) -> str:
    return f"retinue-{tenant.name}"


def is_local(image: str) -> bool:
    """Whether it is an image's id, which no registry knows."""
    return image.startswith("sha256:")


def mounted(secret: str) -> str:
    """One file, for reading; its owner is the tenant's, since a container sees a file with the owner it has outside."""
    source, target = f"./{SECRETS}/{secret}", f"/tenant/{SECRETS}/{secret}"
    return f"- {{type: bind, source: {source}, target: {target}, read_only: true, bind: {{create_host_path: false}}}}"


def of(tenant: Tenant, folder: Path) -> list[str]:
    """What makes a command one about this project, whatever a `.env` or the environment says."""
    return [
        "-p",
        project(tenant),
        "--project-directory",
        str(folder),
        "--env-file",
        "/dev/null",
        "-f",
        str(folder / FILE),
    ]


def compose(tenant: Tenant, *words: str) -> Command:
    program = first_that_answers(PROGRAMS, "version")
    if program is None:
        raise ConfigError(MISSING)
    return [*program, *of(tenant, tenant.folder), *words]


def verdict(by: str, outcome: Outcome) -> Verdict:
    return Verdict(by=by, is_good=outcome.status == 0, text=outcome.said)
