"""What the stand-ins share when a person runs them: the commands for the bot, the typed lines, and what is shown."""

import asyncio
import re
import shlex
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

M = TypeVar("M")  # a platform's message
ABOUT_A_MESSAGE = re.compile(r"(?P<verb>reply|tap) (?P<number>\d+) (?P<rest>.+)")
HOW_TO_TYPE = "`reply 3 TEXT` replies to message 3, and `tap 3 LABEL` taps its button."


@dataclass(frozen=True)
class Typed(Generic[M]):
    """What a person typed. `verb` is say, reply or tap; the last two are about `message`."""

    verb: str
    text: str
    message: M | None = None


class Transcript(Generic[M]):
    """The messages that were printed. Each has a number, which typed lines name."""

    def __init__(self) -> None:
        self.messages: list[M] = []
        self._shown: dict[M, str] = {}
        self._reactions: set[tuple[M, str]] = set()

    def show(self, message: M, name: str, text: str, labels: Iterable[str] = ()) -> None:
        """Print a message with its buttons, and print it again when it has changed."""
        whole = "\n".join([text, *(f"[{label}]" for label in labels)])
        if self._shown.get(message) == whole:
            return
        is_new = message not in self._shown
        if is_new:
            self.messages.append(message)
        self._shown[message] = whole
        tell(f"{self.messages.index(message) + 1} {name}{'' if is_new else ' (edited)'}: {whole}")

    def show_reactions(self, message: M, text: str, reactions: Iterable[str]) -> None:
        for emoji in reactions:
            if (message, emoji) not in self._reactions:
                self._reactions.add((message, emoji))
                tell(f"{emoji} below “{text}”")

    def parse(self, line: str) -> Typed[M] | None:
        """Return what a line means. Print why, and return None, if it is about a message that was not printed."""
        found = ABOUT_A_MESSAGE.fullmatch(line)
        if found is None:
            return Typed("say", line)
        number = int(found["number"])
        if not 0 < number <= len(self.messages):
            tell(f"There is no message {number}.")
            return None
        return Typed(found["verb"], found["rest"], self.messages[number - 1])


def tell(text: str) -> None:
    """Print a text at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def bot_commands(variables: Mapping[str, object], *words: str) -> list[str]:
    """Return a command for each of these words, to paste in the folder of the checkout. They share their settings.

    Their data folder is new, because a stand-in counts its messages from 1. A bot that has met another stand-in would
    take the first messages for repeats.
    """
    settings = {"RETINUE_DATA_DIR": tempfile.mkdtemp(prefix="retinue-"), **variables}
    lines = [f"{name}={shlex.quote(str(value))}" for name, value in settings.items()]
    return [" \\\n".join(f"    {line}" for line in [*lines, f"scripts/run {each}"]) for each in words]


async def typed_lines() -> AsyncIterator[str]:
    """Yield each line that is typed, except empty ones. After the end of stdin, wait for ever."""
    typed: asyncio.Queue[str] = asyncio.Queue()
    # A thread that dies with the program: reading a terminal cannot be cancelled.
    threading.Thread(target=read_lines, args=(asyncio.get_running_loop(), typed), daemon=True).start()
    while True:
        if line := (await typed.get()).strip():
            yield line


def read_lines(loop: asyncio.AbstractEventLoop, typed: asyncio.Queue[str]) -> None:
    for line in sys.stdin:
        loop.call_soon_threadsafe(typed.put_nowait, line)
