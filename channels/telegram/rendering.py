"""Render a message for Telegram: texts with entities, in parts. Each part begins with the role's label."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from telegramify_markdown import MessageEntity, RenderConfig, convert

from bot.core.messages import OutboundKind, OutboundMessage
from channels.formatting import REPEAT_MARK, role_label
from channels.invisible_characters import strip_invisible
from channels.telegram.markdown_source import escape_long_spoilers, is_link, make_renderable, top_block_starts
from channels.telegram.splitting import Entity, PartLimits, Piece, drop_deep_entities, split_piece, utf16_length

MOST_UNITS = 4096
MOST_ENTITIES = 100  # Telegram silently drops the others
LONGEST_WORD = 64  # of a button; phones show less

# A model writes these. The bot writes the others itself. They may contain people's words, shown as they were typed.
MARKDOWN = (OutboundKind.REPLY, OutboundKind.UPDATE, OutboundKind.QUESTION, OutboundKind.DRAFT)
STRETCH_BYTES = 8_000
BLANK = re.compile(rb"\n[ \t]*\n\s*\Z")  # an empty line before the next block
EMPTY_MESSAGE = "…"  # Telegram shows no empty message
# Telegram does not show control characters. Lone surrogates cannot be sent at all.
UNSENDABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]|[\ud800-\udfff]")


def make_render_config() -> RenderConfig:
    """Return the library's own signs, except those that mean one thing to the model and another to people."""
    found = RenderConfig.isolated()
    signs = found.markdown_symbol
    signs.heading_level_1 = signs.heading_level_2 = signs.heading_level_3 = signs.heading_level_4 = ""
    signs.task_uncompleted, signs.unordered_list_item = "⬜", "•"
    return found


RENDER_CONFIG = make_render_config()


@lru_cache(maxsize=64)  # enough for the messages on their way: each part asks for all pieces again
def render_pieces(message: OutboundMessage) -> Sequence[Piece]:
    """Return the parts of a message, at least one. Each is within the limits, even if it is marked as a repeat."""
    opening = make_sendable(role_label(message))
    room = PartLimits(MOST_UNITS - utf16_length(opening) - utf16_length(REPEAT_MARK), MOST_ENTITIES - bool(opening))
    text = make_sendable(message.text)
    body = render_markdown(text) if message.kind in MARKDOWN else Piece(text)
    whole = Piece(body.text + options_as_text(message), body.entities)
    return [prepend_bold_label(opening, piece) for piece in split_piece(whole, room) or [Piece(EMPTY_MESSAGE)]]


def make_sendable(text: str) -> str:
    return strip_invisible(UNSENDABLE.sub("�", text.replace("\r\n", "\n").replace("\r", "\n")))


def render_markdown(text: str) -> Piece:
    """Return the rendered text with its entities. If rendering would leave nothing, return the text as it was typed."""
    source = make_renderable(text)
    if source is None:
        return Piece(text)
    shown, entities = "", list[Entity]()
    for stretch, gap in split_into_stretches(source):
        shortened = escape_long_spoilers(stretch)
        text_of_it, looks_of_it = convert(shortened, latex_escape=False, config=RENDER_CONFIG)
        shown = shown.rstrip("\n") + "\n" * gap * bool(shown.strip())
        entities += [
            kept.shift(utf16_length(shown)) for kept in map(convert_entity, looks_of_it) if is_visible_entity(kept)
        ]
        shown += text_of_it
    if not shown.strip():
        return Piece(text)
    return Piece(shown, tuple(drop_deep_entities(entities)))


def split_into_stretches(source: str) -> Iterator[tuple[str, int]]:
    """Split a long text into stretches of whole blocks, each with the number of line breaks before it. The stretches
    are short because nothing else runs while the library parses one."""
    content, start, gap = source.encode(), 0, 0
    for block in top_block_starts(source) if len(content) > STRETCH_BYTES else ():
        if block - start >= STRETCH_BYTES:
            yield content[start:block].decode(), gap
            gap = 2 if BLANK.search(content, start, block) else 1
            start = block
    yield content[start:].decode(), gap


def convert_entity(found: MessageEntity) -> Entity:
    return Entity(type=found.type, offset=found.offset, length=found.length, url=found.url, language=found.language)


def is_visible_entity(entity: Entity) -> bool:
    return entity.length > 0 and (entity.type != "text_link" or is_link(entity.url or ""))


def options_as_text(message: OutboundMessage) -> str:
    """Return the options as numbered lines. People without buttons can reply with the number."""
    lines = [f"{number}. {make_sendable(option)}" for number, option in enumerate(message.options, 1)]
    return "\n\n" + "\n".join(lines) if lines else ""


def prepend_bold_label(opening: str, piece: Piece) -> Piece:
    if not opening:
        return piece
    own = Entity(type="bold", offset=0, length=utf16_length(opening.rstrip()))
    return Piece(opening + piece.text, (own, *(each.shift(utf16_length(opening)) for each in piece.entities)))


def mark_piece_as_repeat(piece: Piece) -> Piece:
    """Return the piece with the mark of a possible repeat."""
    return Piece(REPEAT_MARK + piece.text, tuple(each.shift(utf16_length(REPEAT_MARK)) for each in piece.entities))


def button_label(option: str, number: int) -> str:
    words = " ".join(make_sendable(option).split()) or str(number)
    return words if len(words) <= LONGEST_WORD else words[: LONGEST_WORD - 1].rstrip() + "…"
