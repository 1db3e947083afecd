"""Read the body of a message that the bot sends or edits. Refuse what Discord refuses."""

import json
from dataclasses import dataclass
from typing import Any

from tests.stand_ins.discord.components import check_components
from tests.stand_ins.discord.errors import choice, form, length, refusal
from tests.stand_ins.discord.messages import Flag
from tests.stand_ins.discord.snowflakes import Json

LONGEST = 2000  # code points
LONGEST_NONCE = 25
PINGS = ("roles", "users", "everyone")
SENT = Flag.SUPPRESS_EMBEDS | Flag.SUPPRESS_NOTIFICATIONS
ANSWERED = SENT | Flag.EPHEMERAL
EDITED = Flag.SUPPRESS_EMBEDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Pings:
    """The people that a message may ring. The default is everybody that it names."""

    users: frozenset[str] | None = None  # None: all who are named
    everyone: bool = True
    replied_user: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A checked body of a message. None means that an edit leaves this field as it is."""

    text: str | None
    flags: Flag | None
    components: list[Json] | None
    embeds: list[Json] | None
    attachments: list[Json] | None
    pings: Pings
    nonce: str | int | None
    enforces_nonce: bool
    reference: Json | None

    @property
    def is_empty(self) -> bool:
        return not (self.text or self.components or self.embeds or self.attachments)


def parsed(raw: bytes) -> Any:
    """Return the value of a JSON body. Raise 50109 if it is not JSON or has a lone surrogate."""
    if not raw:
        return {}
    try:
        value = json.loads(raw)
        json.dumps(value, ensure_ascii=False).encode()
    except ValueError as fault:
        raise refusal(50109) from fault
    return value


def as_object(value: Any, where: str = "") -> Json:
    if isinstance(value, dict):
        return value
    error = {"code": "DICT_TYPE_CONVERT", "message": "Only dictionaries may be used in a DictType"}
    if where:
        raise form(where, **error)
    refused = refusal(50035)
    refused.errors = {"_errors": [error]}
    raise refused


def read(body: Json, attachments: list[Json], settable: Flag | None) -> Body:
    """Return the body. Raise Refusal for what Discord refuses. Ignore unknown keys, as Discord does."""
    text = body.get("content")
    if text is not None and not isinstance(text, str):
        raise form("content", "STRING_TYPE_CONVERT", "Could not interpret as string.")
    if text is not None and len(text) > LONGEST:
        raise length("content", 0, LONGEST)
    embeds = body.get("embeds")
    if embeds is not None and (not isinstance(embeds, list) or len(embeds) > 10):
        raise length("embeds", 0, 10)
    components = body.get("components")
    check_named_attachments(body.get("attachments"), len(attachments))
    return Body(
        # Discord keeps no space around a text.
        text=text.strip() if text is not None else ("" if "content" in body else None),
        flags=flags(body, settable),
        components=None if components is None else check_components(components),
        embeds=embeds,
        attachments=attachments or ([] if "attachments" in body else None),
        pings=pings(body.get("allowed_mentions")),
        nonce=nonce(body.get("nonce")),
        enforces_nonce=body.get("enforce_nonce") is True,
        reference=None if body.get("message_reference") is None else as_object(body["message_reference"]),
    )


def check_named_attachments(named: Any, count: int) -> None:
    """Raise Refusal if the body names a file that did not come with it. An edit may name files by their real ids."""
    for place, each in enumerate(named if isinstance(named, list) and count else []):
        number = as_object(each, f"attachments.{place}").get("id")
        if not str(number).isdecimal() or int(str(number)) >= count:
            raise form(f"attachments.{place}", "ATTACHMENT_NOT_FOUND", "Attachment data not found")


def flags(body: Json, settable: Flag | None) -> Flag | None:
    given, known = body.get("flags"), EDITED if settable is None else settable
    if given is None:
        return None
    if not isinstance(given, int) or (settable is not None and given & ~int(settable)):
        raise choice("flags", given, [flag.name for flag in known])
    return Flag(given & int(known))


def nonce(given: Any) -> str | int | None:
    if given is None:
        return None
    if not isinstance(given, str | int):
        raise form("nonce", "NONCE_TYPE_CONVERT", "Must be a string or an integer.")
    if len(str(given)) > LONGEST_NONCE:
        raise length("nonce", 0, LONGEST_NONCE)
    return given


def pings(given: Any) -> Pings:
    if given is None:
        return Pings()
    allowed = as_object(given, "allowed_mentions")
    parse = allowed.get("parse") or []
    if not isinstance(parse, list):
        raise form("allowed_mentions.parse", "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
    for place, kind in enumerate(parse):
        if kind not in PINGS:
            raise choice(f"allowed_mentions.parse.{place}", kind, PINGS)
    for kind in ("users", "roles"):
        named = allowed.get(kind) or []
        if not isinstance(named, list) or len(named) > 100:
            raise length(f"allowed_mentions.{kind}", 0, 100)
        for place, one in enumerate(named):
            if not str(one).isdecimal():
                raise form(f"allowed_mentions.{kind}.{place}", "NUMBER_TYPE_COERCE", f'Value "{one}" is not snowflake.')
        if named and kind in parse:
            words = f'parse:["{kind}"] and {kind}: [ids...] are mutually exclusive.'
            raise form("allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", words)
    users = None if "users" in parse else frozenset(map(str, allowed.get("users") or []))
    return Pings(users=users, everyone="everyone" in parse, replied_user=bool(allowed.get("replied_user")))
