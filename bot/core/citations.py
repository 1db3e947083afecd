"""A reply as people read it: its texts, and behind what it cites a link to where that stands; and the pages found."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from typing import Any
from urllib.parse import quote, urlsplit

from bot.core.content_blocks import Block, Content, merge_handovers, text_block

HOST_PATTERN = re.compile(r"[A-Za-z0-9.-]+")
SAFE_SIGNS = "/:?#@!$&'*+,;=%~-._"  # all signs of an address except those that would end a link in Markdown


def reply_text(content: Content) -> str:
    """The text of a reply. Where it cites, it comes in pieces, cut in mid-sentence; other texts stand on lines of their
    own, as do those with something between them."""
    runs: list[list[Block]] = [[]]
    for block in merge_handovers(content):
        if block["type"] == "text":
            runs[-1].append(block)
        elif runs[-1]:
            runs.append([])
    return "\n".join(text for run in runs if (text := join_text_run(run)).strip())


def merge_cited_texts(content: Content) -> list[Block]:
    """The blocks as a transcript shows them: texts that cite are one again, with their links."""
    found = []
    for is_text, blocks in groupby(content, lambda block: block["type"] == "text"):
        run = list(blocks)
        is_cut = is_text and any(block.get("citations") for block in run)
        found += [text_block(join_text_run(run))] if is_cut else run
    return found


def is_server_result(block: Block) -> bool:
    """Whether it is what a tool of the model's server has found, which is for that server alone to read."""
    return str(block["type"]).endswith("_tool_result")


def list_found_pages(content: Any) -> str:
    """The pages that a search or a fetch has found, a line for each; or why it has found none."""
    pages = content if isinstance(content, list) else [content or {}]
    lines = (" ".join(str(page[key]) for key in ("title", "url", "error_code") if page.get(key)) for page in pages)
    return "\n".join(line for line in lines if line) or "nothing"


def join_text_run(run: list[Block]) -> str:
    if not any(block.get("citations") for block in run):
        return "\n".join(block["text"] for block in run if block["text"].strip())
    pieces = []
    for block, following in zip(run, [*run[1:], None], strict=True):
        cited = addresses_cited(block)
        goes_on = following is not None and addresses_cited(following) == cited
        pieces.append(block["text"] if goes_on else add_links(block["text"], cited))
    return "".join(pieces)


def add_links(text: str, addresses: Iterable[str]) -> str:
    links = ", ".join(f"[{host}]({address})" for address in addresses if (host := link_label_of(address)))
    words = text.rstrip()
    return f"{words} ({links}){text[len(words) :]}" if links else text


def addresses_cited(block: Block) -> tuple[str, ...]:
    """The addresses that a text cites, each once."""
    urls = [each.get("url") for each in block.get("citations") or ()]
    return tuple(dict.fromkeys(quote(url, safe=SAFE_SIGNS) for url in urls if isinstance(url, str)))


def link_label_of(address: str) -> str:
    """What a link is called; nothing for what is no address of the web, or looks like something else."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    host = parts.hostname or ""
    is_plain = parts.scheme in ("http", "https") and not parts.username and HOST_PATTERN.fullmatch(host)
    return host.removeprefix("www.") if is_plain else ""
