"""What may come from elsewhere: a time that the person left open, and a value whose owner the person has named."""

from dataclasses import replace
from datetime import datetime

import pytest

from bot.core.acts import Act, ActKind, Critical, Effect, Part
from bot.core.gate import CallEvidence, Doubt, Reason, find_doubts, judge_call
from bot.core.request_reading import read_request
from bot.core.request_reading.lexicon import BUILT_IN_LEXICONS
from bot.core.sources import Flags

ACCOUNT, FRIEND, OTHER = "DE89370400440532013000", "GB29NWBK60161331926819", "FR7630006000011234567890189"
TIME = "2026-12-05 13:00"
NEW, OUT, SPENDS = Effect.MAKES_NEW, Effect.SENDS_OUT, Effect.SPENDS


def told(words: str) -> CallEvidence:
    return CallEvidence(
        flags=Flags(untrusted=True, private=True),
        request=read_request(words, BUILT_IN_LEXICONS.choose("de")),
        words=words,
        now=datetime(2026, 11, 28, 9),
        owned={
            ("amount", FRIEND.lower()): frozenset({"10.0"}),
            ("amount", OTHER.lower()): frozenset({"900.0"}),
            ("amount", "spotify"): frozenset({"12.5"}),
        },
    )


def event(start: str, *effects: Effect, kind: ActKind = ActKind.MAKE) -> Act:
    values = ((Critical(Part.WHEN), start),)
    things = frozenset({"event"})
    return Act(tool="t", effects=frozenset(effects), kinds=frozenset({kind}), things=things, values=values)


def pay(to: str, amount: str) -> Act:
    account, much = Critical(Part.WHO, "account", r"^[A-Z]{2}\d{2}"), Critical(Part.MUCH, "amount")
    values = ((account, to), (much, amount))
    return Act(tool="t", effects=frozenset({SPENDS, OUT}), kinds=frozenset({ActKind.PAY}), values=values)


OPEN = "Put the dentist's appointment from the mail into my calendar. Make it 2 hours."


@pytest.mark.parametrize("effects", [(NEW,), (NEW, OUT), (NEW, OUT, Effect.READS_PRIVATE)])
def test_the_time_of_something_new_may_be_left_open(effects: tuple[Effect, ...]) -> None:
    assert judge_call(event(TIME, *effects), told(OPEN)) is None


@pytest.mark.parametrize(
    "words",
    [
        "am Freitagabend", "zum Monatsende", "an meinem Geburtstag", "am Karfreitag", "am Fünften", "um dreizehn Uhr",
        "für 14h", "für 14 h", "etwa 2 Stunden bevor der Flug geht", "im Anschluss an die Sitzung", "am Donerstag",
        "tommorow", "on Wendesday", "on Firday", "at sunset", "on my birthday", "on the fifteenth", "at fifteen thirty",
        "overnight", "for 2 hours prior to boarding",
    ],
)  # fmt: skip
def test_words_that_hold_or_misspell_a_time_leave_none_open(words: str) -> None:
    known = told(f"Put the dentist's appointment from the mail into my calendar, {words}")
    assert judge_call(event("2026-12-09 17:30", NEW), known) == Doubt(Reason.VALUE_FROM_OUTSIDE, "2026-12-09 17:30")


@pytest.mark.parametrize("words", ["trag den Termin aus dem Vertrag ein", "with all stages, for the admins"])
def test_words_that_only_look_like_a_time_leave_it_open(words: str) -> None:
    assert judge_call(event(TIME, NEW), told(f"Put the dentist's appointment into my calendar, {words}")) is None


@pytest.mark.parametrize("effect", [SPENDS, Effect.KEEPS, Effect.REPLACES, Effect.DESTROYS, Effect.RUNS_CODE])
def test_the_time_of_no_other_act_may_be_left_open(effect: Effect) -> None:
    assert judge_call(event(TIME, NEW, effect), told(OPEN)) == Doubt(Reason.VALUE_FROM_OUTSIDE, TIME)


def test_the_time_of_what_is_only_sent_is_not_left_open() -> None:
    assert judge_call(event(TIME, OUT), told(OPEN)) == Doubt(Reason.VALUE_FROM_OUTSIDE, TIME)


@pytest.mark.parametrize("value", ["FREQ=DAILY", "in 2 days", "every Friday"])
def test_a_rule_or_a_duration_is_never_left_open(value: str) -> None:
    assert judge_call(event(value, NEW), told(OPEN)) == Doubt(Reason.VALUE_FROM_OUTSIDE, value)


def test_what_only_looks_like_a_time_is_not_left_open() -> None:
    call = replace(event("", NEW), values=((Critical(Part.VALUE), TIME),))
    assert judge_call(call, told(OPEN)) == Doubt(Reason.VALUE_FROM_OUTSIDE, TIME)


