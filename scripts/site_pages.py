"""Hooks of mkdocs: add the pages outside docs/ to the site, and adapt what GitHub and mkdocs read differently.

In the repository, links are paths of the repository, and code in a list is indented like its item. For mkdocs, links
become paths of the site, and such code is indented by eight spaces.
"""

import posixpath
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OUTSIDE = {  # path in the repository: path in the site
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "report-a-fault.md",
    "LICENSE": "LICENSE",
    "tests/store/databases/README.md": "old-databases.md",
}
ITEM = re.compile(r"(?:[-*]|\d+\.) +")
LINK = re.compile(r"(?<=\]\()([^)#:\s]+)(?=[)#])")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages outside docs/."""
    from mkdocs.structure.files import File  # only mkdocs runs this, in an environment of its own

    for path, site_path in OUTSIDE.items():
        files.append(File.generated(config, site_path, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Return the page in the form that mkdocs needs."""
    return indent_lists(change_links(markdown, page.file.src_uri))


def change_links(markdown: str, site_path: str) -> str:
    """Return the page with its links changed from paths in the repository to paths in the site."""
    repository_path = next((path for path, there in OUTSIDE.items() if there == site_path), f"docs/{site_path}")

    def change(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(repository_path), link[1]))
        there = OUTSIDE.get(target, target.removeprefix("docs/"))
        return posixpath.relpath(there, posixpath.dirname(site_path) or ".")

    return LINK.sub(change, markdown)


def indent_lists(markdown: str) -> str:
    """Return the page with the lines below each list item indented by four, and fenced code there by eight."""
    lines, column, in_fence, in_item_fence = [], 0, False, False
    for line in markdown.split("\n"):
        fence = line.lstrip().startswith("```")
        indent = len(line) - len(line.lstrip())
        if in_fence or (fence and (not column or indent < column)):
            in_fence, column = in_fence ^ fence, 0
        elif item := ITEM.match(line):
            column = item.end()
        elif column and fence and indent >= column:
            in_item_fence = not in_item_fence
            line = ""
        elif column and line.strip():
            column = column if indent >= column else 0
            line = " " * (8 if in_item_fence else 4) * bool(column) + line[column:]
        lines.append(line)
    return "\n".join(lines)
