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
READ_ON = re.compile(rf"^\((?:.*; )?{texts.READ_ON(offset='([0-9]+)')}\)$")
HINT = re.compile(rf"^\((?:{PAGE_SHOWN_PATTERN}|{LINE_TOO_LONG_PATTERN}).*\)$")
OUTLINE_REPORT = re.compile(
    r"(?P<path>\S+): (?P<lines>\d+) lines, (?P<words>\d+) words\.\n"
    r"Headings: (?P<headings>.*)\nIt begins: (?P<begins>.*)$",
    re.MULTILINE,
)
NO_HEADINGS = "(none)"
NON_SENTENCE_SIGNS = "#[!|<"  # a line of Markdown that begins with one is not a sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOutline:
    path: str
    lines: int
    words: int
    headings: tuple[str, ...]
    begins: str

    def as_report(self) -> str:
        """Return the outline as a role reports it. `parse` reads it back."""
        headings = " | ".join(self.headings) or NO_HEADINGS
        return f"{self.path}: {self.lines} lines, {self.words} words.\nHeadings: {headings}\nIt begins: {self.begins}"

    @classmethod
    def parse(cls, report: str) -> PageOutline | None:
        found = OUTLINE_REPORT.search(report)
        if found is None:
            return None
        headings = () if found["headings"] == NO_HEADINGS else tuple(found["headings"].split(" | "))
        lines, counted = int(found["lines"]), int(found["words"])
        return cls(path=found["path"], lines=lines, words=counted, headings=headings, begins=found["begins"])


def next_offset(result: str) -> int | None:
    """Return the offset of the next part of a page; None if the result shows its end."""
    hint = READ_ON.match(result.rpartition("\n")[2])
    return int(hint[1]) if hint else None


def join_page_parts(parts: Sequence[str]) -> str:
    """Join the parts of a page, without the tool's hints."""
    found = ""
    for part in parts:
        text, _, last = part.rpartition("\n")
        found += f"{text}\n" if HINT.match(last) else part
    return found


def summarise_page(page: PageOutline) -> str:
    headings = f"\nIts headings: {quote_names(page.headings)}." if page.headings else ""
    return f"`{page.path}` has {page.lines:,} lines and {page.words:,} words. It begins: “{page.begins}”{headings}"


def summarise_text(text: str) -> str:
    """Return the length of a text that came with the message, and its first sentence."""
    paragraphs = re.split(r"\n\s*\n", "\n".join(lines_outside_code(text)).strip())
    plain = [paragraph for paragraph in paragraphs if paragraph and paragraph.lstrip()[0] not in NON_SENTENCE_SIGNS]
    first = " ".join((plain or [text.strip().lstrip(NON_SENTENCE_SIGNS)])[0].split())
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
    marks = NON_SENTENCE_SIGNS if is_markdown else "#"
    begins = next((line for line in plain if line and line[0] not in marks), "(nothing)").removeprefix("- ")
    count, words = len(text.splitlines()), len(text.split())
    return PageOutline(path=path, lines=count, words=words, headings=tuple(headings), begins=begins)


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
    longest, *_, shortest = sorted(outlines, key=lambda page: page.words, reverse=True)
    times = longest.words / max(1, shortest.words)
    common = f"All have the headings {quote_names(shared)}." if shared else "They share no heading."
    lines = [
        f"`{longest.path}` is {times:.1f} times as long as `{shortest.path}`. {common}\n",
        f"{table_row('', [page.path for page in outlines])}\n|---|{'---:|' * len(outlines)}",
        table_row("lines", [f"{page.lines:,}" for page in outlines]),
        table_row("words", [f"{page.words:,}" for page in outlines]),
        table_row("headings", [str(len(page.headings)) for page in outlines]) + "\n",
    ]
    facts = [(page.path, page.begins, quote_names(page.headings)) for page in outlines]
    lines += [f"- **{path}** begins: “{begins}” Its headings: {headings}." for path, begins, headings in facts]
    return "\n".join(lines)


def table_row(name: str, cells: Sequence[str]) -> str:
    return f"| {name} | {' | '.join(cells)} |".replace("|  |", "| |")


def quote_names(names: Sequence[str], most: int = 6) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return (", ".join(f"“{name}”" for name in names[:most]) or "none") + more
