"""Parse a model's Markdown for the terminal: keep all of its text and its line breaks."""

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.markdown import Markdown

# Treat HTML as text: rich would drop it, and with it `vector<int>` or `#include <stdio.h>`.
PARSER = MarkdownIt("commonmark", {"html": False}).enable("strikethrough").enable("table")


class LineKeepingMarkdown(Markdown):
    def __init__(self, text: str, **options: object) -> None:
        super().__init__(text, **options)  # type: ignore[arg-type]  # rich's own
        self.parsed = parse_markdown(text)


def parse_markdown(text: str) -> list[Token]:
    """Return the tokens of a text. Keep line breaks within a paragraph, because people and models mean them."""
    found: list[Token] = PARSER.parse(text)
    for token in found:
        for child in token.children or ():
            if child.type == "softbreak":
                child.type = "hardbreak"
    return found
