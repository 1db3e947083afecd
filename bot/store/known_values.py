"""What conversations know that the gate asks for: values that no outsider has written, sites that were read, grants."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum

from bot.core.acts import TrustedValue
from bot.core.messages import NO_GROUP, GroupName, PersonId
from bot.core.request_reading.values import fold
from bot.core.turn import SessionId
from bot.store.connection import Connection

# What a conversation knows that the gate asks for: values that no outsider has written, sites that were read, and what
# a person has allowed. `type` is that of the value, with its owner if it has one, or the tool that may use it.
CREATE_KNOWN_VALUES = """CREATE TABLE known_values (
    session TEXT NOT NULL REFERENCES sessions (id), kind TEXT NOT NULL CHECK (kind IN ('trusted', 'site', 'grant')),
    type TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (session, kind, type, value)) WITHOUT ROWID"""


def add_holds(db: Connection) -> None:
    """Add what the gate knows, the kinds of act that calls are, and the calls that are held until a person answers."""
    for statement in (
        CREATE_KNOWN_VALUES,
        "ALTER TABLE calls ADD COLUMN acts TEXT NOT NULL DEFAULT '[]'",  # the kinds of act that it is
        "ALTER TABLE calls ADD COLUMN held_kind TEXT",  # its kind, while a person is asked about it
        "ALTER TABLE calls ADD COLUMN approval TEXT NOT NULL DEFAULT ''",  # '', 'granted' or 'used'
        "ALTER TABLE schedules ADD COLUMN words TEXT NOT NULL DEFAULT ''",  # the person's, when it was made
        "CREATE INDEX outbox_approvals ON outbox (address) WHERE kind = 'approval'",
        "CREATE INDEX questions_of_tree ON questions (root) WHERE kind = 'question'",
    ):
        db.execute(statement)


OWNER_MARK = "\t"  # between the type of a trusted value and its owner, in which it cannot stand
GROUP_SEPARATOR = "/"  # between the names of a tool and of a group; neither has one


class ValueKind(StrEnum):
    TRUSTED = "trusted"  # it stands in a part of a result that no outsider writes
    SITE = "site"  # a page of it was read
    GRANT = "grant"  # somebody has allowed a tool to use it, for one person in this conversation


def add_known_values(db: Connection, session: SessionId, kind: ValueKind, values: Iterable[tuple[str, str]]) -> None:
    """Add values, each with its type, in their normal form."""
    for type, value in values:
        row = {"session": session, "kind": kind, "type": type, "value": value}
        db.insert_if_new("known_values", **row)


def add_trusted_values(db: Connection, session: SessionId, values: Iterable[TrustedValue]) -> None:
    rows = [(f"{type}{OWNER_MARK}{fold(owner)}" if owner else type, fold(value)) for type, value, owner in values]
    add_known_values(db, session, ValueKind.TRUSTED, rows)


def split_by_owner(
    trusted: Mapping[str, set[str]],
) -> tuple[dict[str, set[str]], dict[tuple[str, str], set[str]]]:
    """Return the trusted values that count for everybody, by type, and those that have an owner, by type and owner.
    `trusted` are the values of the kind TRUSTED, by their type."""
    owned = {key: values for key, values in trusted.items() if OWNER_MARK in key}
    shared = {type: values for type, values in trusted.items() if type not in owned}
    return shared, {(type, owner): owned[key] for key in owned for type, _, owner in [key.partition(OWNER_MARK)]}


def load_known_values(db: Connection, sessions: Collection[SessionId]) -> dict[ValueKind, dict[str, set[str]]]:
    """Return what these conversations know: values by their type, by kind."""
    sql = "SELECT kind, type, value FROM known_values WHERE session IN (SELECT value FROM json_each(?))"
    found: dict[ValueKind, dict[str, set[str]]] = {kind: defaultdict(set) for kind in ValueKind}
    for row in db.fetch_rows(sql, sorted(sessions)):
        found[ValueKind(row["kind"])][row["type"]].add(row["value"])
    return found


def add_grants(
    db: Connection, session: SessionId, person: PersonId, grants: Iterable[tuple[str, str]], group: GroupName = NO_GROUP
) -> None:
    """Add what somebody has allowed for a person's requests: tools, each with the value that it may use. Others who
    talk in the same conversation are asked themselves, and so is each other group that works for it: `group`."""
    place = f"{GROUP_SEPARATOR}{group}" if group else ""
    add_known_values(db, session, ValueKind.GRANT, [(f"{person} {tool}{place}", value) for tool, value in grants])


def grants_of_person(
    granted: Mapping[str, Collection[str]], person: PersonId, group: GroupName = NO_GROUP
) -> set[tuple[str, str]]:
    """Return what was allowed for a person's requests, where this other group works for them. `granted` are the values
    of the kind GRANT, by their type."""
    begin = f"{person} "
    own = [(*key.removeprefix(begin).partition(GROUP_SEPARATOR), key) for key in granted if key.startswith(begin)]
    return {(tool, value) for tool, _, place, key in own if place == group for value in granted[key]}


def delete_grants_of_person(db: Connection, person: str) -> None:
    begin = f"{person} "
    db.execute("DELETE FROM known_values WHERE kind = 'grant' AND substr(type, 1, ?) = ?", (len(begin), begin))
