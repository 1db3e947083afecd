"""Parse the JSON of a request's body, as strictly as the service."""

import json
from collections.abc import Iterator
from typing import Any

from tests.stand_ins.claude.errors import ApiError


def parsed(body: bytes) -> Any:
    """Return the JSON of a body. Raise the service's 400 for NaN, lone surrogates and NUL characters too."""
    try:
        text = body.decode()
        value = json.loads(text, parse_constant=refuse_constant)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as fault:
        raise ApiError(f"The request body is not valid JSON: no low surrogate in string: {fault.start}") from fault
    except ValueError as fault:
        raise ApiError(f"The request body is not valid JSON: {fault}") from fault
    if any("\0" in string for string in strings(value)):
        raise ApiError("The request body is not valid JSON: str should not contain NUL")
    return value


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from strings(item)


def refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
