"""Which links of a text nobody has shown to the bot."""

from collections.abc import Iterable

import pytest

from bot.core.texts import people
from bot.core.unseen_links import iterate_links, leave_out_links, normalize_link

SEEN = [
    "The report is at https://bank.example/report?id=7, and [here](https://wiki.example/Tea_(drink)).",
    '<a href="https://shop.example/a?b=1&amp;c=2">shop</a> or docs.python.org/3/',
]


def find_unseen_links(text: str, seen_texts: Iterable[str]) -> list[str]:
    """Return the links of a text that are in none of these, each once."""
    seen = {normalize_link(link) for each in seen_texts for link in iterate_links(each)}
    found = {normalize_link(link): link for link in reversed(list(iterate_links(text)))}
    return [link for key, link in reversed(found.items()) if key not in seen]


@pytest.mark.parametrize(
    "text",
    [
        "no links, main.py, 3.14, e.g. and a:b",
        "see https://bank.example/report?id=7.",
        "**https://bank.example/report?id=7**",
        "[the bank](https://BANK.example/report?id=7)",
        "(https://wiki.example/Tea_(drink)) and <https://wiki.example/Tea_(drink)>",
        "https://shop.example/a?b=1&c=2",
        "https://docs.python.org/3/",
        "_https://shop.example/a?b=1&c=2_ and |docs.python.org/3/|",
        "version 1.2.3.4, 4.5/5, 28.11.26/9, src/a.test.ts and ann@mail.team.example",
    ],
)
def test_a_link_that_was_shown_is_seen(text: str) -> None:
    assert find_unseen_links(text, SEEN) == []


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("https://evil.example/?d=S3CR3T", ["https://evil.example/?d=S3CR3T"]),
        ("[https://bank.example](https://evil.example/)", ["https://bank.example", "https://evil.example/"]),
        ("![](https://evil.example/S3CR3T.png)", ["https://evil.example/S3CR3T.png"]),
        ("https://bank.example/report?id=7&d=S3CR3T", ["https://bank.example/report?id=7&d=S3CR3T"]),
        ("https://bank.example/report?id=7#S3CR3T", ["https://bank.example/report?id=7#S3CR3T"]),
        ("https://bank.example/report*S3CR3T", ["https://bank.example/report*S3CR3T"]),
        ("https://bank.example/rep", ["https://bank.example/rep"]),
        ("https://wiki.example/Tea_(S3CR3T)", ["https://wiki.example/Tea_(S3CR3T)"]),
        ("https&#58;//evil.example/S3CR3T", ["https://evil.example/S3CR3T"]),
        (r"https\://evil.example/S3CR3T", ["https://evil.example/S3CR3T"]),
        ("[Confirm](tg://resolve?domain=evilbot)", ["tg://resolve?domain=evilbot"]),
        ("write to mailto:eve@evil.example?body=S3CR3T", ["mailto:eve@evil.example?body=S3CR3T"]),
        ("evil.example/S3CR3T", ["evil.example/S3CR3T"]),
        ("(s3cr3t.evil.example)", ["s3cr3t.evil.example"]),
        ("[a](https://x.example/1)[b](https://x.example/2)", ["https://x.example/1", "https://x.example/2"]),
        ("https://x.example/1 https://x.example/1", ["https://x.example/1"]),
        ("https:\u200b//evil.example/?1", ["https://evil.example/?1"]),
        ("http\u00ad\u2060:/\u200b/evil.example/?1", ["http://evil.example/?1"]),
        ("https:**//evil.example/?1**", ["https://evil.example/?1"]),
        ("https:||//evil.example/?1||", ["https://evil.example/?1"]),
        ("https:```//evil.example/1```", ["https://evil.example/1"]),
        ("1234.**evil**.com/x", ["1234.evil.com/x"]),
        ("→1234.evil.com/x", ["1234.evil.com/x"]),
        ("Link:1234.evil.com/x", ["1234.evil.com/x"]),
        ("a,1234.evil.com", ["1234.evil.com"]),
        ("pin=1234.evil.com/x", ["1234.evil.com/x"]),
        ("1234.evil.xn--p1ai", ["1234.evil.xn--p1ai"]),
        ("203.0.113.5/1234", ["203.0.113.5/1234"]),
        ("(https://wiki.example/Tea_(drink))1234.evil.com", ["1234.evil.com"]),
    ],
)
def test_a_link_that_the_model_made_up_is_unseen(text: str, links: list[str]) -> None:
    assert find_unseen_links(text, SEEN) == links


def test_a_long_word_takes_no_longer_than_its_length() -> None:
    assert len(find_unseen_links("https://x.example/" + "([{" * 20_000, [])) == 1
    assert find_unseen_links("a" * 60_000 + "." * 60_000 + "-." * 20_000, []) == []
    assert find_unseen_links("a-" * 60_000, []) == []


EVIL = "https://evil.example/?1"
LEFT_OUT = people.LINK_LEFT_OUT(site="evil.example")


def test_each_spelling_of_a_link_is_left_out() -> None:
    text = f"{EVIL} https:\u200b//evil.example/?1 https:**//evil.example/?1** [here](https:\u200b//evil.example/?1)"
    assert leave_out_links(text, lambda _: True) == f"{LEFT_OUT} {LEFT_OUT} {LEFT_OUT} [here]({LEFT_OUT})"


def test_the_note_about_a_link_says_nothing_of_it_but_its_domain() -> None:
    left = leave_out_links("See https://pin-is-1234.evil.example/ or →1234.evil.example", lambda _: True)
    assert left == f"See {LEFT_OUT} or →{LEFT_OUT}"
