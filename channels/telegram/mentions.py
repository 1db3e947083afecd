"""Read the words of a message: whether they are addressed to the bot, and the text without the bot's name."""

from dataclasses import dataclass, replace

from channels.telegram import operator_texts
from channels.telegram.fields import Fields, MalformedUpdate


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    text: str  # a command for the bot is there without the bot's name
    text_without_mentions: str  # also without mentions of the bot at its start and end
    is_to_bot: bool  # it names the bot, or begins with a command that names no other bot


@dataclass(frozen=True, slots=True)
class TextMark:
    """A mention, command or link in a text. `start` and `end` are byte offsets in UTF-16."""

    type: str
    start: int
    end: int
    person: int | None  # the id of a mentioned person who has no username
    url: str = ""  # the address of a link whose words do not show it


def read_speech(message: Fields, bot: int, username: str) -> Speech:
    where = "text" if "text" in message else "caption"
    whole = message.optional_text(where).encode("utf-16-le")
    marks = [
        read_text_mark(entity) for entity in message.objects("entities" if where == "text" else "caption_entities")
    ]
    whole, marks = show_hidden_addresses(whole, marks)
    mine = f"@{username}".casefold()
    mentions: list[TextMark] = []
    is_to_bot = False
    for mark in marks:
        said = decode_utf16(whole[mark.start : mark.end])
        name, at, to = said.partition("@")
        is_named = f"@{to}".casefold() == mine
        if (mark.type == "mention" and is_named) or (mark.type == "text_mention" and mark.person == bot):
            mentions.append(mark)
        elif mark.type == "bot_command" and is_named and mark.start == 0:
            text = name + decode_utf16(whole[mark.end :])
            return Speech(text=text, text_without_mentions=text, is_to_bot=True)
        elif mark.type == "bot_command":
            is_to_bot |= is_named or (not at and mark.start == 0)
    text = decode_utf16(whole)
    return Speech(
        text=text, text_without_mentions=strip_mentions(whole, mentions) or text, is_to_bot=is_to_bot or bool(mentions)
    )


def read_text_mark(entity: Fields) -> TextMark:
    start, length = entity.number("offset"), entity.number("length")
    if start < 0 or length < 0:
        raise MalformedUpdate(operator_texts.OUTSIDE_OF_TEXT(path=entity.path))
    person = entity.object("user").number("id") if "user" in entity else None
    url = entity.optional_text("url") if entity.text("type") == "text_link" else ""
    return TextMark(entity.text("type"), 2 * start, 2 * (start + length), person, url)


def show_hidden_addresses(whole: bytes, marks: list[TextMark]) -> tuple[bytes, list[TextMark]]:
    """Return the text with the address of each hidden link behind its words, as `this (https://example.org)`. Return
    the marks at their new offsets."""
    for link in sorted((mark for mark in marks if mark.url), key=lambda mark: mark.end, reverse=True):
        if decode_utf16(whole[link.start : link.end]).strip() == link.url:
            continue
        place, added = link.end, f" ({link.url})".encode("utf-16-le")
        whole = whole[:place] + added + whole[place:]
        marks = [
            replace(
                mark,
                start=mark.start + len(added) * (mark.start >= place),
                end=mark.end + len(added) * (mark.start >= place or mark.end > place),
            )
            for mark in marks
        ]
    return whole, marks


def strip_mentions(whole: bytes, mentions: list[TextMark]) -> str:
    """Return the text without the mentions at its start and end. Mentions within its sentences stay."""
    start, end = 0, len(whole)
    for mention in mentions:
        if not decode_utf16(whole[start : mention.start]).strip():
            start = max(start, mention.end)
    for mention in reversed(mentions):
        if mention.start >= start and not decode_utf16(whole[mention.end : end]).strip():
            end = mention.start
    return decode_utf16(whole[start:end]).strip(" \t\n,:;")


def decode_utf16(text: bytes) -> str:
    return text.decode("utf-16-le", "replace")
