"""sendPhoto, sendVideo, sendAnimation, sendAudio, sendDocument and sendMediaGroup."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tests.stand_ins.telegram.arguments import Arguments
from tests.stand_ins.telegram.errors import Json, bad, unsupported
from tests.stand_ins.telegram.keyboards import buttons_of
from tests.stand_ins.telegram.messages import Message
from tests.stand_ins.telegram.methods.sending import SINGLE, new_message, refuse_unsupported
from tests.stand_ins.telegram.texts import formatted
from tests.stand_ins.telegram.uploads import Upload, upload_of
from tests.stand_ins.telegram.world import World

MAX_CAPTION_UNITS = 1024
SINGLE_KINDS = ("photo", "video", "animation", "audio", "document")
SHOWN_TOGETHER = {"photo", "video"}
ALBUM_KINDS = SHOWN_TOGETHER | {"document", "audio"}
FEWEST_IN_ALBUM, MOST_IN_ALBUM = 2, 10


def send_one(kind: str, world: World, arguments: Arguments) -> Json:
    refuse_unsupported(arguments, "parse_mode", *SINGLE)
    if not arguments.has(kind):
        raise bad(f"there is no {kind} in the request")
    text, entities = caption_of(arguments.text("caption"), arguments.parsed("caption_entities", "caption entities"))
    upload = upload_of(arguments.given, arguments.given[kind])
    message = new_message(world, arguments, text, entities, buttons=buttons_of(arguments))
    return keep(message, kind, upload).as_json()


def send_media_group(world: World, arguments: Arguments) -> list[Json]:
    """Send two to ten files, all at once or none. They have no buttons."""
    refuse_unsupported(arguments, "reply_markup", *SINGLE)
    media = arguments.parsed("media", "media")
    if not isinstance(media, list) or not all(isinstance(each, dict) for each in media):
        raise bad("expected an Array of InputMedia")
    if not FEWEST_IN_ALBUM <= len(media) <= MOST_IN_ALBUM:
        raise bad("wrong number of messages to send as an album specified")
    kinds = {each.get("type") for each in media}
    if not kinds <= ALBUM_KINDS:
        raise unsupported(f"an album of {kinds}")
    if len(kinds) > 1 and (alone := kinds - SHOWN_TOGETHER):
        raise bad(f"{min(alone)} can't be mixed with other media types")
    found = []
    for each in media:
        if "parse_mode" in each:
            raise unsupported("parse_mode")
        upload = upload_of(arguments.given, each.get("media"))
        upload.as_kind(each["type"])  # before any is sent
        found.append((each["type"], upload, *caption_of(each.get("caption") or "", each.get("caption_entities"))))
    group = str(13_000_000_000_000_000 + world.next_id())
    sent = []
    for kind, upload, text, entities in found:
        message = new_message(world, arguments, text, entities, buttons=[])
        message.group = group
        sent.append(keep(message, kind, upload).as_json())
    return sent


def caption_of(text: str, entities: Any) -> tuple[str, list[Json]]:
    if not text:
        return "", []
    return formatted(text, entities, too_long="message caption is too long", most=MAX_CAPTION_UNITS)


def keep(message: Message, kind: str, upload: Upload) -> Message:
    message.media, message.upload = upload.as_kind(kind), upload
    return message.chat.keep(message)


UPLOADING: dict[str, Callable[[World, Arguments], Any]] = {
    **{f"send{kind.capitalize()}": partial(send_one, kind) for kind in SINGLE_KINDS},
    "sendMediaGroup": send_media_group,
}
