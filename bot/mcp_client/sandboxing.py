"""How a server's program is confined. The sandbox itself is given from outside."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bot.core.sandbox import sandbox_fault, sandboxed_command
from bot.mcp_client import texts


class WrapCommand(Protocol):
    """Return the command that runs another one in the sandbox. That sees the system's programs, one folder of its own
    and the `read_only` paths. On `listener`, a descriptor, it hands out the socket where its proxy is to listen. The
    environment in which the command is started holds nothing but what it may have."""

    def __call__(
        self, command: Sequence[str], *, folder: Path, read_only: Sequence[Path], network: bool, listener: int | None
    ) -> Sequence[str]: ...


def find_missing_sandbox() -> str | None:
    return texts.NO_SANDBOX_AT_ALL


def fail_to_wrap(
    command: Sequence[str], *, folder: Path, read_only: Sequence[Path], network: bool, listener: int | None
) -> Sequence[str]:
    raise AssertionError("there is no sandbox")


def wrap_in_bubblewrap(
    command: Sequence[str], *, folder: Path, read_only: Sequence[Path], network: bool, listener: int | None
) -> Sequence[str]:
    # The environment holds secrets, and a command line can be read by everybody on the machine.
    return sandboxed_command(
        command,
        folder=folder,
        env={},
        network=network,
        keeps_environment=True,
        read_only=read_only,
        listener_descriptor=listener,
    )


@dataclass(frozen=True, slots=True)
class Sandbox:
    wrap: WrapCommand = wrap_in_bubblewrap
    find_fault: Callable[[], str | None] = sandbox_fault  # why none can start here; None: it can; this may block


BUBBLEWRAP = Sandbox()
NO_SANDBOX = Sandbox(fail_to_wrap, find_missing_sandbox)
