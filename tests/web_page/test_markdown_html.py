"""What agents write, as HTML: shown as they mean it, and nothing in it does anything in the browser."""

import pytest

from bot.web_page import markdown_html
from bot.web_page.markdown_html import markdown_to_html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a **b** *c* ~~d~~ `e`", "<p>a <strong>b</strong> <em>c</em> <s>d</s> <code>e</code></p>\n"),
        ("a\nb", "<p>a<br />\nb</p>\n"),
        ("## a", '<p class="heading">a</p>\n'),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
        ("> a", "<blockquote>\n<p>a</p>\n</blockquote>\n"),
        ("```py\na < b\n```", '<pre tabindex="0"><code>a &lt; b\n</code></pre>\n'),
        ("[a](https://e.x/?b=1&c=2)", '<p><a href="https://e.x/?b=1&amp;c=2" rel="noopener noreferrer">a</a></p>\n'),
    ],
)
def test_each_form_is_shown(text: str, html: str) -> None:
    assert markdown_to_html(text) == html


def test_the_columns_of_a_table_are_aligned_by_classes() -> None:
    html = markdown_to_html("| a | b | c |\n|---|--:|:-:|\n| 1 | 2 | 3 |")
    assert html.startswith('<div class="wide" tabindex="0"><table>')
    assert '<td>1</td>\n<td class="right">2</td>\n<td class="center">3</td>' in html
    assert "style" not in html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "a <b onclick=x>",
        "```<script>\n<i>\n```",
        "[<i>](https://e.x/<u>)",
        "<https://e.x/<b>>",
        "| <i> |\n|---|\n| <u> |",
        '[a](https://e.x "<i>")',
        "![<i>](https://e.x/<u>)",
    ],
)
def test_html_in_a_text_stays_text(text: str) -> None:
    html = markdown_to_html(text)
    for tag in ("<script", "<img", "<b ", "<b>", "<i>", "<u>"):
        assert tag not in html


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "/logout",
        "a.md",
        "//e.x",
    ],
)
def test_other_addresses_are_no_links(address: str) -> None:
    for text in (f"[a]({address})", f"<{address}>", f"[a][1]\n\n[1]: {address}"):
        assert "<a" not in markdown_to_html(text)


def test_a_picture_of_elsewhere_is_named_and_not_loaded() -> None:
    assert markdown_to_html("![a cat](https://e.x/c.png)") == "<p>a cat (https://e.x/c.png)</p>\n"
    assert "<img" not in markdown_to_html("[![a](https://e.x/c.png)](https://e.x)")


def test_a_text_that_is_too_long_is_shown_as_it_was_written() -> None:
    text = "**a** <i>" * markdown_html.MAX_CHARACTERS
    html = markdown_to_html(text)
    assert html.startswith('<p class="plain">**a** &lt;i&gt;**a**')
    assert html.count("**") == text.count("**")
