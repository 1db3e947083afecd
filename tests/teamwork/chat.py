"""A chat as one person sees it at one moment, the same for every platform."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from tests.support.both_platforms import BOARD


@dataclass(frozen=True, slots=True)
class Span:
    """A formatted part of a text, in characters: bold, code, or a quote to unfold."""

    kind: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """One message as it is now."""

    id: str
    author: str
    text: str
    at: float  # seconds since 1970
    is_mine: bool = False  # the person whose view this is has written it
    is_person: bool = False  # a person has written it, not the bot or a role
    spans: tuple[Span, ...] = ()
    reply_to: Post | None = None
    buttons: tuple[tuple[str, ...], ...] = ()  # their labels, row after row
    reactions: tuple[str, ...] = ()
    picture: bytes = b""  # of the author
    command: str = ""  # what the person typed, if the message answers a slash command, which only that person sees
    rings: bool = False
    is_edited: bool = False

    @property
    def is_board(self) -> bool:
        return not self.is_person and not self.command and BOARD.match(self.text) is not None


Heard = Callable[[], str | None]  # returns what a tap was answered with, over the chat; None while it is not answered


class Chat(Protocol):
    name: str

    def posts(self) -> Sequence[Post]:
        """Return what the person sees now, oldest first."""
        ...


def first_words(text: str, length: int = 40) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"
