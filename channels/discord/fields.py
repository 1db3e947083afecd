"""Read Discord's JSON and check each field. The errors are those of MALFORMED_DATA_ERRORS."""

from channels.discord import operator_texts
from channels.discord.ids import JsonObject


class MalformedDiscordData(ValueError):
    """Discord sent something malformed. The text says what is wrong, and repeats nothing that people wrote."""


def require_object(raw: object) -> JsonObject:
    if not isinstance(raw, dict):
        raise MalformedDiscordData(operator_texts.NOT_AN_OBJECT)
    return raw


def read_object_field(raw: JsonObject, key: str) -> JsonObject:
    if not isinstance(found := raw[key], dict):
        raise MalformedDiscordData(operator_texts.FIELD_NOT_AN_OBJECT(field=key))
    return found


def read_text_field(raw: JsonObject, key: str) -> str:
    found = raw[key]
    if not isinstance(found, str):
        raise MalformedDiscordData(operator_texts.FIELD_NOT_A_TEXT(field=key))
    return found


def read_id_field(raw: JsonObject, key: str) -> str:
    """Return an id field. Raise MalformedDiscordData if it is not an id."""
    found = read_text_field(raw, key)
    if not (found.isdecimal() and found.isascii() and len(found) < 21):
        raise MalformedDiscordData(operator_texts.FIELD_NOT_AN_ID(field=key))
    return found
