"""Check a text and its entities as the platform does. All offsets and lengths are UTF-16 units."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

from tests.stand_ins.telegram.errors import Json, bad

MOST_UNITS = 4096
MOST_ENTITIES = 100
MOST_BOUND = 1_000_000
CODE = frozenset({"code", "pre"})
WHOLE = frozenset({*CODE, "text_link", "text_mention", "custom_emoji"})  # never nested in each other
QUOTES = frozenset({"blockquote", "expandable_blockquote"})
STYLES = frozenset({"bold", "italic", "underline", "strikethrough", "spoiler"})
FOUND = frozenset({"mention", "hashtag", "cashtag", "bot_command", "url", "email", "phone_number"})
RANK = {
    name: rank for rank, names in enumerate((QUOTES, {"text_link", "text_mention"}, STYLES, CODE)) for name in names
}
SCHEMES = {"", "http", "https", "tg", "ton", "tonsite", "mailto"}
MARKS = re.compile(
    r"(?P<bot_command>(?<![\w/@<>])/[A-Za-z0-9_]{1,64}(?:@\w{3,32})?)"
    r"|(?P<mention>(?<!\w)@\w{3,32})"
    r"|(?P<url>https?://[^\s<>]+)"
)


def units(text: str) -> int:
    """Return the length of a text in UTF-16 units."""
    return len(text.encode("utf-16-le")) // 2


def part(text: str, offset: int, length: int) -> str:
    """Return the text of an entity."""
    return text.encode("utf-16-le")[2 * offset : 2 * (offset + length)].decode("utf-16-le")


def marks(text: str) -> list[Json]:
    """Return the entities that Telegram itself finds in a person's text: commands, mentions, links."""
    found = []
    for match in MARKS.finditer(text):
        offset, length = units(text[: match.start()]), units(match.group())
        found.append({"type": match.lastgroup, "offset": offset, "length": length})
    return found


def formatted(
    text: str, entities: Any, *, too_long: str = "message is too long", most: int = MOST_UNITS
) -> tuple[str, list[Json]]:
    """Return a text and its entities as the platform keeps them. Raise Refusal if it refuses either.

    It removes spaces at both ends and empty entities, sorts entities, cuts those that cross, and keeps 100.
    """
    if not text:
        raise bad("message text is empty")
    whole = [parsed(entity) for entity in listed(entities)]
    known = [entity for entity in whole if entity["type"] not in FOUND]  # the platform finds these itself
    check_bounds(text, known)
    text, known = trimmed(cleaned(text), [entity for entity in known if entity["length"]])
    if units(text) > most:
        raise bad(too_long)
    return text, nested(known)[:MOST_ENTITIES]


def listed(entities: Any) -> list[Any]:
    if entities is None:
        return []
    if not isinstance(entities, list):
        raise bad("expected an Array of MessageEntity")
    return entities


def parsed(entity: Any) -> Json:
    """Return one entity with the fields of its type. Raise Refusal for what the platform does not know."""
    if not isinstance(entity, dict):
        raise unread("expected an Object")
    kind = entity.get("type")
    if kind is None:
        raise unread('Can\'t find field "type"')
    for name in ("offset", "length"):
        if name not in entity:
            raise unread(f'Can\'t find field "{name}"')
        if not isinstance(entity[name], int) or isinstance(entity[name], bool):
            raise unread(f'Field "{name}" must be of type Number')
    kept = {"type": kind, "offset": entity["offset"], "length": entity["length"]}
    match kind:
        case "text_link":
            return {**kept, "url": link(entity.get("url", ""))}
        case "pre":
            return {**kept, "language": entity["language"]} if entity.get("language") else kept
        case "text_mention" if not isinstance(entity.get("user"), dict) or "id" not in entity["user"]:
            raise unread('Can\'t find field "user"')
        case "text_mention":
            return {**kept, "user": entity["user"]}
        case "custom_emoji" if not str(entity.get("custom_emoji_id", "")).isdigit():
            raise unread('Field "custom_emoji_id" must be a valid Number')
        case "custom_emoji":
            return {**kept, "custom_emoji_id": str(entity["custom_emoji_id"])}
    if kind not in WHOLE | QUOTES | STYLES | FOUND:
        raise unread("Unsupported type specified")
    return kept


def unread(why: str) -> Exception:
    return bad(f"can't parse MessageEntity: {why}")


