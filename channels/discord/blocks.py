"""A model's Markdown as blocks that Discord shows as they are meant: tables, headings and code in its own forms."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from wcwidth import wcswidth

BREAK = "\u200b"  # takes no space, and keeps backticks from being a fence
FENCE = re.compile(r"`{3,}")
LANGUAGE = re.compile(r"[\w+.#-]+")
SURROGATE = re.compile(r"[\ud800-\udfff]")
HIGHEST = 3  # Discord knows three levels of headings


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Lines that belong together. `fence` is how the code block opens that they stand in; empty: they are text."""

    lines: tuple[str, ...]
    fence: str = ""
    gap: int = 0  # empty lines before it
    is_heading: bool = False

    def __str__(self) -> str:
        text = "\n".join(self.lines)
        return f"{self.fence}\n{text}\n```" if self.fence else text


def blocks(markdown: str) -> list[Block]:
    """What Discord is to show, in order; nothing of it is longer than it was, but for the frames of tables and code."""
    text = SURROGATE.sub("\ufffd", markdown.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd"))
    tokens = parser().parse(text)
    lines, code, headings = text.split("\n"), dict(code_in(tokens)), dict(headings_in(tokens))
    starts = {token.map[0] for token in tokens if token.map and not token.level}
    found: list[Block] = []
    at = gap = 0
    while at < len(lines):
        if not lines[at].strip():
            gap, at = gap + 1, at + 1
            continue
        if at in code:
            end, block = code[at]
        elif at in headings:
            end, heading = headings[at]
            block = Block(lines=(heading or lines[at].strip(),), is_heading=True)
        else:
            end = at + 1
            while end < len(lines) and not (end in starts or end in code):
                end += 1
            while not lines[end - 1].strip():
                end -= 1
            block = Block(lines=tuple(map(unfenced, lines[at:end])))
        found.append(replace(block, gap=gap))
        gap, at = 0, end
    return found


@cache
def parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def code_in(tokens: Sequence[Token]) -> Iterator[tuple[int, tuple[int, Block]]]:
    """By its first line: where each code block or table ends, and how it is shown."""
    for number, token in enumerate(tokens):
        if not token.map:
            continue
        begin, end = token.map
        if token.type in ("fence", "code_block"):
            words = token.info.split()
            language = words[0] if words and LANGUAGE.fullmatch(words[0]) else ""
            lines = token.content.removesuffix("\n").split("\n")
            yield begin, (end, Block(lines=tuple(map(broken, lines)), fence=f"```{language}"))
        elif token.type == "table_open":
            yield begin, (end, Block(lines=tuple(map(broken, table(tokens[number:]))), fence="```"))


def headings_in(tokens: Sequence[Token]) -> Iterator[tuple[int, tuple[int, str]]]:
    """By its line: where each heading ends, and how it is shown; empty as it is."""
    for token, content in pairwise(tokens):
        if token.type != "heading_open" or token.level or not token.map:
            continue
        level, text = int(token.tag[1:]), " ".join(content.content.split())
        shown = f"**{text}**" if level > HIGHEST and text else ""
        if not token.markup.startswith("#"):
            shown = f"{'#' * level} {text}"
        yield token.map[0], (token.map[1], shown)


def table(tokens: Sequence[Token]) -> list[str]:
    """A table's lines with its columns aligned, as they look where all letters are of one width."""
    rows: list[list[str]] = []
    sides: list[str] = []
    for token, content in pairwise(tokens):
        if token.type == "table_close":
            break
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open"):
            rows[-1].append(cell(content))
            if token.type == "th_open":
                sides.append(str(token.attrGet("style") or "").removeprefix("text-align:"))
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    first, *others = [" | ".join(map(aligned, row, widths, sides)).rstrip() for row in rows]
    return [first, "-+-".join("-" * each for each in widths), *others]


def cell(content: Token) -> str:
    """Its words without their marks; a link stays as it was typed."""
    children = content.children or []
    if any(child.type in ("link_open", "image") for child in children):
        return content.content
    return "".join(child.content for child in children if child.type in ("text", "code_inline", "html_inline"))


def aligned(text: str, columns: int, side: str) -> str:
    left = {"right": columns - width(text), "center": (columns - width(text)) // 2}.get(side, 0)
    return " " * left + text + " " * (columns - width(text) - left)


def width(text: str) -> int:
    known: int = wcswidth(text)
    return known if known >= 0 else len(text)


def broken(line: str) -> str:
    """A line of code in which nothing ends the code."""
    return FENCE.sub(lambda found: BREAK.join(found[0]), line)


def unfenced(line: str) -> str:
    """A line of text that begins no code block: what is not paired in it is no fence."""
    if len(FENCE.findall(line)) % 2 == 0:
        return line
    last = list(FENCE.finditer(line))[-1]
    return line[: last.start()] + BREAK.join(last[0]) + line[last.end() :]
