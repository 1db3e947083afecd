"""What the terminal draws: a message as it stays there, a board and a draft while they last."""

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

from bot.channel import Part
from bot.messages import BoardLine, Exchange, OutboundKind, OutboundMessage, RoleName
from channels.formatting import REPEAT, label
from channels.terminal import figures, people_texts
from channels.terminal.channel import visible
from channels.terminal.markdown import Rendered, tokens
from channels.terminal.talk import how_to_answer

COLOURS = ("cyan", "magenta", "green", "yellow", "blue", "bright_red", "bright_cyan", "bright_magenta")
# On a light terminal as on a dark one: no background of our own, and only colours that are read on both.
THEME = Theme({"markdown.code": "bold", "markdown.code_block": "default", "markdown.item.number": "bold"})
CODE = ANSISyntaxTheme(
    {
        Comment: RichStyle(italic=True, dim=True),
        Keyword: RichStyle(bold=True),
        String: RichStyle(color="green"),
        Number: RichStyle(color="magenta"),
    }
)
APART = ("bullet_list_open", "ordered_list_open", "table_open", "blockquote_open")  # rich begins them with a line
SIGN = re.compile(r"[^\w\s]")  # any of them may mean something in Markdown
SIGNS = {"waiting": "·", "working": "●", "asking": "?", "completed": "✓"}
ENDED_BADLY = "✗"

Fragments = list[tuple[str, str]]  # style and text, as prompt_toolkit has them


def colour_of(role: RoleName | None) -> str:
    """A role has the same colour in every chat."""
    return COLOURS[crc32((role or "").casefold().encode()) % len(COLOURS)] if role else "default"


def drawing(part: Part, *, is_open: bool = False) -> Iterator[RenderableType]:
    """A message as it stays on the screen. `is_open`: it is a question that can be answered here."""
    message = part.message
    text = visible(message.text)
    if part.may_repeat:
        yield Text(REPEAT.strip(), style="dim")
    match message.kind:
        case OutboundKind.REPLY:
            yield markdown(text)
        case OutboundKind.UPDATE if not message.role:
            yield markdown(text)
        case OutboundKind.QUESTION | OutboundKind.APPROVAL:
            yield from asked(message, is_open=is_open)
        case OutboundKind.UPDATE:
            yield labelled(message, text)
        case OutboundKind.NOTICE:
            yield Text(text, style="dim")
        case _:
            yield said(message, text)


def markdown(text: str, style: str = "none", *, is_whole: bool = True) -> RenderableType:
    """A text of the model's, apart from what is around it; unless it `is_whole`, more of it comes below."""
    shown = Rendered(text, hyperlinks=False, code_theme=CODE, style=style)
    is_apart = bool(shown.parsed) and shown.parsed[0].type in APART
    return Padding(shown, (int(not is_apart), 0, int(is_whole), 0))


def labelled(message: OutboundMessage, text: str) -> RenderableType:
    """What a role says, with its label: in the first line, or above what is no paragraph."""
    begun = tokens(text)
    between = " " if begun and begun[0].type == "paragraph_open" else "\n\n"
    name = SIGN.sub(r"\\\g<0>", visible(label(message)).strip())
    return markdown(f"**{name}**{between}{text}", style=colour_of(message.role))


def asked(question: OutboundMessage, *, is_open: bool) -> Iterator[RenderableType]:
    """A question with its options, numbered as they can be answered, and how that is done."""
    yield said(question, visible(question.text), bold=True)
    yield from options(question)
    if is_open:
        yield Text(how_to_answer(question), style="dim")


def earlier(exchange: Exchange) -> RenderableType:
    """What was said last, marked as what it is."""
    said = Text.assemble(("> ", "bold"), visible(exchange.said), style="dim")
    answers = (markdown(visible(answer), style="dim") for answer in exchange.answers)
    return Group(
        Text(people_texts.EARLIER, style="dim"), said, *answers, Text(people_texts.END_OF_EARLIER, style="dim"), Text()
    )


def said(message: OutboundMessage, text: str, *, bold: bool = False) -> Text:
    colour = colour_of(message.role)
    return Text.assemble((visible(label(message)), f"bold {colour}"), (text, f"bold {colour}" if bold else colour))


def options(message: OutboundMessage) -> Iterator[Text]:
    for number, option in enumerate(message.options, 1):
        yield Text.assemble((f"  {number}. ", "bold"), visible(option))


def board(lines: Sequence[BoardLine], now: datetime, columns: int) -> Fragments:
    """A line per delegation: who does what, for how long by now, and what it has cost."""
    drawn: Fragments = []
    for line in lines:
        sign = SIGNS.get(line.state, ENDED_BADLY)
        seconds = line.seconds if line.seconds is not None else (now - line.since).total_seconds()
        state = f"{line.state}  {figures.clock(seconds)}  ${line.cost / figures.MILLION:.2f}"
        who = f"{'  ' * line.depth}{sign} {line.number}. {line.role[:1].upper()}{line.role[1:]}"
        room = columns - len(who) - len(state) - 6
        task = f"  {shortened(line.task, room)}" if room > 8 else ""
        style = f"ansi{colour_of(line.role).replace('_', '')}"  # rich says bright_red, prompt_toolkit ansibrightred
        drawn += [(style, visible(who)), ("", visible(task)), ("class:dim", f"  {state}\n")]
    return drawn


def shortened(text: str, length: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else line[: max(0, length - 1)].rstrip() + "…"


def tail(text: str, rows: int, columns: int) -> str:
    """As much of the end of a text as fits there."""
    lines = [
        part
        for line in visible(text).expandtabs(4).split("\n")
        for part in (wrap(line, max(1, columns), drop_whitespace=False, replace_whitespace=False) or [""])
    ]
    return "\n".join(lines[-max(1, rows) :])
