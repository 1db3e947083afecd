"""The ledger as rows: requests with their money, and what each scope has spent by day."""

from datetime import timedelta

from bot.core.prices import Micros, Usage
from bot.core.turn import PaidModelRequest, RequestId, Turn
from bot.store import ledger, turns
from bot.store.connection import Connection
from bot.store.ledger import TENANT_SPENDING_SCOPE, SpendingTotal
from tests.support.rows import NOW, add_root_turn

TODAY = NOW.date()


def open_request(db: Connection, turn: Turn, attempt: int = 1) -> None:
    request = PaidModelRequest(
        id=RequestId(0), max_tokens=100, attempt=attempt, model="opus", reserved=Micros(50), uncached_tokens=10
    )
    ledger.add_open_request(db, turn, TODAY, request)


def test_what_is_booked_counts_on_each_turn_and_scope(db: Connection) -> None:
    turn = add_root_turn(db)
    for more in (SpendingTotal(reserved=50), SpendingTotal(cost=30, reserved=-50, tokens=7)):
        ledger.add_to_turn_and_scope_totals(db, [turn.id], ["fake:room", TENANT_SPENDING_SCOPE], str(TODAY), more)
    total = ledger.DaySpending(cost=30, tokens=7)
    assert ledger.load_day_spending_by_scope(db, ["fake:room", TENANT_SPENDING_SCOPE, "fake:other"], TODAY) == {
        "fake:room": total,
        TENANT_SPENDING_SCOPE: total,
    }
    spent = turns.get_turn(db, turn.id).spent
    assert (spent.cost, spent.reserved, spent.tokens) == (30, 0, 7)


def test_spending_is_summed_over_days(db: Connection) -> None:
    for days in range(3):
        day = TODAY - timedelta(days=days)
        ledger.add_to_turn_and_scope_totals(db, [], [TENANT_SPENDING_SCOPE], str(day), SpendingTotal(cost=10))
    assert ledger.sum_spending_of_scope(db, TENANT_SPENDING_SCOPE, TODAY).cost == 10
    ledger.add_to_turn_and_scope_totals(db, [], ["fake:office"], str(TODAY), SpendingTotal(cost=5))
    assert ledger.load_day_spending_by_scope(db, ["fake:office"], TODAY) == {"fake:office": ledger.DaySpending(cost=5)}
    assert ledger.load_day_spending_by_scope(db, ["fake:office"], TODAY - timedelta(days=1)) == {}
    assert ledger.sum_spending_of_scope(db, TENANT_SPENDING_SCOPE, TODAY, TODAY - timedelta(days=1)).cost == 20
    assert ledger.sum_spending_of_scope(db, "fake:room", TODAY) == SpendingTotal()


def test_a_request_is_booked_until_it_is_settled_or_lost(db: Connection) -> None:
    turn = add_root_turn(db)
    open_request(db, turn)
    [booked] = ledger.list_open_booked_requests(db, turn.id)
    assert (booked.reserved, booked.uncached_tokens, booked.day) == (50, 10, str(TODAY))
    assert ledger.list_turns_with_open_request(db) == [turn.id]
    ledger.close_request(db, booked.id, "settled", Micros(20), Usage(input=1))
    assert ledger.list_open_booked_requests(db, turn.id) == []
    open_request(db, turn, attempt=2)
    newest = ledger.find_newest_request(db, turn.id)
    assert newest is not None
    assert newest.attempt == 2
    ledger.close_request(db, newest.id, "lost", Micros(50))
    assert ledger.find_open_request(db, turn.id) is None


def test_no_chat_is_called_like_a_person() -> None:
    assert ledger.person_spending_scope("fake", "Ann").startswith("@")
