"""What was measured against what it should be, and the table of it."""

from collections.abc import Iterable
from dataclasses import dataclass

HEADS = ("what", "ours", "compared with", "ratio", "aim", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line. `value` is held against `most`; None where there is nothing to hold."""

    what: str
    ours: str
    other: str = ""
    value: float | None = None
    most: float | None = None
    aim: str = ""
    is_ratio: bool = True

    @property
    def falls_short(self) -> bool:
        return self.value is not None and self.most is not None and self.value > self.most

    def cells(self) -> tuple[str, ...]:
        ratio = f"{self.value:.2f}" if self.is_ratio and self.value is not None else ""
        held = self.most is not None and self.value is not None
        verdict = ("**falls short**" if self.falls_short else "reached") if held else ""
        return (self.what, self.ours, self.other, ratio, self.aim, verdict)


def markdown(rows: Iterable[Row]) -> str:
    cells = [HEADS, *(row.cells() for row in rows)]
    widths = [max(len(line[at]) for line in cells) for at in range(len(HEADS))]
    lines = [
        "| " + " | ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) + " |" for line in cells
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"
