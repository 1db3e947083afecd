"""Draw for the terminal: messages that stay, and a board and a draft that change."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from textwrap import wrap
from zlib import crc32

from markdown_it import MarkdownIt
from markdown_it.token import Token
from prompt_toolkit.formatted_text import StyleAndTextTuples
from pygments.token import Comment, Keyword, Number, String  # type: ignore[import-untyped]  # it has no types
from rich.console import RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.style import Style as RichStyle
from rich.syntax import ANSISyntaxTheme
from rich.text import Text
from rich.theme import Theme

from bot.core.channel import MessagePart
from bot.core.messages import BoardLine, OutboundKind, OutboundMessage, RoleName
from bot.core.texts import people
from channels.formatting import repeat_mark, role_label
from channels.terminal import figures, people_texts
from channels.terminal.channel import describe_files, make_terminal_safe

ROLE_COLOURS = ("cyan", "magenta", "green", "yellow", "blue", "bright_red", "bright_cyan", "bright_magenta")
# For light and dark terminals: no background of our own, and only colours that people can read on both.
COLOUR_SEED = 3  # chosen so that the shipped roles have different colours
MARKDOWN_THEME = Theme({"markdown.code": "bold", "markdown.code_block": "default", "markdown.item.number": "bold"})
CODE_THEME = ANSISyntaxTheme(
    {
        Comment: RichStyle(italic=True, dim=True),
        Keyword: RichStyle(bold=True),
        String: RichStyle(color="green"),
        Number: RichStyle(color="magenta"),
    }
)
# Rich begins these with an empty line.
TOKENS_WITH_BLANK_LINE_BEFORE = ("bullet_list_open", "ordered_list_open", "table_open", "blockquote_open")
MARKDOWN_MARK_PATTERN = re.compile(r"[!-/:-@\[-`{-~]")  # a backslash makes a plain character of these, and of no other
SIGNS_BY_TURN_STATE = {"waiting": "·", "working": "●", "asking": "?", "completed": "✓"}
ENDED_BADLY_SIGN = "✗"
# Treat HTML as text: rich would drop it, and with it `vector<int>` or `#include <stdio.h>`.
MARKDOWN_PARSER = MarkdownIt("commonmark", {"html": False}).enable("strikethrough").enable("table")


def parse_markdown(text: str) -> list[Token]:
    """Return the tokens of a text. Keep line breaks within a paragraph, because people and models mean them."""
    found: list[Token] = MARKDOWN_PARSER.parse(text)
    for token in found:
        for child in token.children or ():
            if child.type == "softbreak":
                child.type = "hardbreak"
    return found


def role_colour(role: RoleName | None) -> str:
    """Return the role's colour. A role has the same colour in every chat."""
    return ROLE_COLOURS[crc32((role or "").casefold().encode(), COLOUR_SEED) % len(ROLE_COLOURS)] if role else "default"


def draw_message(part: MessagePart, *, hint: str = "") -> Iterator[RenderableType]:
    """Yield a message as it stays on the screen. `hint` says how it is answered, if it is a question that is open."""
    if part.may_be_shown_already:
        yield Text(repeat_mark().strip(), style="dim")
    if part.message.text or part.message.role or not part.message.files:
        yield from draw_text_of_message(part.message, hint)
    for line in describe_files(part.message.files):
        yield Text(make_terminal_safe(line), style=role_colour(part.message.role))


def draw_text_of_message(message: OutboundMessage, hint: str) -> Iterator[RenderableType]:
    text = make_terminal_safe(message.text)
    match message.kind:
        case OutboundKind.REPLY | OutboundKind.UPDATE if message.role:
            # Its label is in the first line of a paragraph, or above.
            tokens = parse_markdown(text)
            between = " " if tokens and tokens[0].type == "paragraph_open" else "\n\n"
            name = MARKDOWN_MARK_PATTERN.sub(r"\\\g<0>", make_terminal_safe(role_label(message)).strip())
            yield draw_markdown(f"**{name}**{between}{text}", style=role_colour(message.role))
        case OutboundKind.REPLY | OutboundKind.UPDATE:
            yield draw_markdown(text)
        case OutboundKind.QUESTION | OutboundKind.APPROVAL:
            yield from draw_question(message, hint=hint)
        case OutboundKind.NOTICE:
            yield Text(text, style="dim")
        case _:
            yield draw_labelled_text(message, text)


