"""Write a transcript as text, in pages that fit a model's window."""

import json
from collections.abc import Iterable, Iterator, Sequence

from bot.core import citations
from bot.core.content_blocks import Block
from bot.core.model import TranscriptEntry
from bot.tools.pages import MOST_CHARACTERS


def transcript_pages(entries: Sequence[TranscriptEntry]) -> list[str]:
    """Return the whole transcript in pages; at least one, which may be empty."""
    found, room = [""], 0
    pieces = (  # lines, and parts of those that are longer than a page
        line[start : start + MOST_CHARACTERS]
        for line in entries_as_lines(entries)
        for start in range(0, len(line), MOST_CHARACTERS)
    )
    for text in pieces:
        if room < len(text) and found[-1]:
            found.append("")
        room = (MOST_CHARACTERS if not found[-1] else room) - len(text)
        found[-1] += text
    return found


def entries_as_lines(entries: Iterable[TranscriptEntry]) -> Iterator[str]:
    for entry in entries:
        for block in citations.merge_cited_texts(entry.content):
            if text := block_text(block):
                yield from f"{entry.role}: {text}\n".splitlines(keepends=True)


def block_text(block: Block) -> str:
    """Return a block as readable text; empty for thinking, which stays with the model."""
    match block["type"]:
        case "text":
            return str(block["text"])
        case "tool_use" | "server_tool_use":
            return f"calls {block['name']} {json.dumps(block['input'], ensure_ascii=False)}"
        case "tool_result":
            content = block["content"]
            text = content if isinstance(content, str) else "\n".join(map(block_text, content))
            return f"{'error' if block.get('is_error') else 'result'}: {text}"
        case "thinking" | "redacted_thinking":
            return ""
        case _ if citations.is_server_result(block):
            return f"result: {citations.list_found_pages(block.get('content'))}"
        case other:
            return f"({other})"
