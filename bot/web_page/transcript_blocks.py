"""The blocks of a transcript as the page shows them: who wrote each, what kind it is, and its text."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bot.core import citations
from bot.core.content_blocks import Block, is_media_reference, media_references_in
from bot.core.messages import role_display_name
from bot.store.connection import Connection
from bot.store.session_records import LocatedEntry
from bot.store.shown_files import ShownFile, seen_files
from bot.web_page import texts

HIDDEN_BLOCK_TYPES = ("thinking", "redacted_thinking")  # the model's signed thoughts


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownBlock:
    writer: str
    kind: str  # markdown | text | call | result | error | other: the style in which it is shown
    heading: str  # the name of a tool; empty for text
    text: str
    files: tuple[ShownFile, ...] = ()  # the pictures and PDFs in it


def blocks_of_entry(db: Connection, located: LocatedEntry) -> Iterator[ShownBlock]:
    writer = writer_of_entry(located)
    for block in citations.merge_cited_texts(located.entry.content):
        if block["type"] not in HIDDEN_BLOCK_TYPES:
            kind, heading, text = describe_block(block)
            if kind == "text" and located.entry.role == "assistant":
                kind = "markdown"
            files = seen_files(db, media_references_in([block]))
            yield ShownBlock(writer=writer, kind=kind, heading=heading, text=text, files=files)


def writer_of_entry(located: LocatedEntry) -> str:
    role = role_display_name(located.turns_role)
    return role if located.entry.role == "assistant" else texts.TO_ROLE(role=role)


def describe_block(block: Block) -> tuple[str, str, str]:
    """Return the kind, the heading and the text of a block."""
    match block["type"]:
        case "text":
            return "text", "", str(block["text"])
        case "tool_use" | "server_tool_use":
            return "call", str(block["name"]), pretty_json(block["input"])
        case "tool_result":
            return "error" if block.get("is_error") else "result", "", result_text(block.get("content"))
        case "image" | "document" if is_media_reference(block):
            return "text", "", ""
        case _ if citations.is_server_tool_result(block):
            return "result", "", citations.format_found_pages(block.get("content"))
        case other:
            return "other", str(other), pretty_json(block)


def result_text(content: Any) -> str:
    """Return the result of a tool as text. It is a string or a list of blocks; some blocks may be images, which are
    shown as files."""
    if isinstance(content, str):
        return content
    others = [each for each in content or () if not is_media_reference(each)]
    return "\n".join(str(each.get("text") or f"({each.get('type')})") for each in others)


def pretty_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
