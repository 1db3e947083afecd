"""Conversations by pages, searches in all chats at once, and what was said in a conversation."""

from bot.core.messages import OutboundKind
from bot.core.turn import SessionId, Turn
from bot.store import inbox, page_rows
from bot.store.connection import Connection
from bot.store.conversation_passages import add_words_of_turn, delete_words_of_sessions
from bot.store.text_search.indexing import index_some_texts
from tests.support.fakes import message
from tests.support.rows import NOW, OTHER, add_delegation, add_root_turn, assign, say
from tests.support.search import LANGUAGES


def tell(db: Connection, turn: Turn, answer: str) -> None:
    add_words_of_turn(db, turn, answer, NOW)


def find(db: Connection, query: str) -> list[SessionId]:
    return [found.id for found in page_rows.find_conversations_with_words(db, query, LANGUAGES, 10)]


def test_a_list_goes_on_below_the_number_of_its_last_line(db: Connection) -> None:
    sessions = [add_root_turn(db, number).session for number in (1, 2, 3)]
    first = page_rows.list_conversations_before(db, page_rows.NEWEST, 2)
    rest = page_rows.list_conversations_before(db, first[-1].number, 2)
    assert [each.id for each in (*first, *rest)] == sessions[::-1]


def test_a_conversation_stands_once_in_the_list_by_its_newest_turn(db: Connection) -> None:
    old, new = add_root_turn(db, 1), add_root_turn(db, 2)
    db.execute("UPDATE turns SET session = ? WHERE id = ?", (new.session, old.id))
    [listed] = page_rows.list_conversations_before(db, page_rows.NEWEST, 10)
    assert (listed.id, listed.root_turn_count, listed.is_open) == (new.session, 2, True)


def test_a_search_finds_texts_of_every_chat_and_of_parts_of_words(db: Connection) -> None:
    one, other = add_root_turn(db, 1), add_root_turn(db, 2, OTHER)
    tell(db, one, "the mill is free")
    tell(db, other, "the mills are closed")
    for indexed in (False, True):  # what is not indexed yet is found, too
        assert find(db, "mill") == [other.session, one.session], indexed
        assert find(db, "mill free") == [one.session]
        assert find(db, "clos") == [other.session]
        assert find(db, "harbour") == find(db, "?!") == []
        index_some_texts(db, LANGUAGES)


def test_what_is_deleted_is_found_no_more(db: Connection) -> None:
    turn = add_root_turn(db)
    tell(db, turn, "the mill is free")
    index_some_texts(db, LANGUAGES)
    delete_words_of_sessions(db, [turn.session])
    assert find(db, "mill") == []


def test_messages_of_people_roles_and_the_lead_are_in_their_order(db: Connection) -> None:
    root = add_root_turn(db)
    add_delegation(db, root)
    inbox.add_inbound_message(db, message("plan it", id="m1"), NOW)
    assign(db, "m1", root)
    say(db, f"{root.id}/2/0/1", "I look", kind=OutboundKind.UPDATE, role="researcher")
    say(db, f"{root.id}:draft", "unfinished", kind=OutboundKind.DRAFT)
    say(db, f"{root.id}:reply", "done")
    say(db, "t10:reply", "of another turn")
    shown = page_rows.load_shown_messages(db, [root.id])
    assert sorted((each.is_from_person, each.speaker, each.text) for each in shown) == [
        (False, "", "done"),
        (False, "researcher", "I look"),
        (True, "Ann", "plan it"),
    ]


def test_a_sub_session_is_no_conversation(db: Connection) -> None:
    child = add_delegation(db, add_root_turn(db))
    assert page_rows.load_listed_conversation(db, child.session) is None


def test_the_cost_of_a_conversation_counts_all_trees_and_no_other(db: Connection) -> None:
    roots = [add_root_turn(db, number) for number in (1, 2, 10)]
    db.execute("UPDATE turns SET session = ? WHERE id = ?", (roots[0].session, roots[1].id))
    for number, turn in enumerate([*roots, add_delegation(db, roots[0]), add_delegation(db, roots[2])]):
        texts = dict.fromkeys(("root", "chat", "day", "model"), "x") | {"turn": turn.id, "state": "settled"}
        numbers = dict.fromkeys(("attempt", "max_tokens", "is_doubled", "fresh", "reserved"), 0)
        db.insert_if_new("requests", **texts, **numbers, cost=10**number)
    other, both = page_rows.list_conversations_before(db, page_rows.NEWEST, 10)
    assert (both.root_turn_count, both.cost) == (2, 1_011)
    assert (other.root_turn_count, other.cost) == (1, 10_100)


def test_a_conversation_with_many_turns_is_listed_by_one_statement_more(db: Connection) -> None:
    for number in range(1, 40):
        add_root_turn(db, number)
    db.execute("UPDATE turns SET session = (SELECT session FROM turns LIMIT 1)")
    statements = list[str]()
    db.set_trace_callback(statements.append)
    [listed] = page_rows.list_conversations_before(db, page_rows.NEWEST, 10)
    assert (listed.root_turn_count, len(statements)) == (39, 2)


def test_a_conversation_is_at_work_while_a_turn_below_it_is(db: Connection) -> None:
    root, other = add_root_turn(db, 1), add_root_turn(db, 10)
    below = add_delegation(db, root)
    db.execute("UPDATE turns SET state = 'ended' WHERE id != ?", (below.id,))
    assert {each.id: each.is_open for each in page_rows.list_conversations_before(db, page_rows.NEWEST, 10)} == {
        root.session: True,
        other.session: False,
    }
