"""The delegations that a conversation knows of: those below its own turns, and what they are doing."""

from bot.core.prices import Micros, Usage
from bot.core.turn import PaidModelRequest, RequestId, TurnOutcome, TurnState
from bot.journal.delegations import find_visible_delegation
from bot.store import delegations, ledger, turns
from bot.store.connection import Connection
from tests.support.rows import NOW, OTHER, add_delegation, add_root_turn


def test_a_turn_knows_what_is_below_it_newest_first(db: Connection) -> None:
    root = add_root_turn(db)
    child = add_delegation(db, root)
    grandchild = add_delegation(db, child)
    assert [each.turn.id for each in delegations.list_visible_delegations(db, root)] == [
        grandchild.id,
        child.id,
    ]
    assert [each.turn.id for each in delegations.list_own_delegations_below(db, child)] == [grandchild.id]
    assert delegations.list_visible_delegations(db, grandchild) == []


def test_a_delegation_of_another_chat_is_unknown(db: Connection) -> None:
    child = add_delegation(db, add_root_turn(db))
    stranger = add_root_turn(db, 2, OTHER)
    assert find_visible_delegation(db, turns.get_turn(db, child.parent_id), child.id) is not None
    assert find_visible_delegation(db, stranger, child.id) is None


def test_a_delegation_waits_works_and_ends(db: Connection) -> None:
    root = add_root_turn(db)
    child = add_delegation(db, root, state=TurnState.QUEUED)
    states = [delegations.load_delegations_with_ids(db, [child.id])[0].state]
    turns.mark_turn_running(db, child.id, 1, NOW)
    states.append(delegations.load_delegations_with_ids(db, [child.id])[0].state)
    turns.mark_turn_ended(db, child, TurnOutcome.BUDGET, "", "found", NOW)
    states.append(delegations.load_delegations_with_ids(db, [child.id])[0].state)
    assert states == ["waiting", "working", "budget"]


def test_the_usage_of_a_tree_is_that_of_all_turns_in_it(db: Connection) -> None:
    root = add_root_turn(db)
    for turn, tokens in ((root, 5), (add_delegation(db, root), 7), (add_root_turn(db, 2), 100)):
        made = PaidModelRequest(id=RequestId(0), max_tokens=1, attempt=1, model="claude", reserved=Micros(1))
        ledger.add_open_request(db, turn, NOW.date(), made)
        request = ledger.find_open_request(db, turn.id)
        assert request
        ledger.close_request(db, request.id, "settled", request.reserved, Usage(input=tokens))
    assert delegations.load_usage_of_turn_tree(db, root).input == 12
