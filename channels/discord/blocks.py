"""Split a model's Markdown into blocks that Discord shows as they are meant: tables, headings and code."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from channels.invisible_characters import strip_invisible
from channels.links import host_note
from channels.tables import format_table_lines, strip_frame

FENCE_BREAK = "\u200b"  # a zero-width space between backticks keeps them from being a fence
FENCE = re.compile(r"`{3,}")
LANGUAGE = re.compile(r"[\w+.#-]+")
LINK = re.compile(
    r"(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)|\\."
    r"|\[(?P<words>(?:[^\[\]\\]|\\.)*)\]"
    r"\(\s*<?(?P<target>(?:[^()\s\\<>]|\\.|\([^()\s]*\))*)>?(?:\s+\"[^\"]*\")?\s*\)",
    re.DOTALL,
)
TASK_BOX = re.compile(r"^(\s*(?:>\s?)*\s*(?:[-*+]|\d+[.)])\s+)\[([ xX])\](?=\s)")
RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*")
IMAGE = re.compile(r"(`+).+?\1|!(?=\[[^\[\]]*\]\()")
UNTICKED, TICKED = "\N{BALLOT BOX}", "\N{BALLOT BOX WITH CHECK}"
RULE_LINE = "\N{HORIZONTAL BAR}" * 10
SURROGATE = re.compile(r"[\ud800-\udfff]")
STRETCH_LINES = 200
BLOCK_PARSER = MarkdownIt("commonmark").enable("table").disable("inline")  # Discord itself reads marks within a line
MAX_HEADING_LEVEL = 3  # Discord has three levels of headings


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Lines that belong together. `fence` opens their code block; it is empty if the lines are text."""

    lines: tuple[str, ...]
    fence: str = ""
    gap: int = 0  # empty lines before it
    is_heading: bool = False

    def __str__(self) -> str:
        text = "\n".join(self.lines)
        return f"{self.fence}\n{text}\n```" if self.fence else text


def split_into_blocks(markdown: str, stretch: int = STRETCH_LINES) -> list[Block]:
    """Return the blocks that Discord is to show, in order. A block is no longer than its source, except for the frames
    of tables and code."""
    text = SURROGATE.sub("\ufffd", markdown.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd"))
    text = strip_invisible(text)
    lines = text.split("\n")
    code, headings, starts = dict[int, tuple[int, Block]](), dict[int, tuple[int, str]](), set[int]()
    for tokens in parse_in_stretches(lines, stretch):
        code.update(find_code_blocks(tokens, lines))
        headings.update(find_headings(tokens))
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
            block = Block(lines=(show_hosts_of_links(heading or lines[at].strip()),), is_heading=True)
        else:
            end = at + 1
            while end < len(lines) and not (end in starts or end in code):
                end += 1
            while not lines[end - 1].strip():
                end -= 1
            block = Block(
                lines=tuple(map(replace_unsupported_marks, show_hosts_of_links("\n".join(lines[at:end])).split("\n")))
            )
        found.append(replace(block, gap=gap))
        gap, at = 0, end
    return found


def parse_in_stretches(lines: Sequence[str], size: int) -> Iterator[list[Token]]:
    """Yield the tokens of a stretch of lines at a time. All tokens of a long text at once would make each garbage
    collection long, and the bot would stop meanwhile. The last block of a stretch may go on, so the next stretch
    begins with it again."""
    at, count, is_inside = 0, size, False
    while at < len(lines):
        tokens = BLOCK_PARSER.parse("\n".join(lines[at : at + count]))
        cut, last = find_last_block_start(tokens) if at + count < len(lines) else (len(tokens), count)
        if not last:  # it is all one
            count *= 2
            continue
        goes_on = cut < len(tokens) and tokens[cut].level > 0
        for token in tokens[:cut]:
            token.map = [line + at for line in token.map] if token.map else None
        yield tokens[is_inside:cut]  # without the token that the stretch before began
        at, count, is_inside = at + last, size, goes_on


def find_last_block_start(tokens: Sequence[Token]) -> tuple[int, int]:
    """Return the number and the line of the token that begins the last top-level block. If everything is one list or
    quote, take the last block within it. Return (0, 0) if no block begins after the first line."""
    is_quote = bool(tokens) and tokens[0].type == "blockquote_open"
    for level in (0, 1):
        for number in range(len(tokens) - 1, 0, -1):
            token = tokens[number]
            # Within a list or quote, the block's line must begin with the sign of the list or quote.
            has_sign = level == 0 or is_quote or token.type == "list_item_open"
            if token.map and token.map[0] and token.level == level and has_sign:
                return number, token.map[0]
    return 0, 0


def find_code_blocks(tokens: Sequence[Token], lines: Sequence[str]) -> Iterator[tuple[int, tuple[int, Block]]]:
    """Yield each code block or table: its first line, then the line where it ends and the block to show."""
    for token in tokens:
        if not token.map:
            continue
        begin, end = token.map
        if token.type in ("fence", "code_block"):
            words = token.info.split()
            language = words[0] if words and LANGUAGE.fullmatch(words[0]) else ""
            code = token.content.removesuffix("\n").split("\n")
            yield begin, (end, Block(lines=tuple(map(break_fences, code)), fence=f"```{language}"))
        elif token.type == "table_open":
            rows = lines[begin:end] if not token.level else map(strip_frame, lines[begin:end])
            yield begin, (end, Block(lines=tuple(map(break_fences, format_table_lines(list(rows)))), fence="```"))


def find_headings(tokens: Sequence[Token]) -> Iterator[tuple[int, tuple[int, str]]]:
    """Yield each heading: its line, then the line where it ends and the text to show (empty: show it as it is)."""
    for token, content in pairwise(tokens):
        if token.type != "heading_open" or token.level or not token.map:
            continue
        level, text = int(token.tag[1:]), " ".join(content.content.split())
        shown = f"**{text}**" if level > MAX_HEADING_LEVEL and text else ""
        if not token.markup.startswith("#"):
            shown = f"{'#' * level} {text}"
        yield token.map[0], (token.map[1], shown)


def show_hosts_of_links(text: str) -> str:
    """Return the text with the host added behind each link whose words look like another address. Code stays as it
    is."""
    return LINK.sub(
        lambda found: found[0] + (host_note(found["words"], found["target"]) if found["target"] else ""), text
    )


def break_fences(line: str) -> str:
    """Return a line of code with its fences broken, so that none of them ends the code block."""
    return FENCE.sub(lambda found: FENCE_BREAK.join(found[0]), line)


def replace_unsupported_marks(line: str) -> str:
    """Replace marks that Discord would show as they are typed: boxes of a task list, a rule, an image."""
    if RULE.fullmatch(line):
        return RULE_LINE
    line = TASK_BOX.sub(lambda found: found[1] + (UNTICKED if found[2] == " " else TICKED), line)
    line = IMAGE.sub(lambda found: found[0] if found[1] else "", line)
    fences = list(FENCE.finditer(line))
    if len(fences) % 2:  # the last one has no partner and would begin a code block
        last = fences[-1]
        line = line[: last.start()] + FENCE_BREAK.join(last[0]) + line[last.end() :]
    return line
