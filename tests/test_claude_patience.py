"""What is done about a fault of Claude, and what a person reads of it."""

import pytest

from bot.claude import Claude
from bot.claude.faults import LATER, Fault, Kind, Patience, verdict, with_hints
from bot.claude.server import seconds_to_wait
from bot.errors import ConfigError, ModelFailed, RequestFailed
from bot.phrases import MODEL_AWAY

BUSY = Fault(kind=Kind.BUSY, words="the rate limit of Claude is reached", wait=7)
TROUBLE = Fault(kind=Kind.TROUBLE, words="Claude is overloaded")
PATIENCE = Patience()


def test_a_server_that_asks_to_wait_is_obeyed() -> None:
    again = verdict(BUSY, 1, PATIENCE)
    assert isinstance(again, RequestFailed)
    assert again.seconds == 7


def test_nobody_is_left_waiting_for_an_hour() -> None:
    error = verdict(Fault(kind=Kind.BUSY, words=BUSY.words, wait=3600), 1, PATIENCE)
    assert isinstance(error, ModelFailed)
    assert str(error) == with_hints(MODEL_AWAY, "try again in 60 min")
    assert error.fault == "the rate limit of Claude is reached (try again in 60 min)"


@pytest.mark.parametrize(("attempt", "least", "most"), [(1, 0.5, 1), (2, 1, 2), (3, 5, 15)])
def test_trouble_is_waited_for_longer_each_time(attempt: int, least: float, most: float) -> None:
    again = verdict(TROUBLE, attempt, PATIENCE)
    assert isinstance(again, RequestFailed)
    assert least <= again.seconds <= most


@pytest.mark.parametrize(("kind", "attempts"), [(Kind.TROUBLE, 4), (Kind.CUT, 3), (Kind.BUSY, 8), (Kind.FATAL, 1)])
def test_each_kind_has_its_number_of_attempts(kind: Kind, attempts: int) -> None:
    fault = Fault(kind=kind, words="it failed")
    outcomes = [type(verdict(fault, attempt, PATIENCE)) for attempt in range(1, attempts + 1)]
    assert outcomes == [*[RequestFailed] * (attempts - 1), ModelFailed]


def test_a_person_reads_what_to_do_and_the_operator_what_is_wrong() -> None:
    error = verdict(TROUBLE, 4, PATIENCE)
    assert isinstance(error, ModelFailed)
    assert str(error) == with_hints(MODEL_AWAY, LATER)
    assert error.fault == "Claude is overloaded (4 attempts; try again in a few minutes)"
    assert str(verdict(Fault(kind=Kind.FATAL, words="no", advice=""), 1, PATIENCE)) == "no"


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
    assert seconds_to_wait(headers) == seconds


def test_a_date_to_wait_for_may_have_passed() -> None:
    seconds = seconds_to_wait({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"})
    assert seconds is not None
    assert seconds < 0


def test_what_can_be_no_key_is_refused_and_not_shown() -> None:
    with pytest.raises(ConfigError) as refused:
        Claude("sk-secret\nkey", None, b"")
    assert "secret" not in str(refused.value)
    assert Claude(" sk-key\n", None, b"").server.key == "sk-key"
