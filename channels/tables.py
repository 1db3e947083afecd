"""Format tables for a fixed-width font. Every character of a cell is shown as it was typed.

A table that is wider than a phone is shown as records instead: a line `name: value` for each cell."""

import re
from collections.abc import Sequence
from itertools import zip_longest

from wcwidth import wcswidth

COLUMN_GAP = " | "
CELL_SEPARATOR_PATTERN = re.compile(r"(?<!\\)\|")
LIST_AND_QUOTE_MARKS_PATTERN = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*")  # of lists and quotes around it


def format_table_lines(lines: Sequence[str], max_columns: int) -> list[str]:
    """Return the lines (heads, rule, rows) with aligned columns, or as records if a line would be wider than
    `max_columns`. A row may have more cells than there are heads. A row is loose if its line has no pipe: Markdown
    counts a line right below a table as a row of it."""
    heads, rule, *others = map(split_row_into_cells, lines)
    rows = [heads, *others]
    is_loose = [len(heads) > 1 and not CELL_SEPARATOR_PATTERN.search(line) for line in (lines[0], *lines[2:])]
    columns = max(map(len, rows))
    rules = [*rule, *[""] * columns]
    filled = [[*row, *[""] * (columns - len(row))] for row in rows]
    in_columns = [row for row, loose in zip(filled, is_loose, strict=True) if not loose]
    widths = [max(map(display_width, column)) for column in zip(*in_columns, strict=True)]
    if others and sum(widths) + len(COLUMN_GAP) * (columns - 1) > max_columns:
        return format_records(heads, rows[1:], is_loose[1:])
    shown = [
        row[0] if loose else COLUMN_GAP.join(map(align_cell, row, widths, rules)).rstrip()
        for row, loose in zip(filled, is_loose, strict=True)
    ]
    return [shown[0], "-+-".join("-" * each for each in widths), *shown[1:]]


def format_records(heads: Sequence[str], rows: Sequence[Sequence[str]], is_loose: Sequence[bool]) -> list[str]:
    """Return a line for each cell that is not empty, with its head, and an empty line between two rows. A loose row is
    a line that only follows the table."""
    records = []
    for row, loose in zip(rows, is_loose, strict=True):
        names = [] if loose else heads[: len(row)]
        named = zip_longest(names, row, fillvalue="")
        records.append([f"{head}: {cell}" if head else cell for head, cell in named if cell])
    lines = [line for record in records if record for line in (*record, "")]
    return lines[:-1] or [COLUMN_GAP.join(heads)]


def split_row_into_cells(line: str) -> list[str]:
    """Return a row's cells. A pipe ends a cell, unless it follows a backslash."""
    found = CELL_SEPARATOR_PATTERN.split(line.strip())
    if found and not found[0].strip():
        found = found[1:]
    if found and not found[-1].strip():
        found = found[:-1]
    return [cell.strip().replace("\\|", "|") for cell in found] or [""]


def strip_list_and_quote_marks(line: str) -> str:
    """Return a line without the marks of the lists and quotes around it."""
    return line[LIST_AND_QUOTE_MARKS_PATTERN.match(line).end() :]  # type: ignore[union-attr]  # the pattern matches every line


def align_cell(text: str, columns: int, rule: str) -> str:
    """Return the cell, filled with spaces to `columns`. `rule` has a colon at the side to align to."""
    free = left = columns - display_width(text)
    if not rule.endswith(":"):
        left = 0
    elif rule.startswith(":"):
        left //= 2
    return " " * left + text + " " * (free - left)


def display_width(text: str) -> int:
    known: int = wcswidth(text)
    return known if known >= 0 else len(text)
