"""How a server's program is confined. The sandbox itself is given from outside."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bot.mcp_client import texts


class WrapCommand(Protocol):
    """Return the command that runs another one in the sandbox. That sees the system's programs, one folder of its own
    and the `read_only` paths. The environment in which the command is started holds nothing but what it may have."""

    def __call__(
        self, command: Sequence[str], *, folder: Path, read_only: Sequence[Path], network: bool
    ) -> Sequence[str]: ...


def find_missing_sandbox() -> str | None:
    return texts.NO_SANDBOX_AT_ALL


def fail_to_wrap(command: Sequence[str], *, folder: Path, read_only: Sequence[Path], network: bool) -> Sequence[str]:
    raise AssertionError("there is no sandbox")


@dataclass(frozen=True, slots=True)
class Sandbox:
    wrap: WrapCommand = fail_to_wrap
    find_fault: Callable[[], str | None] = find_missing_sandbox  # why none can start here; None: it can


NO_SANDBOX = Sandbox()
