"""The strangers who asked to be let in: questions to the owner, each with the code that its stranger was given."""

import json
import sqlite3
from dataclasses import dataclass
from datetime import datetime

from bot.core.messages import Address, InboundKind, InboundMessage, OutboundId, PersonId, QuestionId, Sender
from bot.store import inbox, outbox
from bot.store.connection import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    id: QuestionId
    code: str
    stranger: Sender
    address: Address  # where the stranger wrote
    owner: PersonId | None
    deadline: datetime
    state: str  # open | answered | expired


def keep_pairing_request(
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


def expire_pairings(db: Connection, now: datetime) -> None:
    for pairing in find_pairings(db, "state = 'open' AND deadline <= ?", now.isoformat()):
        db.execute("UPDATE questions SET state = 'expired' WHERE id = ?", (pairing.id,))
        outbox.remove_buttons(db, OutboundId(pairing.id))


def list_open_pairings(db: Connection) -> list[Pairing]:
    return find_pairings(db, "state = 'open'")


def newest_pairing_of(db: Connection, channel: str, person: PersonId) -> Pairing | None:
    """Return the newest request of one stranger, open or not."""
    of_person = find_pairings(db, "json_extract(arguments, '$.person') = ? ORDER BY rowid DESC", person)
    return next((each for each in of_person if each.address.channel == channel), None)


def find_pairing_by_code(db: Connection, code: str) -> Pairing | None:
    plain = code.strip().upper().replace("-", "").replace(" ", "")
    return next((each for each in list_open_pairings(db) if each.code.replace("-", "") == plain), None)


def find_decided_pairing(db: Connection, message: InboundMessage) -> Pairing | None:
    """Return the request that a message decides, by a tap or by a reply to the question."""
    if message.kind is InboundKind.ANSWER:
        return next(iter(find_pairings(db, "id = ?", message.question)), None)
    if not message.reply_to:
        return None
    shown = "id IN (SELECT outbox.key FROM outbox, json_each(platform_ids) WHERE outbox.address = ? AND value = ?)"
    return next(iter(find_pairings(db, shown, str(message.address), message.reply_to)), None)


def close_pairing(db: Connection, pairing: Pairing, answer: str, outcome: str) -> None:
    db.execute("UPDATE questions SET state = 'answered', answer = ? WHERE id = ?", (answer, pairing.id))
    outbox.remove_buttons(db, OutboundId(pairing.id), outcome)


def count_refused_pairings(db: Connection, channel: str, person: PersonId, refusal: str) -> int:
    of_person = find_pairings(db, "json_extract(arguments, '$.person') = ? AND answer = ?", person, refusal)
    return sum(each.address.channel == channel for each in of_person)


def put_off_stranger(db: Connection, pairing: Pairing, until: datetime) -> None:
    """Ignore that stranger until a certain time."""
    db.execute("UPDATE questions SET deadline = ? WHERE id = ?", (until.isoformat(), pairing.id))


def find_pairings(db: Connection, where: str, *values: object) -> list[Pairing]:
    return [
        read_pairing(row)
        for row in db.fetch_rows(f"SELECT * FROM questions WHERE kind = 'pairing' AND {where}", *values)
    ]


def read_pairing(row: sqlite3.Row) -> Pairing:
    arguments = json.loads(row["arguments"])
    return Pairing(
        id=QuestionId(row["id"]),
        code=arguments["code"],
        stranger=Sender(id=PersonId(arguments["person"]), name=arguments["name"]),
        address=Address.parse(arguments["address"]),
        owner=PersonId(row["person"]) if row["person"] else None,
        deadline=datetime.fromisoformat(row["deadline"]),
        state=row["state"],
    )
