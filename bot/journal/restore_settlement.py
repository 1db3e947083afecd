"""Settling a restored database: what may have happened since the back-up is unknown, and its chats are told so."""

from collections.abc import Collection
from datetime import datetime, timedelta

from bot.core import phrases
from bot.core.limits import Terms
from bot.store import outbox, restored_database
from bot.store.connection import Connection
from bot.store.outbox import Urgency

RECENT_DAYS = timedelta(days=7)  # before the back-up: who spoke then may have spoken after it as well


def settle_restored_database(db: Connection, made_at: datetime, told: Collection[str], terms: Terms) -> int:
    """Say of what was open in it that nobody knows its outcome; gives how many chats are told.

    `told` are the ids of what an earlier restore has said already; each chat hears once of one back-up.
    """
    restored_database.mark_outcomes_unknown(db)
    restored_database.skip_given_numbers(db, terms.now)
    said = phrases.restore_text(made_at, terms)
    chats = restored_database.list_concerned_chats(db, made_at - RECENT_DAYS)
    count = 0
    for address in chats:
        key = f"{restored_database.NOTICE_PREFIX}{made_at.isoformat()}:{address}"
        outbox.say_notice(db, key, address, said, terms.now, urgency=Urgency.ANSWER)  # what is answered comes after it
        if key in told:
            restored_database.mark_notice_shown(db, key, terms.now)
        else:
            count += 1
    return count
