"""What people see of a page of the web. Call this in a process of its own: a page may be made to take any time and
memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bs4 import BeautifulSoup

SILENT_ELEMENTS = ("head", "script", "style", "noscript", "template", "svg")
INLINE_ELEMENTS = frozenset(
    {"a", "abbr", "b", "code", "em", "i", "mark", "small", "span", "strong", "sub", "sup", "time", "u"}
)


def parse_visible_page(html: str | bytes) -> BeautifulSoup:
    """Return a page without what nobody sees of it."""
    from bs4 import BeautifulSoup

    return without_silent_elements(BeautifulSoup(html, "lxml"))


def without_silent_elements(page: BeautifulSoup) -> BeautifulSoup:
    for element in page(SILENT_ELEMENTS):
        element.decompose()
    return page


def visible_text(html: str) -> str:
    """Return the text of a page: its title, and then a line for each block. Addresses are no part of it, so two texts
    differ only if people would see it."""
    from bs4 import BeautifulSoup
    from bs4.element import NavigableString, Tag

    page = BeautifulSoup(html, "lxml")
    pieces, block_before = [page.title.get_text() if page.title else "", "\n"], None
    for element in without_silent_elements(page).descendants:
        if isinstance(element, Tag):
            pieces.append("" if element.name in INLINE_ELEMENTS else "\n")
        elif type(element) is NavigableString:  # comments have types of their own
            block = next(each for each in element.parents if each.name not in INLINE_ELEMENTS)
            pieces += [str(element)] if block is block_before else ["\n", str(element)]
            block_before = block
    lines = (" ".join(line.split()) for line in "".join(pieces).splitlines())
    return "\n".join(line for line in lines if line)
