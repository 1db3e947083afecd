"""Where a link's words look like an address and it leads elsewhere, people see where."""

from collections.abc import Callable

import pytest

from bot.core.messages import Address, OutboundId, OutboundKind, OutboundMessage
from channels.discord.rendering import render_message_texts
from channels.links import misleading_link_note
from channels.telegram.rendering import render_message_parts

EVIL = "https://evil.example/?d=S3CR3T"
LIES = [
    ("https://mybank.com/login", EVIL),
    ("mybank.com", EVIL),
    ("MYBANK.COM", EVIL),
    ("go to mybank.com now", EVIL),
    ("www.mybank.com", EVIL),
    ("mybank.com", "https://mybank.com.evil.example/"),
    ("mybank.com", "https://notmybank.com/"),
    ("ann@mybank.com", "mailto:eve@evil.example"),
    ("mybank。com", EVIL),
    ("\uff4dybank.com", EVIL),
    ("мойбанк.рф", EVIL),
    ("http://localhost", EVIL),
    ("mybank.com or evil.example", EVIL),
]
TRUE = [
    ("https://mybank.com/login", "https://mybank.com/other"),
    ("mybank.com", "https://www.mybank.com/"),
    ("www.mybank.com", "https://mybank.com/"),
    ("python.org", "https://docs.python.org/3/"),
    ("ann@mybank.com", "mailto:ann@mybank.com"),
    ("my bank", EVIL),
    ("1", EVIL),
    ("version 1.2.3", EVIL),
    ("the end. Then", EVIL),
    ("bücher.de", "https://xn--bcher-kva.de/"),
]


def message(text: str) -> OutboundMessage:
    here = Address(channel="telegram", chat="7")
    return OutboundMessage(id=OutboundId("t1"), address=here, kind=OutboundKind.REPLY, text=text)


def on_telegram(text: str) -> str:
    return "".join(piece.text for piece in render_message_parts(message(text)))


def on_discord(text: str) -> str:
    return "".join(render_message_texts(message(text)))


PLATFORMS = [on_telegram, on_discord]


@pytest.mark.parametrize(("words", "target"), LIES)
def test_a_link_that_leads_elsewhere_is_told(words: str, target: str) -> None:
    told = misleading_link_note(words, target)
    assert told
    assert told.strip(" ()") in target


@pytest.mark.parametrize(("words", "target"), TRUE)
def test_a_link_that_leads_where_it_says_is_not(words: str, target: str) -> None:
    assert misleading_link_note(words, target) == ""


def test_of_many_words_nobody_looks_whether_there_is_a_host_among_them() -> None:
    assert misleading_link_note("word " * 100, "https://evil.example/x") == " (evil.example)"
    assert misleading_link_note("word " * 100, "no address") == ""


@pytest.mark.parametrize(
    "target", ["https://mybank.com@evil.example/", "https://evil.example\\@mybank.com/", "https://EVIL.example:443/"]
)
def test_the_host_is_the_one_that_browsers_go_to(target: str) -> None:
    assert misleading_link_note("mybank.com", target) == " (evil.example)"


def test_a_host_of_letters_that_look_alike_is_told_in_plain_ones() -> None:
    assert misleading_link_note("mybank.com", "https://m\u0443bank.com/") == " (xn--mbank-eze.com)"


@pytest.mark.parametrize("show", PLATFORMS)
@pytest.mark.parametrize(
    "text",
    [
        "Look: [https://mybank.com/login]({})!",
        "# [mybank.com]({})",
        "- a\n- **[mybank.com]({})**",
        "> [mybank.com]({})",
        '[mybank.com]({} "title")',
        "[mybank.com](<{}>)",
        "[my](https://x.org) [mybank.com]({})",
    ],
)
def test_the_host_stands_behind_the_link(text: str, show: Callable[[str], str]) -> None:
    shown = show(text.format(EVIL))
    assert "(evil.example)" in shown.replace("\\", "")
    assert "(x.org)" not in shown


@pytest.mark.parametrize("show", PLATFORMS)
def test_code_is_no_link(show: Callable[[str], str]) -> None:
    for text in (f"`[mybank.com]({EVIL})`", f"```\n[mybank.com]({EVIL})\n```", f"\\[mybank.com]({EVIL})"):
        assert "(evil.example)" not in show(text)


def test_a_reference_is_a_link_on_telegram() -> None:
    assert "mybank.com (evil.example)" in on_telegram(f"[mybank.com][1]\n\n[1]: {EVIL}")


@pytest.mark.parametrize("text", ["[Confirm](tg://resolve?domain=evilbot&start=x)", "[Confirm](TG://resolve?domain=x)"])
def test_no_link_leads_into_the_app(text: str) -> None:
    (piece,) = render_message_parts(message(text))
    assert not [entity for entity in piece.entities if entity.url]
    assert piece.text == text, "it is shown as it was typed"


def test_the_link_itself_stays() -> None:
    (piece,) = render_message_parts(message(f"[mybank.com]({EVIL})"))
    assert [entity.url for entity in piece.entities if entity.url] == [EVIL]