def draw_markdown(text: str, style: str = "none", *, is_whole: bool = True) -> RenderableType:
    """Return a model's text with empty lines around it. Without `is_whole` more follows, so none is after it."""
    shown = Markdown(text, hyperlinks=False, code_theme=CODE_THEME, style=style)  # type: ignore[arg-type]  # rich takes themes
    shown.parsed = parse_markdown(text)
    is_apart = bool(shown.parsed) and shown.parsed[0].type in TOKENS_WITH_BLANK_LINE_BEFORE
    return Padding(shown, (int(not is_apart), 0, int(is_whole), 0))


def ends_with_blank_line(shown: RenderableType) -> bool:
    return bool(shown.bottom) if isinstance(shown, Padding) else isinstance(shown, Text) and not shown.plain


def without_blank_line_above(shown: RenderableType) -> RenderableType:
    """Return what `draw_markdown` returned, without its empty line before the text."""
    return Padding(shown.renderable, (0, 0, shown.bottom, 0)) if isinstance(shown, Padding) else shown


def draw_question(question: OutboundMessage, *, hint: str = "") -> Iterator[Text]:
    """Yield a question with its numbered options, and the hint how to answer it."""
    yield draw_labelled_text(question, make_terminal_safe(question.text), bold=True)
    for number, option in enumerate(question.options, 1):
        yield Text.assemble((f"  {number}. ", "bold"), make_terminal_safe(option))
    if hint:
        yield Text(hint, style="dim")


def draw_labelled_text(message: OutboundMessage, text: str, *, bold: bool = False) -> Text:
    colour, label = role_colour(message.role), make_terminal_safe(role_label(message))
    return Text.assemble((label, f"bold {colour}"), (text, f"bold {colour}" if bold else colour))


def shorten_to_one_line(text: str, length: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else line[: max(0, length - 1)].rstrip() + "…"


def last_wrapped_rows(text: str, rows: int, columns: int) -> str:
    """Return the last rows of a text, wrapped to `columns`."""
    lines = [
        part
        for line in make_terminal_safe(text).expandtabs(4).split("\n")
        for part in (wrap(line, max(1, columns), drop_whitespace=False, replace_whitespace=False) or [""])
    ]
    return "\n".join(lines[-max(1, rows) :])


@dataclass
class StatusArea:
    """The status below the input line: who works, on what and for how long. `answerer_title` says who answers here."""

    answerer_title: str
    is_question_open: bool = False  # a question waits for an answer
    activity: str = ""
    board_lines: Sequence[BoardLine] = ()
    working_since: datetime | None = None
    warning: str = ""
    is_warning_over: bool = False  # then the warning disappears when the person types again

    def render_lines(self, columns: int) -> StyleAndTextTuples:
        """Return the status line below lines for each delegation, the activity and the warning, if there are any."""
        now, status, drawn = datetime.now(UTC), self.answerer_title, StyleAndTextTuples()
        for line in self.board_lines:
            sign = SIGNS_BY_TURN_STATE.get(line.state, ENDED_BADLY_SIGN)
            seconds = line.seconds if line.seconds is not None else (now - line.since).total_seconds()
            clock, usd = figures.format_minutes_and_seconds(seconds), line.cost / figures.MICROS_PER_DOLLAR
            state = f"  {people.STATES[line.state]()}  {clock}  {people_texts.BOARD_COST(usd=usd)}"
            who = f"{'  ' * line.depth}{sign} #{line.number} {line.role[:1].upper()}{line.role[1:]}"
            room = columns - len(who) - len(state) - 4
            task = f"  {shorten_to_one_line(line.activity or line.task, room)}" if room > 8 else ""
            style = f"ansi{role_colour(line.role).replace('_', '')}"  # rich: bright_red, prompt_toolkit: ansibrightred
            drawn += [(style, make_terminal_safe(who)), ("", make_terminal_safe(task))]
            drawn += [("class:dim", f"{state}\n")]
        if activity := shorten_to_one_line(make_terminal_safe(self.activity), columns - 3):
            drawn += [("class:dim", f"… {activity}\n")]
        if self.warning:
            drawn += [("bold", shorten_to_one_line(self.warning, columns - 1) + "\n")]
        if self.is_question_open:
            status += f" · {people_texts.WAITS_FOR_ANSWER()}"
        elif self.working_since:
            time = figures.format_minutes_and_seconds((now - self.working_since).total_seconds())
            status += f" · {people_texts.AT_WORK(time=time)}"
        return [*drawn, ("class:dim", shorten_to_one_line(status, columns - 1))]
