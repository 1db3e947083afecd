"""A model's Markdown as blocks that Discord shows as they are meant: tables, headings and code in its own forms."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from channels.invisible import without_invisible
from channels.links import told_host
from channels.tables import table, unframed

BREAK = "\u200b"  # takes no space, and keeps backticks from being a fence
FENCE = re.compile(r"`{3,}")
LANGUAGE = re.compile(r"[\w+.#-]+")
LINK = re.compile(
    r"(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)|\\."
    r"|\[(?P<words>(?:[^\[\]\\]|\\.)*)\]"
    r"\(\s*<?(?P<target>(?:[^()\s\\<>]|\\.|\([^()\s]*\))*)>?(?:\s+\"[^\"]*\")?\s*\)",
    re.DOTALL,
)
BOX = re.compile(r"^(\s*(?:>\s?)*\s*(?:[-*+]|\d+[.)])\s+)\[([ xX])\](?=\s)")
RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*")
IMAGE = re.compile(r"(`+).+?\1|!(?=\[[^\[\]]*\]\()")
UNTICKED, TICKED = "\N{BALLOT BOX}", "\N{BALLOT BOX WITH CHECK}"
RULED = "\N{HORIZONTAL BAR}" * 10
SURROGATE = re.compile(r"[\ud800-\udfff]")
STRETCH = 200  # lines
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


def blocks(markdown: str, stretch: int = STRETCH) -> list[Block]:
    """What Discord is to show, in order; nothing of it is longer than it was, but for the frames of tables and code."""
    text = SURROGATE.sub("\ufffd", markdown.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd"))
    text = without_invisible(text)
    lines = text.split("\n")
    code, headings, starts = dict[int, tuple[int, Block]](), dict[int, tuple[int, str]](), set[int]()
    for tokens in stretches(lines, stretch):
        code.update(code_in(tokens, lines))
        headings.update(headings_in(tokens))
        starts |= {token.map[0] for token in tokens if token.map and not token.level}
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
            block = Block(lines=(with_hosts_told(heading or lines[at].strip()),), is_heading=True)
        else:
            end = at + 1
            while end < len(lines) and not (end in starts or end in code):
                end += 1
            while not lines[end - 1].strip():
                end -= 1
            block = Block(lines=tuple(map(in_its_form, with_hosts_told("\n".join(lines[at:end])).split("\n"))))
        found.append(replace(block, gap=gap))
        gap, at = 0, end
    return found


@cache
def parser() -> MarkdownIt:
    """Of blocks alone: what stands within a line Discord reads itself."""
    return MarkdownIt("commonmark").enable("table").disable("inline")


def stretches(lines: Sequence[str], size: int) -> Iterator[list[Token]]:
    """The tokens of some lines at a time: of a long text all of them would hold up whatever else runs, each time that
    Python looks which of its objects are still in use. What a stretch ends with may go on in the next, which begins
    with it again."""
    at, count, is_inside = 0, size, False
    while at < len(lines):
        tokens = parser().parse("\n".join(lines[at : at + count]))
        cut, last = last_start(tokens) if at + count < len(lines) else (len(tokens), count)
        if not last:  # it is all one
            count *= 2
            continue
        goes_on = cut < len(tokens) and tokens[cut].level > 0
        for token in tokens[:cut]:
            token.map = [line + at for line in token.map] if token.map else None
        yield tokens[is_inside:cut]  # without what was begun by the stretch before
        at, count, is_inside = at + last, size, goes_on


def last_start(tokens: Sequence[Token]) -> tuple[int, int]:
    """Which token begins the last block, and in which line: one that stands in no other, or where all is one list or
    quote, one in that. (0, 0) where none begins after the first line."""
    for level in (0, 1):
        for number in range(len(tokens) - 1, 0, -1):
            token = tokens[number]
            if token.map and token.map[0] and token.level == level and (not level or is_part(tokens[0], token)):
                return number, token.map[0]
    return 0, 0


def is_part(whole: Token, token: Token) -> bool:
    """Whether a list or a quote goes on as such from there: its own sign is at the beginning of that line."""
    return whole.type == "blockquote_open" or token.type == "list_item_open"


def code_in(tokens: Sequence[Token], lines: Sequence[str]) -> Iterator[tuple[int, tuple[int, Block]]]:
    """By its first line: where each code block or table ends, and how it is shown."""
    for token in tokens:
        if not token.map:
            continue
        begin, end = token.map
        if token.type in ("fence", "code_block"):
            words = token.info.split()
            language = words[0] if words and LANGUAGE.fullmatch(words[0]) else ""
            code = token.content.removesuffix("\n").split("\n")
            yield begin, (end, Block(lines=tuple(map(broken, code)), fence=f"```{language}"))
        elif token.type == "table_open":
            rows = lines[begin:end] if not token.level else map(unframed, lines[begin:end])
            yield begin, (end, Block(lines=tuple(map(broken, table(list(rows)))), fence="```"))


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


def with_hosts_told(text: str) -> str:
    """The text with the host behind each link whose words look like another address; code stays as it is."""
    return LINK.sub(
        lambda found: found[0] + (told_host(found["words"], found["target"]) if found["target"] else ""), text
    )


def broken(line: str) -> str:
    """A line of code in which nothing ends the code."""
    return FENCE.sub(lambda found: BREAK.join(found[0]), line)


def in_its_form(line: str) -> str:
    """A line of text with what Discord would show as it is typed: boxes of a list of tasks, a rule, an image."""
    if RULE.fullmatch(line):
        return RULED
    line = BOX.sub(lambda found: found[1] + (UNTICKED if found[2] == " " else TICKED), line)
    return unfenced(IMAGE.sub(lambda found: found[0] if found[1] else "", line))


def unfenced(line: str) -> str:
    """A line of text that begins no code block: what is not paired in it is no fence."""
    if len(FENCE.findall(line)) % 2 == 0:
        return line
    last = list(FENCE.finditer(line))[-1]
    return line[: last.start()] + BREAK.join(last[0]) + line[last.end() :]
