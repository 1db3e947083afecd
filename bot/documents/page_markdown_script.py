"""Print a web page as Markdown. This is a script of its own. It reads the page from stdin, as UTF-8.

    python -I page_markdown_script.py SECONDS ADDRESS < page.html

A malicious page may take any amount of time and memory. So the caller of this script ends it after SECONDS, and an
alarm ends it if the caller was killed. With the extra `web` installed, trafilatura finds the main text; it finds none
of lists and applications. Then, and without it, the whole visible page is printed.
"""

import html
import re
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path
from urllib.parse import urljoin

sys.path.insert(0, str(Path(__file__).parents[2]))  # where `bot` is: this is no module of it

from bot.core.web_page import visible_text
from bot.documents.converters import html_as_markdown

MAX_MEMORY_BYTES = 256 * 2**20
TITLE_PATTERN = re.compile(r"<title[^<>]{0,200}>([^<>]{0,500})</title", re.IGNORECASE)
CHARACTERS_SEARCHED_FOR_TITLE = 100_000
MIN_MAIN_TEXT_CHARACTERS = 200  # less of a page with more is a heading or a notice about cookies


def main(seconds: str, address: str) -> int:
    signal.alarm(int(seconds))
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    page = sys.stdin.buffer.read().decode(errors="replace")
    text = find_main_text(page, address)
    if len(text) < MIN_MAIN_TEXT_CHARACTERS:
        text = whole_page_as_markdown(page, address) or text
    title = find_title(page)
    has_title = not title or any(line.lstrip("# ").startswith(title) for line in text.splitlines())
    sys.stdout.buffer.write((text if has_title else f"# {title}\n\n{text}").encode(errors="replace"))
    return 0


def find_main_text(page: str, address: str) -> str:
    """Return the main text as Markdown; empty if there is none, or if nobody can find it here."""
    try:
        import trafilatura
    except ImportError:
        return ""
    found = trafilatura.extract(
        page,
        url=address,
        output_format="markdown",
        include_comments=False,
        include_formatting=True,
        include_links=True,
        include_tables=True,
    )
    return (found or "").strip()


def whole_page_as_markdown(page: str, address: str) -> str:
    """Return all that people see of a page, with whole addresses."""
    from bs4 import BeautifulSoup

    tree = BeautifulSoup(page, "lxml")
    for link in tree.find_all("a", href=True):
        with suppress(ValueError):
            link["href"] = urljoin(address, str(link["href"]))
    if tree.head and not tree.body:  # the parser takes all for the head if a page has no body and begins with <nav>
        for title in tree.head("title"):
            title.decompose()
        tree.head.name = "body"
    try:
        return html_as_markdown(str(tree))
    except RecursionError:  # elements in elements in elements, more than any page needs
        return visible_text(page)


def find_title(page: str) -> str:
    found = TITLE_PATTERN.search(page[:CHARACTERS_SEARCHED_FOR_TITLE])
    return " ".join(html.unescape(found[1]).split()) if found else ""


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
