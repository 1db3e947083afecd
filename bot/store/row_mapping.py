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
from functools import cache, lru_cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from bot.core.messages import Address

T = TypeVar("T")

ColumnReader = Callable[[Any], Any]
MAX_CACHED_VALUES = 256  # of each field with few different values: enums, and sets of names


def dataclass_from_row(kind: Callable[..., T], row: sqlite3.Row, /, **others: object) -> T:
    """Return a dataclass of the type `kind`, made of a row. `others` are the fields that are not read from a column."""
    as_they_are, readers = columns_of_dataclass(kind, tuple(others))
    columns = dict(zip(row.keys(), row, strict=True))  # a row itself searches its names one by one
    values = {name: columns[name] for name in as_they_are}
    for name, read in readers:
        values[name] = read(columns[name])
    return kind(**values, **others)


def dataclass_as_columns(value: Any, /, *besides: str) -> dict[str, Any]:
    """Return the fields of a dataclass as columns, except those in `besides`."""
    return {name: getattr(value, name) for name in field_names_of_dataclass(value.__class__, besides)}


@cache
def field_names_of_dataclass(kind: Any, besides: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.name not in besides)


@cache
def columns_of_dataclass(kind: Any, besides: tuple[str, ...]) -> tuple[list[str], list[tuple[str, ColumnReader]]]:
    """Return the columns that are read as they are, and the others with the functions that read them."""
    hints = get_type_hints(kind)
    readers = {name: column_reader_for_type(hints[name]) for name in field_names_of_dataclass(kind, besides)}
    as_they_are = [name for name, read in readers.items() if read is None]
    return as_they_are, [(name, read) for name, read in readers.items() if read is not None]


def column_reader_for_type(hint: Any) -> ColumnReader | None:
    """Return the function that turns a column's value into a field of this type; None if the value is the field."""
    if isinstance(hint, UnionType):
        [read] = [column_reader_for_type(each) for each in get_args(hint) if each is not NoneType]
        return None if read is None else lambda value: None if value is None else read(value)
    hint, inner = getattr(hint, "__supertype__", hint), get_args(hint)
    if hint is datetime:
        return datetime.fromisoformat
    if hint is Address:
        return Address.parse
    if get_origin(hint) in (tuple, frozenset):
        collection, read_one = get_origin(hint), column_reader_for_type(inner[0])

        def read(text: str) -> Any:
            values = json.loads(text)
            return collection(map(read_one, values) if read_one else values)

        return lru_cache(MAX_CACHED_VALUES)(read) if collection is frozenset else read
    if get_origin(hint) is dict:
        return json.loads
    if isinstance(hint, type) and issubclass(hint, Enum):
        return lru_cache(MAX_CACHED_VALUES)(hint)
    return bool if hint is bool else None
