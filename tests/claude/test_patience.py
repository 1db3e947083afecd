"""What is done about a fault of Claude, and what a person reads of it."""

import pytest

from bot.core.errors import ConfigError, ModelFailed, RetryableModelFailure
from bot.core.model import Outage
from bot.core.texts import people_model_faults as people
from bot.core.texts import reasons
from bot.models.claude import Claude
from bot.models.claude.faults import Fault, FaultKind, RequestPatience, append_hints, convert_fault_to_error
from bot.models.claude.server_errors import parse_retry_after

BUSY = Fault(kind=FaultKind.RATE_LIMITED, problem="the rate limit of Claude is reached", retry_after_seconds=7)
TROUBLE = Fault(kind=FaultKind.UNAVAILABLE, problem="Claude is overloaded")
PATIENCE = RequestPatience()


def test_a_server_that_asks_to_wait_is_obeyed() -> None:
    again = convert_fault_to_error(BUSY, 1, Outage(lasted_seconds=100, patience_left_seconds=60), PATIENCE)
    assert isinstance(again, RetryableModelFailure)
    assert again.seconds == 7
    assert again.fault


@pytest.mark.parametrize(
    ("wait", "left", "said"),
    [(3600, 900, people.TRY_IN_MINUTES(minutes=60)), (20, 15, people.TRY_LATER()), (1, 0, people.TRY_LATER())],
)
def test_nobody_waits_for_longer_than_they_would(wait: float, left: float, said: str) -> None:
    error = convert_fault_to_error(
        Fault(kind=FaultKind.RATE_LIMITED, problem=BUSY.problem, retry_after_seconds=wait),
        1,
        Outage(patience_left_seconds=left),
        PATIENCE,
    )
    assert isinstance(error, ModelFailed)
    assert str(error) == append_hints(reasons.MODEL_AWAY(), said)
    assert error.fault == append_hints(BUSY.problem, people.TRY_LATER())


@pytest.mark.parametrize(("lasted", "least", "most"), [(0, 0.5, 1), (1, 0.5, 1), (8, 4, 8), (700, 30, 60)])
def test_trouble_is_waited_for_about_as_long_as_it_has_lasted(lasted: float, least: float, most: float) -> None:
    again = convert_fault_to_error(
        TROUBLE, 9, Outage(lasted_seconds=lasted, patience_left_seconds=900 - lasted), PATIENCE
    )
    assert isinstance(again, RetryableModelFailure)
    assert least <= again.seconds <= most


def test_the_last_request_is_made_when_all_patience_is_used_up() -> None:
    again = convert_fault_to_error(TROUBLE, 9, Outage(lasted_seconds=890, patience_left_seconds=10), PATIENCE)
    assert isinstance(again, RetryableModelFailure)
    assert again.seconds == 10
    assert isinstance(
        convert_fault_to_error(TROUBLE, 10, Outage(lasted_seconds=900, patience_left_seconds=0), PATIENCE), ModelFailed
    )


@pytest.mark.parametrize(("kind", "attempts"), [(FaultKind.BROKEN_REPLY, 3), (FaultKind.NOT_RETRYABLE, 1)])
def test_costly_or_useless_attempts_are_limited(kind: FaultKind, attempts: int) -> None:
    fault = Fault(kind=kind, problem="it failed")
    outcomes = [type(convert_fault_to_error(fault, attempt, Outage(), PATIENCE)) for attempt in range(1, attempts + 1)]
    assert outcomes == [*[RetryableModelFailure] * (attempts - 1), ModelFailed]


def test_a_reply_cut_off_during_an_outage_counts_to_the_outage() -> None:
    again = convert_fault_to_error(
        Fault(kind=FaultKind.BROKEN_REPLY, problem="it broke off"),
        9,
        Outage(lasted_seconds=20, patience_left_seconds=880),
        PATIENCE,
    )
    assert isinstance(again, RetryableModelFailure)


def test_a_person_reads_what_to_do_and_the_operator_what_is_wrong() -> None:
    error = convert_fault_to_error(TROUBLE, 30, Outage(lasted_seconds=900, patience_left_seconds=0), PATIENCE)
    assert isinstance(error, ModelFailed)
    assert str(error) == append_hints(reasons.MODEL_AWAY(), people.TRY_LATER())
    assert error.fault == append_hints(TROUBLE.problem, people.TRY_LATER())
    assert (
        str(convert_fault_to_error(Fault(kind=FaultKind.NOT_RETRYABLE, problem="no", advice=""), 1, Outage(), PATIENCE))
        == "no"
    )


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "200", "retry-after": "9"}, 0.2),
        ({"retry-after": "9"}, 9),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_a_time_to_wait_is_read_in_each_form(headers: dict[str, str], seconds: float | None) -> None:
    assert parse_retry_after(headers) == seconds


def test_a_date_to_wait_for_may_have_passed() -> None:
    seconds = parse_retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"})
    assert seconds is not None
    assert seconds < 0


def test_an_impossible_key_is_refused_and_not_shown() -> None:
    with pytest.raises(ConfigError) as refused:
        Claude("sk-secret\nkey", None, b"")
    assert "secret" not in str(refused.value)
    assert Claude(" sk-key\n", None, b"").server.key == "sk-key"


def test_a_server_that_names_no_wait_is_not_asked_again_at_once() -> None:
    fault = Fault(
        kind=FaultKind.RATE_LIMITED, problem="busy", retry_after_seconds=0.0
    )  # `retry-after: 0`, or a date that is over
    failed = convert_fault_to_error(fault, 50, Outage(lasted_seconds=30, patience_left_seconds=870), PATIENCE)
    assert isinstance(failed, RetryableModelFailure)
    assert failed.seconds > 0
