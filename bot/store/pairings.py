"""The requests of strangers to be let in, as rows: questions to the owner, each with its stranger's code."""

import json
from dataclasses import dataclass
from datetime import datetime

from bot.core.messages import Address, PersonId, PlatformId, QuestionId, Sender
from bot.store import inbox
from bot.store.connection import Connection
from bot.store.outbox import SHOWN_AS_SQL


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    id: QuestionId
    code: str
    stranger: Sender
    address: Address  # where the stranger wrote
    owner: PersonId | None
    deadline: datetime
    state: str  # open | answered | expired


def add_pairing(
    db: Connection, pairing: Pairing, asked_at: Address | None, text: str, options: tuple[str, ...]
) -> None:
    """Keep a stranger's request; `asked_at`: where the owner is asked."""
    arguments = {
        "code": pairing.code,
        "name": pairing.stranger.name,
        "person": pairing.stranger.id,
        "address": str(pairing.address),
    }
    db.insert(
        "questions",
        id=pairing.id,
        kind="pairing",
        address=str(asked_at or ""),
        person=pairing.owner or "",
        text=text,
        options=json.dumps(options),
        arguments=json.dumps(arguments),
        deadline=pairing.deadline.isoformat(),
        after=inbox.newest_message_number(db),
        state=pairing.state,
    )


def list_open_pairings(db: Connection) -> list[Pairing]:
    return find_pairings(db, "state = 'open'")


def list_overdue_pairings(db: Connection, now: datetime) -> list[Pairing]:
    """Return the open requests whose deadline has passed."""
    return find_pairings(db, "state = 'open' AND deadline <= ?", now.isoformat())


def list_pairings_of(db: Connection, person: PersonId) -> list[Pairing]:
    """Return all requests of a stranger on any channel, newest first."""
    return find_pairings(db, "json_extract(arguments, '$.person') = ? ORDER BY rowid DESC", person)


def list_pairings_answered_with(db: Connection, person: PersonId, answer: str) -> list[Pairing]:
    """Return the requests of a stranger on any channel that were answered so."""
    return find_pairings(db, "json_extract(arguments, '$.person') = ? AND answer = ?", person, answer)


def find_pairing(db: Connection, id: QuestionId | None) -> Pairing | None:
    return next(iter(find_pairings(db, "id = ?", id)), None)


def find_pairing_shown_as(db: Connection, address: Address, message: PlatformId) -> Pairing | None:
    """Return the request that a message of the platform shows."""
    return next(iter(find_pairings(db, SHOWN_AS_SQL, str(address), message)), None)


def set_pairing_deadline(db: Connection, id: QuestionId, until: datetime) -> None:
    db.execute("UPDATE questions SET deadline = ? WHERE id = ?", (until.isoformat(), id))


def find_pairings(db: Connection, where: str, *values: object) -> list[Pairing]:
    found = []
    for row in db.fetch_rows(f"SELECT * FROM questions WHERE kind = 'pairing' AND {where}", *values):
        arguments = json.loads(row["arguments"])
        pairing = Pairing(
            id=QuestionId(row["id"]),
            code=arguments["code"],
            stranger=Sender(id=PersonId(arguments["person"]), name=arguments["name"]),
            address=Address.parse(arguments["address"]),
            owner=PersonId(row["person"]) if row["person"] else None,
            deadline=datetime.fromisoformat(row["deadline"]),
            state=row["state"],
        )
        found.append(pairing)
    return found
