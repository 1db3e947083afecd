"""Render a message for Telegram: texts with entities, in parts. Each part begins with the role's label."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from telegramify_markdown import RenderConfig, convert

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


# The library's own signs, except those that mean one thing to the model and another to people.
RENDER_CONFIG = RenderConfig.isolated()
signs = RENDER_CONFIG.markdown_symbol
signs.heading_level_1 = signs.heading_level_2 = signs.heading_level_3 = signs.heading_level_4 = ""
signs.task_uncompleted, signs.unordered_list_item = "⬜", "•"


@lru_cache(maxsize=64)  # enough for the messages on their way: each part asks for all pieces again
def render_pieces(message: OutboundMessage) -> Sequence[Piece]:
    """Return the parts of a message, at least one. Each is within the limits, even if it is marked as a repeat."""
    opening = make_sendable(role_label(message))
    room = PartLimits(MOST_UNITS - utf16_length(opening) - utf16_length(REPEAT_MARK), MOST_ENTITIES - bool(opening))
    text = make_sendable(message.text)
    body = render_markdown(text) if message.kind in MARKDOWN else Piece(text)
    # People without buttons can reply with an option's number.
    options = [f"{number}. {make_sendable(option)}" for number, option in enumerate(message.options, 1)]
    whole = Piece("\n\n".join([body.text, "\n".join(options)]) if options else body.text, body.entities)
    pieces = split_piece(whole, room) or [Piece(EMPTY_MESSAGE)]
    if not opening:
        return pieces
    label = Entity(type="bold", offset=0, length=utf16_length(opening.rstrip()))
    return [Piece(opening + piece.text, (label, *piece.shift_entities(opening))) for piece in pieces]


def make_sendable(text: str) -> str:
    return strip_invisible(UNSENDABLE.sub("�", text.replace("\r\n", "\n").replace("\r", "\n")))


def render_markdown(text: str) -> Piece:
    """Return the rendered text with its entities. If rendering would leave nothing, return the text as it was typed."""
    source = make_renderable(text)
    if source is None:
        return Piece(text)
    shown, entities = "", list[Entity]()
    for stretch, gap in split_into_stretches(source):
        rendered, formats = convert(escape_long_spoilers(stretch), latex_escape=False, config=RENDER_CONFIG)
        shown = shown.rstrip("\n") + "\n" * gap * bool(shown.strip())
        start = utf16_length(shown)
        entities += [
            Entity(type=each.type, offset=start + each.offset, length=each.length, url=each.url, language=each.language)
            for each in formats
            if each.length > 0 and (each.type != "text_link" or is_link(each.url or ""))
        ]
        shown += rendered
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


def mark_piece_as_repeat(piece: Piece) -> Piece:
    """Return the piece with the mark of a possible repeat."""
    return Piece(REPEAT_MARK + piece.text, piece.shift_entities(REPEAT_MARK))


def button_label(option: str, number: int) -> str:
    words = " ".join(make_sendable(option).split()) or str(number)
    return words if len(words) <= LONGEST_WORD else words[: LONGEST_WORD - 1].rstrip() + "…"
