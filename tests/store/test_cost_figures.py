"""What was spent, by day and by what it was spent on."""

from datetime import date, timedelta

from bot.core.prices import Micros, Usage, make_substitute_usage
from bot.core.turn import PaidModelRequest, RequestId, Turn
from bot.store import cost_figures, ledger
from bot.store.connection import Connection
from tests.support.rows import NOW, OTHER, add_delegation, add_root_turn

TODAY = NOW.date()


def pay(db: Connection, turn: Turn, cost: int, day: date = TODAY, usage: Usage | None = None) -> None:
    request = PaidModelRequest(id=RequestId(0), max_tokens=1, attempt=1, model="opus", reserved=Micros(cost))
    ledger.add_open_request(db, turn, day, request)
    [booked] = ledger.list_open_booked_requests(db, turn.id)
    ledger.close_request(db, booked.id, "settled", Micros(cost), usage or Usage(input=cost))


def test_costs_are_summed_by_role_chat_person_and_model(db: Connection) -> None:
    root, other = add_root_turn(db), add_root_turn(db, 2, OTHER, asker="Bob")
    for turn, cost in ((root, 5), (add_delegation(db, root, role="researcher"), 7), (other, 1)):
        pay(db, turn, cost)

    def costs(column: cost_figures.CostColumn) -> list[tuple[str, int]]:
        return [(each.name, each.cost) for each in cost_figures.list_costs_by(db, column, TODAY, 10)]

    assert costs("role") == [("researcher", 7), ("lead", 6)]
    assert costs("chat") == [("fake:room", 12), ("fake:other", 1)]
    assert costs("person") == [("Ann", 12), ("Bob", 1)]
    assert costs("model") == [("opus", 13)]


def test_tokens_are_those_that_count_for_caps(db: Connection) -> None:
    own = Usage(input=1, output=20, cache_read=300, cache_write_5m=4_000, cache_write_1h=50_000, expected_cache_read=7)
    usages = [own, make_substitute_usage("haiku", own, Usage(input=600_000, expected_cache_read=8))]
    for number, usage in enumerate(usages, start=1):
        pay(db, add_root_turn(db, number), 1, usage=usage)
    [found] = cost_figures.list_costs_by(db, "role", TODAY, 10)
    assert found.tokens == sum(usage.tokens_without_cache_reads for usage in usages)


def test_what_is_older_than_the_period_is_left_out(db: Connection) -> None:
    pay(db, add_root_turn(db), 5, TODAY - timedelta(days=1))
    assert cost_figures.list_costs_by(db, "role", TODAY, 10) == []


def test_days_are_those_of_the_whole_tenant(db: Connection) -> None:
    columns = {"day": TODAY, "cost": 5, "tokens": 9}
    db.insert_if_new("spending", chat=ledger.TENANT_SPENDING_SCOPE, **columns)
    db.insert_if_new("spending", chat="fake:room", **columns)
    [day] = cost_figures.list_days_with_costs(db, TODAY)
    assert (day.day, day.cost, day.tokens) == (TODAY, 5, 9)
