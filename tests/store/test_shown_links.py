"""Which results show the links in them, as rows of calls."""

from bot.core.turn import CallId, CallKind, SessionId
from bot.store.connection import Connection
from bot.store.shown_links import list_tool_uses_showing_no_link, mark_call_as_showing_no_link
from tests.support.rows import add_root_turn


def test_a_call_shows_its_links_until_it_is_marked(db: Connection) -> None:
    turn = add_root_turn(db)
    for number in range(2):
        columns = {"kind": CallKind.READ, "is_repeatable": False, "name": "read_file", "arguments": "{}"}
        id = CallId(f"{turn.id}/1/{number}")
        db.insert_if_new("calls", id=id, turn=turn.id, step=1, position=number, tool_use_id=f"u{number}", **columns)
    assert list_tool_uses_showing_no_link(db, turn.session) == set()
    mark_call_as_showing_no_link(db, CallId(f"{turn.id}/1/1"))
    assert list_tool_uses_showing_no_link(db, turn.session) == {"u1"}
    assert list_tool_uses_showing_no_link(db, SessionId("another")) == set()
