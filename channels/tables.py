"""Tables as they look where all letters are of one width: every character of a cell is shown as it was typed."""

import re
from collections.abc import Sequence

from wcwidth import wcswidth

PIPE = re.compile(r"(?<!\\)\|")
FRAME = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*")  # of lists and quotes that a table stands in


def table(lines: Sequence[str]) -> list[str]:
    """A Markdown table's lines (its heads, the rule below them, its rows), with the columns aligned. A row may have
    more cells than there are heads: they are shown too."""
    heads, rule, *others = map(cells, lines)
    rows = [heads, *others]
    columns = max(map(len, rows))
    sides = [*map(side, rule), *[""] * columns]
    filled = [[*row, *[""] * (columns - len(row))] for row in rows]
    widths = [max(map(width, column)) for column in zip(*filled, strict=True)]
    first, *rest = [" | ".join(map(aligned, row, widths, sides)).rstrip() for row in filled]
    return [first, "-+-".join("-" * each for each in widths), *rest]


def cells(line: str) -> list[str]:
    """A row's cells: cut at each pipe without a backslash before it."""
    found = PIPE.split(line.strip())
    if found and not found[0].strip():
        found = found[1:]
    if found and not found[-1].strip():
        found = found[:-1]
    return [cell.strip().replace("\\|", "|") for cell in found] or [""]


def unframed(line: str) -> str:
    """A line without what marks the lists and quotes round it."""
    return line[FRAME.match(line).end() :]  # type: ignore[union-attr]  # it fits every line


def side(rule: str) -> str:
    return {(True, True): "center", (False, True): "right"}.get((rule.startswith(":"), rule.endswith(":")), "")


def aligned(text: str, columns: int, side: str) -> str:
    free = columns - width(text)
    left = {"right": free, "center": free // 2}.get(side, 0)
    return " " * left + text + " " * (free - left)


def width(text: str) -> int:
    known: int = wcswidth(text)
    return known if known >= 0 else len(text)
