"""Render a message for Telegram: texts with entities, in parts. Offsets and lengths of entities are UTF-16 units."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate

from telegramify_markdown import RenderConfig, convert
from wcwidth import grapheme_boundary_before

from bot.core.messages import OutboundKind, OutboundMessage
from channels.formatting import REPEAT_MARK, TextSpans, role_label
from channels.invisible_characters import strip_invisible_characters
from channels.telegram.markdown_source import escape_long_spoilers, is_link, make_renderable, top_block_starts

# Where to cut, best first: between paragraphs, lines, words.
CUT_PATTERNS = tuple(map(re.compile, (r"\n\n+", r"\n", r"(?<=\S)[ \t]+(?=\S)")))
MAX_NESTED = 8  # entities around one another
MOST_UNITS = 4096
MOST_ENTITIES = 100  # Telegram silently drops further ones
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A formatted span of text. `type` is Telegram's name of the format."""

    type: str
    offset: int
    length: int
    url: str | None = None
    language: str | None = None

    @property
    def end(self) -> int:
        return self.offset + self.length


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    entities: tuple[Entity, ...] = ()

    def shift_entities(self, opening: str) -> tuple[Entity, ...]:
        """Return the entities, moved as if `opening` were before the text."""
        units = utf16_length(opening)
        return tuple(replace(entity, offset=entity.offset + units) for entity in self.entities)


@dataclass(frozen=True, slots=True)
class PartLimits:
    """How many UTF-16 units and entities fit into one part."""

    units: int
    entities: int


def utf16_length(text: str) -> int:
    """Return the length of a text in UTF-16 units, as Telegram counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def drop_deep_entities(entities: Iterable[Entity]) -> Iterator[Entity]:
    """Yield the entities within fewer than MAX_NESTED others. Nobody sees deeper ones, but each part would repeat
    them."""
    around: list[Entity] = []
    for entity in sorted(entities, key=lambda entity: (entity.offset, -entity.length)):
        around = [each for each in around if each.end > entity.offset]
        if len(around) < MAX_NESTED:
            around.append(entity)
            yield entity


def split_piece(piece: Piece, room: PartLimits) -> list[Piece]:
    """Return parts that fit. Cut between paragraphs, lines or words. Never cut within an entity that fits into a part,
    nor within a character, even if it is made of several code points. Leave out white space around the cuts."""
    text, parts = piece.text, list[Piece]()
    places = list(accumulate((2 if ord(character) > 0xFFFF else 1 for character in text), initial=0))
    entities = sorted(piece.entities, key=lambda entity: (entity.offset, -entity.length))
    open_ones: list[Entity] = []  # entities that go on beyond the last cut
    start = first = 0
    while start < len(text):
        furthest = places[start] + room.units
        until = first
        most = first + room.entities + 1  # further entities are not in this part
        while until < min(len(entities), most) and entities[until].offset < furthest:
            until += 1
        here = [*open_ones, *entities[first:until]]
        end = find_cut(text, places, here, start, room)
        part = take_piece(text, places, here, start, end)
        if part.text.strip():
            parts.append(part)
        while first < until and entities[first].offset < places[end]:
            first += 1
        open_ones = [entity for entity in here if entity.offset < places[end] < entity.end]
        start = end
    return parts


def find_cut(text: str, places: Sequence[int], here: Sequence[Entity], start: int, room: PartLimits) -> int:
    """Return where the part that begins at `start` ends. `here` are the entities that begin before its furthest end."""
    furthest = places[start] + room.units
    if len(here) > room.entities:
        furthest = min(furthest, max(here[room.entities].offset, places[start] + 1))
    end = bisect_right(places, furthest) - 1
    if end >= len(text):
        return len(text)
    whole = [entity for entity in here if entity.offset < furthest and entity.length <= room.units]
    return min(find_best_joint(text, places, whole, start, end), len(text))


def find_best_joint(text: str, places: Sequence[int], whole: Sequence[Entity], start: int, end: int) -> int:
    """Return the last good place for a cut up to `end`, preferably in the second half of the part."""
    stretches = TextSpans((each.offset, each.end) for each in whole)

    def is_good(place: int) -> bool:
        return start < place <= end and not stretches.has_span_across(places[place])

    for earliest in (start + (end - start) // 2, start):
        for joints in CUT_PATTERNS:
            found = [match.end() for match in joints.finditer(text, earliest, end)]
            if good := next((place for place in reversed(found) if is_good(place)), None):
                return good
    before = {bisect_right(places, each.offset) - 1 for each in whole if each.offset < places[end] < each.end}
    if good := max(filter(is_good, before), default=0):
        return good
    character = grapheme_boundary_before(text, end + 1)  # a character of several code points may begin before the end
    return character if start < character < end else end


def take_piece(text: str, places: Sequence[int], entities: Sequence[Entity], start: int, end: int) -> Piece:
    """Return the text from `start` to `end` without the white space at a cut. Cut entities that go on beyond it."""
    while end > start and text[end - 1].isspace():
        end -= 1
    while start and start < end and text[start] == "\n":
        start += 1
    first, last = places[start], places[end]
    kept = []
    for entity in entities:
        begin, finish = max(entity.offset, first), min(entity.end, last)
        if begin < finish:
            kept.append(replace(entity, offset=begin - first, length=finish - begin))
    return Piece(text[start:end], tuple(kept))


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
    return strip_invisible_characters(UNSENDABLE.sub("�", text.replace("\r\n", "\n").replace("\r", "\n")))


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
    """Split a long text into stretches of whole blocks. Yield each with the number of line breaks before it. Stretches
    are short, because nothing else runs while the library parses one."""
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
