"""Images and documents: their types, base64 and sizes, and how many a request may have."""

import base64
import binascii
import re
import struct
from collections.abc import Iterator
from typing import Any

from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.canonical import Json, blocks_of, positions
from tests.stand_ins.claude.checks.fields import only
from tests.stand_ins.claude.errors import ApiError

IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")
MOST_BASE64 = 5 * 2**20
MOST, MOST_LARGE = 100, 20
MOST_PAGES = 100
SIDE, SIDE_OF_MANY = 8_000, 2_000
BEGINNINGS = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif", b"RIFF": "image/webp"}
SHORTEST = 14  # bytes: less cannot be an image


def check(asked: Asked) -> None:
    found = list(media(asked))
    images = [(where, block) for where, block in found if block["type"] == "image"]
    if len(found) > MOST:
        raise ApiError(f"messages: at most {MOST} images and documents are allowed in a request")
    for where, block in found:
        source = block.get("source")
        if not isinstance(source, dict):
            raise ApiError(f"{where}.source: Field required")
        if block["type"] == "image":
            check_image(f"{where}.image.source", source, SIDE if len(images) <= MOST_LARGE else SIDE_OF_MANY)
        else:
            check_document(f"{where}.document.source", source)


def media(asked: Asked) -> Iterator[tuple[str, Json]]:
    for number, place, _, block in positions(asked.messages):
        where = f"messages.{number}.content.{place}"
        if block["type"] in ("image", "document"):
            yield where, block
        for nested, inner in enumerate(blocks_of(block.get("content")) if block["type"] == "tool_result" else ()):
            if inner["type"] in ("image", "document"):
                yield f"{where}.tool_result.content.{nested}", inner


def check_image(where: str, source: Json, side: int) -> None:
    content = decoded(where, source, IMAGES)
    if len(source["data"]) > MOST_BASE64:
        raise ApiError(f"{where}.base64: image exceeds 5 MB maximum: {len(source['data'])} bytes > {MOST_BASE64} bytes")
    kind = next((kind for beginning, kind in BEGINNINGS.items() if content.startswith(beginning)), None)
    if kind is None or len(content) < SHORTEST:
        raise ApiError(f"{where}.base64.data: Could not process image")
    if kind != source["media_type"]:
        raise ApiError(
            f"{where}.base64: The image was specified using the {source['media_type']} media type,"
            f" but the image appears to be a {kind} image"
        )
    if max(size_of(kind, content)) > side:
        raise ApiError(
            f"{where}.base64.data: At least one of the image dimensions exceed max allowed size: {side} pixels",
            code="image_dimensions_too_large",
        )


def check_document(where: str, source: Json) -> None:
    if source.get("type") == "text":
        only(where, source, {"type", "media_type", "data"})
        return
    content = decoded(where, source, ("application/pdf",))
    if not content.startswith(b"%PDF-"):
        raise ApiError(f"{where}.base64.data: The PDF specified was not valid.")
    if len(re.findall(rb"/Type /Page\b", content)) > MOST_PAGES:
        raise ApiError(f"{where}.base64.data: A maximum of {MOST_PAGES} PDF pages may be provided.")


def size_of(kind: str, content: bytes) -> tuple[int, ...]:
    """Return the size of an image whose head has it in a fixed place. Other kinds are accepted unchecked."""
    match kind:
        case "image/png":
            return struct.unpack(">II", content[16:24])
        case "image/gif":
            return struct.unpack("<HH", content[6:10])
    return (1, 1)


def decoded(where: str, source: Json, kinds: tuple[str, ...]) -> bytes:
    if source.get("type") != "base64":
        raise ApiError(f"{where}: Input tag '{source.get('type')}' found using 'type' does not match any expected tag")
    only(f"{where}.base64", source, {"type", "media_type", "data"})
    if source.get("media_type") not in kinds:
        raise ApiError(f"{where}.base64.media_type: Input should be {' or '.join(map(repr, kinds))}")
    data: Any = source.get("data")
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, TypeError, ValueError):
        raise ApiError(f"{where}.base64.data: Input should be valid base64") from None


def check_readable(asked: Asked, unreadable: bytes, *, names_places: bool) -> None:
    """Refuse the image that the test calls unreadable, as if decoding had failed."""
    for where, block in media(asked) if unreadable else ():
        if block["source"].get("data") == base64.b64encode(unreadable).decode():
            raise ApiError(
                f"{where}.image.source.base64: Could not process image" if names_places else "Could not process image"
            )
