"""A reply as people read it: what it cites has links, which lead where they say and nowhere else."""

from typing import Any

import pytest

from bot.blocks import words
from bot.citations import answer_of
from bot.messages import Address, OutboundId, OutboundKind, OutboundMessage
from channels.discord.rendering import texts
from channels.telegram.rendering import rendered

A, B = "https://www.a.example/x", "https://b.example/y"
SEARCHED = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
LONG = 9_000


def cited(text: str, *addresses: Any) -> dict[str, Any]:
    """Of pages, as a search cites them."""
    found = [{"type": "web_search_result_location", "url": each, "title": "T", "cited_text": "c"} for each in addresses]
    return {**words(text), "citations": found}


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ([words("one"), words("two")], "one\ntwo"),
        ([words("I look."), SEARCHED, words("It is"), cited(" so", A), words(".")],
         f"I look.\nIt is so ([a.example]({A}))."),
        ([cited("both", A, B, A)], f"both ([a.example]({A}), [b.example]({B}))"),
        ([cited("One. ", A), cited("Two.", A), words(" Three.")], f"One. Two. ([a.example]({A})) Three."),
        ([cited("One. ", A), cited("Two.", B)], f"One. ([a.example]({A})) Two. ([b.example]({B}))"),
        ([words("A list:\n"), cited("- so\n", A), words("- and so")], f"A list:\n- so ([a.example]({A}))\n- and so"),
        ([cited("one", A), words("\n\n"), cited("two", B)], f"one ([a.example]({A}))\n\ntwo ([b.example]({B}))"),
        ([{**words("a file"), "citations": [{"type": "char_location", "document_index": 0}]}], "a file"),
        ([words(" "), SEARCHED, words("so")], "so"),
        ([], ""),
    ],
)  # fmt: skip
def test_a_reply_reads_as_one_text_with_links_behind_what_it_cites(content: list[Any], shown: str) -> None:
    assert answer_of(content) == shown


@pytest.mark.parametrize(
    "address",
    [
        *("javascript:alert(1)", "ftp://a.example/", "https://ann:secret@a.example/", "//a.example", "https://", "a"),
        *("https://[::1/", "https://a.example.evil]/(x", None, 7),
    ],
)
def test_what_is_no_plain_address_of_the_web_has_no_link(address: Any) -> None:
    assert answer_of([cited("so", address)]) == "so"


@pytest.mark.parametrize(
    ("address", "link"),
    [
        ("https://a.example/x_(y)", "https://a.example/x_%28y%29"),
        ("https://a.example/a b\n](https://evil.example/)", "https://a.example/a%20b%0A%5D%28https://evil.example/%29"),
        ("https://a.example/ä?q=ß&r=%20#f", "https://a.example/%C3%A4?q=%C3%9F&r=%20#f"),
    ],
)
def test_an_address_cannot_end_its_link_early(address: str, link: str) -> None:
    assert answer_of([cited("so", address)]) == f"so ([a.example]({link}))"
    message = OutboundMessage(
        id=OutboundId("t1"),
        address=Address(channel="telegram", chat="7"),
        kind=OutboundKind.REPLY,
        text=answer_of([cited("so", address)]),
    )
    (piece,) = rendered(message)
    assert piece.text == "so (a.example)"
    assert [(entity.type, entity.url) for entity in piece.entities] == [("text_link", link)]
    assert list(texts(message)) == [f"so ([a.example]({link}))"]
