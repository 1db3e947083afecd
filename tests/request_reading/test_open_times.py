"""Whether a person has left open when something is to be."""

from datetime import datetime

import pytest

from bot.core.request_reading.lexicon import BUILT_IN_LEXICONS
from bot.core.request_reading.open_times import is_single_time, is_time_left_open

NOW = datetime(2026, 11, 28, 17)
LEXICONS = BUILT_IN_LEXICONS.choose("de")
OPEN = (
    "Put the dentist's appointment from the mail into my calendar",
    "Create an event for the reunion based on the emails about it. Make the event last 4 hours.",
    "Make it 4 hours",
    "Book 5 hours for it",
    "Add a 2-hour meeting with Ann",
    "It is 90 minutes long, put it into my calendar",
    "Trag den Termin aus der Mail in den Kalender ein, er dauert zwei Stunden",
    "Trag den Termin ein, 2 Stunden lang",
)
NAMED = (
    "Put it into my calendar tomorrow",
    "Put it at 3 into my calendar",
    "Put it into my calendar this week",
    "Put it into my calendar in 2 hours",
    "Put it into my calendar, make it 2 hours later",
    "Remind me for 2 hours from now",
    "Remind me within three days",
    "Put it into my calendar on the 5th",
    "Put it into my calendar in March, for 2 hours",
    "Put it into my calendar, monthly",
    "Put it into my calendar on 2026-12-05",
    "Put it into my calendar around 9ish",
    "Put it into my calendar after the meeting",
    "Put it into my calendar, on Christmas Eve",
    "Trag ihn nach der Arbeit ein",
    "Put it into my calendar for the 24",
    "Trag ihn in zwei Stunden ein",
    "Trag ihn für Montag ein, er dauert 2 Stunden",
    "Trag ihn für 2 Stunden später ein",
)


@pytest.mark.parametrize("words", OPEN)
def test_words_that_name_no_time_leave_it_open(words: str) -> None:
    assert is_time_left_open(words, NOW, LEXICONS)


@pytest.mark.parametrize("words", NAMED)
def test_any_word_of_time_leaves_none_open(words: str) -> None:
    assert not is_time_left_open(words, NOW, LEXICONS)


def test_a_time_is_no_duration_and_no_rule() -> None:
    times = ("2026-12-05", "2026-12-05 10:00", "2026-12-05T10:00:00+01:00", "10:00")
    others = ("PT4H", "in 2 hours", "FREQ=DAILY", "tomorrow", "", "2026-12-05 10:00, 2026-12-06 10:00")
    assert [value for value in (*times, *others) if is_single_time(value)] == [*times]