def test_beside_a_named_time_no_other_will_do() -> None:
    known = told("Put the dentist's appointment into my calendar, it is on Friday")
    assert judge_call(event(TIME, NEW), known) == Doubt(Reason.VALUE_FROM_OUTSIDE, TIME)
    assert judge_call(event("2026-12-04 10:00", NEW), known) is None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (pay(FRIEND, "10.0"), f"Please refund {FRIEND} for what they have sent me"),
        (pay(ACCOUNT, "12.5"), f"Pay {ACCOUNT} what I usually pay for Spotify"),
    ],
)
def test_an_amount_counts_if_its_owner_is_named(call: Act, words: str) -> None:
    assert judge_call(call, told(words)) is None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (pay(FRIEND, "900.0"), f"Please refund {FRIEND} for what they have sent me"),
        (pay(FRIEND, "10.0"), f"Please pay {FRIEND[:-1]} and {FRIEND}0 what I owe"),
        (pay(ACCOUNT, "12.5"), f"Pay {ACCOUNT} what I owe, but not what Spotify gets"),
        (pay(ACCOUNT, "12.5"), f"Pay {ACCOUNT} what I pay for Spotify-Family"),
        (pay(ACCOUNT, "12.5"), f"Pay {ACCOUNT} what I usually pay for Spotify, that is 9 euros"),
    ],
)
def test_an_amount_of_nobody_who_is_named_does_not(call: Act, words: str) -> None:
    doubt = judge_call(call, told(words))
    assert doubt is not None
    assert doubt.reason is Reason.VALUE_FROM_OUTSIDE


def test_an_owner_of_an_earlier_request_is_not_named() -> None:
    known = told(f"Pay {ACCOUNT} what is open")
    known = replace(known, words=f"What do I pay for Spotify?\n{known.words}")
    assert judge_call(pay(ACCOUNT, "12.5"), known) == Doubt(Reason.VALUE_FROM_OUTSIDE, "12.5")


@pytest.mark.parametrize("owner", ["the", "I", "s", "for it", "rent", "payment", "pay the rent", "on friday", "euros"])
def test_an_owner_that_many_requests_may_hold_is_not_named(owner: str) -> None:
    words = f"Please pay the rent to {ACCOUNT} by a payment on Friday in euros, I owe it for Ann's room"
    known = replace(told(words), owned={("amount", owner): {"70"}})
    assert judge_call(pay(ACCOUNT, "70"), known) == Doubt(Reason.VALUE_FROM_OUTSIDE, "70")


@pytest.mark.parametrize(("also", "is_asked"), [("12.50", False), ("99", True)])
def test_of_several_amounts_that_are_named_none_counts(also: str, is_asked: bool) -> None:
    known = told(f"Pay {ACCOUNT} what I usually pay for Spotify Premium")
    known = replace(known, owned={**known.owned, ("amount", "premium"): frozenset({also})})
    assert (judge_call(pay(ACCOUNT, "12.5"), known) is not None) is is_asked


def test_a_value_counts_only_for_arguments_of_its_type() -> None:
    known = replace(told(f"Pay {ACCOUNT} what Ann gets"), owned={("share", "ann"): frozenset({"70"})})
    assert judge_call(pay(ACCOUNT, "70"), known) == Doubt(Reason.VALUE_FROM_OUTSIDE, "70")


@pytest.mark.parametrize(
    ("words", "is_asked"), [("1. Read it\n2. Send him the plan", True), ("Send number 2 it", False)]
)
def test_the_number_of_a_list_names_no_owner(words: str, is_asked: bool) -> None:
    known = replace(told(words), owned={("user", "2"): frozenset({"eve"})}, flags=Flags(untrusted=True, private=False))
    values = ((Critical(Part.WHO, "user"), "eve"),)
    call = Act(tool="t", effects=frozenset({OUT}), kinds=frozenset({ActKind.SEND}), values=values)
    assert (judge_call(call, known) == Doubt(Reason.VALUE_FROM_OUTSIDE, "eve")) is is_asked


@pytest.mark.parametrize("critical", [Critical(Part.WHEN), Critical(Part.VALUE, said_as=(("true", ("monthly",)),))])
def test_when_a_payment_is_made_tells_neither_to_whom_nor_how_much(critical: Critical) -> None:
    call, trusted = pay(ACCOUNT, "70"), {"account": {ACCOUNT.lower()}, "amount": {"70"}}
    value = "2026-11-29" if critical.part is Part.WHEN else "true"
    known = replace(told("Pay the rent tomorrow, monthly"), trusted=trusted)
    assert judge_call(replace(call, values=(*call.values, (critical, value))), known) == Doubt(
        Reason.NOTHING_OF_PAYMENT
    )


def test_a_payment_of_a_named_bill_says_how_much() -> None:
    bill = Critical(Part.WHICH, "bill")
    assert judge_call(replace(pay("", ""), values=((bill, "B-12"),)), told("Pay the bill B-12")) is None


def test_what_nobody_wrote_is_named_before_what_may_not_be_meant() -> None:
    known = told(f"They paid from {FRIEND}. Pay them the difference")
    unwritten, unclear = Doubt(Reason.VALUE_FROM_OUTSIDE, "4.0"), Doubt(Reason.VALUE_NOT_MEANT, FRIEND)
    assert list(find_doubts(pay(FRIEND, "4.0"), known))[:2] == [unwritten, unclear]
    assert list(find_doubts(pay(OTHER, "4.0"), known))[:2] == [Doubt(Reason.VALUE_FROM_OUTSIDE, OTHER), unwritten]
    known = told(f"4 paid from {FRIEND}. Pay them 9 euros")
    assert list(find_doubts(pay(FRIEND, "4.0"), known))[:2] == [unclear, Doubt(Reason.VALUE_NOT_MEANT, "4.0")]
