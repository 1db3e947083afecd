"""The blocks of a transcript, in the form of the Claude API."""

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Any

from bot.core.file_blocks import candidate_media_block, file_marks
from bot.core.messages import InboundKind, InboundMessage, InboundOrigin
from bot.core.prompt_prefix import estimate_tokens_for_characters
from bot.core.texts import model

LATE_MESSAGE_SECONDS = 600.0  # a message that took longer was written while the bot was away
MAX_SENDER_NAME_CHARACTERS = 40  # characters
CONTINUATION_INDENT = "  "
BASE64_CHARACTERS_PER_TOKEN = 40  # characters of a PDF, at a hundred kilobytes per page
THINKING_BLOCK_TYPES = ("thinking", "redacted_thinking")
SERVER_TOOL_BLOCK_TYPES = ("server_tool_use", "web_search_tool_result", "web_fetch_tool_result")
MODEL_HANDOVER_BLOCK_TYPE = "fallback"  # a block in a reply: one model has declined here, and another continues

Block = dict[str, Any]
Content = Sequence[Block]


def text_block(text: str) -> Block:
    return {"type": "text", "text": text}


def message_as_block(message: InboundMessage, zone: tzinfo, zone_shown: str = "") -> Block:
    """Return a message as the model reads it, with its time on the clock of `zone`, whose name is `zone_shown` if it is
    not the operator's. The time comes first, then the id, because nobody can choose them. Each further line is
    indented. So no text can look like another person's, or like a report."""
    if message.kind is InboundKind.REPORT or message.sender.origin is InboundOrigin.SCHEDULE:
        return text_block(message.text)
    name = sanitize_and_shorten_name(message.sender.name)
    time = model.SENT_AT(time=message.sent_at.astimezone(zone), zone=f" {zone_shown}" if zone_shown else "")
    who = f'{time} id {message.sender.id} "{name}"' if message.group_chat else f"{time} {name}"
    text = indent_lines_after_first(message.text)
    marks: list[str] = []
    if message.seconds_until_stored > LATE_MESSAGE_SECONDS:
        marks.append(model.WRITTEN_WHILE_AWAY(time=message.sent_at.astimezone(zone)))
    talk = [quote for quote in message.quotes if quote.is_earlier_talk]
    marks += [model.EARLIER_TALK(person=name)] if talk else []
    for quote in talk:  # mark each line of others, so that none seems to be the sender's
        first, *further = quote.text.splitlines() or [""]
        marks += [f"> {sanitize_and_shorten_name(quote.author)}: {first}", *(f">   {line}" for line in further)]
    for quote in message.quotes:
        if quote.is_earlier_talk:
            continue
        author = sanitize_and_shorten_name(quote.author)
        forwarded, replied = model.FORWARDED(person=name, author=author), model.REPLIED_TO(person=name, author=author)
        marks.append(forwarded if quote.is_forwarded else replied)
        marks += [f"> {line}" for line in quote.text.splitlines()]
    if message.attachments:
        marks.append(model.CAME_ALONG(things=", ".join(map(sanitize_name, message.attachments))))
    for file in message.arrived_files:
        marks += file_marks(file, name)
    if not marks:
        return text_block(f"{who}: {text}")
    return text_block("\n".join([f"{who}:", *marks, *([f"{CONTINUATION_INDENT}{text}"] if message.text else [])]))


def message_as_blocks(message: InboundMessage, zone: tzinfo, zone_shown: str = "") -> list[Block]:
    """Return a message as the model reads it: one block of text, then candidates for its pictures and PDFs."""
    candidates = map(candidate_media_block, message.arrived_files)
    return [message_as_block(message, zone, zone_shown), *(block for block in candidates if block)]


def indent_lines_after_first(text: str) -> str:
    return f"\n{CONTINUATION_INDENT}".join(text.splitlines())


def sanitize_and_shorten_name(name: str) -> str:
    line = " ".join(sanitize_name(name).replace('"', " ").split()) or "?"
    return line if len(line) <= MAX_SENDER_NAME_CHARACTERS else f"{line[: MAX_SENDER_NAME_CHARACTERS - 1].rstrip()}…"


def sanitize_name(name: str) -> str:
    """Return a name without signs that could imitate a label or a mark. People choose their names freely."""
    return " ".join("".join(" " if sign in "[]<>" or not sign.isprintable() else sign for sign in name).split()) or "?"


def tool_result_block(tool_use_id: str, result: str, *, is_error: bool, media: Block | None = None) -> Block:
    content = [text_block(result), *media.get("several", [media])] if media else result
    block: Block = {"type": "tool_result", "tool_use_id": tool_use_id, "content": content}
    return {**block, "is_error": True} if is_error else block


def join_media(blocks: Sequence[Block]) -> Block | None:
    """Return the images and PDFs of one call in the form in which its row keeps them; None if there are none."""
    return {"several": list(blocks)} if len(blocks) > 1 else next(iter(blocks), None)


def content_text(content: Content) -> str:
    return "\n".join(block["text"] for block in join_texts_across_handovers(content) if block["type"] == "text")


