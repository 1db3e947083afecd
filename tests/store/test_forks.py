"""What a fork begins with, and which conversations are forks."""

from dataclasses import replace

from bot.core.content_blocks import text_block
from bot.core.messages import Address
from bot.core.turn import TurnId
from bot.store import sessions, transcript
from bot.store.connection import Connection
from bot.store.deletion import find_session_tree
from bot.store.forks import list_forks, load_entries_before_turn, note_fork
from tests.support.rows import PREFIX, add, add_root_turn

ELSEWHERE = Address(channel="fake", chat="elsewhere")


def test_the_entries_before_a_turn_are_those_of_its_chapter(db: Connection) -> None:
    first = add_root_turn(db)
    second = add(db, replace(first, id=TurnId("t2"), root=TurnId("t2")))
    third = add(db, replace(first, id=TurnId("t3"), root=TurnId("t3")))
    for turn in (first, second):
        transcript.append_entry(db, turn, "user", [text_block(f"asked in {turn.id}")])
        transcript.append_entry(db, turn, "assistant", [text_block("answered")])
    sessions.open_next_chapter(db, first.session, replace(PREFIX, system="later"))
    transcript.append_entry(db, third, "user", [text_block("later")])
    before = load_entries_before_turn(db, second)
    assert before
    assert [(role, content[0]["text"]) for role, content in before.entries] == [
        ("user", "asked in t1"),
        ("assistant", "answered"),
    ]
    assert before.prefix_hash == PREFIX.hash
    assert load_entries_before_turn(db, first) is None
    assert load_entries_before_turn(db, third) is None


def test_forks_of_forks_count_and_go_with_the_first(db: Connection) -> None:
    turn, fork, again, other = (add_root_turn(db, number, ELSEWHERE) for number in (1, 2, 3, 4))
    note_fork(db, fork.session, of=turn.session)
    note_fork(db, again.session, of=fork.session)
    assert sorted(list_forks(db, [turn.session])) == [fork.session, again.session]
    assert list_forks(db, [other.session]) == []
    transcript.append_entry(db, again, "user", [text_block("hello")])
    whole = find_session_tree(db, turn.session)
    assert whole.sessions == {turn.session, fork.session, again.session}
    assert again.id in whole.turns
