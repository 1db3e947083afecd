"""The blocks of a transcript, in the Claude API's own form: the one place that knows their keys."""

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Any

from bot.core.messages import InboundKind, InboundMessage
from bot.core.prompt_prefix import tokens_for_characters
from bot.core.texts import model

LATE_SECONDS = 600.0  # a message that took longer to come was written while we were away

LONGEST_NAME = 40  # characters
INDENT = "  "
BASE64_PER_TOKEN = 40  # characters, of a PDF: a hundred kilobytes a page

Block = dict[str, Any]
Content = Sequence[Block]


def text_block(text: str) -> Block:
    return {"type": "text", "text": text}


def message_as_block(message: InboundMessage, zone: tzinfo) -> Block:
    """Return a message as the model reads it. `zone` is where the operator lives.

    The sender is always named, because several people may write; the id comes first, because nobody can choose it.
    Each further line is indented. So no text can look like another person's, or like a report, which names its role.
    """
    if message.kind is InboundKind.REPORT:
        return text_block(message.text)
    name = short_name(message.sender.name)
    who = f'id {message.sender.id} "{name}"' if message.group_chat else name
    text = indent_continuation(message.text)
    marks = quote_lines(message, name)
    if message.late_seconds > LATE_SECONDS:
        marks.insert(0, model.WRITTEN_WHILE_AWAY(time=message.sent_at.astimezone(zone)))
    if message.attachments:
        marks.append(model.FILES_CAME_ALONG(files=", ".join(map(plain_name, message.attachments))))
    if not marks:
        return text_block(f"{who}: {text}")
    return text_block("\n".join([f"{who}:", *marks, *([f"{INDENT}{text}"] if message.text else [])]))


def indent_continuation(text: str) -> str:
    """Return a text of which only the first line begins where a line begins."""
    return f"\n{INDENT}".join(text.splitlines())


def quote_lines(message: InboundMessage, name: str) -> list[str]:
    """Return other people's words that came along. Each line is marked, so that none passes for the sender's."""
    lines: list[str] = []
    for quote in message.quotes:
        author = short_name(quote.author)
        if quote.is_forwarded:
            lines.append(model.FORWARDED(person=name, author=author))
        else:
            lines.append(model.REPLIED_TO(person=name, author=author))
        lines += [f"> {line}" for line in quote.text.splitlines()]
    return lines


def short_name(name: str) -> str:
    """A person's name, as it can stand in quotes."""
    plain = " ".join(plain_name(name).replace('"', " ").split()) or "?"
    return plain if len(plain) <= LONGEST_NAME else plain[: LONGEST_NAME - 1].rstrip() + "…"


def plain_name(name: str) -> str:
    """A name that cannot look like anything else: people choose theirs freely."""
    return " ".join("".join(" " if sign in "[]<>" or not sign.isprintable() else sign for sign in name).split()) or "?"


def tool_result_block(tool_use_id: str, result: str, *, is_error: bool, media: Block | None = None) -> Block:
    content = [text_block(result), media] if media else result
    block: Block = {"type": "tool_result", "tool_use_id": tool_use_id, "content": content}
    return {**block, "is_error": True} if is_error else block


THINKING_TYPES = ("thinking", "redacted_thinking")
HANDOVER = "fallback"  # in a reply: the model before it has declined, and another goes on


def content_text(content: Content) -> str:
    return "\n".join(block["text"] for block in merge_handovers(content) if block["type"] == "text")


def merge_handovers(content: Content) -> list[Block]:
    """The blocks as they are read: a text with which another model has gone on is one with the text before it, whatever
    it has thought in between."""
    found: list[Block] = []
    last = goes_on = -1  # where the last text is, and whether a seam has come since
    for block in content:
        if block["type"] == HANDOVER:
            goes_on = last
        elif block["type"] == "text" and goes_on >= 0:
            found[goes_on], goes_on = join_two_texts(found[goes_on], block), -1
        else:
            found.append(block)
            last = len(found) - 1 if block["type"] == "text" else last if block["type"] in THINKING_TYPES else -1
            goes_on = goes_on if block["type"] in THINKING_TYPES else -1
    return found


