"""What a message looks like in Telegram: texts with entities, in parts, each of which opens with the role's label."""

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
MOST_ENTITIES = 100  # Telegram leaves out what goes beyond, without a word
LONGEST_WORD = 64  # of a button: phones show less

# Written by a model. The rest the bot says itself, with words of people in it that are to be shown as they were typed.
MARKDOWN = (OutboundKind.REPLY, OutboundKind.UPDATE, OutboundKind.QUESTION, OutboundKind.DRAFT)
STRETCH_BYTES = 8_000  # bytes
BLANK = re.compile(rb"\n[ \t]*\n\s*\Z")  # an empty line before what follows
EMPTY_MESSAGE = "…"  # Telegram shows no empty message
# A control character is not shown, half a character cannot be sent at all.
UNSENDABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]|[\ud800-\udfff]")


def make_render_config() -> RenderConfig:
    """The library's own signs, but for those that say something else to people than to the model."""
    found = RenderConfig.isolated()
    signs = found.markdown_symbol
    signs.heading_level_1 = signs.heading_level_2 = signs.heading_level_3 = signs.heading_level_4 = ""
    signs.task_uncompleted, signs.unordered_list_item = "⬜", "•"
    return found


RENDER_CONFIG = make_render_config()


@lru_cache(maxsize=64)  # as many as may be on their way: each part is asked for by itself
def render_pieces(message: OutboundMessage) -> Sequence[Piece]:
    """The parts of a message: at least one, each within the limits even if it is marked as a repeat."""
    opening = make_sendable(role_label(message))
    room = PartLimits(MOST_UNITS - utf16_length(opening) - utf16_length(REPEAT_MARK), MOST_ENTITIES - bool(opening))
    text = make_sendable(message.text)
    body = render_markdown(text) if message.kind in MARKDOWN else Piece(text)
    whole = Piece(body.text + options_as_text(message), body.entities)
    return [prepend_bold_label(opening, piece) for piece in split_piece(whole, room) or [Piece(EMPTY_MESSAGE)]]


def make_sendable(text: str) -> str:
    return strip_invisible(UNSENDABLE.sub("�", text.replace("\r\n", "\n").replace("\r", "\n")))


def render_markdown(text: str) -> Piece:
    """The text as it is to be read, and how it looks; where nothing would be left of it, as it was typed."""
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
    """A long text in stretches of whole blocks, each with how many line breaks stand before it: while the library
    parses a stretch, nothing else runs."""
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
    """The twin of the buttons, which a reply by number answers."""
    lines = [f"{number}. {make_sendable(option)}" for number, option in enumerate(message.options, 1)]
    return "\n\n" + "\n".join(lines) if lines else ""


def prepend_bold_label(opening: str, piece: Piece) -> Piece:
    if not opening:
        return piece
    own = Entity(type="bold", offset=0, length=utf16_length(opening.rstrip()))
    return Piece(opening + piece.text, (own, *(each.shift(utf16_length(opening)) for each in piece.entities)))


def mark_piece_as_repeat(piece: Piece) -> Piece:
    """The same, marked as what may be there already."""
    return Piece(REPEAT_MARK + piece.text, tuple(each.shift(utf16_length(REPEAT_MARK)) for each in piece.entities))


def button_label(option: str, number: int) -> str:
    words = " ".join(make_sendable(option).split()) or str(number)
    return words if len(words) <= LONGEST_WORD else words[: LONGEST_WORD - 1].rstrip() + "…"
