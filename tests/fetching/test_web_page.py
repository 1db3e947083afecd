"""What people see of a page of the web, as the lines that are compared."""

import pytest

from bot.core.web_page import visible_text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>One <b>fish</b>,<br>two<p>three", "One fish,\ntwo\nthree"),
        ("<ul><li>a<li>b <a href='/secret'>c</a></ul>d", "a\nb c\nd"),
        ("<div>a<div>b</div>c</div>", "a\nb\nc"),
        ("<table><tr><td>a<td>b<tr><td>c</table>", "a\nb\nc"),
        ("<head><title>News</title><script>x</script></head><!-- no --><body>a<style>b</style><svg>c</svg>", "News\na"),
        ("<title>Only</title>", "Only"),
        ("plain &amp; simple", "plain & simple"),
        ("", ""),
    ],
)
def test_each_block_is_a_line_and_nothing_unseen_is_in_it(page: str, text: str) -> None:
    assert visible_text(page) == text
