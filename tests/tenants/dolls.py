"""A target on which bots of a few lines run: quick enough to try every step of a command, and every kill between two.

A doll's rows are files in the tenant's data: the step of its migrations, and what was taken in. The release says what
it does wrong, as in "2 dies": the first word is the step that it migrates to.
"""

import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from bot.tenants.targets import Command
from bot.tenants.tenant import Tenant
from tests.tenants.papers import Paper

STOPPED, RUNNING = "", "running"


@dataclass
class Dolls(Paper):
    """Whoever asks it for the n-th time what to run is killed before (`killed_at`, from 1; 0: never)."""

    killed_at: int = 0
    asked: int = 0
    said: list[str] = field(default_factory=list)

    def one_more(self, what: str) -> None:
        self.asked += 1
        self.said.append(what)
        if self.asked == self.killed_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def commands_to_start_bot(self, tenant: Tenant) -> list[Command]:
        self.one_more("start")
        return [doll(tenant, "run")]

    def commands_to_stop_bot(self, tenant: Tenant) -> list[Command]:
        self.one_more("stop")
        return [doll(tenant, "stop")]

    def is_running(self, tenant: Tenant) -> bool:
        return state_of(tenant).startswith(RUNNING)

    def retinue_command_while_running(self, tenant: Tenant, words: Sequence[str]) -> Command:
        self.one_more("inside")
        return doll(tenant, *words)

    def retinue_command_while_stopped(self, tenant: Tenant, words: Sequence[str]) -> Command:
        self.one_more("once")
        return doll(tenant, *words)

    def release_version_command(self, tenant: Tenant, release: str) -> Command | None:
        return ["sh", "-c", "echo no such release >&2; exit 125"] if "absent" in release else ["echo", "retinue 2.0"]

    def logs_command(self, tenant: Tenant, *, follow: bool, lines: int) -> Command:
        return ["printf", r"one\ntwo \033[31mred\n"]

    def commands_to_remove_deployment(self, tenant: Tenant) -> list[Command]:
        self.one_more("remove")
        return [doll(tenant, "stop")]


def state_of(tenant: Tenant) -> str:
    with suppress(FileNotFoundError):
        return (tenant.folder / "data/state").read_text().strip()
    return STOPPED


def doll(tenant: Tenant, *words: str) -> Command:
    """A shell's few lines: Python would take a hundred times as long to begin."""
    release = tenant.release.split()
    return [
        "sh",
        str(Path(__file__).with_name("doll.sh")),
        str(tenant.folder / "data"),
        release[0],
        " ".join(release[1:]),
        *words,
    ]
