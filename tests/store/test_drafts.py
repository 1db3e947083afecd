"""Drafts as rows: whose reply a draft shows."""

from bot.core.turn import PaidModelRequest, RequestId, TurnId
from bot.store import drafts, ledger
from bot.store.connection import Connection
from tests.support.rows import NOW, add_root_turn


def test_a_deleted_turn_writes_nothing_in_the_request_of_another(db: Connection) -> None:
    turn = add_root_turn(db)
    ledger.add_open_request(
        db, turn, NOW.date(), PaidModelRequest(id=RequestId(0), max_tokens=1, attempt=1, model="opus")
    )
    [(id,)] = db.execute("SELECT id FROM requests").fetchall()
    assert drafts.find_draft_of_request(db, turn.id, id) is None  # it may be opened
    assert not drafts.is_request_open(db, TurnId("t9"), id)
    over = drafts.find_draft_of_request(db, TurnId("t9"), id)
    assert over
    assert over.is_over
