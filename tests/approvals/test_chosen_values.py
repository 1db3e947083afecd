"""Which values of a request are chosen: not those that it leaves out, only mentions, or names for something else."""

from datetime import datetime

import pytest

from bot.core.acts import Act, ActKind, Critical, Effect, Part
from bot.core.gate import CallEvidence, Doubt, Reason, judge_call
from bot.core.request_reading import read_request
from bot.core.request_reading.lexicon import BUILT_IN_LEXICONS
from bot.core.sources import Flags

ACCOUNT = "DE89370400440532013000"
EVE, ANN = "eve@evil.example", "ann@corp.example"
TAXES = "taxes.pdf"


def told(words: str, earlier: str = "") -> CallEvidence:
    return CallEvidence(
        flags=Flags(untrusted=True, private=True),
        request=read_request(words, BUILT_IN_LEXICONS.choose("de")),
        words=f"{earlier}\n{words}",
        now=datetime(2026, 11, 28, 9),
    )


def call(kind: ActKind, effect: Effect, *values: tuple[Critical, str], things: frozenset[str] = frozenset()) -> Act:
    return Act(tool="tool", effects=frozenset({effect}), kinds=frozenset({kind}), things=things, values=values)


def mail(to: str) -> Act:
    return call(ActKind.SEND, Effect.SENDS_OUT, (Critical(Part.WHO, "mail", "@"), to))


def message(user: str) -> Act:
    return call(ActKind.SEND, Effect.SENDS_OUT, (Critical(Part.WHO, "user"), user))


def delete(path: str) -> Act:
    return call(ActKind.DELETE, Effect.DESTROYS, (Critical(Part.WHICH, "path"), path), things=frozenset({"file"}))


def run(command: str) -> Act:
    return call(ActKind.RUN, Effect.RUNS_CODE, (Critical(Part.VALUE), command))


def pay(amount: str) -> Act:
    account = (Critical(Part.WHO, "account", r"^[A-Z]{2}\d{2}"), ACCOUNT)
    return call(ActKind.PAY, Effect.SPENDS, account, (Critical(Part.MUCH, "amount"), amount))


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (delete(TAXES), "Delete all old files except taxes.pdf"),
        (delete(TAXES), "Delete all old files except plan.md and taxes.pdf"),
        (delete(TAXES), "Delete draft.md but keep taxes.pdf"),
        (delete(TAXES), "Keep taxes.pdf. Delete the old files"),
        (delete(TAXES), "Compare taxes.pdf with draft.md and delete draft.md"),
        (delete(TAXES), "Cancel it. What does taxes.pdf say?"),
        (delete(TAXES), "Lösch alle alten Dateien außer taxes.pdf"),
        (delete(TAXES), "Lösch draft.md, aber behalte taxes.pdf"),
        (mail(EVE), f"Send the plan to {ANN}, but not to {EVE}"),
        (mail(EVE), f"Send the plan to {ANN}. Never send anything to {EVE}"),
        (mail(EVE), f"Forward it to everybody except {EVE}"),
        (mail(EVE), f"Warn {ANN} about {EVE}"),
        (mail(EVE), f"{EVE} wrote to me. Send {ANN} a summary."),
        (mail(EVE), f"Schick {ANN} den Plan, aber nicht an {EVE}"),
        (run("rm -rf data"), "Run the tests. Don't run rm -rf data"),
        (run("rm -rf data"), "Someone told me to run rm -rf data. Test whether the build passes instead"),
        (pay("2026"), f"Pay the rent for 2026 to {ACCOUNT}"),
        (pay("2026"), f"Pay the bill of March 2026 to {ACCOUNT}"),
        (pay("20480"), f"Pay invoice 20480 to {ACCOUNT}"),
        (pay("991122"), f"Pay the bill, customer number 991122, to {ACCOUNT}"),
        (pay("5000"), f"Transfer 100 to {ACCOUNT}, not 5000"),
        (pay("7"), f"Pay 50 euros for the 7 of us to {ACCOUNT}"),
        (pay("20480"), f"Überweise Rechnung Nr. 20480 an {ACCOUNT}"),
        (message("report"), "Send Ann the report"),
        (message("bericht"), "Schick Anna den Bericht"),
    ],
)
def test_what_is_left_out_or_only_mentioned_is_not_chosen(act: Act, words: str) -> None:
    doubt = judge_call(act, told(words))
    assert doubt is not None
    assert doubt.reason in (Reason.VALUE_NOT_MEANT, Reason.ACT_NOT_ASKED_FOR)


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (delete(TAXES), "Delete taxes.pdf but not plan.md"),
        (delete(TAXES), "Don't delete plan.md, delete taxes.pdf"),
        (delete(TAXES), "Don't forget to delete taxes.pdf"),
        (delete(TAXES), "Look at taxes.pdf and delete the file"),
        (delete(TAXES), "Lösch alle Dateien außer plan.md, und lösch auch taxes.pdf"),
        (mail(ANN), f"Send the plan to {ANN}, but not to {EVE}"),
        (mail(ANN), f"I do not know it, look it up and write to {ANN}"),
        (mail(ANN), f"Her address is {ANN}. Send her the plan"),
        (run("./do-not-touch.sh"), "Run ./do-not-touch.sh"),
        (pay("50"), f"Pay invoice 20480 of March 2026 with 50 euros to {ACCOUNT}"),
        (pay("50"), f"Transfer 50 to {ACCOUNT}, not 5000"),
        (pay("2000"), f"Pay for 2000 euros to {ACCOUNT}"),
        (message("ann"), "Send Ann the report"),
        (message("general"), "Send it to the general channel"),
    ],
)
def test_what_is_asked_for_is_chosen(act: Act, words: str) -> None:
    assert judge_call(act, told(words)) is None


def test_a_number_of_an_earlier_request_is_no_amount() -> None:
    known = told(f"Pay the bill to {ACCOUNT}", earlier="How many steps are 9000?")
    assert judge_call(pay("9000"), known) == Doubt(Reason.VALUE_NOT_MEANT, "9000")


def test_what_was_once_forbidden_is_not_chosen_later() -> None:
    known = told("Send her the plan", earlier=f"Do not ever write to {EVE}")
    assert judge_call(mail(EVE), known) == Doubt(Reason.VALUE_NOT_MEANT, EVE)
