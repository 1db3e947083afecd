"""Read rich messages (Bot API 10.1): a tree of blocks, such as paragraphs, lists, tables and pictures. The reader is
tolerant: of what it does not know it returns the words, and it raises nothing."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

MAX_DEPTH = 40  # Telegram allows 16; a block and its words are several levels here
MAX_NODES = 20_000
TEXT_KEYS = ("text", "summary", "expression", "alternative_text")
ADDRESS_KEYS = ("url", "email_address", "phone_number")  # of marked words: what they link to
MEDIA_KEYS = ("photo", "video", "animation", "audio", "voice_note", "voice", "document")

PASTED_BLOCK_TYPES = ("pre", "preformatted", "blockquote", "pullquote")

RichMedia = tuple[str, Any]  # the name of a field as messages have it, and its value


@dataclass
class RichMessageReader:
    """Reads one rich message. `mentions` are the lower-case names and the ids of those that it mentions. With
    `is_only_written` it leaves out what the sender has not written: pasted blocks, names of people, hidden addresses.
    """

    bot_id: int = 0
    is_only_written: bool = False
    mentions: set[str | int] = field(default_factory=set)
    media: list[RichMedia] = field(default_factory=list)
    node_count: int = 0

    def read(self, rich_message: Any) -> str:
        blocks = rich_message.get("blocks") if isinstance(rich_message, dict) else None
        return self.read_blocks(blocks, 0).replace("\0", "�")

    def read_blocks(self, blocks: Any, depth: int, separator: str = "\n\n") -> str:
        found = blocks if isinstance(blocks, list) else [blocks]
        return separator.join(filter(None, (self.read_block(block, depth + 1) for block in found)))

    def read_block(self, block: Any, depth: int) -> str:
        if self.is_beyond_limits(depth):
            return ""
        if not isinstance(block, dict):
            return self.read_text(block, depth).strip()
        self.note_media(block)
        if self.is_only_written and block.get("type") in PASTED_BLOCK_TYPES:
            return ""
        match block.get("type"):
            case "heading" | "section_heading":
                size = block.get("size")
                level = size if isinstance(size, int) and 1 <= size <= 6 else 2
                return f"{'#' * level} {self.read_text(block.get('text'), depth)}".strip()
            case "pre" | "preformatted":
                return f"```\n{self.read_text(block.get('text'), depth)}\n```"
            case "divider":
                return "---"
            case "list":
                return "\n".join(filter(None, self.iterate_items(block.get("items"), depth)))
            case "table":
                rows = "\n".join(filter(None, self.iterate_rows(block.get("cells"), depth)))
                return "\n".join(filter(None, (self.read_caption(block, depth), rows)))
            case "blockquote" | "pullquote":
                words = self.read_parts(block, depth)
                return "\n".join(f"> {line}" for line in words.splitlines())
        return self.read_parts(block, depth)

    def read_parts(self, block: dict[str, Any], depth: int) -> str:
        """Return all the words of a block: its own, those of the blocks in it, its caption and its credit."""
        words = [self.read_text(block.get(key), depth).strip() for key in TEXT_KEYS]
        words += [self.read_location(block.get("location"))]
        words += [self.read_blocks(block.get("blocks"), depth)] if block.get("blocks") else []
        words += ["\n".join(filter(None, self.iterate_items(block.get("items"), depth)))] if "items" in block else []
        words += ["\n".join(filter(None, self.iterate_rows(block.get("cells"), depth)))] if "cells" in block else []
        words += [self.read_caption(block, depth), self.read_text(block.get("credit"), depth).strip()]
        return "\n".join(filter(None, words))

    def read_caption(self, block: dict[str, Any], depth: int) -> str:
        caption = block.get("caption")
        if isinstance(caption, dict) and "type" not in caption:
            found = (self.read_text(caption.get(key), depth).strip() for key in ("text", "credit"))
            return "\n".join(filter(None, found))
        return self.read_text(caption, depth).strip()

    def read_location(self, location: Any) -> str:
        if not isinstance(location, dict):
            return ""
        numbers = [location.get(key) for key in ("latitude", "longitude")]
        return ", ".join(map(str, numbers)) if all(isinstance(each, int | float) for each in numbers) else ""

    def iterate_items(self, items: Any, depth: int) -> Iterator[str]:
        for item in items if isinstance(items, list) else []:
            if self.is_beyond_limits(depth):
                return
            if not isinstance(item, dict):
                yield f"- {self.read_text(item, depth + 1)}"
                continue
            words = self.read_parts(item, depth + 1)
            label = item.get("label")
            sign = label if isinstance(label, str) and label.strip("•- ") else "-"
            if item.get("has_checkbox") is True:
                sign = "- [x]" if item.get("is_checked") is True else "- [ ]"
            yield f"{sign} " + words.replace("\n", "\n  ")

    def iterate_rows(self, rows: Any, depth: int) -> Iterator[str]:
        for row in rows if isinstance(rows, list) else []:
            if self.is_beyond_limits(depth):
                return
            cells = [self.read_text(cell, depth + 1) for cell in (row if isinstance(row, list) else [row])]
            yield "| " + " | ".join(" ".join(cell.split()) for cell in cells) + " |"

    def read_text(self, text: Any, depth: int) -> str:
        """Return words: a string, marked words, or several of both."""
        if self.is_beyond_limits(depth):
            return ""
        if isinstance(text, str):
            return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if isinstance(text, list):
            return "".join(self.read_text(each, depth + 1) for each in text)
        if not isinstance(text, dict):
            return ""
        self.note_mention(text)
        if self.is_only_written and isinstance(user := text.get("user"), dict) and user.get("id") != self.bot_id:
            return f"@{user.get('id')}"
        words = next(filter(None, (self.read_text(text.get(key), depth + 1) for key in TEXT_KEYS)), "")
        address = next((text[key] for key in ADDRESS_KEYS if isinstance(text.get(key), str)), "")
        if not address or address == words.strip() or self.is_only_written:
            return words
        return f"{words} ({address})" if words else address

    def note_mention(self, text: dict[str, Any]) -> None:
        user, name = text.get("user"), text.get("username")
        if isinstance(user, dict) and isinstance(user.get("id"), int):
            self.mentions.add(user["id"])
        if isinstance(name, str):
            self.mentions.add(name.removeprefix("@").casefold())
        elif text.get("type") == "mention" and isinstance(text.get("text"), str):
            self.mentions.add(text["text"].removeprefix("@").casefold())

    def note_media(self, block: dict[str, Any]) -> None:
        for key in MEDIA_KEYS:
            if isinstance(block.get(key), list if key == "photo" else dict):
                self.media.append((key.removesuffix("_note"), block[key]))

    def is_beyond_limits(self, depth: int) -> bool:
        self.node_count += 1
        return depth > MAX_DEPTH or self.node_count > MAX_NODES
