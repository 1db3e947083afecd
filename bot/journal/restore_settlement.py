"""Settle a restored database: what happened since the back-up is unknown, and its chats are told so."""

from collections.abc import Collection
from datetime import datetime, timedelta

from bot.core import phrases
from bot.core.limits import Terms
from bot.journal.bus import Urgency, post_notice
from bot.store import restored_database
from bot.store.connection import Connection

RECENT_DAYS = timedelta(days=7)  # before the back-up: a person who spoke then may have spoken after it as well


def settle_restored_database(db: Connection, made_at: datetime, told: Collection[str], terms: Terms) -> int:
    """Mark everything that was open in the database as having an unknown outcome. Return how many chats are told.

    `told` holds the ids of the notices that an earlier restore has shown. Each chat is told once per back-up.
    """
    restored_database.mark_outcomes_unknown(db)
    restored_database.skip_given_numbers(db, terms.now)
    said = phrases.restore_text(made_at, terms)
    chats = restored_database.list_concerned_chats(db, made_at - RECENT_DAYS)
    count = 0
    for address in chats:
        key = f"{restored_database.NOTICE_PREFIX}{made_at.isoformat()}:{address}"
        post_notice(db, key, address, said, terms.now, urgency=Urgency.ANSWER)  # answers come after it
        if key in told:
            restored_database.mark_notice_shown(db, key, terms.now)
        else:
            count += 1
    return count
