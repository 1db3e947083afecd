"""Draw for the terminal: messages that stay, and a board and a draft that change."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from textwrap import wrap
from zlib import crc32

from pygments.token import Comment, Keyword, Number, String  # type: ignore[import-untyped]  # it has no types
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.style import Style as RichStyle
from rich.syntax import ANSISyntaxTheme
from rich.text import Text
from rich.theme import Theme

from bot.core.channel import MessagePart
from bot.core.messages import BoardLine, LastExchange, OutboundKind, OutboundMessage, RoleName
from channels.formatting import REPEAT_MARK, role_label
from channels.terminal import figures, people_texts
from channels.terminal.channel import strip_control_characters
from channels.terminal.markdown import LineKeepingMarkdown, parse_markdown
from channels.terminal.talk import answer_hint

COLOURS = ("cyan", "magenta", "green", "yellow", "blue", "bright_red", "bright_cyan", "bright_magenta")
# For light and dark terminals: no background of our own, and only colours that people can read on both.
THEME = Theme({"markdown.code": "bold", "markdown.code_block": "default", "markdown.item.number": "bold"})
CODE = ANSISyntaxTheme(
    {
        Comment: RichStyle(italic=True, dim=True),
        Keyword: RichStyle(bold=True),
        String: RichStyle(color="green"),
        Number: RichStyle(color="magenta"),
    }
)
# Rich begins these with an empty line.
TOKENS_WITH_GAP = ("bullet_list_open", "ordered_list_open", "table_open", "blockquote_open")
PUNCTUATION = re.compile(r"[^\w\s]")  # any of these characters may be a mark in Markdown
STATE_SIGNS = {"waiting": "·", "working": "●", "asking": "?", "completed": "✓"}
ENDED_BADLY = "✗"

Fragments = list[tuple[str, str]]  # (style, text), as prompt_toolkit takes them


def role_colour(role: RoleName | None) -> str:
    """Return the role's colour. A role has the same colour in every chat."""
    return COLOURS[crc32((role or "").casefold().encode()) % len(COLOURS)] if role else "default"


def draw_message(part: MessagePart, *, is_open: bool = False) -> Iterator[RenderableType]:
    """Yield a message as it stays on the screen. `is_open` means that it is a question that can be answered here."""
    message = part.message
    text = strip_control_characters(message.text)
    if part.may_repeat:
        yield Text(REPEAT_MARK.strip(), style="dim")
    match message.kind:
        case OutboundKind.REPLY:
            yield draw_markdown(text)
        case OutboundKind.UPDATE if not message.role:
            yield draw_markdown(text)
        case OutboundKind.QUESTION | OutboundKind.APPROVAL:
            yield from draw_question(message, is_open=is_open)
        case OutboundKind.UPDATE:
            yield draw_with_label(message, text)
        case OutboundKind.NOTICE:
            yield Text(text, style="dim")
        case _:
            yield draw_plain_text(message, text)


def draw_markdown(text: str, style: str = "none", *, is_whole: bool = True) -> RenderableType:
    """Return a text of the model with empty lines around it. Unless it `is_whole`, more of it follows, so leave out the
    empty line below."""
    shown = LineKeepingMarkdown(text, hyperlinks=False, code_theme=CODE, style=style)
    is_apart = bool(shown.parsed) and shown.parsed[0].type in TOKENS_WITH_GAP
    return Padding(shown, (int(not is_apart), 0, int(is_whole), 0))


def draw_with_label(message: OutboundMessage, text: str) -> RenderableType:
    """Return a role's text with its label: in the first line, or above a text that begins with no paragraph."""
    tokens = parse_markdown(text)
    between = " " if tokens and tokens[0].type == "paragraph_open" else "\n\n"
    name = PUNCTUATION.sub(r"\\\g<0>", strip_control_characters(role_label(message)).strip())
    return draw_markdown(f"**{name}**{between}{text}", style=role_colour(message.role))


def draw_question(question: OutboundMessage, *, is_open: bool) -> Iterator[Text]:
    """Yield a question with its numbered options. If it `is_open`, add how to answer it."""
    yield draw_plain_text(question, strip_control_characters(question.text), bold=True)
    for number, option in enumerate(question.options, 1):
        yield Text.assemble((f"  {number}. ", "bold"), strip_control_characters(option))
    if is_open:
        yield Text(answer_hint(question), style="dim")


def draw_earlier_exchange(exchange: LastExchange) -> RenderableType:
    """Return the last exchange of an earlier run, marked as earlier."""
    said = Text.assemble(("> ", "bold"), strip_control_characters(exchange.said), style="dim")
    answers = (draw_markdown(strip_control_characters(answer), style="dim") for answer in exchange.answers)
    return Group(
        Text(people_texts.EARLIER, style="dim"), said, *answers, Text(people_texts.END_OF_EARLIER, style="dim"), Text()
    )


def draw_plain_text(message: OutboundMessage, text: str, *, bold: bool = False) -> Text:
    colour = role_colour(message.role)
    return Text.assemble(
        (strip_control_characters(role_label(message)), f"bold {colour}"), (text, f"bold {colour}" if bold else colour)
    )


def draw_board(lines: Sequence[BoardLine], now: datetime, columns: int) -> Fragments:
    """Return a line for each delegation: the role, its task, its state, its time so far and its cost."""
    drawn: Fragments = []
    for line in lines:
        sign = STATE_SIGNS.get(line.state, ENDED_BADLY)
        seconds = line.seconds if line.seconds is not None else (now - line.since).total_seconds()
        state = f"{line.state}  {figures.format_clock(seconds)}  ${line.cost / figures.MILLION:.2f}"
        who = f"{'  ' * line.depth}{sign} {line.number}. {line.role[:1].upper()}{line.role[1:]}"
        room = columns - len(who) - len(state) - 6
        task = f"  {shorten(line.task, room)}" if room > 8 else ""
        style = f"ansi{role_colour(line.role).replace('_', '')}"  # rich says bright_red, prompt_toolkit ansibrightred
        drawn += [
            (style, strip_control_characters(who)),
            ("", strip_control_characters(task)),
            ("class:dim", f"  {state}\n"),
        ]
    return drawn


def shorten(text: str, length: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else line[: max(0, length - 1)].rstrip() + "…"


def last_rows(text: str, rows: int, columns: int) -> str:
    """Return the last rows of a text, wrapped to `columns`."""
    lines = [
        part
        for line in strip_control_characters(text).expandtabs(4).split("\n")
        for part in (wrap(line, max(1, columns), drop_whitespace=False, replace_whitespace=False) or [""])
    ]
    return "\n".join(lines[-max(1, rows) :])
