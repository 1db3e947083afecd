"""Write a transcript as text, in pages that fit a model's window."""

import json
from collections.abc import Iterable, Sequence

from bot.core import citations
from bot.core.content_blocks import Block
from bot.core.model import TranscriptEntry
from bot.tools.result_pages import MAX_PAGE_CHARACTERS


def transcript_pages(entries: Sequence[TranscriptEntry]) -> list[str]:
    """Return the whole transcript in pages; at least one, which may be empty. Only a line longer than a page is cut."""
    pages = [""]
    for entry in entries:
        for block in citations.merge_cited_texts(entry.content):
            if text := readable_block_text(block):
                append_lines_to_pages(pages, f"{entry.role}: {text}\n".splitlines(keepends=True))
    return pages


def append_lines_to_pages(pages: list[str], lines: Iterable[str]) -> None:
    for line in lines:
        for start in range(0, len(line), MAX_PAGE_CHARACTERS):
            piece = line[start : start + MAX_PAGE_CHARACTERS]
            if pages[-1] and len(pages[-1]) + len(piece) > MAX_PAGE_CHARACTERS:
                pages.append("")
            pages[-1] += piece


def readable_block_text(block: Block) -> str:
    """Return a block as readable text; empty for thinking, which stays with the model."""
    match block["type"]:
        case "text":
            return str(block["text"])
        case "tool_use" | "server_tool_use":
            return f"calls {block['name']} {json.dumps(block['input'], ensure_ascii=False)}"
        case "tool_result":
            content = block["content"]
            text = content if isinstance(content, str) else "\n".join(map(readable_block_text, content))
            return f"{'error' if block.get('is_error') else 'result'}: {text}"
        case "thinking" | "redacted_thinking":
            return ""
        case _ if citations.is_server_tool_result(block):
            return f"result: {citations.format_found_pages(block.get('content'))}"
        case other:
            return f"({other})"
