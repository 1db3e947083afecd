"""Texts with entities: mentions, commands and links in them, by their places in UTF-16."""

from dataclasses import dataclass, replace

from channels.telegram import operator_texts
from channels.telegram.fields import JsonFields, MalformedUpdate

PASTED_TYPES = ("pre", "blockquote", "expandable_blockquote")


@dataclass(frozen=True, slots=True)
class TextEntity:
    """A mention, command or link in a text. `start_byte` and `end_byte` are byte offsets in UTF-16."""

    type: str
    start_byte: int
    end_byte: int
    person_id: int | None  # the id of a mentioned person who has no username
    hidden_url: str = ""  # the address of a link whose words do not show it


def read_text_entity(entity: JsonFields) -> TextEntity:
    start, length = entity.read_integer("offset"), entity.read_integer("length")
    if start < 0 or length < 0:
        raise MalformedUpdate(operator_texts.OUTSIDE_OF_TEXT(path=entity.path))
    person = entity.read_object("user").read_integer("id") if "user" in entity else None
    url = entity.read_optional_text("url") if entity.read_text("type") == "text_link" else ""
    return TextEntity(entity.read_text("type"), 2 * start, 2 * (start + length), person, url)


def read_bare_text(message: JsonFields) -> tuple[bytes, list[TextEntity]]:
    """Return the text or caption of a message or quotation, and its marks."""
    is_caption = "text" not in message and "caption" in message
    whole = message.read_optional_text("caption" if is_caption else "text").encode("utf-16-le")
    entities = message.read_object_list("caption_entities" if is_caption else "entities")
    return whole, list(map(read_text_entity, entities))


def read_marked_text(message: JsonFields) -> tuple[bytes, list[TextEntity]]:
    """Return the text or caption of a message or quotation, with the addresses of its hidden links, and its marks."""
    return insert_hidden_link_urls(*read_bare_text(message))


def read_words(message: JsonFields) -> str:
    """Return the text or caption of a message or quotation, with the addresses of its hidden links."""
    whole, _ = read_marked_text(message)
    return decode_utf16(whole)


def read_written_text(message: JsonFields, bot_id: int) -> str | None:
    """Return what of a text or caption its sender has written; None if that is all of it. Blocks of code and quotations
    are pasted, the name of somebody without a username is that person's choice, and the address of a hidden link is
    seen by nobody."""
    whole, marks = read_bare_text(message)
    foreign = [mark for mark in marks if is_foreign(mark, whole, bot_id)]
    if not (foreign or any(mark.hidden_url for mark in marks)):
        return None
    kept, reached = list[str](), 0
    for mark in sorted(foreign, key=lambda mark: (mark.start_byte, -mark.end_byte)):
        kept.append(decode_utf16(whole[reached : mark.start_byte]))
        if mark.person_id and mark.start_byte >= reached:
            kept.append(f"@{mark.person_id}")
        reached = max(reached, mark.end_byte)
    return "".join([*kept, decode_utf16(whole[reached:])]).strip()


def is_foreign(mark: TextEntity, whole: bytes, bot_id: int) -> bool:
    """Return True for marked words that are not their sender's."""
    is_line_of_code = mark.type == "code" and len(decode_utf16(whole[mark.start_byte : mark.end_byte]).split()) > 1
    is_name = mark.type == "text_mention" and mark.person_id != bot_id
    return mark.type in PASTED_TYPES or is_line_of_code or is_name


def insert_hidden_link_urls(whole: bytes, marks: list[TextEntity]) -> tuple[bytes, list[TextEntity]]:
    """Return the text with each hidden link's address behind its words, `this (https://example.org)`, and the marks."""
    for link in sorted((mark for mark in marks if mark.hidden_url), key=lambda mark: mark.end_byte, reverse=True):
        if decode_utf16(whole[link.start_byte : link.end_byte]).strip() == link.hidden_url:
            continue
        place, added = link.end_byte, f" ({link.hidden_url})".encode("utf-16-le")
        whole = whole[:place] + added + whole[place:]
        for number, mark in enumerate(marks):
            is_behind, goes_beyond = mark.start_byte >= place, mark.end_byte > place
            start = mark.start_byte + len(added) * is_behind
            end = mark.end_byte + len(added) * (is_behind or goes_beyond)
            marks[number] = replace(mark, start_byte=start, end_byte=end)
    return whole, marks


def strip_outer_mentions(whole: bytes, mentions: list[TextEntity]) -> str:
    """Return the text without the mentions at its start and end. Mentions within its sentences stay."""
    start, end = 0, len(whole)
    for mention in mentions:
        if not decode_utf16(whole[start : mention.start_byte]).strip():
            start = max(start, mention.end_byte)
    for mention in reversed(mentions):
        if mention.start_byte >= start and not decode_utf16(whole[mention.end_byte : end]).strip():
            end = mention.start_byte
    return decode_utf16(whole[start:end]).strip(" \t\n,:;")


def decode_utf16(text: bytes) -> str:
    return text.decode("utf-16-le", "replace")
