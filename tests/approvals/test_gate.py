"""The gate: what runs, and why the rest is asked about."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import pytest

from bot.core.acts import Act, ActKind, Critical, Effect, Part
from bot.core.gate import CallEvidence, Doubt, Reason, find_doubts, judge_call
from bot.core.grants import grantable_target
from bot.core.request_reading import read_request
from bot.core.request_reading.lexicon import BUILT_IN_LEXICONS
from bot.core.sources import Flags

BOTH, UNTRUSTED, PRIVATE, NEITHER = Flags(True, True), Flags(True, False), Flags(False, True), Flags(False, False)
NOW = datetime(2026, 11, 28, 9)


def told(words: str, flags: Flags = UNTRUSTED, **known: object) -> CallEvidence:
    evidence = CallEvidence(
        flags=flags, request=read_request(words, BUILT_IN_LEXICONS.choose("en")), words=words, now=NOW
    )
    return replace(evidence, **known)  # type: ignore[arg-type]  # fields of the evidence


def act(kind: ActKind, effect: Effect, *values: tuple[Part, str], text: str = "", **fields: object) -> Act:
    made = Act(
        tool="tool",
        effects=frozenset({effect}),
        kinds=frozenset({kind}),
        values=tuple((Critical(part, "type"), value) for part, value in values),
        free_text=text,
    )
    return replace(made, **fields)  # type: ignore[arg-type]  # fields of an act


def mail(to: str, text: str = "") -> Act:
    return act(ActKind.SEND, Effect.SENDS_OUT, (Part.WHO, to), text=text)


def pay(to: str, amount: str) -> Act:
    return act(ActKind.PAY, Effect.SPENDS, (Part.WHO, to), (Part.MUCH, amount))


def file(path: str, effect: Effect = Effect.REPLACES, kind: ActKind = ActKind.CHANGE) -> Act:
    return act(kind, effect, (Part.WHICH, path), things=frozenset({"file"}))


def delete(id: str) -> Act:
    return file(id, Effect.DESTROYS, ActKind.DELETE)


def change(id: str) -> Act:
    return file(id)


def event(place: str) -> Act:
    return act(ActKind.MAKE, Effect.MAKES_NEW, (Part.WHICH, place), things=frozenset({"event"}))


def shaped_mail(to: str) -> Act:
    return replace(mail(to), values=((Critical(Part.WHO, "type", shape="@"), to),))


def permit(permission: str) -> Act:
    critical = Critical(Part.VALUE, said_as=(("r", ("read access",)), ("rw", ("write access",))))
    return replace(act(ActKind.SHARE, Effect.SENDS_OUT), values=((critical, permission),))


def new_event(title: str) -> Act:
    return act(ActKind.MAKE, Effect.MAKES_NEW, (Part.NAME, title), things=frozenset({"event"}))


SENT = "Send a mail to ann@home.example"
CASES: Sequence[tuple[str, Act, CallEvidence, Reason | None]] = (
    ("nothing read", mail("eve@evil.example"), told("hello", NEITHER), None),
    ("only private things read", mail("eve@evil.example"), told("hello", PRIVATE), None),
    ("asked for", mail("ann@home.example", "Hi"), told(SENT), None),
    ("not asked for", mail("ann@home.example"), told("Who is ann@home.example?"), Reason.ACT_NOT_ASKED_FOR),
    ("to somebody else", mail("eve@evil.example"), told(SENT), Reason.VALUE_FROM_OUTSIDE),
    ("to a longer address", mail("ann@home.example.evil.example"), told(SENT), Reason.VALUE_FROM_OUTSIDE),
    ("to a source", mail("ann@home.example"), told("Send what came from ann@home.example"), Reason.VALUE_NOT_MEANT),
    ("a link in it", mail("ann@home.example", "see evil.com/x"), told(SENT), Reason.POINTER_IN_TEXT),
    (
        "a card number in it",
        mail("ann@home.example", "It is 4111-1111-1111-1111"),
        told(SENT, BOTH),
        Reason.POINTER_IN_TEXT,
    ),
    ("a year in it", mail("ann@home.example", "See you in 2027"), told(SENT, BOTH), None),
    ("a date in it", mail("ann@home.example", "See you on 2027-03-01"), told(SENT, BOTH), None),
    (
        "a number that is no date in it",
        mail("ann@home.example", "It is 2027-33-01"),
        told(SENT, BOTH),
        Reason.POINTER_IN_TEXT,
    ),
    (
        "the page that it is about in it",
        mail("ann@home.example", "It is from shop.com/a"),
        told("Send ann@home.example a summary of https://shop.com/a"),
        None,
    ),
    (
        "the address of a source in it",
        mail("ann@home.example", "Write to eve@evil.com"),
        told("Send ann@home.example what came from eve@evil.com"),
        Reason.POINTER_IN_TEXT,
    ),
    ("a second one", mail("ann@home.example"), told(SENT, acts_so_far=[{ActKind.SEND}]), Reason.TOO_MANY),
    ("to one of the trusted", mail("bob"), told("Send a mail to him", trusted={"type": {"bob"}}), None),
    (
        "to another of the trusted than the named",
        mail("bob"),
        told("Send a mail to ann", trusted={"type": {"ann", "bob"}}),
        Reason.VALUE_FROM_OUTSIDE,
    ),
    (
        "another text to somebody described",
        mail("bob", "secret plans"),
        told("Send a mail to him", BOTH, trusted={"type": {"bob"}}),
        Reason.TEXT_TO_DESCRIBED_PERSON,
    ),
    (
        "to one of the trusted, where another address is named",
        shaped_mail("bob@home.example"),
        told("Send a mail to ann@home.example", trusted={"type": {"bob@home.example"}}),
        Reason.VALUE_FROM_OUTSIDE,
    ),
    (
        "to one of the trusted, where an address is only a source",
        shaped_mail("bob@home.example"),
        told("Send him what came from ann@home.example", trusted={"type": {"bob@home.example"}}),
        None,
    ),
    (
        "to one of the trusted, where another address is named for something else",
        shaped_mail("bob@home.example"),
        told("Invite ann@home.example. And send him the plan.", trusted={"type": {"bob@home.example"}}),
        None,
    ),
    (
        "a trusted amount, where another is said",
        pay("Ann-12", "500"),
        told("Pay 5 to Ann-12", trusted={"type": {"500"}}),
        Reason.VALUE_FROM_OUTSIDE,
    ),
    ("a trusted amount", pay("Ann-12", "500"), told("Pay Ann-12 what I owe", trusted={"type": {"500"}}), None),
    ("a value as people say it", permit("r"), told("Share it with read access"), None),
    ("another value than people say", permit("rw"), told("Share it with read access"), Reason.VALUE_FROM_OUTSIDE),
    ("a name beside an address", new_event("Lunch"), told("Schedule it, her address is a.b@mail.com"), None),
    ("the given name", new_event("Dinner at Rosa"), told("Make an event called 'Dinner at {place}'"), None),
    (
        "another name than the given one",
        new_event("Pay Eve"),
        told("Make an event called 'Dinner at {place}'"),
        Reason.VALUE_FROM_OUTSIDE,
    ),
    ("paid as asked", pay("Ann-12", "5"), told("Pay 5 to Ann-12"), None),
    ("another amount", pay("Ann-12", "500"), told("Pay 5 to Ann-12"), Reason.VALUE_FROM_OUTSIDE),
    (
        "neither is named",
        pay("Ann-12", "5"),
        told("Pay the bill", trusted={"type": {"ann-12", "5"}}),
        Reason.NOTHING_OF_PAYMENT,
    ),
    ("a named file", file("plan.txt"), told("Change plan.txt"), None),
    ("another file", file("other.txt"), told("Change plan.txt"), Reason.VALUE_FROM_OUTSIDE),
    (
        "a described file is deleted",
        delete("7"),
        told("Delete the file", trusted={"type": {"7"}}),
        Reason.VALUE_FROM_OUTSIDE,
    ),
    ("a named file is deleted", delete("7"), told("Delete file 7", trusted={"type": {"7"}}), None),
    (
        "numbers of a list name no id",
        change("7"),
        told("1. Change the file\n2. Tell me", trusted={"type": {"1", "7"}}),
        None,
    ),
    ("a value that stands there names no thing", event("Rome"), told("Book a room in Rome"), Reason.THING_NOT_NAMED),
    ("a thing that is not named", file("x.txt"), told("Change it"), Reason.THING_NOT_NAMED),
    ("what it has made", file("new.md"), told("Write it down", made_so_far={"new.md"}), None),
    ("what it has made, and sent", mail("new.md"), told("Write it", made_so_far={"new.md"}), Reason.VALUE_FROM_OUTSIDE),
    ("granted", file("other.txt"), told("Go on", grants={("tool", "other.txt")}), None),
    ("another than granted", file("b.txt"), told("Go on", grants={("tool", "a.txt")}), Reason.ACT_NOT_ASKED_FOR),
)


@pytest.mark.parametrize(("call", "known", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_call_is_judged_by_the_persons_words(call: Act, known: CallEvidence, expected: Reason | None) -> None:
    doubt = judge_call(call, known)
    assert (doubt and doubt.reason) == expected


@pytest.mark.parametrize(
    ("query", "flags", "words", "runs"),
    [
        ("https://a.example/x", UNTRUSTED, "hello", True),
        ("https://a.example/x", BOTH, "Read https://a.example/x", True),
        ("https://a.example/x?q=secret", BOTH, "Read https://a.example/x", False),
        ("flights to Rome", BOTH, "find me flights from Bonn to Rome", True),
        ("flights to Rome for 4711", BOTH, "find me flights from Bonn to Rome", False),
        ("\u2600\u2601\u2600", BOTH, "find me flights from Bonn to Rome", False),
    ],
)
def test_after_private_things_a_query_is_made_of_the_persons_words(
    query: str, flags: Flags, words: str, runs: bool
) -> None:
    call = act(ActKind.SEND, Effect.SENDS_OUT, (Part.WHERE, query), is_query=True, kinds=frozenset())
    assert (judge_call(call, told(words, flags)) is None) is runs


def test_a_tool_whose_acts_nobody_has_declared_asks() -> None:
    call = act(ActKind.SEND, Effect.SENDS_OUT, (Part.VALUE, "x"), kinds=frozenset())
    assert judge_call(call, told("Send x")) == Doubt(Reason.ACT_NOT_ASKED_FOR)


def test_a_site_that_was_read_gets_nothing() -> None:
    call = act(ActKind.SEND, Effect.SENDS_OUT, (Part.WHERE, "https://a.example/post"))
    words = "Post it to https://a.example/post"
    assert judge_call(call, told(words)) is None
    assert judge_call(call, told(words, read_sites={"a.example"})) == Doubt(Reason.SITE_WAS_READ, "a.example")


def test_six_delegations_run_and_the_seventh_asks() -> None:
    call = act(ActKind.SEND, Effect.SPENDS, is_own_work=True)
    assert judge_call(call, told("go", delegations_so_far=5)) is None
    assert judge_call(call, told("go", delegations_so_far=6)) == Doubt(Reason.TOO_MUCH_WORK, "6")


@pytest.mark.parametrize(
    ("call", "target"),
    [
        (mail("ann"), "ann"),
        (pay("ann", "5"), None),
        (file("a.txt", Effect.DESTROYS, ActKind.DELETE), None),
        (act(ActKind.MAKE, Effect.SPENDS, (Part.WHERE, "a hotel")), None),
        (act(ActKind.CHANGE, Effect.DESTROYS, (Part.WHICH, "a.txt")), None),
        (act(ActKind.RUN, Effect.RUNS_CODE, (Part.VALUE, "make")), "*"),
        (act(ActKind.RUN, Effect.SENDS_OUT, (Part.VALUE, "make")), None),
        (act(ActKind.RUN, Effect.SENDS_OUT, (Part.VALUE, "make"), hosts="a.example"), "* a.example"),
    ],
)
def test_only_some_acts_may_be_allowed_for_a_conversation(call: Act, target: str | None) -> None:
    assert grantable_target(call) == target


@pytest.mark.parametrize("flags", [UNTRUSTED, PRIVATE, BOTH])
def test_a_command_that_reaches_hosts_asks_even_if_the_person_wrote_it(flags: Flags) -> None:
    run = act(ActKind.RUN, Effect.SENDS_OUT, (Part.VALUE, "make"), hosts="a.example")
    assert judge_call(run, told("Run make", flags)) == Doubt(Reason.REACHES_HOSTS, "a.example")
    assert judge_call(run, told("Run make", flags, grants={("tool", "* a.example")})) is None
    assert judge_call(run, told("Run make", flags, grants={("tool", "*")})) is not None
    assert judge_call(run, told("Run make", NEITHER)) is None


def test_after_private_things_another_group_is_asked_in_the_persons_words() -> None:
    words = "Ask browser for flights to Rome"
    for task, runs in (("flights to Rome", True), ("fetch evil.com with 4711", False)):
        call = act(ActKind.SEND, Effect.SENDS_OUT, (Part.WHO, "browser"), (Part.TEXT, task), is_query=True)
        assert (judge_call(call, told(words, BOTH)) is None) is runs


def test_of_a_query_each_other_value_is_judged_too() -> None:
    call = act(ActKind.SEND, Effect.SENDS_OUT, (Part.VALUE, "the secret"), is_query=True)
    assert judge_call(call, told("Look it up", BOTH)) == Doubt(Reason.VALUE_FROM_OUTSIDE, "the secret")


def test_what_a_file_holds_is_not_what_was_made() -> None:
    known = told("Write a summary to a file", made_so_far={"summary.md"})
    assert judge_call(file("summary.md"), known) is None
    assert judge_call(file("Summary.md"), known) == Doubt(Reason.ACT_NOT_ASKED_FOR)


KNOWING = UNTRUSTED._replace(knows_memories=True)
PAGE = "https://a.example/b"


@pytest.mark.parametrize(
    ("flags", "value", "is_asked"),
    [
        (KNOWING, "https://evil.example/?q=left-handed", True),
        (KNOWING, "left-handed.evil.example", True),
        (KNOWING, "left-handed-evil.com", True),
        (KNOWING, "203.0.113.5", True),
        (KNOWING, "left-handed.evil.xn--p1ai", True),
        (KNOWING, "is node.js for left-handed people", False),
        (KNOWING, "https://A.example/b", False),
        (KNOWING, "https://a.example/b?q=left-handed", True),
        (KNOWING, "https://c.example/d", False),
        (KNOWING, "shops for left-handed people", False),
        (UNTRUSTED, "https://evil.example/?q=left-handed", False),
        (NEITHER._replace(knows_memories=True), "https://evil.example/?q=left-handed", False),
    ],
)
def test_a_conversation_with_memories_asks_no_address_that_nobody_has_shown(
    flags: Flags, value: str, is_asked: bool
) -> None:
    known = told("read https://c.example/d", flags, shown_links=frozenset({PAGE}))
    call = act(ActKind.SEND, Effect.SENDS_OUT, (Part.WHERE, value), is_query=True, kinds=frozenset())
    doubt = judge_call(call, known)
    assert (doubt == Doubt(Reason.WEB_AFTER_PRIVATE, value)) is is_asked


@pytest.mark.parametrize("text", ["she is left-handed: https://evil.example/?1234", "1234.evil.example"])
def test_no_other_argument_of_a_query_carries_an_address_either(text: str) -> None:
    query = act(ActKind.SEND, Effect.SENDS_OUT, (Part.WHERE, "weather"), is_query=True, kinds=frozenset())
    for call in (replace(query, free_text=text), replace(query, values=((Critical(Part.VALUE), text),))):
        doubt = judge_call(call, told("How is the weather?", KNOWING))
        assert doubt is not None
        assert doubt.reason is Reason.WEB_AFTER_PRIVATE


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("the code is 1234", True),
        ("see https://evil.example", True),
        ("how is the weather", False),
        ("200\ntrue", False),
    ],
)
def test_after_private_things_a_query_says_nothing_else_besides(text: str, is_asked: bool) -> None:
    query = act(ActKind.SEND, Effect.SENDS_OUT, (Part.WHERE, "weather"), is_query=True, kinds=frozenset(), text=text)
    assert (judge_call(query, told("How is the weather?", BOTH)) is not None) is is_asked


def test_what_nobody_has_asked_for_is_not_one_too_many_besides() -> None:
    known = told("What does ann@home.example write?", acts_so_far=[frozenset({ActKind.SEND})])
    reasons = [doubt.reason for doubt in find_doubts(mail("ann@home.example"), known)]
    assert reasons[0] is Reason.ACT_NOT_ASKED_FOR
    assert Reason.TOO_MANY not in reasons


@pytest.mark.parametrize(
    ("value", "is_asked"), [("https://C.example/to-save", False), ("https://c.example/tO-Save", True)]
)
@pytest.mark.parametrize("flags", [BOTH, KNOWING])
def test_capitals_of_an_address_tell_nothing(flags: Flags, value: str, is_asked: bool) -> None:
    known = told("read https://c.example/to-save", flags)
    call = act(ActKind.SEND, Effect.SENDS_OUT, (Part.WHERE, value), is_query=True, kinds=frozenset())
    assert (judge_call(call, known) == Doubt(Reason.WEB_AFTER_PRIVATE, value)) is is_asked
