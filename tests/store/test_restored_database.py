"""What of a restored database may be otherwise by now: what was on its way, the numbers, and who must hear of it."""

from datetime import timedelta

from bot.core.turn import CallKind
from bot.journal.restore_settlement import skip_numbers_given_since_backup
from bot.store import inbox, restored_database, sessions
from bot.store.connection import Connection
from tests.support.fakes import message
from tests.support.rows import NOW, OTHER, ROOM, add_call, add_root_turn, say, show_as


def test_what_waited_is_unknown_and_a_planned_change_counts_as_started(db: Connection) -> None:
    turn = add_root_turn(db)
    add_call(db, turn, "2/0", CallKind.READ)
    add_call(db, turn, "2/1", CallKind.CHANGE)
    say(db, "n1")
    say(db, "n2")
    show_as(db, "n2", "77")
    restored_database.mark_unfinished_work_unknown(db)
    assert [row["state"] for row in db.fetch_rows("SELECT state FROM outbox ORDER BY key")] == ["unknown", "sent"]
    assert [row["state"] for row in db.fetch_rows("SELECT state FROM calls ORDER BY id")] == ["planned", "started"]


def test_numbers_go_on_far_behind_those_of_the_back_up(db: Connection) -> None:
    turn = add_root_turn(db)
    skip_numbers_given_since_backup(db, NOW)
    inbox.add_inbound_message(db, message("hello"), NOW)
    assert inbox.newest_inbox_number(db) > 1_000_000
    assert sessions.get_current_chapter(db, turn.session).seq > 1_000


def test_chats_are_concerned_if_something_is_open_or_somebody_spoke_of_late(db: Connection) -> None:
    inbox.add_inbound_message(db, message("long ago"), NOW - timedelta(days=30), state="done")
    inbox.add_inbound_message(db, message("lately", chat="other"), NOW, state="done")
    since = NOW - timedelta(days=7)
    assert restored_database.list_chats_to_tell_of_restore(db, since) == [OTHER]
    add_root_turn(db)
    assert restored_database.list_chats_to_tell_of_restore(db, since) == [OTHER, ROOM]
