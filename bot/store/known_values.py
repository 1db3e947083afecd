"""What conversations know that the gate asks for: values that no outsider has written, sites that were read, grants."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from enum import StrEnum

from bot.core.turn import SessionId
from bot.store.connection import Connection


class ValueKind(StrEnum):
    TRUSTED = "trusted"  # it stands in a part of a result that no outsider writes
    SITE = "site"  # a page of it was read
    GRANT = "grant"  # a person has allowed a tool to use it, in this conversation


def add_known_values(db: Connection, session: SessionId, kind: ValueKind, values: Iterable[tuple[str, str]]) -> None:
    """Add values, each with its type, in their normal form."""
    for type, value in values:
        row = {"session": session, "kind": kind, "type": type, "value": value}
        db.insert_if_new("known_values", **row)


def load_known_values(db: Connection, sessions: Collection[SessionId]) -> dict[ValueKind, dict[str, set[str]]]:
    """Return what these conversations know: values by their type, by kind."""
    sql = "SELECT kind, type, value FROM known_values WHERE session IN (SELECT value FROM json_each(?))"
    found: dict[ValueKind, dict[str, set[str]]] = {kind: defaultdict(set) for kind in ValueKind}
    for row in db.fetch_rows(sql, sorted(sessions)):
        found[ValueKind(row["kind"])][row["type"]].add(row["value"])
    return found
