"""Format tables for a fixed-width font. Every character of a cell is shown as it was typed."""

import re
from collections.abc import Sequence

from wcwidth import wcswidth

CELL_SEPARATOR_PATTERN = re.compile(r"(?<!\\)\|")
LIST_AND_QUOTE_MARKS_PATTERN = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*")  # of lists and quotes around it


def format_table_lines(lines: Sequence[str]) -> list[str]:
    """Return the lines (heads, rule, rows) with aligned columns. A row may have more cells than there are heads."""
    heads, rule, *others = map(split_row_into_cells, lines)
    rows = [heads, *others]
    columns = max(map(len, rows))
    rules = [*rule, *[""] * columns]
    filled = [[*row, *[""] * (columns - len(row))] for row in rows]
    widths = [max(map(display_width, column)) for column in zip(*filled, strict=True)]
    first, *rest = [" | ".join(map(align_cell, row, widths, rules)).rstrip() for row in filled]
    return [first, "-+-".join("-" * each for each in widths), *rest]


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
