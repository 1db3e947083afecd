"""A reply as people read it: its texts, and behind what it cites a link to where that stands; and the pages found."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from typing import Any
from urllib.parse import quote, urlsplit

from bot.blocks import Block, Content, without_seams, words

HOST = re.compile(r"[A-Za-z0-9.-]+")
SAFE = "/:?#@!$&'*+,;=%~-._"  # all that an address may hold, but for what would end a link in Markdown


def answer_of(content: Content) -> str:
    """The text of a reply. Where it cites, it comes in pieces, cut in mid-sentence; other texts stand on lines of their
    own, as do those with something between them."""
    runs: list[list[Block]] = [[]]
    for block in without_seams(content):
        if block["type"] == "text":
            runs[-1].append(block)
        elif runs[-1]:
            runs.append([])
    return "\n".join(text for run in runs if (text := joined(run)).strip())


def whole(content: Content) -> list[Block]:
    """The blocks as a transcript shows them: texts that cite are one again, with their links."""
    found = []
    for is_text, blocks in groupby(content, lambda block: block["type"] == "text"):
        run = list(blocks)
        is_cut = is_text and any(block.get("citations") for block in run)
        found += [words(joined(run))] if is_cut else run
    return found


def is_of_server(block: Block) -> bool:
    """Whether it is what a tool of the model's server has found, which is for that server alone to read."""
    return str(block["type"]).endswith("_tool_result")


def pages_of(content: Any) -> str:
    """The pages that a search or a fetch has found, a line for each; or why it has found none."""
    pages = content if isinstance(content, list) else [content or {}]
    lines = (" ".join(str(page[key]) for key in ("title", "url", "error_code") if page.get(key)) for page in pages)
    return "\n".join(line for line in lines if line) or "nothing"


def joined(run: list[Block]) -> str:
    if not any(block.get("citations") for block in run):
        return "\n".join(block["text"] for block in run if block["text"].strip())
    pieces = []
    for block, following in zip(run, [*run[1:], None], strict=True):
        cited = sources(block)
        goes_on = following is not None and sources(following) == cited
        pieces.append(block["text"] if goes_on else with_links(block["text"], cited))
    return "".join(pieces)


def with_links(text: str, addresses: Iterable[str]) -> str:
    links = ", ".join(f"[{host}]({address})" for address in addresses if (host := host_of(address)))
    words = text.rstrip()
    return f"{words} ({links}){text[len(words) :]}" if links else text


def sources(block: Block) -> tuple[str, ...]:
    """The addresses that a text cites, each once."""
    cited = [mended(each["url"]) for each in block.get("citations") or () if isinstance(each.get("url"), str)]
    return tuple(dict.fromkeys(cited))


def mended(address: str) -> str:
    return quote(address, safe=SAFE)


def host_of(address: str) -> str:
    """What a link is called; nothing for what is no address of the web, or looks like something else."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    host = parts.hostname or ""
    is_plain = parts.scheme in ("http", "https") and not parts.username and HOST.fullmatch(host)
    return host.removeprefix("www.") if is_plain else ""
