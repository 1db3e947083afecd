"""A long text is rendered stretch by stretch, and looks as if it had been rendered at once."""

import pytest
from telegramify_markdown import convert

from channels.telegram.rendering import PARSE_CHUNK_BYTES, RENDER_CONFIG, render_markdown, split_into_parse_chunks

BLOCKS = {
    "paragraphs": "Some **bold** words.\n\n",
    "headings": "# a\n",
    "headings apart": "# a\n\n\n",
    "code": "```py\nx = 1\n\n\ny = 2\n```\n",
    "lists apart by words": "- a\n- b\n\n  more\n\nand *words*\n",
    "quotes": "> a\n> b\n\ntext\n",
    "mixed": "# Title 日本 👍\n\ntext with `code`\nand a [link](https://x.org/a)\n\n1. one\n2. two\n\n---\n\n"
    "> said\n\n",
}


@pytest.mark.parametrize("name", BLOCKS)
def test_it_looks_as_if_rendered_at_once(name: str) -> None:
    text = BLOCKS[name] * (3 * PARSE_CHUNK_BYTES // len(BLOCKS[name]))
    shown, entities = convert(text, latex_escape=False, config=RENDER_CONFIG)
    piece = render_markdown(text)
    assert len(list(split_into_parse_chunks(text))) > 1
    assert piece.text.rstrip() == shown.rstrip()
    assert [(each.type, each.offset, each.length) for each in piece.entities] == [
        (each.type, each.offset, each.length) for each in sorted(entities, key=lambda one: (one.offset, -one.length))
    ]


def test_a_text_with_definitions_is_rendered_at_once() -> None:
    text = "[x]: https://x.org\n\n" + "a [x]\n\n" * PARSE_CHUNK_BYTES
    assert len(list(split_into_parse_chunks(text))) == 1
