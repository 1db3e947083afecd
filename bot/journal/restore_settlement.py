"""Admit a database that comes out of a back-up: check that it is whole and ours, and settle it.

What happened since the back-up is unknown, and its chats are told so.
"""

from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from bot.core.errors import StoreDamaged
from bot.core.languages import speaking
from bot.core.limits import DecisionTerms
from bot.core.texts import people
from bot.journal.bus import Urgency, post_notice
from bot.journal.languages import language_of_chat
from bot.store import chats, restored_database, schema, texts
from bot.store.connection import Connection
from bot.store.database_copy import DatabaseSummary, read_database_summary
from bot.store.file_errors import find_file_damage

R = TypeVar("R")
RECENT_PERIOD_BEFORE_BACKUP = timedelta(
    days=7
)  # before the back-up: a person who spoke then may have spoken after it as well
NUMBERS_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)  # the numbers count seconds since then
SKIPPED_MESSAGE_NUMBERS, SKIPPED_ENTRY_NUMBERS = 1_000_000, 1_000


def check_and_settle_restored_copy(path: Path, settle: Callable[[Connection], R]) -> tuple[DatabaseSummary, R]:
    """Check a copy, bring it to this version's step, read what is in it, and `settle` it in one transaction. Raise
    StoreDamaged for what is damaged or no database of ours, ConfigError for one from a newer version."""
    with restored_database.open_restored_database(path) as db:
        if damage := find_file_damage(db):
            raise StoreDamaged(texts.COPY_DAMAGED(reason=" ".join(damage.split())))
        contents = read_database_summary(db)
        if odd := sorted([*schema.list_changed_tables(db), *schema.list_unknown_tables(db)]):
            raise StoreDamaged(texts.COPY_NOT_OURS(names=", ".join(odd[:3])))
        schema.migrate(db)
        if broken := restored_database.list_tables_with_broken_references(db):
            raise StoreDamaged(texts.COPY_NAMES_MISSING_ROWS(table=broken[0]))
        return contents, restored_database.run_transaction(db, settle)


def settle_restored_database(db: Connection, made_at: datetime, told: Collection[str], terms: DecisionTerms) -> int:
    """Mark everything that was open in the database as having an unknown outcome. Return how many chats are told.
    `told` holds the ids of the notices that an earlier restore has shown. Each chat is told once per back-up."""
    restored_database.mark_unfinished_work_unknown(db)
    skip_numbers_given_since_backup(db, terms.now)
    time = made_at.astimezone(terms.resolved_settings.operator_time_zone)
    told_chats = restored_database.list_chats_to_tell_of_restore(db, made_at - RECENT_PERIOD_BEFORE_BACKUP)
    count, people_in_private = 0, chats.find_people_of_private_chats(db)
    for address in told_chats:
        key = f"{restored_database.RESTORE_NOTICE_ID_PREFIX}{made_at.isoformat()}:{address}"
        with speaking(language_of_chat(db, address, people_in_private.get(str(address)), terms)):
            said = people.RESTORED(time=time)
            post_notice(db, key, address, said, terms.now, urgency=Urgency.ANSWER)  # answers come after it
        if key in told:
            restored_database.mark_notice_shown(db, key, terms.now)
        else:
            count += 1
    return count


def skip_numbers_given_since_backup(db: Connection, now: datetime) -> None:
    """Skip the numbers that may have been given since the back-up was made.

    Turns, and all that belongs to them, are named by the numbers of the inbox. The platforms still know some that were
    given since: a repeated nonce would swallow a new message, and the buttons of an old question would answer a new
    one. The next questions and messages of an open turn are named by the number of an entry, so these are skipped too.

    The new numbers come from the clock, so that two restores of one back-up differ as well.
    """
    seconds = int((now - NUMBERS_EPOCH).total_seconds())
    restored_database.skip_message_and_entry_numbers(
        db, messages=SKIPPED_MESSAGE_NUMBERS, entries=SKIPPED_ENTRY_NUMBERS, least=seconds
    )
