"""A reply as people read it: its texts, with a link behind each cited passage; and the pages that were found."""

import re
from itertools import groupby
from typing import Any
from urllib.parse import quote, urlsplit

from bot.core.content_blocks import Block, Content, join_texts_across_handovers, text_block

HOST_PATTERN = re.compile(r"[A-Za-z0-9.-]+")
UNQUOTED_URL_CHARACTERS = "/:?#@!$&'*+,;=%~-._"  # all signs of an address, except those that end a link in Markdown


def reply_text(content: Content) -> str:
    """Return the text of a reply. Texts with citations are pieces of one passage; other texts get their own lines."""
    runs: list[list[Block]] = [[]]
    for block in join_texts_across_handovers(content):
        if block["type"] == "text":
            runs[-1].append(block)
        elif runs[-1]:
            runs.append([])
    return "\n".join(text for run in runs if (text := join_text_blocks_with_links(run)).strip())


def merge_cited_texts(content: Content) -> list[Block]:
    """Return the blocks as a transcript shows them: the pieces of a text with citations are joined, with links."""
    found = []
    for is_text, blocks in groupby(content, lambda block: block["type"] == "text"):
        run = list(blocks)
        is_cut = is_text and any(block.get("citations") for block in run)
        found += [text_block(join_text_blocks_with_links(run))] if is_cut else run
    return found


def is_server_tool_result(block: Block) -> bool:
    """Return True if the block is the result of a tool of the model's server, which only that server can read."""
    return str(block["type"]).endswith("_tool_result")


def format_found_pages(content: Any) -> str:
    """Return a line for each page that a search or a fetch found, or the error code if it failed."""
    pages = content if isinstance(content, list) else [content or {}]
    lines = (" ".join(str(page[key]) for key in ("title", "url", "error_code") if page.get(key)) for page in pages)
    return "\n".join(line for line in lines if line) or "nothing"


def join_text_blocks_with_links(run: list[Block]) -> str:
    """Return the text of the blocks. After each cited passage, its links follow in brackets."""
    if not any(block.get("citations") for block in run):
        return "\n".join(block["text"] for block in run if block["text"].strip())
    pieces = []
    for block, following in zip(run, [*run[1:], None], strict=True):
        text, cited = block["text"], cited_urls(block)
        links = ", ".join(f"[{host}]({address})" for address in cited if (host := link_label_of_url(address)))
        if links and (following is None or cited_urls(following) != cited):
            words = text.rstrip()
            text = f"{words} ({links}){text[len(words) :]}"
        pieces.append(text)
    return "".join(pieces)


def cited_urls(block: Block) -> tuple[str, ...]:
    urls = [each.get("url") for each in block.get("citations") or ()]
    return tuple(dict.fromkeys(quote(url, safe=UNQUOTED_URL_CHARACTERS) for url in urls if isinstance(url, str)))


def link_label_of_url(address: str) -> str:
    """Return the label of a link: its host. Return "" if the address is no web address or is misleading."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    host = parts.hostname or ""
    is_plain = parts.scheme in ("http", "https") and not parts.username and HOST_PATTERN.fullmatch(host)
    return host.removeprefix("www.") if is_plain else ""
