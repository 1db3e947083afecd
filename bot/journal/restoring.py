"""Settling a restored database: what may have happened since the back-up is unknown, and its chats are told so."""

from collections.abc import Collection
from datetime import datetime, timedelta

from bot import phrases
from bot.limits import Terms
from bot.store import outbox, restored
from bot.store.connection import Connection
from bot.store.outbox import Urgency

RECENT = timedelta(days=7)  # before the back-up: who spoke then may have spoken after it as well


def settle(db: Connection, made_at: datetime, told: Collection[str], terms: Terms) -> int:
    """Say of what was open in it that nobody knows its outcome; gives how many chats are told.

    `told` are the ids of what an earlier restore has said already; each chat hears once of one back-up.
    """
    restored.doubt(db)
    restored.leap(db, terms.now)
    said = phrases.restored(made_at, terms)
    chats = restored.concerned(db, made_at - RECENT)
    count = 0
    for address in chats:
        key = f"{restored.NOTICE}{made_at.isoformat()}:{address}"
        outbox.notice(db, key, address, said, terms.now, urgency=Urgency.ANSWER)  # what is answered comes after it
        if key in told:
            restored.is_told(db, key, terms.now)
        else:
            count += 1
    return count
