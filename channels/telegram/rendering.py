"""Render a message for Telegram: texts with entities, in parts. Offsets and lengths of entities are UTF-16 units."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from math import ceil

from telegramify_markdown import RenderConfig, convert
from wcwidth import grapheme_boundary_before

from bot.core.invisible_characters import find_invisible, strip_invisible
from bot.core.messages import OutboundKind, OutboundMessage
from channels.formatting import TextSpans, repeat_mark, role_label
from channels.telegram import markdown_escaping

# Where to cut, best first: between paragraphs, lines, words.
CUT_PATTERNS = tuple(map(re.compile, (r"\n\n+", r"\n", r"(?<=\S)[ \t]+(?=\S)")))
MAX_NESTED_ENTITIES = 8  # entities around one another
MAX_MESSAGE_UTF16_UNITS = 4096
MAX_MESSAGE_ENTITIES = 100  # Telegram silently drops further ones
MAX_BUTTON_LABEL_LENGTH = 64  # of a button; phones show less
# A model writes these. The bot writes the others itself. They may contain people's words, shown as they were typed.
MARKDOWN_KINDS = (OutboundKind.REPLY, OutboundKind.UPDATE, OutboundKind.QUESTION, OutboundKind.DRAFT)
FOLDED_KINDS = (OutboundKind.UPDATE, OutboundKind.REPLY)  # what a role tells; its questions must be read whole
VISIBLE_LINES, LINE_CHARACTERS = 2, 60  # of a folded text; a longer line counts as several, as on a phone
QUOTE_TYPES = ("blockquote", "expandable_blockquote")  # Telegram keeps no quote within a quote
PARSE_CHUNK_BYTES = 8_000
BLANK_LINE_PATTERN = re.compile(rb"\n[ \t]*\n\s*\Z")  # an empty line before the next block
EMPTY_MESSAGE_TEXT = "…"  # Telegram shows no empty message
# Telegram does not show control characters. Lone surrogates cannot be sent at all.
UNSENDABLE_PATTERN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]|[\ud800-\udfff]")
# The library's own signs, except those that mean one thing to the model and another to people.
RENDER_CONFIG = RenderConfig.isolated()
symbols = RENDER_CONFIG.markdown_symbol
symbols.heading_level_1 = symbols.heading_level_2 = symbols.heading_level_3 = symbols.heading_level_4 = ""
symbols.task_uncompleted, symbols.unordered_list_item = "⬜", "•"


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
class FormattedText:
    text: str
    entities: tuple[Entity, ...] = ()

    def entities_shifted_by(self, opening: str) -> tuple[Entity, ...]:
        """Return the entities, moved as if `opening` were before the text."""
        units = utf16_length(opening)
        return tuple(replace(entity, offset=entity.offset + units) for entity in self.entities)


@dataclass(frozen=True, slots=True)
class PartLimits:
    """How many UTF-16 units and entities fit into one part."""

    max_utf16_units: int
    max_entities: int


def utf16_length(text: str) -> int:
    """Return the length of a text in UTF-16 units, as Telegram counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def drop_deeply_nested_entities(entities: Iterable[Entity]) -> Iterator[Entity]:
    """Yield the entities within fewer than MAX_NESTED_ENTITIES others. Nobody sees deeper ones, but each part would
    repeat them."""
    around: list[Entity] = []
    for entity in sorted(entities, key=lambda entity: (entity.offset, -entity.length)):
        around = [each for each in around if each.end > entity.offset]
        if len(around) < MAX_NESTED_ENTITIES:
            around.append(entity)
            yield entity


def split_formatted_text(piece: FormattedText, room: PartLimits) -> list[FormattedText]:
    """Return parts that fit. Cut between paragraphs, lines or words. Never cut within an entity that fits into a part,
    nor within a character, even if it is made of several code points. Leave out white space around the cuts."""
    text, parts = piece.text, list[FormattedText]()
    places = list(accumulate((2 if ord(character) > 0xFFFF else 1 for character in text), initial=0))
    entities = sorted(piece.entities, key=lambda entity: (entity.offset, -entity.length))
    open_ones: list[Entity] = []  # entities that go on beyond the last cut
    start = first = 0
    while start < len(text):
        furthest = places[start] + room.max_utf16_units
        until = first
        most = first + room.max_entities + 1  # further entities are not in this part
        while until < min(len(entities), most) and entities[until].offset < furthest:
            until += 1
        here = [*open_ones, *entities[first:until]]
        end = find_part_end(text, places, here, start, room)
        part = slice_formatted_text(text, places, here, start, end)
        if part.text.strip():
            parts.append(part)
        while first < until and entities[first].offset < places[end]:
            first += 1
        open_ones = [entity for entity in here if entity.offset < places[end] < entity.end]
        start = end
    return parts


