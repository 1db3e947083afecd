"""The words of a message: whether they are said to the bot, and what is left without its name."""

from dataclasses import dataclass, replace

from channels.telegram import operator_texts
from channels.telegram.fields import Fields, Malformed


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    text: str  # a command for the bot stands there without the bot's name
    addressed: str  # without the mentions of the bot round it, too
    is_to_bot: bool  # it names the bot, or begins with a command that names no other


@dataclass(frozen=True, slots=True)
class Mark:
    """Where something in a text means more than its words, from byte to byte in UTF-16."""

    type: str
    start: int
    end: int
    person: int | None  # the one who is mentioned without a name of their own
    url: str = ""  # where it leads, if its words do not say so


def speech_of(message: Fields, bot: int, username: str) -> Speech:
    where = "text" if "text" in message else "caption"
    whole = message.any_text(where).encode("utf-16-le")
    marks = [mark_of(entity) for entity in message.objects("entities" if where == "text" else "caption_entities")]
    whole, marks = with_addresses(whole, marks)
    mine = f"@{username}".casefold()
    mentions: list[Mark] = []
    is_to_bot = False
    for mark in marks:
        said = decoded(whole[mark.start : mark.end])
        name, at, to = said.partition("@")
        is_named = f"@{to}".casefold() == mine
        if (mark.type == "mention" and is_named) or (mark.type == "text_mention" and mark.person == bot):
            mentions.append(mark)
        elif mark.type == "bot_command" and is_named and mark.start == 0:
            text = name + decoded(whole[mark.end :])
            return Speech(text=text, addressed=text, is_to_bot=True)
        elif mark.type == "bot_command":
            is_to_bot |= is_named or (not at and mark.start == 0)
    text = decoded(whole)
    return Speech(text=text, addressed=without(whole, mentions) or text, is_to_bot=is_to_bot or bool(mentions))


def mark_of(entity: Fields) -> Mark:
    start, length = entity.number("offset"), entity.number("length")
    if start < 0 or length < 0:
        raise Malformed(operator_texts.OUTSIDE_OF_TEXT(path=entity.path))
    person = entity.object("user").number("id") if "user" in entity else None
    url = entity.any_text("url") if entity.text("type") == "text_link" else ""
    return Mark(entity.text("type"), 2 * start, 2 * (start + length), person, url)


def with_addresses(whole: bytes, marks: list[Mark]) -> tuple[bytes, list[Mark]]:
    """The text with the address of each hidden link behind its words, as `this (https://example.org)`."""
    for link in sorted((mark for mark in marks if mark.url), key=lambda mark: mark.end, reverse=True):
        if decoded(whole[link.start : link.end]).strip() == link.url:
            continue
        added = f" ({link.url})".encode("utf-16-le")
        whole = whole[: link.end] + added + whole[link.end :]
        marks = [moved(mark, link.end, len(added)) for mark in marks]
    return whole, marks


def moved(mark: Mark, place: int, length: int) -> Mark:
    """A mark where it is once something stands at a place that did not."""
    start = mark.start + length * (mark.start >= place)
    return replace(mark, start=start, end=mark.end + length * (mark.start >= place or mark.end > place))


def without(whole: bytes, mentions: list[Mark]) -> str:
    """The text without the mentions that it opens or ends with; those within its sentences stay."""
    start, end = 0, len(whole)
    for mention in mentions:
        if not decoded(whole[start : mention.start]).strip():
            start = max(start, mention.end)
    for mention in reversed(mentions):
        if mention.start >= start and not decoded(whole[mention.end : end]).strip():
            end = mention.start
    return decoded(whole[start:end]).strip(" \t\n,:;")


def decoded(text: bytes) -> str:
    return text.decode("utf-16-le", "replace")
