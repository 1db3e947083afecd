"""What the demo says about pages: it counts, quotes and compares what it has really read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.tools import texts

# The hints at the end of a result of read_file, in its own words.
PAGE_SHOWN_PATTERN, LINE_TOO_LONG_PATTERN = (
    re.sub(r"\{.*?\}", r"[\\d,]+", text["line"]) for text in (texts.SHOWN, texts.TOO_LONG_TO_SHOW)
)
READ_ON_HINT_PATTERN = re.compile(rf"^\((?:.*; )?{texts.READ_ON(offset='([0-9]+)')}\)$")
PAGE_HINT_PATTERN = re.compile(rf"^\((?:{PAGE_SHOWN_PATTERN}|{LINE_TOO_LONG_PATTERN}).*\)$")
OUTLINE_REPORT_PATTERN = re.compile(
    r"(?P<path>\S+): (?P<lines>\d+) lines, (?P<words>\d+) words\.\n"
    r"Headings: (?P<headings>.*)\nIt begins: (?P<begins>.*)$",
    re.MULTILINE,
)
NO_HEADINGS = "(none)"
NON_SENTENCE_LINE_STARTS = "#[!|<"  # a line of Markdown that begins with one is not a sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOutline:
    path: str
    line_count: int
    word_count: int
    headings: tuple[str, ...]
    first_line: str

    def as_report(self) -> str:
        """Return the outline as a role reports it. `parse_report` reads it back."""
        headings = " | ".join(self.headings) or NO_HEADINGS
        size = f"{self.line_count} lines, {self.word_count} words."
        return f"{self.path}: {size}\nHeadings: {headings}\nIt begins: {self.first_line}"

    @classmethod
    def parse_report(cls, report: str) -> PageOutline | None:
        found = OUTLINE_REPORT_PATTERN.search(report)
        if found is None:
            return None
        headings = () if found["headings"] == NO_HEADINGS else tuple(found["headings"].split(" | "))
        path, lines, words, first = found["path"], int(found["lines"]), int(found["words"]), found["begins"]
        return cls(path=path, line_count=lines, word_count=words, headings=headings, first_line=first)


def next_page_offset(result: str) -> int | None:
    """Return the offset of the next part of a page; None if the result shows its end."""
    hint = READ_ON_HINT_PATTERN.match(result.rpartition("\n")[2])
    return int(hint[1]) if hint else None


def join_page_parts(parts: Sequence[str]) -> str:
    """Join the parts of a page, without the tool's hints."""
    found = ""
    for part in parts:
        text, _, last = part.rpartition("\n")
        found += f"{text}\n" if PAGE_HINT_PATTERN.match(last) else part
    return found


def describe_page_outline(page: PageOutline) -> str:
    headings = f"\nIts headings: {quote_names(page.headings)}." if page.headings else ""
    size = f"{page.line_count:,} lines and {page.word_count:,} words"
    return f"`{page.path}` has {size}. It begins: “{page.first_line}”{headings}"


def describe_length_and_first_sentence(text: str) -> str:
    """Return the length of a text that came with the message, and its first sentence."""
    paragraphs = re.split(r"\n\s*\n", "\n".join(lines_outside_code(text)).strip())
    plain = [each for each in paragraphs if each and each.lstrip()[0] not in NON_SENTENCE_LINE_STARTS]
    first = " ".join((plain or [text.strip().lstrip(NON_SENTENCE_LINE_STARTS)])[0].split())
    sentence = re.match(r".+?[.!?…](?=\s|$)|.*", first)
    assert sentence
    count = len(text.split())
    return f"The text has {count:,} word{'s' * (count != 1)}. It begins: “{sentence[0]}”"


def make_outline(path: str, text: str) -> PageOutline:
    """Return the outline of a page. Only Markdown has headings; in other files, # begins a comment."""
    is_markdown = path.lower().endswith((".md", ".markdown"))
    lines = lines_outside_code(text)
    headings = [line.lstrip("#").strip() for line in lines if is_markdown and re.match(r"#{1,6} \S", line)]
    plain = (line.strip() for line in lines)
    marks = NON_SENTENCE_LINE_STARTS if is_markdown else "#"
    begins = next((line for line in plain if line and line[0] not in marks), "(nothing)").removeprefix("- ")
    count, words = len(text.splitlines()), len(text.split())
    return PageOutline(path=path, line_count=count, word_count=words, headings=tuple(headings), first_line=begins)


def lines_outside_code(text: str) -> list[str]:
    """Return the lines of a page that are outside code blocks, because # in code is not a heading."""
    lines, is_code = [], False
    for line in text.splitlines():
        if line.startswith("```"):
            is_code = not is_code
        elif not is_code:
            lines.append(line)
    return lines


def compare_outlines(outlines: Sequence[PageOutline]) -> str:
    """Compare pages: their lengths, their shared headings, and how each begins."""
    shared = [each for each in outlines[0].headings if all(each in other.headings for other in outlines[1:])]
    longest, *_, shortest = sorted(outlines, key=lambda page: page.word_count, reverse=True)
    times = longest.word_count / max(1, shortest.word_count)
    common = f"All have the headings {quote_names(shared)}." if shared else "They share no heading."
    lines = [
        f"`{longest.path}` is {times:.1f} times as long as `{shortest.path}`. {common}\n",
        f"{markdown_table_row('', [page.path for page in outlines])}\n|---|{'---:|' * len(outlines)}",
        markdown_table_row("lines", [f"{page.line_count:,}" for page in outlines]),
        markdown_table_row("words", [f"{page.word_count:,}" for page in outlines]),
        markdown_table_row("headings", [str(len(page.headings)) for page in outlines]) + "\n",
    ]
    facts = [(page.path, page.first_line, quote_names(page.headings)) for page in outlines]
    lines += [f"- **{path}** begins: “{begins}” Its headings: {headings}." for path, begins, headings in facts]
    return "\n".join(lines)


def markdown_table_row(name: str, cells: Sequence[str]) -> str:
    return f"| {name} | {' | '.join(cells)} |".replace("|  |", "| |")


def quote_names(names: Sequence[str], most: int = 6) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return (", ".join(f"“{name}”" for name in names[:most]) or "none") + more
