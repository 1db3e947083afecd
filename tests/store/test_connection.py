"""What a connection adds to SQLite's: inserts that may be repeated, broken characters, and wake-ups."""

from bot.store.connection import TURNS_CHANGED_TOPIC, Connection, replace_lone_surrogates, turn_wake_up_topic

HIGH, LOW = "\ud83d", "\ude00"


def test_an_insert_may_be_repeated(db: Connection) -> None:
    assert db.insert_if_new("lanes", channel="fake", lane="room", not_before="2026")
    assert not db.insert_if_new("lanes", channel="fake", lane="room", not_before="2027")
    assert [row["not_before"] for row in db.fetch_rows("SELECT * FROM lanes")] == ["2026"]


def test_a_number_that_is_missing_is_zero(db: Connection) -> None:
    assert db.fetch_number("SELECT max(seq) FROM inbox") == 0
    assert db.fetch_number("SELECT seq FROM inbox") == 0
    assert db.fetch_row("SELECT seq FROM inbox") is None


def test_half_a_character_is_replaced_and_a_whole_pair_is_joined(db: Connection) -> None:
    db.insert_if_new("lanes", channel="fake", lane=f"a {HIGH} b", not_before="")
    assert db.fetch_rows("SELECT lane FROM lanes")[0]["lane"] == "a \N{REPLACEMENT CHARACTER} b"
    assert replace_lone_surrogates(HIGH + LOW) == "\N{GRINNING FACE}"


def test_each_job_collects_its_own_wake_ups(db: Connection) -> None:
    first = db.start_collecting_wake_ups()
    db.add_wake_up(TURNS_CHANGED_TOPIC, "t1")
    db.add_wake_up(TURNS_CHANGED_TOPIC, "t2")
    second = db.start_collecting_wake_ups()
    db.add_wake_up(turn_wake_up_topic("t1"))
    assert first == {TURNS_CHANGED_TOPIC: {"t1", "t2"}}
    assert second == {turn_wake_up_topic("t1"): {""}}
