"""A model's Markdown for the terminal: nothing that was written is left out, and lines stay lines."""

from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.markdown import Markdown

# What looks like HTML is text: rich would leave it out, and with it `vector<int>` or `#include <stdio.h>`.
PARSER = MarkdownIt("commonmark", {"html": False}).enable("strikethrough").enable("table")


class LineKeepingMarkdown(Markdown):
    def __init__(self, text: str, **options: object) -> None:
        super().__init__(text, **options)  # type: ignore[arg-type]  # rich's own
        self.parsed = parse_markdown(text)


def parse_markdown(text: str) -> list[Token]:
    """The blocks of a text. A line's end within a paragraph is kept: people and models mean it."""
    found: list[Token] = PARSER.parse(text)
    for token in found:
        for child in child_tokens(token):
            if child.type == "softbreak":
                child.type = "hardbreak"
    return found


def child_tokens(token: Token) -> Sequence[Token]:
    return token.children or ()