def join_texts_across_handovers(content: Content) -> list[Block]:
    """Return the blocks without handovers. The text before a handover and the next model's text become one block."""
    found: list[Block] = []
    last = goes_on = -1  # the index of the last text; and the same after a handover, else -1
    for block in content:
        if block["type"] == MODEL_HANDOVER_BLOCK_TYPE:
            goes_on = last
        elif block["type"] == "text" and goes_on >= 0:
            found[goes_on], goes_on = join_two_text_blocks(found[goes_on], block), -1
        else:
            found.append(block)
            last = len(found) - 1 if block["type"] == "text" else last if block["type"] in THINKING_BLOCK_TYPES else -1
            goes_on = goes_on if block["type"] in THINKING_BLOCK_TYPES else -1
    return found


def join_two_text_blocks(first: Block, second: Block) -> Block:
    cited = [*(first.get("citations") or ()), *(second.get("citations") or ())]
    both = text_block(first["text"] + second["text"])
    return {**both, "citations": cited} if cited else both


def tool_uses_in(content: Content) -> list[Block]:
    return [block for block in content if block["type"] == "tool_use"]


def media_reference_block(key: str, media_type: str, tokens: int, *, is_of_call: bool = True) -> Block:
    """Return the block of an image or a PDF in a stored transcript. A table of its own has the bytes, by the id of the
    call that has read it, or of the file that a person has sent."""
    kind = "document" if media_type == "application/pdf" else "image"
    named = {"call": key} if is_of_call else {"file": key}
    return {"type": kind, "source": {"type": "kept", **named, "media_type": media_type, "tokens": tokens}}


def media_references_in(content: Content) -> list[Block]:
    """Return the references to images and PDFs in a content, also in the results of calls, in their order."""
    found = []
    for block in content:
        if is_media_reference(block):
            found.append(block)
        elif block["type"] == "tool_result" and isinstance(block["content"], list):
            found += [inner for inner in block["content"] if is_media_reference(inner)]
    return found


def media_key(reference: Block) -> str:
    source = reference["source"]
    return str(source["call"] if "call" in source else source["file"])


def estimate_content_tokens(content: Content, body: str) -> int:
    """Return the estimated tokens of a content, including its images and PDFs. `body` is its JSON."""
    of_kept = sum(int(each["source"]["tokens"]) for each in media_references_in(content))
    if '"base64"' not in body:
        return estimate_tokens_for_characters(len(body)) + of_kept
    fetched = [block["content"].get("content", {}) for block in content if block["type"] == "web_fetch_tool_result"]
    sources = [document.get("source", {}) for document in fetched]  # the server returns PDFs from the web whole
    packed = sum(len(source["data"]) for source in sources if source.get("type") == "base64")
    return estimate_tokens_for_characters(len(body) - packed) + of_kept + packed // BASE64_CHARACTERS_PER_TOKEN


def is_media_reference(block: Block) -> bool:
    return block["type"] in ("image", "document") and block.get("source", {}).get("type") == "kept"


def replace_media_references(content: Content, encoded: Mapping[str, str]) -> list[Block]:
    """Return the content with its images and PDFs. `encoded` is their base64 by key; a text replaces a missing one."""
    filled = []
    for block in content:
        block = replace_media_reference(block, encoded)
        if block["type"] == "tool_result" and isinstance(block["content"], list):
            block = {**block, "content": [replace_media_reference(each, encoded) for each in block["content"]]}
        filled.append(block)
    return filled


def replace_media_reference(block: Block, encoded: Mapping[str, str]) -> Block:
    if not is_media_reference(block):
        return block
    source, key = block["source"], media_key(block)
    if key not in encoded:
        return text_block(model.FILE_IS_GONE)
    source = {"type": "base64", "media_type": source["media_type"], "data": encoded[key]}
    return {"type": block["type"], "source": source}


def has_server_tool_blocks(content: Content) -> bool:
    """Return True if the server has run its own tools for the content."""
    return any(block["type"] in SERVER_TOOL_BLOCK_TYPES for block in content)


def unanswered_server_tool_uses(content: Content) -> list[Block]:
    """Return the uses of the server's own tools that have no result in the content."""
    answered = {block.get("tool_use_id") for block in content if block["type"].endswith("_tool_result")}
    return [block for block in content if block["type"] == "server_tool_use" and block["id"] not in answered]


def server_tool_unavailable_block(use: Block) -> Block:
    """Return an error result, in the server's form, for a use that the server will not run any more."""
    kind = f"{use['name']}_tool_result"
    return {"type": kind, "tool_use_id": use["id"], "content": {"type": f"{kind}_error", "error_code": "unavailable"}}


def drop_unanswered_tool_uses(content: Content) -> list[Block]:
    """Return the content without unanswered tool uses, because they would make the next request invalid."""
    left = [use["id"] for use in unanswered_server_tool_uses(content)]
    kept = [block for block in content if block["type"] != "tool_use" and block.get("id") not in left]
    return kept if any(block["type"] == "text" for block in kept) else [*kept, text_block(model.NO_WORDS)]


def replace_unsendable_characters(value: Any) -> Any:
    """Return the content without half characters (some platforms cut emoji in two) and null characters, which a server
    refuses. The stored content keeps them. The result is deterministic, so requests extend each other."""
    match value:
        case str() if value.isascii() and "\0" not in value:
            return value
        case str():
            return value.encode(errors="replace").decode().replace("\0", "\ufffd")
        case dict():
            return {
                replace_unsendable_characters(key): replace_unsendable_characters(each) for key, each in value.items()
            }
        case list():
            return [replace_unsendable_characters(each) for each in value]
        case _:
            return value