def find_part_end(text: str, places: Sequence[int], here: Sequence[Entity], start: int, room: PartLimits) -> int:
    """Return where the part that begins at `start` ends. `here` are the entities that begin before its furthest end."""
    furthest = places[start] + room.max_utf16_units
    if len(here) > room.max_entities:
        furthest = min(furthest, max(here[room.max_entities].offset, places[start] + 1))
    end = bisect_right(places, furthest) - 1
    if end >= len(text):
        return len(text)
    whole = [entity for entity in here if entity.offset < furthest and entity.length <= room.max_utf16_units]
    return min(find_best_cut(text, places, whole, start, end), len(text))


def find_best_cut(text: str, places: Sequence[int], whole: Sequence[Entity], start: int, end: int) -> int:
    """Return the last good place for a cut up to `end`, preferably in the second half of the part."""
    uncuttable = TextSpans((each.offset, each.end) for each in whole)

    def is_good(place: int) -> bool:
        return start < place <= end and not uncuttable.has_span_across(places[place])

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


def slice_formatted_text(
    text: str, places: Sequence[int], entities: Sequence[Entity], start: int, end: int
) -> FormattedText:
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
    return FormattedText(text[start:end], tuple(kept))


@lru_cache(maxsize=64)  # enough for the messages on their way: each part asks for all pieces again
def render_message_parts(message: OutboundMessage) -> Sequence[FormattedText]:
    """Return the parts of a message, at least one. Each is within the limits, even if it is marked as a repeat."""
    opening = replace_unsendable_characters(role_label(message))
    units = MAX_MESSAGE_UTF16_UNITS - utf16_length(opening) - utf16_length(repeat_mark())
    is_folded = message.is_folded or (bool(opening) and message.kind in FOLDED_KINDS and not message.options)
    added_entities = bool(opening) + is_folded * (1 + MAX_NESTED_ENTITIES)  # the fold may cut each that is around it
    room = PartLimits(units, MAX_MESSAGE_ENTITIES - added_entities)
    text = replace_unsendable_characters(message.text)
    body = render_markdown(text) if message.kind in MARKDOWN_KINDS else FormattedText(text)
    # People without buttons can reply with an option's number.
    options = [f"{number}. {replace_unsendable_characters(option)}" for number, option in enumerate(message.options, 1)]
    above = body.text.rstrip("\n")  # a list is rendered with a line end after it
    whole = FormattedText("\n\n".join([above, "\n".join(options)]) if options else body.text, body.entities)
    pieces = split_formatted_text(whole, room) or [FormattedText(EMPTY_MESSAGE_TEXT)]
    if is_folded:
        pieces = list(map(fold_after_visible_lines, pieces))
    if not opening:
        return pieces
    label = Entity(type="bold", offset=0, length=utf16_length(opening.rstrip()))
    return [FormattedText(opening + piece.text, (label, *piece.entities_shifted_by(opening))) for piece in pieces]


def fold_after_visible_lines(piece: FormattedText) -> FormattedText:
    """Return the piece with all that follows its first VISIBLE_LINES in a quote that people can unfold. A long first
    paragraph goes on in the quote."""
    lines, begin = 0, 0
    while begin < len(piece.text) and lines < VISIBLE_LINES:
        end = piece.text.find("\n", begin)
        end = len(piece.text) if end < 0 else end
        room = (VISIBLE_LINES - lines) * LINE_CHARACTERS
        if end - begin > room + LINE_CHARACTERS and (space := piece.text.rfind(" ", begin, begin + room)) > begin:
            piece = FormattedText(f"{piece.text[:space]}\n{piece.text[space + 1 :]}", piece.entities)
            end, lines = space, VISIBLE_LINES
        lines += ceil((end - begin) / LINE_CHARACTERS)  # an empty line is none
        begin = end + 1
    while piece.text[begin : begin + 1] == "\n":
        begin += 1
    fold, last = utf16_length(piece.text[:begin]), utf16_length(piece.text)
    if fold >= last:
        return piece
    above = [replace(each, length=min(each.end, fold) - each.offset) for each in piece.entities if each.offset < fold]
    below = [
        replace(each, offset=max(each.offset, fold), length=each.end - max(each.offset, fold))
        for each in piece.entities
        if each.end > fold and each.type not in QUOTE_TYPES
    ]
    quote = Entity(type="expandable_blockquote", offset=fold, length=last - fold)
    return FormattedText(piece.text, (*above, quote, *below))


