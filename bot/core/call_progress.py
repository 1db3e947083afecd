"""What a running call reports of itself, as people read it: one line, behind the words for what its turn does.

A report is only shown. It is in no row of its own, and any report may be lost.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from bot.core.exits import KEPT_BACK_TEXT, ExitRules, clean_outgoing
from bot.core.phrases import MAX_BOARD_TASK_CHARACTERS, first_words
from bot.core.texts import escape_unprintable, people
from bot.core.turn import CallId, Turn, TurnId
from bot.core.unseen_links import blank_links

MAX_LINE_CHARACTERS = 1_000  # of a line of a report, from its beginning; the rest is never looked at
MAX_SHOWN_CHARACTERS = 60
# Sequences of terminals: colours, movements, titles. A terminal that shows a text must not obey them.
TERMINAL_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*\x1b\\|[ -~])")
COMMAND = re.compile(r"(?<!\S)/\w+(?!\S)")  # a messenger makes a link of it, and a tap on it sends it

ReportProgress = Callable[[str], None]
ProgressByTurn = Mapping[TurnId, str]  # the newest lines, as they came
NO_PROGRESS: ProgressByTurn = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class CallProgress:
    """The newest line that the calls of a turn have reported."""

    turn: Turn
    call: CallId
    activity: str  # what a root turn does; the board knows it of a delegation
    line: str  # as it came


def ignore_progress(text: str) -> None:
    """Do nothing, where nobody sees what a call reports."""


def last_line(text: str) -> str:
    """Return the last line of a text that says something, without the end of a long one. A line that was written over
    by a carriage return is another line."""
    said = text.rstrip()
    begin = max(said.rfind("\n"), said.rfind("\r")) + 1
    return said[begin : begin + MAX_LINE_CHARACTERS]


def clean_progress_line(line: str, rules: ExitRules) -> str:
    """Return a reported line as people may read it: on one short line, without secrets, without what a terminal would
    obey, and without links and commands of a chat. It may be empty."""
    plain = TERMINAL_SEQUENCE.sub("", line).partition("\x1b")[0]  # the last sequence may not be whole
    cleaned = " ".join(clean_outgoing(plain, rules, is_growing=True).text.split())
    begins = escape_unprintable(cleaned, 2 * MAX_SHOWN_CHARACTERS)
    unlinked = COMMAND.sub(KEPT_BACK_TEXT, blank_links(begins, KEPT_BACK_TEXT))
    return first_words(unlinked, MAX_SHOWN_CHARACTERS)


def activity_with_progress(activity: str, line: str | None, rules: ExitRules) -> str:
    """Return what a turn does, with the newest line that a call of it has reported, if there is one."""
    progress = clean_progress_line(line, rules) if line and activity else ""
    if not progress:
        return activity
    return people.ACTIVITY_WITH_PROGRESS(activity=first_words(activity, MAX_BOARD_TASK_CHARACTERS), progress=progress)
