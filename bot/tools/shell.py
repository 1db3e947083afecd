"""The tool that runs commands: bash in a sandbox, in the workspace of the turn. Of the network it reaches no more than
named hosts, through the bot's proxy."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated

from bot.core.acts import ActKind, Critical, Effect, Effects, Part
from bot.core.call_progress import MAX_LINE_CHARACTERS, TERMINAL_SEQUENCE, ReportProgress
from bot.core.errors import ToolError
from bot.core.host_proxy import Exit, HostProxy
from bot.core.named_hosts import NO_HOSTS, NamedHosts, hosts_in_both, names_of_hosts
from bot.core.rights import Right
from bot.core.role import Role
from bot.core.sandbox import MEGABYTE, SandboxLimits, sandboxed_command
from bot.core.sandbox.usage import TotalLimits
from bot.core.settings import ShellSettings
from bot.core.sources import Source
from bot.core.texts import escape_unprintable, logs
from bot.core.turn import CallKind, Turn
from bot.tools import Arguments, Tool, ToolContext, texts, tool
from bot.tools.protected_entries import SET_ASIDE_ENDING, ProtectedEntries, settle_interrupted_runs
from bot.tools.sandboxed_run import FinishedRun, StopReason, run_command
from bot.tools.workspace_scope import MakeFolderTools

log = logging.getLogger(__name__)

SHELL_TOOL_NAMES = frozenset({"shell"})
DEFAULT_SECONDS = 60
MAX_COMMAND_CHARACTERS = 20_000  # far below what the system takes as one argument
MAX_HEAD_CHARACTERS, MAX_TAIL_CHARACTERS = 9_000, 19_000  # as the model reads them, with what is escaped
MAX_SHOWN_PATHS = 20  # of those that were renamed
LINE_ENDS = b"\r\n"
SPARE_SECONDS = 5  # after the limit, until a sandbox ends by itself, even if the bot cannot end it
EFFECTS = frozenset(
    {
        *(Effect.RUNS_CODE, Effect.REPLACES, Effect.MAKES_NEW, Effect.DESTROYS),
        *(Effect.READS_PRIVATE, Effect.READS_UNTRUSTED),
    }
)


FindRole = Callable[[Turn], Role | None]


def find_no_role(turn: Turn) -> None:
    """Return nothing, where no hosts are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellNetwork:
    """What commands may reach: hosts that both the operator and the file of the turn's role name."""

    hosts: NamedHosts = NO_HOSTS  # of the operator
    find_role: FindRole = find_no_role
    proxy: HostProxy = field(default_factory=HostProxy)

    def hosts_of_turn(self, turn: Turn) -> NamedHosts:
        role = self.find_role(turn) if self.hosts else None
        return hosts_in_both(role.hosts, self.hosts) if role else NO_HOSTS


NO_NETWORK = ShellNetwork()


def shell_tools(
    settings: ShellSettings, hidden: Sequence[Path], notes: Path | None = None, network: ShellNetwork = NO_NETWORK
) -> MakeFolderTools:
    """Return what makes the tool for one workspace. `hidden` are paths that no command sees, wherever they are. `notes`
    is a folder for what must be known of a command after the bot was killed; what it has is settled now."""
    if notes:
        for path in settle_interrupted_runs(notes, settings.max_seconds + SPARE_SECONDS):
            log.warning("%s", logs.SET_ASIDE_AFTER_KILL(path=escape_unprintable(path)))

    locks = dict[Path, asyncio.Lock]()

    def make(workspace: Path) -> Sequence[Tool]:
        running = ShellTool(workspace, settings, hidden, notes, network)
        locks[workspace] = running.lock = find_lock(locks, workspace) or running.lock
        made = tool(
            kind=CallKind.CHANGE,
            effects=EFFECTS | ({Effect.SENDS_OUT} if network.hosts else set()),
            find_effects=running.find_effects,
            find_hosts=running.find_hosts,
            acts={ActKind.RUN},
            critical_arguments={"command": Critical(Part.VALUE)},
            uncritical_arguments={"timeout"},
            needed_right=Right.SHELL,
            time_limit_seconds=settings.max_seconds + SPARE_SECONDS,
            untrusted_source=Source.FILES,
            private_source=Source.PRIVATE_FILES,
        )(running.shell)
        return [replace(made, description=describe_tool(made.description, network.hosts))]

    return make