def replace_unsendable_characters(text: str) -> str:
    return UNSENDABLE_PATTERN.sub("�", text.replace("\r\n", "\n").replace("\r", "\n"))


def render_markdown(text: str) -> FormattedText:
    """Return the rendered text with its entities. If rendering would leave nothing, return the text as it was typed."""
    source = markdown_escaping.make_markdown_renderable(text)
    if source is None:
        return FormattedText(text)
    shown, entities = "", list[Entity]()
    for chunk, gap in split_into_parse_chunks(source):
        escaped = markdown_escaping.escape_long_spoilers(chunk)
        rendered, formats = convert(escaped, latex_escape=False, config=RENDER_CONFIG)
        shown = shown.rstrip("\n") + "\n" * gap * bool(shown.strip())
        start = utf16_length(shown)
        found = [
            Entity(type=each.type, offset=each.offset, length=each.length, url=each.url, language=each.language)
            for each in formats
            if each.type != "text_link" or markdown_escaping.is_linkable_url(each.url or "")
        ]
        piece = drop_decoded_invisible(FormattedText(rendered, tuple(found)))
        entities += [replace(each, offset=start + each.offset) for each in piece.entities if each.length > 0]
        shown += piece.text
    if not shown.strip():
        return FormattedText(text)
    return FormattedText(shown, tuple(drop_deeply_nested_entities(entities)))


def drop_decoded_invisible(piece: FormattedText) -> FormattedText:
    """Return the piece without the invisible characters that were written as references, such as `&#8238;`. (Those that
    stand there themselves are gone before.)"""
    if not (dropped := find_invisible(piece.text)):
        return piece
    gone = set(dropped)
    # How many units stand before each unit of the rendered text once the invisible ones are gone
    units = [at not in gone for at, sign in enumerate(piece.text) for _ in range(utf16_length(sign))]
    places = list(accumulate(units, initial=0))
    moved = [
        replace(each, offset=places[each.offset], length=places[each.end] - places[each.offset])
        for each in piece.entities
    ]
    return FormattedText(strip_invisible(piece.text), tuple(moved))


def split_into_parse_chunks(source: str) -> Iterator[tuple[str, int]]:
    """Split a long text into chunks of whole blocks. Yield each with the number of line breaks before it. Chunks are
    short, because nothing else runs while the library parses one."""
    content, start, gap = source.encode(), 0, 0
    for block in markdown_escaping.block_byte_offsets_to_split_at(source) if len(content) > PARSE_CHUNK_BYTES else ():
        if block - start >= PARSE_CHUNK_BYTES:
            yield content[start:block].decode(), gap
            gap = 2 if BLANK_LINE_PATTERN.search(content, start, block) else 1
            start = block
    yield content[start:].decode(), gap


def mark_text_as_repeat(piece: FormattedText, label: str) -> FormattedText:
    """Return the piece with the mark of a possible repeat behind its label."""
    at = len(label) if piece.text.startswith(label) else 0
    units, added = utf16_length(piece.text[:at]), utf16_length(repeat_mark())

    def make_room(entity: Entity) -> Entity:
        if entity.offset >= units:
            return replace(entity, offset=entity.offset + added)
        return replace(entity, length=entity.length + added) if entity.end > units else entity

    return FormattedText(piece.text[:at] + repeat_mark() + piece.text[at:], tuple(map(make_room, piece.entities)))


def button_label(option: str, number: int) -> str:
    words = " ".join(replace_unsendable_characters(option).split()) or str(number)
    return words if len(words) <= MAX_BUTTON_LABEL_LENGTH else words[: MAX_BUTTON_LABEL_LENGTH - 1].rstrip() + "…"
