"""The JSON of a request's body, as strict as the service is about it."""

import json
from collections.abc import Iterator
from typing import Any

from tests.stand_ins.claude.errors import ApiError


def parsed(body: bytes) -> Any:
    """The JSON of a body, or the 400 that the service answers. It takes no NaN, no lone surrogate and no NUL."""
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