def join_two_texts(first: Block, second: Block) -> Block:
    cited = [*(first.get("citations") or ()), *(second.get("citations") or ())]
    both = text_block(first["text"] + second["text"])
    return {**both, "citations": cited} if cited else both


def tool_uses_in(content: Content) -> list[Block]:
    return [block for block in content if block["type"] == "tool_use"]


def media_reference(call: str, media_type: str, tokens: int) -> Block:
    """An image or a PDF as it stands in a stored transcript: its bytes lie in their own table, under its call."""
    kind = "document" if media_type == "application/pdf" else "image"
    return {"type": kind, "source": {"type": "kept", "call": call, "media_type": media_type, "tokens": tokens}}


def media_references_in(content: Content) -> list[Block]:
    """Those in the results of tools."""
    results = [block["content"] for block in content if block["type"] == "tool_result"]
    return [inner for each in results if isinstance(each, list) for inner in each if is_media_reference(inner)]


def estimate_content_tokens(content: Content, body: str) -> int:
    """About how many tokens a content is of which `body` is the JSON: of images and PDFs, what they come to."""
    of_kept = sum(int(each["source"]["tokens"]) for each in media_references_in(content))
    packed = sum(map(len, web_pdfs_in(content))) if '"base64"' in body else 0
    return tokens_for_characters(len(body) - packed) + of_kept + packed // BASE64_PER_TOKEN


def web_pdfs_in(content: Content) -> list[str]:
    """The base64 of the PDFs that the server has fetched from the web: those it sends whole."""
    found = [block["content"].get("content", {}) for block in content if block["type"] == "web_fetch_tool_result"]
    sources = [document.get("source", {}) for document in found]
    return [str(source["data"]) for source in sources if source.get("type") == "base64"]


def is_media_reference(block: Block) -> bool:
    return "source" in block and block["source"]["type"] == "kept"


def fill_media(content: Content, encoded: Mapping[str, str]) -> list[Block]:
    """The content as it is sent, given the base64 of what was kept, by calls; what is gone has a word in its place."""
    if not media_references_in(content):
        return list(content)
    filled = []
    for block in content:
        if block["type"] == "tool_result" and isinstance(block["content"], list):
            inside = block["content"]
            inside = [fill_media_block(each, encoded) if is_media_reference(each) else each for each in inside]
            filled.append({**block, "content": inside})
        else:
            filled.append(block)
    return filled


def fill_media_block(block: Block, encoded: Mapping[str, str]) -> Block:
    source = block["source"]
    if source["call"] not in encoded:
        return text_block(model.FILE_IS_GONE)
    source = {"type": "base64", "media_type": source["media_type"], "data": encoded[source["call"]]}
    return {"type": block["type"], "source": source}


def pending_server_uses(content: Content) -> list[Block]:
    """The uses of the server's own tools that have no result there."""
    answered = {block.get("tool_use_id") for block in content if block["type"].endswith("_tool_result")}
    return [block for block in content if block["type"] == "server_tool_use" and block["id"] not in answered]


def unavailable_result(use: Block) -> Block:
    """The result of a use that the server will not come to any more, in the server's own words."""
    kind = f"{use['name']}_tool_result"
    return {
        "type": kind,
        "tool_use_id": use["id"],
        "content": {"type": f"{kind}_error", "error_code": "unavailable"},
    }


def drop_open_tool_uses(content: Content) -> list[Block]:
    """Content that may end a transcript: a tool use that nobody will answer makes the next request invalid."""
    left = [use["id"] for use in pending_server_uses(content)]
    kept = [block for block in content if block["type"] != "tool_use" and block.get("id") not in left]
    return kept if any(block["type"] == "text" for block in kept) else [*kept, text_block(model.NO_WORDS)]


def clean_for_sending(value: Any) -> Any:
    """Content as it can be sent: half a character (some platforms cut emoji in two) and the null character are no text
    to a server. What is stored stays as it came; the same always comes of it, so that requests extend each other."""
    match value:
        case str() if value.isascii() and "\0" not in value:
            return value
        case str():
            return value.encode(errors="replace").decode().replace("\0", "\ufffd")
        case dict():
            return {clean_for_sending(key): clean_for_sending(each) for key, each in value.items()}
        case list():
            return [clean_for_sending(each) for each in value]
        case _:
            return value