def link(url: Any) -> str:
    if not isinstance(url, str):
        raise unread('Field "url" must be of type String')
    try:
        split = urlsplit(url if re.match(r"[\w+.-]+:", url) else f"http://{url}")
    except ValueError as fault:
        raise bad(f"entity URL '{url}' is invalid: Wrong HTTP URL") from fault
    if not url:
        raise bad(f"entity URL '{url}' is invalid: URL host is empty")
    if split.scheme not in SCHEMES:
        raise bad(f"entity URL '{url}' is invalid: Unsupported URL protocol")
    if split.scheme in ("http", "https") and "." not in split.netloc:
        raise bad(f"entity URL '{url}' is invalid: Wrong HTTP URL")
    return url


def check_bounds(text: str, entities: list[Json]) -> None:
    """Raise Refusal unless each entity is within the text and cuts no character."""
    starts, place = {0}, 0
    for character in text:
        starts.add(place := place + units(character))
    for entity in entities:
        offset, length = entity["offset"], entity["length"]
        if not 0 <= offset <= MOST_BOUND:
            raise bad(f"receive an entity with incorrect offset {offset}")
        if not 0 <= length <= MOST_BOUND:
            raise bad(f"receive an entity with incorrect length {length}")
        if not length:
            continue
        if offset > place:
            raise bad(f"entity begins after the end of the text at UTF-16 offset {offset}")
        if offset not in starts:
            raise bad(f"entity begins in a middle of a UTF-16 symbol at UTF-16 offset {offset}")
        where = f"entity beginning at UTF-16 offset {offset} ends"
        if offset + length > place:
            raise bad(f"{where} after the end of the text at UTF-16 offset {offset + length}")
        if offset + length not in starts:
            raise bad(f"{where} in a middle of a UTF-16 symbol at UTF-16 offset {offset + length}")


def cleaned(text: str) -> str:
    """Replace control characters with spaces. (The platform removes carriage returns; here they keep their width.)"""
    return "".join(" " if character < " " and character != "\n" else character for character in text)


def is_blank(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) in ("Cf", "Zs") or character in "\u2800\u3164"


def trimmed(text: str, entities: list[Json]) -> tuple[str, list[Json]]:
    """Remove spaces at both ends, at the start only before the first entity."""
    if all(map(is_blank, text)):
        raise bad("text must be non-empty")
    text = text.rstrip()
    first = min((entity["offset"] for entity in entities), default=units(text))
    gone = min(units(text) - units(text.lstrip()), first)
    text = text[gone:]  # each space is one unit
    end = units(text)
    moved = [{**entity, "offset": entity["offset"] - gone} for entity in entities]
    cut = [{**entity, "length": min(entity["length"], end - entity["offset"])} for entity in moved]
    return text, [entity for entity in cut if entity["length"] > 0]


def nested(entities: list[Json]) -> list[Json]:
    """Return the entities in the platform's order. Each two are nested or apart."""
    order = sorted(entities, key=place)
    firm = apart([one for one in order if one["type"] in WHOLE]) + apart(
        [one for one in order if one["type"] in QUOTES]
    )
    kept = list(firm)
    code = [one for one in firm if one["type"] in CODE]
    for kind in sorted(STYLES):
        for start, end in joined([one for one in order if one["type"] == kind]):
            for first, last in cut(start, end, kept, code):
                kept.append({"type": kind, "offset": first, "length": last - first})
    return sorted(kept, key=place)


def place(entity: Json) -> tuple[int, int, int]:
    return entity["offset"], -entity["length"], RANK.get(entity["type"], 4)


def apart(order: list[Json]) -> list[Json]:
    """Return the entities without those that overlap an earlier one."""
    kept: list[Json] = []
    for entity in order:
        if not kept or entity["offset"] >= kept[-1]["offset"] + kept[-1]["length"]:
            kept.append(entity)
    return kept


def joined(order: list[Json]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for entity in order:
        start, end = entity["offset"], entity["offset"] + entity["length"]
        if spans and start <= spans[-1][1]:
            start, end = spans[-1][0], max(end, spans.pop()[1])
        spans.append((start, end))
    return spans


def cut(start: int, end: int, others: list[Json], code: list[Json]) -> list[tuple[int, int]]:
    """Return the ranges of a style: cut where another entity crosses its edge, without what is in code."""
    edges = {start, end}
    for other in others:
        first, last = other["offset"], other["offset"] + other["length"]
        if first < start < last < end:
            edges.add(last)
        if start < first < end < last:
            edges.add(first)
    for other in code:
        edges |= {edge for edge in (other["offset"], other["offset"] + other["length"]) if start < edge < end}
    places = sorted(edges)
    return [piece for piece in pairwise(places) if not any(lies_in(piece, other) for other in code)]


def lies_in(piece: tuple[int, int], entity: Json) -> bool:
    return bool(entity["offset"] <= piece[0] and piece[1] <= entity["offset"] + entity["length"])
