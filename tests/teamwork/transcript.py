"""Write down a conversation as text: what is new in a chat each time when something has happened."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from tests.teamwork.chat import Chat, Post, first_words

WIDTH = 108
BOARD = "The board:"
INDENT = " " * 7  # as wide as a time
SUM = re.compile(r"in all \$\d+\.\d\d of \$")  # the last line of a board
MEASURED = re.compile(r" · (?:since \d\d:\d\d|\d+ min \d+ s|\d+ s) · \$\d+\.\d\d$")


class Transcript:
    """The text of a conversation so far."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat
        self.lines: list[str] = []
        self._known: dict[str, Post] = {}

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def note_changes(self, at: float, *, deed: str = "", heard: str = "") -> None:
        """Add what a person has done besides writing, what they have read over the chat, and what has changed in it."""
        for said in filter(None, [deed, heard and f"(over the chat) {heard}"]):
            self.add(at, said)
        for post in sorted(self.chat.posts(), key=lambda post: not post.is_person):  # what the others do follows
            known = self._known.get(post.id)
            for said in describe_new(post) if known is None else describe_change(known, post):
                self.add(at, said)
            self._known[post.id] = post

    def add(self, at: float, said: str) -> None:
        time = datetime.fromtimestamp(at, UTC).strftime("%H:%M")
        for number, line in enumerate(said.split("\n")):
            begin = INDENT if number else f"{time}  "
            self.lines += textwrap.wrap(line, WIDTH, initial_indent=begin, subsequent_indent=INDENT) or [""]


def describe_new(post: Post) -> Iterator[str]:
    if post.is_board:
        yield "\n".join([BOARD, post.text, *button_lines(post)])
        return
    to = f", replying to “{first_words(post.reply_to.text)}”" if post.reply_to else ""
    rings = ", with a sound" if post.rings else ""
    only = " (only for this person)" if post.command else ""
    yield "\n".join([f"{post.author}{only}{to}{rings}: {folded_text(post)}", *button_lines(post)])
    yield from describe_reactions(replace(post, reactions=()), post)


def describe_change(before: Post, after: Post) -> Iterator[str]:
    if before.text != after.text and after.is_board:
        known = {MEASURED.sub("", line) for line in before.text.split("\n")}
        new = [line for line in after.text.split("\n") if MEASURED.sub("", line) not in known and not SUM.match(line)]
        if new:
            yield "\n".join([BOARD, *new])
    elif before.text != after.text:
        known = set(before.text.split("\n"))
        new = [line for line in after.text.split("\n") if line not in known]
        yield f"(“{first_words(after.text)}” has changed) " + "\n".join(new)
    yield from describe_reactions(before, after)


def describe_reactions(before: Post, after: Post) -> Iterator[str]:
    for emoji in after.reactions:
        if emoji not in before.reactions:
            yield f"({emoji} below “{first_words(after.text)}”)"


def folded_text(post: Post) -> str:
    """Return a post's text. Lines in a quote, which a person may have to unfold, are marked."""
    quotes = [span for span in post.spans if span.kind in ("fold", "quote")]
    lines, at = list[str](), 0
    for line in post.text.split("\n"):
        is_quoted = any(span.begin < at + len(line) and at < span.end for span in quotes)
        lines.append(f"> {line}" if is_quoted else line)
        at += len(line) + 1
    return "\n".join(lines)


def button_lines(post: Post) -> list[str]:
    return [" ".join(f"[{label}]" for label in row) for row in post.buttons]
