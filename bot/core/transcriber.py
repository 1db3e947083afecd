"""What turns speech into text: a service outside, or a program of this machine."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bot.core.prices import Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """What was said. `text` is empty if there are no words in it. `language` is empty if nobody has told it."""

    text: str
    cost: Micros
    language: str = ""


class Transcriber(Protocol):
    """Turns a file of speech into text."""

    async def transcribe(self, path: Path, *, seconds: int | None) -> Transcript:
        """Return what is said in a file. `seconds` is its length as somebody claims it. Raise TranscriptionFailed if
        there is no transcript, and OSError if the file cannot be opened."""
