"""The arguments of a call, from a query, form, multipart body or JSON, read as the Bot API reads them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from tests.stand_ins.http import Incoming
from tests.stand_ins.telegram.errors import Json, Refusal, bad
from tests.stand_ins.telegram.uploads import Upload, read_form

MOST_INTEGER = 2**53  # ids have at most 52 significant bits


@dataclass(frozen=True)
class Arguments:
    """The arguments as they were sent. Values of a form are strings; values of a JSON body have their types."""

    given: Json = field(default_factory=dict)

    def has(self, name: str) -> bool:
        return self.given.get(name) not in (None, "")

    def text(self, name: str) -> str:
        """Return a string, or "" if it was not sent. Refuse lone surrogates."""
        value = self.given.get(name)
        if value is None:
            return ""
        text = value if isinstance(value, str) else json.dumps(value)
        check_encoding(text)
        return text

    def number(self, name: str, default: int = 0) -> int:
        """Return the integer at the beginning of the value, as in "5.0". Return the default if there is none."""
        digits = re.match(r"-?\d{1,16}", str(self.given.get(name, "")))
        number = int(digits.group()) if digits else default
        return number if abs(number) < MOST_INTEGER else default

    def flag(self, name: str) -> bool:
        return str(self.given.get(name, "")).lower() in ("true", "1", "yes")

    def parsed(self, name: str, what: str) -> Any:
        """Return a JSON value, or None if it was not sent. Raise Refusal, with `what` in it, if it is not JSON."""
        if not self.has(name):
            return None
        value = self.given[name]
        try:
            found = json.loads(value) if isinstance(value, str) else value
        except ValueError as fault:
            raise bad(f"can't parse {what} JSON object") from fault
        check_encoding(json.dumps(found, ensure_ascii=False))
        return found


def check_encoding(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as fault:
        raise bad("strings must be encoded in UTF-8") from fault


def arguments_of(incoming: Incoming) -> Arguments:
    """Return all arguments of a request. The body wins over the query. Raise Refusal for an unknown kind of body."""
    given: Json = dict(parse_qsl(incoming.query))
    if incoming.too_large:
        raise Refusal(413, "Request Entity Too Large")
    kind = incoming.headers.get("content-type", "")
    if incoming.body:
        given |= body_of(kind, incoming.body)
    return Arguments(given)


def body_of(kind: str, body: bytes) -> Json:
    match kind.split(";")[0].strip().lower():
        case "application/json":
            return as_json(body)
        case "application/x-www-form-urlencoded":
            return dict(parse_qsl(decoded(body), keep_blank_values=True))
        case "multipart/form-data":
            return parts(kind, body)
    raise bad(f"unsupported content type {kind!r}")


def as_json(body: bytes) -> Json:
    try:
        found = json.loads(decoded(body))
    except ValueError as fault:
        raise bad("can't parse JSON object") from fault
    if not isinstance(found, dict):
        raise bad("can't parse JSON object")
    return found


def decoded(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as fault:
        raise bad("strings must be encoded in UTF-8") from fault


def parts(kind: str, body: bytes) -> Json:
    """Return the fields of a multipart body. The value of a file is its Upload."""
    return {
        name: value if isinstance(value, Upload) else decoded(value) for name, value in read_form(kind, body).items()
    }
