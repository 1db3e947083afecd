"""Split a text with its entities into parts that Telegram takes. Offsets and lengths of entities are UTF-16 units."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from wcwidth import grapheme_boundary_before

from channels.formatting import TextSpans

# Where to cut, best first: between paragraphs, lines, words.
CUT_PATTERNS = tuple(map(re.compile, (r"\n\n+", r"\n", r"(?<=\S)[ \t]+(?=\S)")))
MAX_NESTED = 8  # entities within each other


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
        """Return the entities as they are after `opening` was put before the text."""
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
    """Yield the entities that are nested in fewer than MAX_NESTED others. Nobody sees deeper formats, and each part
    would repeat them."""
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
        most = first + room.entities + 1  # those beyond do not go into this part
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
        return start < place <= end and not stretches.has_inside(places[place])

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
