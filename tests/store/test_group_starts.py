"""The group chats that the bot was added to, as rows: what the owner has decided, and which are still to be left."""

from datetime import timedelta

from bot.store import group_starts as rows
from bot.store.connection import GROUPS_TO_LEAVE_TOPIC, Connection
from bot.store.group_starts import GroupDecision
from tests.support.rows import NOW


def add(db: Connection) -> None:
    rows.add_group_start(db, "telegram", "-5", None, "Team", NOW)


def test_a_new_group_chat_is_undecided_and_open_to_nobody(db: Connection) -> None:
    add(db)
    [found] = rows.list_group_starts(db)
    assert (found.title, found.decision, found.left_at) == ("Team", GroupDecision.NONE, None)
    assert not rows.is_open_to_everybody(db, "telegram", ["-5"])


def test_a_decision_holds_also_if_the_bot_is_added_again(db: Connection) -> None:
    add(db)
    rows.save_group_decision(db, "telegram", "-5", GroupDecision.EVERYBODY, NOW)
    add(db)
    assert rows.is_open_to_everybody(db, "telegram", ["-1005", "-5"])
    assert not rows.is_open_to_everybody(db, "discord", ["-5"])
    assert not rows.is_open_to_everybody(db, "telegram", [])


def test_a_group_chat_is_to_be_left_until_it_is_left(db: Connection) -> None:
    add(db)
    rows.save_group_decision(db, "telegram", "-5", GroupDecision.LEAVE, NOW)
    assert GROUPS_TO_LEAVE_TOPIC in db.wake_ups
    assert [each.group_chat for each in rows.list_groups_to_leave(db)] == ["-5"]
    rows.mark_group_left(db, "telegram", "-5", NOW)
    assert rows.list_groups_to_leave(db) == []


def test_a_group_chat_that_was_added_again_is_not_marked_as_left(db: Connection) -> None:
    add(db)
    rows.save_group_decision(db, "telegram", "-5", GroupDecision.LEAVE, NOW)
    [to_leave] = rows.list_groups_to_leave(db)
    rows.add_group_start(db, "telegram", "-5", None, "Team", NOW + timedelta(seconds=1))
    rows.mark_group_left_unless_added_again(db, to_leave, NOW)
    assert [each.group_chat for each in rows.list_groups_to_leave(db)] == ["-5"]


def test_a_decision_goes_with_a_chat_that_moves(db: Connection) -> None:
    add(db)
    rows.save_group_decision(db, "telegram", "-5", GroupDecision.EVERYBODY, NOW)
    rows.mark_group_left(db, "telegram", "-5", NOW)
    rows.add_group_start(db, "telegram", "-1005", None, "Team", NOW)
    rows.move_group_start(db, "telegram", "-5", "-1005")
    [found] = rows.list_group_starts(db)
    assert (found.group_chat, found.decision) == ("-1005", GroupDecision.EVERYBODY)


def test_an_undecided_chat_that_moves_leaves_a_decision_there(db: Connection) -> None:
    add(db)
    rows.add_group_start(db, "telegram", "-1005", None, "Team", NOW)
    rows.save_group_decision(db, "telegram", "-1005", GroupDecision.OWNER_ONLY, NOW)
    rows.move_group_start(db, "telegram", "-5", "-1005")
    [found] = rows.list_group_starts(db)
    assert (found.group_chat, found.decision) == ("-1005", GroupDecision.OWNER_ONLY)
