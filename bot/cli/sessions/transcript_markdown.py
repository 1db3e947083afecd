"""Format a transcript as Markdown for people: who wrote what, which tools were called, and their results."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from bot.cli.sessions import texts
from bot.core import citations
from bot.core.content_blocks import Block
from bot.core.messages import role_display_name
from bot.store.session_records import LocatedEntry

HIDDEN_BLOCK_TYPES = ("thinking", "redacted_thinking")  # the model's signed thoughts; only the JSON export has them


def transcript_paragraphs(passages: Iterable[LocatedEntry]) -> Iterator[str]:
    for passage in passages:
        blocks = citations.merge_cited_texts(passage.entry.content)
        if parts := list(filter(None, map(block_as_markdown, blocks))):
            yield texts.ENTRY(number=passage.seq, writer=entry_heading(passage))
            yield from parts


def entry_heading(passage: LocatedEntry) -> str:
    """Return who wrote an entry. For one sent to the model, say if it has results or words of the bot."""
    role = role_display_name(passage.turns_role)
    if passage.entry.role == "assistant":
        return role
    if all(block["type"] == "tool_result" for block in passage.entry.content):
        return texts.RESULTS_TO_ROLE(role=role)
    return texts.BOT_TO_ROLE(role=role) if passage.entry.role == "system" else texts.TO_ROLE(role=role)


def block_as_markdown(block: Block) -> str:
    match block["type"]:
        case "text":
            return str(block["text"])
        case "tool_use" | "server_tool_use":
            return f"{texts.CALLS_TOOL(tool=block['name'])}\n\n{fence_code(pretty_json(block['input']), 'json')}"
        case "tool_result":
            return fence_code(tool_result_text(block.get("content")), "error" if block.get("is_error") else "")
        case kind if kind in HIDDEN_BLOCK_TYPES:
            return ""
        case _ if citations.is_server_tool_result(block):
            return fence_code(citations.format_found_pages(block.get("content")))
        case kind:
            return f"{kind}:\n\n{fence_code(pretty_json(block), 'json')}"


def tool_result_text(content: Any) -> str:
    """Return a tool result as text. The result is a string or a list of blocks; some blocks may be images."""
    if isinstance(content, str):
        return content
    return "\n".join(str(each.get("text") or f"({each.get('type')})") for each in content or ())


def pretty_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def fence_code(text: str, language: str = "") -> str:
    """Return the text in a code fence that is longer than any fence in the text."""
    longest = max((len(found) for found in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"
