"""Rows become dataclasses by their fields' types, and dataclasses become columns."""

import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NewType

import pytest

from bot.core.messages import Address
from bot.store.connection import Connection
from bot.store.row_mapping import dataclass_as_columns, dataclass_from_row

Name = NewType("Name", str)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Color(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    name: Name
    color: Color | None
    is_new: bool
    made_at: datetime
    sold_at: datetime | None
    place: Address
    colors: frozenset[Color]
    parts: tuple[str, ...]
    facts: dict[str, Any]
    weight: float


THING = Thing(
    name=Name("lamp"),
    color=Color.RED,
    is_new=True,
    made_at=NOON,
    sold_at=None,
    place=Address(channel="fake", chat="room"),
    colors=frozenset({Color.RED}),
    parts=("foot", "shade"),
    facts={"watts": 5},
    weight=1.5,
)


def keep(db: Connection, thing: Thing) -> sqlite3.Row:
    db.execute(f"CREATE TABLE things ({', '.join(dataclass_as_columns(thing))})")
    db.insert_if_new("things", **dataclass_as_columns(thing))
    return db.fetch_rows("SELECT * FROM things")[0]


def test_what_is_written_is_read_again(db: Connection) -> None:
    assert dataclass_from_row(Thing, keep(db, THING)) == THING


def test_a_field_without_a_column_is_given(db: Connection) -> None:
    row = keep(db, THING)
    assert dataclass_from_row(Thing, row, name="chair", weight=2.0).name == "chair"
    assert "name" not in dataclass_as_columns(THING, "name", "weight")


def test_a_column_that_is_missing_is_an_error(db: Connection) -> None:
    with pytest.raises(KeyError):
        dataclass_from_row(Thing, db.fetch_rows("SELECT 'lamp' AS name")[0])
