"""Markdown of tables and headings, up to a length. This runs in the examiner's process."""

from collections.abc import Iterable, Sequence

from bot.documents.examiner_answers import MAX_MARKDOWN_CHARACTERS


class MarkdownTooLong(Exception):
    """The text has become as long as it may. What was written before is kept."""


class MarkdownWriter:
    """Collects blocks of Markdown, with an empty line between them."""

    def __init__(self) -> None:
        self.blocks: list[str] = []
        self.characters = 0

    def add(self, block: str) -> None:
        """Add a block. Raise MarkdownTooLong if there is no room for all of it, and keep the lines that fit."""
        block = block.strip("\n")
        if len(block) > (room := MAX_MARKDOWN_CHARACTERS - self.characters):
            self.blocks.append(block[:room].rpartition("\n")[0] or block[:room])
            raise MarkdownTooLong
        if block.strip():
            self.characters += len(block) + 2
            self.blocks.append(block)

    def add_table(self, rows: Iterable[Sequence[str]]) -> None:
        """Add a table, whose first row is its head. Raise MarkdownTooLong after the last row that there is room for."""
        lines = list[str]()
        try:
            for row in rows:
                self.add_line(lines, table_line([escape_cell(cell) for cell in row]))
                if len(lines) == 1:
                    self.add_line(lines, table_line(["---"] * len(row)))
        finally:
            self.blocks.append("\n".join(lines))

    def add_line(self, lines: list[str], line: str) -> None:
        self.characters += len(line) + 1
        if self.characters > MAX_MARKDOWN_CHARACTERS:
            raise MarkdownTooLong
        lines.append(line)

    def text(self) -> str:
        blocks = [block for block in self.blocks if block]
        return "\n\n".join(blocks) + "\n" if blocks else ""


def table_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def escape_cell(text: str) -> str:
    """Return a cell's text on one line, and without what would end the cell."""
    return " ".join(text.split()).replace("|", "\\|")
