"""Compose: each tenant is a project with one service, on a machine with Docker or Podman."""

import json
import os
import shlex
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from bot.config import Config
from bot.errors import ConfigError
from bot.tenants.image import engine
from bot.tenants.targets import Command, Verdict, attended, disk, texts
from bot.tenants.targets.programs import first_that_answers, is_there, run
from bot.tenants.targets.templates import rendered
from bot.tenants.tenant import INSIDE, SECRETS, Tenant

FILE = "compose.yaml"
PROGRAMS = (("docker", "compose"), ("docker-compose",), ("podman", "compose"))


class Compose:
    name: ClassVar[str] = "compose"

    def artefacts(
        self, tenant: Tenant, config: Config, secrets: Collection[str], files: Collection[str]
    ) -> Mapping[str, str]:
        named = sorted(secrets)
        values = {
            "project": project(tenant),
            "image": json.dumps(tenant.release),
            "pull_policy": "never" if is_local(tenant.release) else "missing",
            "uid": tenant.uid,
            "secrets": block("secrets", [f"- {{source: {each}, target: {INSIDE}/{SECRETS}/{each}}}" for each in named]),
            "secret_files": block("secrets", [f"{each}: {{file: ./{SECRETS}/{each}}}" for each in named]),
        }
        return {FILE: rendered("compose.yaml", values), **disk.artefacts(tenant)}

    def check(self, tenant: Tenant, folder: Path) -> Iterator[Verdict]:
        program = first_that_answers(PROGRAMS, "version")
        if program is None:
            yield Verdict(by=f"{' '.join(PROGRAMS[0])} config", is_good=None, text=texts.NO_COMPOSE)
        else:
            yield read_by(program, tenant, folder)
        yield linted(tenant, folder)
        yield from disk.check(tenant, folder)

    def start(self, tenant: Tenant) -> list[Command]:
        disk.must_be_mounted(tenant)
        return [compose(tenant, "up", "--detach", "--no-build", "--remove-orphans")]

    def stop(self, tenant: Tenant) -> list[Command]:
        return [compose(tenant, "stop")]

    def is_running(self, tenant: Tenant) -> bool:
        command = compose(tenant, "ps", "--quiet", "--status", "running", "bot")
        outcome = run(command)
        if outcome.status:
            raise ConfigError(texts.FAILED(command=shlex.join(command), reason=outcome.said))
        return bool(outcome.out.strip())

    def inside(self, tenant: Tenant, words: Sequence[str]) -> Command:
        return compose(tenant, "exec", "-T", "bot", "retinue", *words)

    def once(self, tenant: Tenant, words: Sequence[str]) -> Command:
        """Its container stays until the next command or start: removed by `--rm`, Podman would lose its status."""
        disk.must_be_mounted(tenant)
        run = compose(tenant, "run", "-T", "--no-deps", "--remove-orphans", "once", *words)
        look = compose(tenant, "ps", "--all", "--format", "json", "once")
        return [sys.executable, "-P", "-m", attended.__name__, json.dumps(look), json.dumps(run)]

    def probe(self, tenant: Tenant, release: str) -> Command | None:
        """A container of its own, that reaches nothing. Where the engine's own program is not here, it is not tried."""
        try:
            program = engine()
        except ConfigError:
            return None
        pull = "never" if is_local(release) else "missing"
        walls = ["--network", "none", "--read-only", "--cap-drop", "ALL", "--user", f"{tenant.uid}:{tenant.uid}"]
        return [*program, "run", "--rm", "--pull", pull, *walls, release, "--version"]

    def logs(self, tenant: Tenant, *, follow: bool, lines: int) -> Command:
        following = ["--follow"] if follow else []
        return compose(tenant, "logs", "--no-log-prefix", "--tail", str(lines), *following, "bot")

    def remove(self, tenant: Tenant) -> list[Command]:
        """With what still runs of a killed command too: orphans are only those that are known to have ended."""
        return [compose(tenant, "--profile", "once", "down", "--remove-orphans"), *disk.remove(tenant)]

    def next_steps(self, tenant: Tenant) -> list[str]:
        program = first_that_answers(PROGRAMS, "version") or PROGRAMS[0]
        up = [*program, *of(tenant, tenant.folder), "up", "--detach"]
        return [*disk.next_steps(tenant), shlex.join(up)]


def project(tenant: Tenant) -> str:
    return f"retinue-{tenant.name}"


def is_local(image: str) -> bool:
    """Whether it is an image's id, which no registry knows."""
    return image.startswith("sha256:")


def block(key: str, lines: Sequence[str]) -> str:
    """A key of YAML with these lines below it; nothing where there are none."""
    return "\n".join([f"{key}:", *(f"  {line}" for line in lines)]) if lines else ""


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
        raise ConfigError(texts.NO_COMPOSE)
    return [*program, *of(tenant, tenant.folder), *words]


def read_by(program: Sequence[str], tenant: Tenant, folder: Path) -> Verdict:
    """Whether Compose reads it without a word, and all that it mounts is there, which Compose does not look at."""
    outcome = run([*program, *of(tenant, folder), "config", "--format", "json"])
    said = outcome.err.strip()
    if outcome.status == 0 and not said:
        read = json.loads(outcome.out)
        sources = [each["source"] for each in read["services"]["bot"]["volumes"]]
        sources += [each["file"] for each in read.get("secrets", {}).values()]
        said = "\n".join(texts.MOUNT_MISSING(path=each) for each in sources if not os.path.lexists(each))
    return Verdict(by=f"{' '.join(program)} config", is_good=outcome.status == 0 and not said, text=said)


def linted(tenant: Tenant, folder: Path) -> Verdict:
    """What a linter for security finds. It takes an image's id for a tag, which could be another image tomorrow."""
    if not is_there("compose-lint"):
        return Verdict(by="compose-lint", is_good=None, text=texts.INSTALL_COMPOSE_LINT)
    outcome = run(["compose-lint", "check", "--format", "json", "--no-env", str(folder / FILE)])
    try:
        report = json.loads(outcome.out)
    except ValueError:
        return Verdict(by="compose-lint", is_good=False, text=outcome.said)
    taken_amiss = {"CL-0019"} if is_local(tenant.release) else set()
    found = [
        f"{each['rule_id']}: {each['message']}" for each in report["findings"] if each["rule_id"] not in taken_amiss
    ]
    said = "\n".join([*found, *map(str, report["errors"]), *map(str, report["warnings"])])
    return Verdict(by="compose-lint", is_good=not said, text=said)
