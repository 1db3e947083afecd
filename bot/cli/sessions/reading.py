"""A transcript as Markdown, for people: who wrote what, which tools were called, and what came of it."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from bot import citations
from bot.blocks import Block
from bot.cli.sessions import texts
from bot.phrases import shown
from bot.store.archive import Passage

HIDDEN = ("thinking", "redacted_thinking")  # a model's own, and signed: the JSON has it


def transcript(passages: Iterable[Passage]) -> Iterator[str]:
    """Paragraphs: a heading for each entry, and what stands in it."""
    for passage in passages:
        parts = [part for block in citations.whole(passage.entry.content) if (part := of_block(block))]
        if parts:
            yield texts.ENTRY(number=passage.seq, writer=writer(passage))
            yield from parts


def writer(passage: Passage) -> str:
    """Who an entry is by. What a model is sent is the person's words, a task, results, or the harness's."""
    role = shown(passage.turns_role)
    if passage.entry.role == "assistant":
        return role
    if all(block["type"] == "tool_result" for block in passage.entry.content):
        return texts.RESULTS_TO_ROLE(role=role)
    return texts.BOT_TO_ROLE(role=role) if passage.entry.role == "system" else texts.TO_ROLE(role=role)


def of_block(block: Block) -> str:
    match block["type"]:
        case "text":
            return str(block["text"])
        case "tool_use" | "server_tool_use":
            return f"{texts.CALLS_TOOL(tool=block['name'])}\n\n{fenced(pretty(block['input']), 'json')}"
        case "tool_result":
            return fenced(plain(block.get("content")), "error" if block.get("is_error") else "")
        case kind if kind in HIDDEN:
            return ""
        case _ if citations.is_of_server(block):
            return fenced(citations.pages_of(block.get("content")))
        case kind:
            return f"{kind}:\n\n{fenced(pretty(block), 'json')}"


def plain(content: Any) -> str:
    """A result is text, or a list of blocks, of which some may be images."""
    if isinstance(content, str):
        return content
    return "\n".join(str(each.get("text") or f"({each.get('type')})") for each in content or ())


def pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def fenced(text: str, language: str = "") -> str:
    """In a fence that is longer than any within."""
    longest = max((len(found) for found in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"
