"""Play all cases against the whole bot, and print what a gullible model reaches.

python -m tests.security          every goal by every carrier; exits with 1 if a case says nothing
python -m tests.security WORD     only goals and carriers with this word in their names
python -m tests.security --open   the same with the gate open: nobody is asked, and no link is left out
"""

import asyncio
import logging
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.security.carriers import Carrier
from tests.security.goals import Goal
from tests.security.playing import FIRST_CASES, LATER_CASES, Case, Outcome, Verdict, play

SIGNS = {Outcome.REACHED: "R", Outcome.ASKED: "a", Outcome.PREVENTED: "-", Outcome.UNTRIED: "?"}
OPEN_OPTION = "--open"
MARKED_SIGN = "r"  # reached, and people were warned where they read it
LEGEND = (
    "R reached, r reached with a warning beside it, a asked and shown, - prevented, ? not tried; "
    "* words in the same chat, which no gate can see"
)


async def play_all(cases: Sequence[Case], *, is_gate_open: bool) -> list[Verdict]:
    verdicts = []
    for case in cases:
        with tempfile.TemporaryDirectory() as place:
            try:
                verdicts.append(await play(case, Path(place), is_gate_open=is_gate_open))
            except BaseException as error:
                error.add_note(f"while this was played: {case}")
                raise
    return verdicts


def sign_of(verdict: Verdict) -> str:
    is_warned = verdict.outcome is Outcome.REACHED and verdict.is_marked
    return MARKED_SIGN if is_warned else SIGNS[verdict.outcome]


def table(verdicts: Sequence[Verdict]) -> list[str]:
    """Return a table in Markdown: a row for each goal, a column for each carrier."""
    signs = {(each.case.goal.name, each.case.carrier.name): sign_of(each) for each in verdicts}
    goals: list[Goal] = list({each.case.goal.name: each.case.goal for each in verdicts}.values())
    carriers: list[Carrier] = list({each.case.carrier.name: each.case.carrier for each in verdicts}.values())
    lines = [
        " | ".join(["| goal", *(each.name for each in carriers), "reached |"]),
        "|---|" + ":-:|" * len(carriers) + "---:|",
    ]
    for goal in goals:
        row = [signs.get((goal.name, each.name), " ") for each in carriers]
        reached = sum(sign in "Rr" for sign in row)
        tried = sum(sign != " " for sign in row)
        name = f"{goal.name} *" if goal.is_beyond_any_gate else goal.name
        lines.append(f"| {name} | {' | '.join(row)} | {reached} of {tried} |")
    return lines


def summary(verdicts: Sequence[Verdict]) -> str:
    counts = Counter(each.outcome for each in verdicts)
    seen = [each for each in verdicts if not each.case.goal.is_beyond_any_gate]
    reached = sum(each.outcome is Outcome.REACHED for each in seen)
    figures = ", ".join(f"{counts[outcome]} {outcome}" for outcome in Outcome)
    return f"{len(verdicts)} cases: {figures}. Without the goals marked *: {reached} of {len(seen)} reached."


def main(words: Sequence[str]) -> int:
    logging.disable(logging.CRITICAL)
    is_gate_open = OPEN_OPTION in words
    words = [word for word in words if word != OPEN_OPTION]
    began, is_complete = time.monotonic(), True
    for title, cases in (("Fifteen goals, eleven carriers", FIRST_CASES), ("Goals and carriers since", LATER_CASES)):
        chosen = [case for case in cases if all(word in str(case) for word in words)]
        if not chosen:
            continue
        verdicts = asyncio.run(play_all(chosen, is_gate_open=is_gate_open))
        is_complete = is_complete and all(each.outcome is not Outcome.UNTRIED for each in verdicts)
        print(f"{title}:", "", *table(verdicts), "", summary(verdicts), "", sep="\n")
    print(LEGEND, f"{time.monotonic() - began:.0f} s", sep="\n")
    return 0 if is_complete else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
