"""What a turn does next, by its standing."""

from typing import Any

import pytest

from bot.core.turn import (
    Call,
    CallId,
    CallKind,
    CallState,
    NextStep,
    PaidModelRequest,
    RequestId,
    TurnStanding,
    TurnState,
)
from tests.support.rows import NOW, root_turn

REQUEST = PaidModelRequest(id=RequestId(1), max_tokens=1, attempt=1, model="claude-sonnet-5")


def call(kind: CallKind) -> Call:
    return Call(
        id=CallId("t1/2/0"),
        tool_use_id="toolu_1",
        name="call",
        kind=kind,
        arguments={},
        state=CallState.PLANNED,
        result=None,
        is_error=False,
    )


READ, CHANGE, WAIT = call(CallKind.READ), call(CallKind.CHANGE), call(CallKind.WAIT)


def stand(state: TurnState = TurnState.RUNNING, *calls: Call, **fields: Any) -> TurnStanding:
    rests_until = fields.pop("rests_until", None)
    return TurnStanding(turn=root_turn(state=state, rests_until=rests_until), open_calls=calls, **fields)


@pytest.mark.parametrize("state", [TurnState.STOPPING, TurnState.ENDED])
def test_a_turn_whose_end_is_decided_does_nothing_more(state: TurnState) -> None:
    assert stand(state, READ, is_model_next=True, open_request=REQUEST).next_step is None


@pytest.mark.parametrize("is_model_next", [True, False], ids=["the model is next", "results are next"])
def test_a_queued_turn_begins(is_model_next: bool) -> None:
    assert stand(TurnState.QUEUED, is_model_next=is_model_next).next_step is NextStep.BEGIN


def test_a_queued_turn_begins_to_run_its_own_calls() -> None:
    assert stand(TurnState.QUEUED, READ, WAIT).next_step is NextStep.BEGIN


def test_a_queued_turn_that_only_waits_for_others_does_not_begin() -> None:
    assert stand(TurnState.QUEUED, WAIT).next_step is NextStep.WAIT_FOR_CALLS


def test_a_turn_with_a_paid_request_asks_the_model() -> None:
    assert stand(is_model_next=True, open_request=REQUEST).next_step is NextStep.ASK_MODEL


def test_a_turn_without_a_paid_request_waits_for_money() -> None:
    assert stand(is_model_next=True).next_step is NextStep.WAIT_FOR_MONEY


def test_a_turn_that_rests_waits_for_the_models_server() -> None:
    assert stand(is_model_next=True, rests_until=NOW).next_step is NextStep.WAIT_FOR_SERVER


@pytest.mark.parametrize("own", [READ, CHANGE], ids=["reading", "changing"])
def test_a_turn_runs_its_own_calls_before_it_waits_for_others(own: Call) -> None:
    assert stand(TurnState.RUNNING, WAIT, own).next_step is NextStep.RUN_CALLS


def test_a_turn_waits_for_calls_that_others_complete() -> None:
    assert stand(TurnState.RUNNING, WAIT, WAIT).next_step is NextStep.WAIT_FOR_CALLS


def test_a_turn_whose_calls_are_done_writes_their_results() -> None:
    assert stand().next_step is NextStep.WRITE_RESULTS


def test_a_turn_waits_in_three_ways() -> None:
    waits = {step for step in NextStep if step.is_wait}
    assert waits == {NextStep.WAIT_FOR_CALLS, NextStep.WAIT_FOR_MONEY, NextStep.WAIT_FOR_SERVER}
