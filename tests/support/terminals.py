"""The command `retinue chat` as people run it: from a shell without a screen, and on a screen."""

import fcntl
import os
import pty
import re
import resource
import select
import sqlite3
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.patience import PATIENCE

RETINUE = Path(sys.executable).parent / "retinue"
IS_THERE = pytest.mark.skipif(not RETINUE.exists(), reason="retinue is not installed here; scripts/test does it")
ESCAPES = re.compile(r"\x1b\[[0-9;?>=]*[ -/]*[@-~]|\x1b\][^\x07]*\x07|\x1b[=>()].?")
WHERE = b"\x1b[6n"  # a program's question where the cursor is


@dataclass(frozen=True, slots=True)
class Home:
    """A machine without any configuration."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        names = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
        return {"PATH": os.environ["PATH"], "TERM": "xterm-256color", **dict.fromkeys(names, str(self.folder))}

    @property
    def data(self) -> Path:
        return self.folder / "retinue" / "data" / "demo"

    def rows(self, sql: str) -> list[Any]:
        """Return the values of a query with one column."""
        with closing(sqlite3.connect(self.data / "bot.db")) as db:
            return [value for (value,) in db.execute(sql)]

    def notices(self) -> list[str]:
        """Return the answers to commands, and the notices of faults, in order."""
        return self.rows("SELECT text FROM outbox WHERE kind = 'notice' ORDER BY seq")

    def chat(self, *words: str, stdin: str = "", **settings: str) -> "subprocess.CompletedProcess[str]":
        """Run the chat until it ends."""
        command = [str(RETINUE), "chat", *words]
        environment = self.environment | settings
        return subprocess.run(
            command, cwd=self.folder, env=environment, input=stdin, capture_output=True, text=True, timeout=PATIENCE
        )

    @contextmanager
    def begun(self, *words: str, **settings: str) -> Iterator["subprocess.Popen[str]"]:
        """Run the chat beside the test, with pipes."""
        with subprocess.Popen(
            [RETINUE, "chat", *words],
            cwd=self.folder,
            env=self.environment | settings,
            stdin=subprocess.DEVNULL if "-m" in words else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            bufsize=1,
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    @contextmanager
    def screen(self, *words: str, **settings: str) -> Iterator["Keyboard"]:
        """Run the chat on its own terminal."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        with subprocess.Popen(
            [RETINUE, "chat", *words],
            cwd=self.folder,
            env=self.environment | settings,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        ) as process:
            os.close(theirs)
            keyboard = Keyboard(ours, process)
            try:
                yield keyboard
            finally:
                process.kill()
                keyboard.closes()


class BadDisk:
    """A full disk for one process, until it recovers. (Writes to pipes and terminals still work.)"""

    def __init__(self, process: "subprocess.Popen[Any]") -> None:
        self.pid = process.pid
        self.before = resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))

    def recovers(self) -> None:
        resource.prlimit(self.pid, resource.RLIMIT_FSIZE, self.before)


class Keyboard:
    """Types, and reads what is on the screen."""

    def __init__(self, terminal: int, process: "subprocess.Popen[bytes]") -> None:
        self.terminal = terminal
        self.process = process
        self.raw = b""
        self._read = 0  # the length of the text that earlier waits have covered
        self._is_closed = False

    @property
    def text(self) -> str:
        return ESCAPES.sub("", self.raw.decode(errors="replace")).replace("\r", "")

    def types(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def sees(self, *texts: str) -> None:
        """Wait until these texts are there, one after the other, behind all that was waited for before."""
        for text in texts:
            end = time.monotonic() + PATIENCE
            while text not in self.text[self._read :]:
                assert self.look(end - time.monotonic()), f"{text!r} did not come:\n{self.text[self._read :]}"
            self._read = self.text.index(text, self._read) + len(text)

    def sees_in_any_order(self, *texts: str) -> None:
        """Wait until each of these texts is there, behind all that was waited for before."""
        begin, ends = self._read, []
        for text in texts:
            self._read = begin
            self.sees(text)
            ends.append(self._read)
        self._read = max(ends)

    def look(self, seconds: float) -> bool:
        """Read what comes next, and answer as a terminal does. Return False if nothing comes."""
        if not select.select([self.terminal], [], [], max(0.0, seconds))[0]:
            return False
        try:
            new = os.read(self.terminal, 65536)
        except OSError:  # the other end is closed
            return False
        self.raw += new
        for _ in range(new.count(WHERE)):
            os.write(self.terminal, b"\x1b[1;1R")
        return bool(new)

    def closes(self) -> None:
        """Close the window. The process gets no signal, because this terminal does not control it."""
        if not self._is_closed:
            self._is_closed = True
            os.close(self.terminal)

    def leaves(self) -> int:
        """Wait until the process ends. Return its exit status."""
        while self.look(PATIENCE):
            pass
        return self.process.wait(PATIENCE)
