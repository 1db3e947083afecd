"""Updates that no client library accepts, by name."""

from collections.abc import Callable
from enum import StrEnum, auto
from typing import Any

from tests.stand_ins.telegram.errors import Json


class Malformed(StrEnum):
    NO_CHAT = auto()
    WRONG_TYPES = auto()
    DATE_IN_WORDS = auto()
    HUGE_DATE = auto()
    ENTITY_WITHOUT_OFFSET = auto()
    LONE_SURROGATE = auto()
    NULL_MESSAGE = auto()
    HUGE_ID = auto()
    UNKNOWN_KIND = auto()
    NO_UPDATE_ID = auto()
    NOT_AN_OBJECT = auto()


def spoil(kind: Malformed, message: Json) -> Callable[[int], Any]:
    """Return a function that makes the malformed update from its id. It is based on a good message's JSON."""
    changes: dict[Malformed, Json] = {
        Malformed.NO_CHAT: {"chat": ...},
        Malformed.WRONG_TYPES: {"from": ["Ann"], "chat": 7, "text": {"of": "another type"}},
        Malformed.DATE_IN_WORDS: {"date": "yesterday"},
        Malformed.HUGE_DATE: {"date": 10**15},
        Malformed.ENTITY_WITHOUT_OFFSET: {"entities": [{"type": "bold", "length": 2}]},
        Malformed.LONE_SURROGATE: {"text": "half of one: \ud83d"},
        Malformed.HUGE_ID: {"message_id": 2**63},
    }
    if kind in changes:
        spoilt = {name: value for name, value in {**message, **changes[kind]}.items() if value is not ...}
        return lambda number: {"update_id": number, "message": spoilt}
    match kind:
        case Malformed.NULL_MESSAGE:
            return lambda number: {"update_id": number, "message": None}
        case Malformed.UNKNOWN_KIND:
            return lambda number: {"update_id": number, "telepathy": message}
        case Malformed.NO_UPDATE_ID:
            return lambda number: {"message": message}
    return lambda number: f"update {number}"
