"""Convert rows to dataclasses and back. A field and its column have the same name.

A column holds a moment in ISO 8601, an address as text, and lists and sets as JSON. `Connection` writes values in this
form. This module reads them again, by the types of the fields.
"""

import json
import sqlite3
from collections.abc import Callable
from dataclasses import fields
from datetime import datetime
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from bot.core.messages import Address

T = TypeVar("T")


def dataclass_from_row(kind: Callable[..., T], row: sqlite3.Row, /, **others: object) -> T:
    """Return a dataclass of the type `kind`, made of a row. `others` are the fields that are not read from a column."""
    values = {name: read(row[name]) for name, read in column_readers_of_dataclass(kind).items() if name not in others}
    return kind(**values, **others)


def dataclass_as_columns(value: Any, /, *besides: str) -> dict[str, Any]:
    """Return the fields of a dataclass as columns, except those in `besides`."""
    return {field.name: getattr(value, field.name) for field in fields(value) if field.name not in besides}


@cache
def column_readers_of_dataclass(kind: Any) -> dict[str, Callable[[Any], Any]]:
    hints = get_type_hints(kind)
    return {field.name: column_reader_for_type(hints[field.name]) for field in fields(kind)}


def column_reader_for_type(hint: Any) -> Callable[[Any], Any]:
    """Return the function that turns a column's value into a field of this type."""
    if isinstance(hint, UnionType):
        [read] = [column_reader_for_type(each) for each in get_args(hint) if each is not NoneType]
        return lambda value: None if value is None else read(value)
    hint, inner = getattr(hint, "__supertype__", hint), get_args(hint)
    if hint is datetime:
        return datetime.fromisoformat
    if hint is Address:
        return Address.parse
    if get_origin(hint) in (tuple, frozenset):
        collection, read = get_origin(hint), column_reader_for_type(inner[0])
        return lambda text: collection(map(read, json.loads(text)))
    if get_origin(hint) is dict:
        return json.loads
    if hint in (bool, int) or (isinstance(hint, type) and issubclass(hint, Enum)):
        return hint  # type: ignore[no-any-return]  # a type, which is called with the value
    return lambda value: value
