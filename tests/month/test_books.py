"""The books of the month find what no situation sees: each of these breaks what must be true of the whole."""

from dataclasses import replace
from typing import Any

from tests.month.books import POSTED, Books, FileRow, Kill, Request, Schedule, Written

HELLO, PHOTO = "telegram:1:1001:5", "telegram:1:1001:6"
ASKED = Request("telegram 1001", "hello", is_whole=True, ended=10.0)


def books_of_a_good_month() -> Books:
    return Books(
        written={HELLO: Written(HELLO, "situation 1"), PHOTO: Written(PHOTO, "situation 2", files=1)},
        inbox={HELLO: ("done", "t1"), PHOTO: ("done", None)},
        turns={"t1": "ended"},
        files={"file:1": FileRow(PHOTO, "kept", "abc", "abc")},
        schedules={1: Schedule("telegram:1001", "tea", is_reminder=True, state="over")},
        occurrences={(1, "2026-10-01T10:00:00+00:00"): POSTED},
        requests=[ASKED, Request("telegram 1001", "the photo", is_whole=True, ended=20.0)],
        reminders={("telegram:1001", "tea"): 1},
        replies={("T Anna: hello", "Hi."): 1},
    )


def faults_with(**changes: Any) -> list[str]:
    return replace(books_of_a_good_month(), **changes).find_faults()


def test_a_good_month_has_no_fault() -> None:
    assert books_of_a_good_month().find_faults() == []


def test_a_message_without_a_row_is_lost() -> None:
    [fault] = faults_with(inbox={PHOTO: ("done", None)})
    assert fault == f"lost: message {HELLO} of situation 1 is nowhere"


def test_a_message_that_waits_for_ever_is_lost() -> None:
    [fault] = faults_with(inbox={HELLO: ("taken", "t1"), PHOTO: ("done", None)})
    assert fault == f"lost: message {HELLO} of situation 1 is taken"


def test_a_turn_without_an_end_is_lost() -> None:
    [fault] = faults_with(turns={"t1": "waiting"})
    assert fault.startswith("lost: turn t1 ")


def test_a_picture_without_a_row_is_lost() -> None:
    [fault] = faults_with(files={})
    assert fault == f"lost: 1 of 1 files of {PHOTO} of situation 2"


def test_a_file_that_is_still_waited_for_is_lost() -> None:
    [fault] = faults_with(files={"file:1": FileRow(PHOTO, "waiting", "", "abc")})
    assert fault == "lost: file:1 is waiting"


def test_a_file_with_other_bytes_is_not_what_was_sent() -> None:
    [fault] = faults_with(files={"file:1": FileRow(PHOTO, "kept", "abc", "abd")})
    assert fault == "lost: file:1 is not what was sent"


def test_the_same_request_again_is_asked_twice() -> None:
    [fault] = faults_with(requests=[ASKED, ASKED])
    assert fault == "asked twice in telegram 1001: requests 0 and 1"


def test_a_request_whose_reply_a_kill_took_may_be_made_again() -> None:
    assert faults_with(requests=[ASKED, ASKED], kills=[Kill(1, 10.1)]) == []


def test_a_reply_that_was_there_long_before_a_kill_is_not_asked_for_again() -> None:
    assert faults_with(requests=[ASKED, ASKED], kills=[Kill(1, 60.0)]) != []


def test_after_a_later_request_no_kill_lets_an_earlier_one_be_made_again() -> None:
    later = replace(ASKED, text="and then?", ended=10.5)
    assert faults_with(requests=[ASKED, later, ASKED], kills=[Kill(2, 11.0)]) != []


def test_a_reminder_that_comes_twice_is_not_once() -> None:
    [fault] = faults_with(reminders={("telegram:1001", "tea"): 2})
    assert fault == "the reminder 'tea' in telegram:1001 was due 1 times and came 2"


def test_a_reminder_that_never_comes_is_not_once() -> None:
    [fault] = faults_with(reminders={})
    assert fault.endswith("was due 1 times and came 0")


def test_a_reminder_in_another_chat_is_not_once() -> None:
    assert len(faults_with(reminders={("telegram:1002", "tea"): 1})) == 2


def test_a_reminder_that_is_over_without_a_time_never_came() -> None:
    [fault] = faults_with(occurrences={}, reminders={})
    assert fault == "the reminder 'tea' in telegram:1001 is over and never came"


def test_the_same_answer_to_a_message_again_is_said_twice() -> None:
    [fault] = faults_with(replies={("T Anna: hello", "Hi."): 2})
    assert fault == "T Anna: hello has the answer 'Hi.' 2 times"
