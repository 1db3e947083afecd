"""The programs of `escapes.toml`, and how each is judged from outside."""

from __future__ import annotations

import os
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.shell.outside import CANARY, Outside

ESCAPED = "ESCAPED"  # what a program prints that has succeeded
BOMBS = "bombs"  # the kind that takes seconds
MARK_OF_LEFT_PROCESSES = "sleep 943"
SECONDS_OF_ANOTHER_ATTEMPT = 5.0
START_BY_LANGUAGE = {
    "bash": "{}",
    "succeeds": f"if (\n{{}}\n) >/dev/null 2>&1; then echo {ESCAPED}; fi",
    "python": "python3 - <<'EOF' 2>&1\nimport ctypes, os, socket, struct, sys\n"
    "libc = ctypes.CDLL(None, use_errno=True)\n{}\nEOF",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Escape:
    name: str
    kind: str
    script: str
    language: str = "bash"
    seconds: int = 5
    has_hosts: bool = False  # it runs where named hosts may be reached

    def __str__(self) -> str:
        return self.name

    def command(self, words: Mapping[str, str]) -> str:
        script = START_BY_LANGUAGE[self.language].replace("{}", self.script.strip("\n"))
        for name, value in words.items():
            script = script.replace(f"@{name}@", value)
        return script


def read_escapes() -> Sequence[Escape]:
    text = (Path(__file__).parent / "escapes.toml").read_text()
    return [Escape(**each) for each in tomllib.loads(text)["escape"]]


def judge_escape(outside: Outside, before: Mapping[str, str], command: str, said: str) -> list[str]:
    """Return what is wrong after an attempt: what it has read, written, reached or left."""
    printed = said.replace(command, "")
    faults = [line for line in printed.splitlines() if CANARY in line or ESCAPED in line]
    after = outside.snapshot()
    faults += [f"changed: {path}" for path in before.keys() | after.keys() if before.get(path) != after.get(path)]
    faults += [f"reached: {kind}" for kind in outside.visits]
    faults += [f"left running: {line}" for line in list_lasting_processes_with(MARK_OF_LEFT_PROCESSES)]
    faults += [f"copied: {path}" for path in outside.canaries_in_workspace()]
    faults += [f"left behind: {path}" for path in list_dangerous_files(outside.workspace)]
    if (outside.workspace / ".git" / "config").read_text() != "[core]\n":
        faults.append("changed: .git/config")
    if "\x1b" in said:
        faults.append("printed what a terminal obeys")
    return faults


def list_dangerous_files(workspace: Path) -> list[str]:
    """Return the files that give rights or that programs obey, except those that were there before."""
    found = []
    for folder, folders, names in os.walk(workspace):
        for name in (*folders, *names):
            path = Path(folder, name)
            is_old = path.relative_to(workspace).parts[0] == ".git"
            if path.lstat().st_mode & 0o6000 or (name in PROTECTED_EXAMPLES and not is_old):
                found.append(str(path))
            if is_old and name in ("pre-commit", "post-checkout"):
                found.append(str(path))
    return found


PROTECTED_EXAMPLES = frozenset((".bashrc", ".profile", ".envrc", ".git", ".vscode", "CLAUDE.md", "sitecustomize.py"))


def list_lasting_processes_with(words: str) -> list[str]:
    """Return the same of processes that do not end soon: another attempt may run beside this one."""
    until = time.monotonic() + SECONDS_OF_ANOTHER_ATTEMPT
    while (found := list_processes_with(words)) and time.monotonic() < until:
        time.sleep(0.05)
    return found


def list_processes_with(words: str) -> list[str]:
    """Return the command lines of this machine's processes that begin with these words."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if line.startswith(words):
            found.append(line)
    return found
