"""Let all programs of `escapes.toml` try to get out of the sandbox, watched from outside, and print what each came to.

scripts/torture escapes          all of them, under strace where that is installed; exits with 1 if one succeeds
scripts/torture escapes WORD     only those with this word in their names
"""

import asyncio
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from bot.core.call_progress import ignore_progress
from bot.core.sandbox import sandbox_fault
from bot.core.settings import ShellSettings
from bot.tools.shell import NO_NETWORK, ShellNetwork, ShellTool
from tests.shell.escapes import BOMBS, Escape, judge_escape, read_escapes
from tests.shell.outside import Outside, built_outside
from tests.shell.watching import find_successful_attempts, watched

SETTINGS = ShellSettings(enabled=True, max_processes=40, memory_megabytes=300, disk_megabytes=100)
# The tool looks at its turn, to find the role, and reports what the command prints
NO_CONTEXT: Any = SimpleNamespace(turn=None, report_progress=ignore_progress)
MOST_SHOWN_CHARACTERS = 70


class WatchedShell(ShellTool):
    """The tool, with strace around each sandbox."""

    def __init__(self, outside: Outside, network: ShellNetwork, log: Path | None) -> None:
        super().__init__(outside.workspace, SETTINGS, outside.hidden, network=network)
        self.log = log

    def sandboxed(self, *arguments: Any) -> Sequence[str]:
        command = super().sandboxed(*arguments)
        return watched(command, self.log) if self.log else command


async def try_escape(escape: Escape, has_strace: bool, has_hosts: bool) -> tuple[list[str], str, int]:
    """Return what is wrong afterwards, the first line of the result, and how many calls of the kernel were watched."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as place, built_outside(Path(place) / "outside") as outside:
        log = Path(place) / "calls" if has_strace and escape.kind != BOMBS else None
        before, command = outside.snapshot(), escape.command(outside.words)
        network = outside.network if has_hosts else NO_NETWORK
        said = await WatchedShell(outside, network, log).shell(NO_CONTEXT, command, escape.seconds * (4 if log else 1))
        faults = judge_escape(outside, before, command, said)
        if log is None:
            return faults, said.partition("\n")[0], 0
        return [*faults, *find_successful_attempts(log)], said.partition("\n")[0], len(log.read_bytes().splitlines())


async def main(*words: str) -> int:
    if fault := sandbox_fault():
        print(f"no sandbox here: {fault}")
        return 1
    has_strace, failed, calls, began = shutil.which("strace") is not None, 0, 0, time.monotonic()
    chosen = [each for each in read_escapes() if all(word in each.name for word in words)]
    for escape, has_hosts in [(each, way) for each in chosen for way in (False, True) if way or not each.has_hosts]:
        faults, said, watched_calls = await try_escape(escape, has_strace, has_hosts)
        calls += watched_calls
        failed += bool(faults)
        mark, way = "FAULT" if faults else "held ", "hosts" if has_hosts else ""
        print(f"{mark}  {escape.kind:<10} {escape.name:<55} {way:<6} {said[:MOST_SHOWN_CHARACTERS]}", flush=True)
        for fault in faults[:5]:
            print(f"         {fault}")
    seconds = time.monotonic() - began
    print(f"{len(chosen)} programs, {failed} got out; {calls:,} calls of the kernel watched; {seconds:.0f} s")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
