"""The documentation as a site: its navigation, its links, and that it reads as on GitHub."""

import re
import runpy
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import yaml
from markdown_it import MarkdownIt

REPOSITORY = Path(__file__).parents[2]
OUTSIDE: dict[str, str] = runpy.run_path(str(REPOSITORY / "scripts" / "site_pages.py"))["OUTSIDE"]
PAGES = {  # by the path in the site
    **{path.relative_to(REPOSITORY / "docs").as_posix(): path for path in (REPOSITORY / "docs").rglob("*.md")},
    **{there: REPOSITORY / path for path, there in OUTSIDE.items() if there.endswith(".md")},
}
COUNTED = {"h1", "h2", "h3", "ol", "ul", "li", "table", "tr", "pre", "img", "strong", "code"}


def pages_in(navigation: Any) -> Iterator[str]:
    """The paths of the pages in a part of the navigation."""
    if isinstance(navigation, str):
        yield navigation
    else:
        for part in navigation.values() if isinstance(navigation, dict) else navigation:
            yield from pages_in(part)


def test_every_page_is_in_the_navigation_once() -> None:
    navigation = yaml.safe_load((REPOSITORY / "mkdocs.yml").read_text())["nav"]
    assert sorted(pages_in(navigation)) == sorted(PAGES)


def test_links_and_anchors_that_are_wrong_are_warnings() -> None:
    validation = yaml.safe_load((REPOSITORY / "mkdocs.yml").read_text())["validation"]
    assert {value for part in validation.values() for value in part.values()} == {"warn"}


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly: every warning is an error."""
    mkdocs = shutil.which("mkdocs")
    if mkdocs is None:
        pytest.skip("mkdocs is not installed: scripts/docs installs it into ~/.cache/retinue-tests/docs")
    site = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [mkdocs, "build", "--quiet", "--strict", "--site-dir", site], cwd=REPOSITORY, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr
    return site


class Outline(HTMLParser):
    """How often each element is there, and the text of each block of code."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: Counter[str] = Counter()
        self.code: list[str] = []
        self._is_in_code = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.update({tag} & COUNTED)
        if tag == "pre":
            self._is_in_code = True
            self.code.append("")

    def handle_endtag(self, tag: str) -> None:
        self._is_in_code = self._is_in_code and tag != "pre"

    def handle_data(self, data: str) -> None:
        if self._is_in_code:
            self.code[-1] += data

    def code_lines(self) -> list[str]:
        """Each block of code, with its indentation, and without the width of what is between words."""
        return [re.sub(r"(?<=\S)[ \t]+", " ", block.strip()) for block in self.code]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_the_same_lists_tables_and_code_as_on_github(page: str, site: Path) -> None:
    html = (site / re.sub(r"(?:README)?\.md$", ".html", page).replace("/.html", "/index.html")).read_text()
    built = Outline(html[html.index('itemprop="articleBody"') : html.index("<footer")])
    github = Outline(MarkdownIt("commonmark").enable("table").render(PAGES[page].read_text()))
    assert built.elements == github.elements
    assert built.code_lines() == github.code_lines()