def describe_tool(description: str, hosts: NamedHosts) -> str:
    """Return what the model reads about the tool, with the hosts that the operator names."""
    reached = texts.NETWORK_BY_PROXY(hosts=names_of_hosts(hosts))
    return description.replace(texts.NO_NETWORK, reached) if hosts else description


def find_lock(locks: Mapping[Path, asyncio.Lock], workspace: Path) -> asyncio.Lock | None:
    """Return the lock of a workspace that contains this one or lies in it."""
    return next(
        (lock for path, lock in locks.items() if path.is_relative_to(workspace) or workspace.is_relative_to(path)), None
    )


class ShellTool:
    """The function of the tool. Commands in one workspace, and in those within it, run one at a time: files with
    protected names that appear meanwhile are theirs, and none becomes a link while a sandbox is made of it."""

    def __init__(
        self,
        workspace: Path,
        settings: ShellSettings,
        hidden: Sequence[Path],
        notes: Path | None = None,
        network: ShellNetwork = NO_NETWORK,
    ) -> None:
        self.workspace = workspace
        self.settings = settings
        self.hidden = hidden
        name = hashlib.sha256(os.fsencode(workspace)).hexdigest()[:32]
        self.note = notes / f"{name}.json" if notes else None
        self.network = network
        self.lock = asyncio.Lock()

    async def shell(
        self,
        context: ToolContext,
        command: Annotated[str, "for bash, as: cd app && python3 -m unittest"],
        timeout: Annotated[int | None, "seconds; 60 if left out"] = None,  # noqa: ASYNC109 (the model's name for it)
    ) -> str:
        """Run a command in a sandbox, in the workspace (/work). Use it for tests, builds and programs that files need;
        to read, search or change files, use their own tools. There is no network, and what runs in the background ends
        with the command. Returns the exit status and the output; of a long one, its beginning and its end."""
        require_valid_command(command)
        seconds = min(DEFAULT_SECONDS, self.settings.max_seconds) if timeout is None else timeout
        if not 1 <= seconds <= self.settings.max_seconds:
            raise ToolError(texts.TIMEOUT_OUT_OF_RANGE(most=self.settings.max_seconds))
        async with self.lock, self.open_exit(context) as way:
            before = await asyncio.to_thread(self.find_protected_entries)
            try:
                listener = way.descriptor if way else None
                read_only = await asyncio.to_thread(before.list_read_only_paths)
                make = partial(self.sandboxed, command, read_only, seconds, listener)
                shown = ProgressOfOutput(context.report_progress)
                inherited = [listener] if listener else []
                done = await run_command(make, self.total_limits(), seconds, inherited, shown.add)
            except (RuntimeError, OSError) as error:
                raise ToolError(texts.NO_SANDBOX_NOW(reason=error)) from None
            finally:
                renamed = await asyncio.to_thread(self.set_new_ones_aside, before)
        return self.describe_run(done, renamed, seconds, way.refused if way else ())

    @asynccontextmanager
    async def open_exit(self, context: ToolContext) -> AsyncIterator[Exit | None]:
        """Yield the exit to the hosts that the turn may reach; None if there are none."""
        if not self.network.hosts or not (hosts := self.network.hosts_of_turn(context.turn)):
            yield None
            return
        async with self.network.proxy.open_exit("shell", hosts, texts.SHELL_SETTING) as found:
            yield found

    async def find_effects(self, context: ToolContext, arguments: Arguments) -> Effects:
        return EFFECTS | {Effect.SENDS_OUT} if self.find_hosts(context) else EFFECTS

    def find_hosts(self, context: ToolContext) -> str:
        return names_of_hosts(self.network.hosts_of_turn(context.turn)) if self.network.hosts else ""

    def find_protected_entries(self) -> ProtectedEntries:
        """Return what the workspace has of protected names, and note it. Raise ToolError if the disk takes no note."""
        found = ProtectedEntries.find(self.workspace)
        try:
            if self.note:
                found.save(self.note)
        except OSError as error:
            raise ToolError(texts.NO_SANDBOX_NOW(reason=error.strerror)) from None
        return found

    def set_new_ones_aside(self, before: ProtectedEntries) -> list[str]:
        renamed = before.set_new_ones_aside()
        if self.note:
            with suppress(OSError):
                self.note.unlink(missing_ok=True)
        return renamed

    def sandboxed(
        self, command: str, read_only: Sequence[str], seconds: int, listener: int | None, descriptor: int
    ) -> Sequence[str]:
        settings = self.settings
        return sandboxed_command(
            ["bash", "-c", command],
            folder=self.workspace,
            env={},
            read_only=settings.programs,
            read_only_inside=read_only,
            info_descriptor=descriptor,
            listener_descriptor=listener,
            hidden=self.hidden,
            limits=SandboxLimits(
                seconds=seconds + SPARE_SECONDS,
                cpu_seconds=seconds + SPARE_SECONDS,
                processes=settings.max_processes,
                memory_megabytes=settings.memory_megabytes,
                file_megabytes=settings.disk_megabytes,
                temporary_megabytes=max(1, settings.memory_megabytes // 4),
            ),
        )

    def total_limits(self) -> TotalLimits:
        return TotalLimits(
            processes=self.settings.max_processes,
            memory_bytes=self.settings.memory_megabytes * MEGABYTE,
            written_bytes=self.settings.disk_megabytes * MEGABYTE,
        )

    def describe_run(
        self, done: FinishedRun, renamed: Sequence[str], seconds: int, refused: Collection[str] = ()
    ) -> str:
        """Return what the model reads."""
        lines = [self.describe_end(done, seconds)]
        if refused:
            lines.append(texts.HOSTS_REFUSED(places=", ".join(refused)))
        if renamed:
            shown = [escape_unprintable(path, 200) for path in renamed[:MAX_SHOWN_PATHS]]
            paths = ", ".join([*shown, *(["…"] if len(renamed) > MAX_SHOWN_PATHS else [])])
            lines.append(texts.SET_ASIDE(paths=paths, ending=SET_ASIDE_ENDING))
        return "\n".join([*lines, describe_output(done) or texts.NO_OUTPUT])

    def describe_end(self, done: FinishedRun, seconds: int) -> str:
        if done.stopped is None:
            return texts.COMMAND_ENDED(status=done.status, seconds=done.seconds)
        limit_by_reason = {
            StopReason.TIME: seconds,
            StopReason.PROCESSES: self.settings.max_processes,
            StopReason.MEMORY: self.settings.memory_megabytes,
            StopReason.DISK: self.settings.disk_megabytes,
        }
        text = texts.COMMAND_STOPPED[done.stopped.value]
        return text(seconds=done.seconds, limit=limit_by_reason[done.stopped])


class ProgressOfOutput:
    """Report the newest line of an output that comes in pieces. That costs little, however fast they come: only the
    end of a piece is looked at, and of a line only its beginning."""

    def __init__(self, report_progress: ReportProgress) -> None:
        self.report_progress = report_progress
        self.unfinished_line = b""

    def add(self, piece: bytes) -> None:
        output = self.unfinished_line + piece
        said = output.rstrip(LINE_ENDS)
        begin = max(map(said.rfind, (b"\n", b"\r"))) + 1
        line = said[begin : begin + MAX_LINE_CHARACTERS]
        self.unfinished_line = line if said == output else b""
        if line.strip():
            self.report_progress(line.decode(errors="replace"))


def require_valid_command(command: str) -> None:
    """Raise ToolError if no program can be given this command."""
    if not command.strip():
        raise ToolError(texts.COMMAND_IS_EMPTY)
    if len(command) > MAX_COMMAND_CHARACTERS:
        raise ToolError(texts.COMMAND_TOO_LONG(most=MAX_COMMAND_CHARACTERS))
    if "\0" in command or any("\ud800" <= letter <= "\udfff" for letter in command):
        raise ToolError(texts.COMMAND_HAS_NULL)


def describe_output(done: FinishedRun) -> str:
    """Return the output as text that no terminal obeys; of a long one the beginning and the end."""
    output = done.output
    if not output.left_out:
        return clean_output(output.head + output.tail)[: MAX_HEAD_CHARACTERS + MAX_TAIL_CHARACTERS]
    head, tail = clean_output(output.head)[:MAX_HEAD_CHARACTERS], clean_output(output.tail)[-MAX_TAIL_CHARACTERS:]
    return f"{head}\n{texts.OUTPUT_LEFT_OUT(bytes=output.left_out)}\n{tail}"


def clean_output(output: bytes) -> str:
    """Return the output without sequences of terminals. Of a line that was written over, only its last state is left;
    other characters that do not show are escaped."""
    text = TERMINAL_SEQUENCE.sub("", output.decode(errors="replace")).replace("\r\n", "\n")
    lines = (line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return "\n".join("\t".join(map(escape_unprintable, line.split("\t"))) for line in lines).rstrip("\n")
