"""The arguments of a call, from a query, a form, a multipart body or JSON, and read as the Bot API reads them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any
from urllib.parse import parse_qsl

from tests.stand_ins.http import Incoming
from tests.stand_ins.telegram.errors import Json, Refusal, bad

MOST_INTEGER = 2**53  # ids have at most 52 significant bits


@dataclass(frozen=True)
class Arguments:
    """As they were sent: a form's values are strings, those of a JSON body have their types."""

    given: Json = field(default_factory=dict)

    def has(self, name: str) -> bool:
        return self.given.get(name) not in (None, "")

    def text(self, name: str) -> str:
        """A string, or "" where it was not given. It has no lone surrogate."""
        value = self.given.get(name)
        if value is None:
            return ""
        text = value if isinstance(value, str) else json.dumps(value)
        check_encoding(text)
        return text

    def number(self, name: str, default: int = 0) -> int:
        """An integer: the digits that it begins with, as in "5.0". What has none is taken for the default."""
        digits = re.match(r"-?\d{1,16}", str(self.given.get(name, "")))
        number = int(digits.group()) if digits else default
        return number if abs(number) < MOST_INTEGER else default

    def flag(self, name: str) -> bool:
        return str(self.given.get(name, "")).lower() in ("true", "1", "yes")

    def parsed(self, name: str, what: str) -> Any:
        """What was given as JSON, or None; raises Refusal, naming `what`, for what is none."""
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
    """All of a request, wherever it has them: the body wins over the query. Raises Refusal for a body of no kind."""
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
    """The fields of a multipart body; a file is kept by its bytes."""
    whole = BytesParser(policy=HTTP).parsebytes(b"content-type: " + kind.encode() + b"\r\n\r\n" + body)
    found: Json = {}
    for part in whole.iter_parts():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        assert isinstance(name, str)
        assert isinstance(content, bytes)
        found[name] = content if part.get_filename() else decoded(content)
    return found
