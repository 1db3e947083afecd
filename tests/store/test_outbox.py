"""The outbox as rows: each thing said once, revised in place, and withdrawn wherever it is."""

from collections import Counter
from dataclasses import replace

from bot.core.messages import Address, OutboundId, OutboundKind
from bot.journal.bus import withdraw
from bot.store import delivery, outbox
from bot.store.connection import Connection, outbox_topic
from tests.support.rows import NOW, ROOM, add_root_turn, say, show_as


def test_a_message_is_added_once(db: Connection) -> None:
    message = say(db, "n1", "hello")
    assert not outbox.add_outbound_message(db, replace(message, text="again"), NOW, urgency=1)
    assert [row["text"] for row in db.fetch_rows("SELECT text FROM outbox")] == ["hello"]
    assert outbox_topic("fake") in db.wake_ups


def test_a_revised_message_that_is_shown_goes_out_again(db: Connection) -> None:
    message = say(db, "n1", "one", kind=OutboundKind.BOARD)
    show_as(db, "n1", "77")
    assert outbox.begin_new_revision(db, message.id)
    outbox.rewrite_board(db, replace(message, text="two"))
    [row] = db.fetch_rows("SELECT state, text, revision, platform_ids FROM outbox")
    assert tuple(row) == ("queued", "two", 1, '["77"]')


def test_a_burst_of_changes_is_one_revision(db: Connection) -> None:
    message = say(db, "n1", "one", kind=OutboundKind.BOARD)
    assert not outbox.begin_new_revision(db, OutboundId("n2"))  # there is no such message
    for _ in range(3):
        assert outbox.begin_new_revision(db, message.id)
    assert db.fetch_number("SELECT revision FROM outbox") == 0  # not sent yet
    show_as(db, "n1", "77")
    for _ in range(3):
        outbox.begin_new_revision(db, message.id)
    assert db.fetch_number("SELECT revision FROM outbox") == 1


def test_a_withdrawn_message_is_empty_and_cosmetic(db: Connection) -> None:
    say(db, "n1", "one", kind=OutboundKind.DRAFT)
    show_as(db, "n1", "77")
    withdraw(db, OutboundId("n1"))
    found = delivery.find_next_message_to_send(db, [ROOM])
    assert found is not None
    assert found.is_cosmetic
    assert found.delivery.message.is_withdrawn
    assert found.delivery.platform_ids == ("77",)  # what is to be deleted


def test_options_go_and_the_outcome_stays(db: Connection) -> None:
    say(db, "q1", "which?", kind=OutboundKind.QUESTION, options=("red", "blue"))
    assert outbox.find_shown_options(db, OutboundId("q1")) == []  # on its way
    show_as(db, "q1", "77")
    assert outbox.find_shown_options(db, OutboundId("q1")) == ["red", "blue"]
    outbox.replace_shown_options_with_text(db, OutboundId("q1"), "\n\nred")
    [row] = db.fetch_rows("SELECT text, options, state, is_cosmetic FROM outbox")
    assert tuple(row) == ("which?\n\nred", "[]", "queued", 1)


def test_the_newest_update_of_the_lead_is_found(db: Connection) -> None:
    turn = add_root_turn(db)
    for seq in (2, 4):
        say(db, f"{turn.id}/{seq}", f"update {seq}", kind=OutboundKind.UPDATE)
    say(db, "t11/2", "of another turn", kind=OutboundKind.UPDATE)
    found = outbox.find_newest_lead_update(db, turn)
    assert found is not None
    assert found.text == "update 4"


def test_the_next_message_is_the_oldest_of_the_most_urgent_turn(db: Connection) -> None:
    other = Address(channel="fake", chat="other")
    for id, address, urgency in (
        *(("t1/0", ROOM, 2), ("t2/0", ROOM, 2), ("t2/1", ROOM, 1)),
        *(("t3/0", other, 3), ("n1", other, 3)),
    ):
        say(db, id, address=address)
        db.execute("UPDATE outbox SET urgency = ? WHERE key = ?", (urgency, id))
    say(db, "d1", address=other, kind=OutboundKind.DRAFT)
    say(db, "gone", address=Address(channel="fake", chat="quiet"))
    show_as(db, "gone", "77")
    assert sorted(delivery.list_addresses_with_waiting_messages(db, "fake"), key=str) == [other, ROOM]
    assert delivery.list_addresses_with_waiting_messages(db, "another") == []
    found, _ = delivery.load_waiting_messages_and_lane_holds(db, "fake", [other, ROOM], [])
    names = {row["seq"]: row["key"] for row in db.fetch_rows("SELECT seq, key FROM outbox")}
    assert {(each.address, names[each.seq], each.is_cosmetic) for each in found} == {
        (ROOM, "t2/0", False),
        (other, "t3/0", False),
        (other, "d1", True),
    }
    sent = []
    while following := delivery.find_next_message_to_send(db, [other, ROOM]):
        sent.append(following.delivery.message.id)
        show_as(db, following.delivery.message.id, "78")
    assert sent == ["t2/0", "t2/1", "t1/0", "t3/0", "n1", "d1"]


def test_however_much_waits_the_next_message_is_found_in_a_few_steps(db: Connection) -> None:
    steps = Counter[int]()
    rows = 0
    for number in (10, 10_000):
        while rows < number:
            say(db, f"n{rows}", address=Address(channel="fake", chat=f"{rows % 2}"))
            rows += 1
        db.set_progress_handler(lambda number=number: steps.update([number]), 1)  # type: ignore[misc]  # None: go on
        addresses = delivery.list_addresses_with_waiting_messages(db, "fake")
        assert len(addresses) == 2
        delivery.load_waiting_messages_and_lane_holds(db, "fake", addresses, ["0", "1"])
        assert delivery.find_next_message_to_send(db, addresses)
        db.set_progress_handler(None, 1)
    assert steps[10] > 100
    assert steps[10_000] == steps[10]
