"""A reply as people read it: what it cites has links, which lead where they say and nowhere else."""

from typing import Any

import pytest

from bot.core.citations import reply_text
from bot.core.content_blocks import text_block
from bot.core.messages import Address, OutboundId, OutboundKind, OutboundMessage
from channels.discord.rendering import render_message_texts
from channels.telegram.rendering import render_message_parts

A, B = "https://www.a.example/x", "https://b.example/y"
SEARCHED = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
LONG = 9_000


def cited(text: str, *addresses: Any) -> dict[str, Any]:
    """Of pages, as a search cites them."""
    found = [{"type": "web_search_result_location", "url": each, "title": "T", "cited_text": "c"} for each in addresses]
    return {**text_block(text), "citations": found}


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ([text_block("one"), text_block("two")], "one\ntwo"),
        ([text_block("I look."), SEARCHED, text_block("It is"), cited(" so", A), text_block(".")],
         f"I look.\nIt is so ([a.example]({A}))."),
        ([cited("both", A, B, A)], f"both ([a.example]({A}), [b.example]({B}))"),
        ([cited("One. ", A), cited("Two.", A), text_block(" Three.")], f"One. Two. ([a.example]({A})) Three."),
        ([cited("One. ", A), cited("Two.", B)], f"One. ([a.example]({A})) Two. ([b.example]({B}))"),
        (
            [text_block("A list:\n"), cited("- so\n", A), text_block("- and so")],
            f"A list:\n- so ([a.example]({A}))\n- and so",
        ),
        ([cited("one", A), text_block("\n\n"), cited("two", B)], f"one ([a.example]({A}))\n\ntwo ([b.example]({B}))"),
        ([{**text_block("a file"), "citations": [{"type": "char_location", "document_index": 0}]}], "a file"),
        ([text_block(" "), SEARCHED, text_block("so")], "so"),
        ([], ""),
    ],
)  # fmt: skip
def test_a_reply_reads_as_one_text_with_links_behind_what_it_cites(content: list[Any], shown: str) -> None:
    assert reply_text(content) == shown


@pytest.mark.parametrize(
    "address",
    [
        *("javascript:alert(1)", "ftp://a.example/", "https://ann:secret@a.example/", "//a.example", "https://", "a"),
        *("https://[::1/", "https://a.example.evil]/(x", None, 7),
    ],
)
def test_an_address_outside_the_plain_web_gets_no_link(address: Any) -> None:
    assert reply_text([cited("so", address)]) == "so"


@pytest.mark.parametrize(
    ("address", "link"),
    [
        ("https://a.example/x_(y)", "https://a.example/x_%28y%29"),
        ("https://a.example/a b\n](https://evil.example/)", "https://a.example/a%20b%0A%5D%28https://evil.example/%29"),
        ("https://a.example/ä?q=ß&r=%20#f", "https://a.example/%C3%A4?q=%C3%9F&r=%20#f"),
    ],
)
def test_an_address_cannot_end_its_link_early(address: str, link: str) -> None:
    assert reply_text([cited("so", address)]) == f"so ([a.example]({link}))"
    message = OutboundMessage(
        id=OutboundId("t1"),
        address=Address(channel="telegram", chat="7"),
        kind=OutboundKind.REPLY,
        text=reply_text([cited("so", address)]),
    )
    (piece,) = render_message_parts(message)
    assert piece.text == "so (a.example)"
    assert [(entity.type, entity.url) for entity in piece.entities] == [("text_link", link)]
    assert list(render_message_texts(message)) == [f"so ([a.example]({link}))"]
