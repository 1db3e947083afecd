"""Sub-sessions and delegations by pages, and searches by pages."""

from dataclasses import replace

from bot.core.clients import chat_of_client
from bot.core.turn import TurnOutcome, TurnState
from bot.store import api_rows, page_rows
from bot.store.connection import Connection
from bot.store.conversation_passages import add_words_of_turn
from tests.support.rows import NOW, OTHER, add, add_delegation, add_root_turn, root_turn
from tests.support.search import LANGUAGES


def test_sub_sessions_come_oldest_first_and_go_on_behind_the_last(db: Connection) -> None:
    root, other = add_root_turn(db), add_root_turn(db, 2, OTHER)
    children = [add_delegation(db, root, f"2/{number}", role="researcher") for number in range(3)]
    add_delegation(db, other)
    add_delegation(db, children[0])
    first = api_rows.list_sub_sessions(db, root.session, 0, 2)
    rest = api_rows.list_sub_sessions(db, root.session, first[-1].number, 2)
    assert [each.id for each in (*first, *rest)] == [child.session for child in children]
    assert {(each.parent, each.role, each.task_excerpt) for each in first} == {(root.session, "researcher", "look")}


def test_a_sub_session_has_the_status_of_its_newest_turn(db: Connection) -> None:
    child = add_delegation(db, add_root_turn(db), state=TurnState.ENDED, status=TurnOutcome.COMPLETED)
    ended = api_rows.load_sub_session(db, child.session)
    add(db, root_turn(9, child.session, depth=1))
    resumed = api_rows.load_sub_session(db, child.session)
    assert ended
    assert resumed
    assert (resumed.delegation, resumed.turn_count, resumed.status) == (child.id, 2, "running")


def test_a_conversation_with_people_is_no_sub_session(db: Connection) -> None:
    root = add_root_turn(db)
    assert api_rows.load_sub_session(db, root.session) is None
    assert api_rows.is_session(db, root.session)


def test_delegations_are_found_by_their_chat_and_while_they_are_open(db: Connection) -> None:
    of_person = add_delegation(db, add_root_turn(db))
    chat = chat_of_client("editor")
    own = add_root_turn(db, 2, replace(chat, thread="a"), depth=1)
    add_root_turn(db, 3, replace(chat_of_client("editor-2"), thread="b"), depth=1, state=TurnState.ENDED)
    newest = page_rows.NEWEST
    everything = [id for _, id in api_rows.list_numbered_delegations(db, newest, 10)]
    assert everything == ["t3", own.id, of_person.id]
    assert [id for _, id in api_rows.list_numbered_delegations(db, newest, 10, chat)] == [own.id]
    open_ones = api_rows.list_numbered_delegations(db, newest, 10, is_open=True)
    assert [id for _, id in open_ones] == [own.id, of_person.id]
    assert [id for _, id in api_rows.list_numbered_delegations(db, open_ones[0][0], 10)] == [of_person.id]


def test_a_search_goes_on_below_the_number_of_its_last_line(db: Connection) -> None:
    turns = [add_root_turn(db, number) for number in (1, 2, 3)]
    for turn in turns:
        add_words_of_turn(db, turn, "the mill is free", NOW)
    first = api_rows.find_conversations_below(db, "mill", LANGUAGES, page_rows.NEWEST, 2)
    rest = api_rows.find_conversations_below(db, "mill", LANGUAGES, first[-1][0], 2)
    assert [conversation.id for _, conversation in (*first, *rest)] == [turn.session for turn in turns[::-1]]
