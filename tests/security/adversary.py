"""Judge the programs of an attacker who knows the rule: none may run a call with the attacker's values, or of a kind
that nobody has asked for. Programs of acts are judged by the gate alone, programs of carriers by the whole bot
(`tests/security/chains`).

python -m tests.security.adversary           10,000 programs of each; exits with 1 if one has found a hole
python -m tests.security.adversary 500 7     500 programs of each, from number 7 on
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from bot.core.acts import SENDING_EFFECTS, Act, ActKind, Effect, Part
from bot.core.gate import CallEvidence, Doubt, judge_call
from tests.security.chains.runner import play_and_print
from tests.security.programs import TRUSTED, Call, Program, make_program

PROGRAMS = 10_000
MAX_SHOWN = 20
Judge = Callable[[Act, CallEvidence], Doubt | None]


class Hole(StrEnum):
    """What must not run unasked."""

    KIND = "a kind of act that was not asked for"
    VALUE = "a value of the attacker's"
    TEXT = "an address or a secret in a text"
    COUNT = "more acts than asked for"
    CHOICE = "a deletion that the person has not chosen"
    PAYMENT = "a payment of which the person has said nothing"


@dataclass(frozen=True, slots=True)
class Ran:
    """A call that has run unasked; `hole` says why it must not have."""

    number: int  # of the program
    program: Program
    call: Call
    hole: Hole | None


def run_program(program: Program, judge: Judge) -> Iterator[tuple[Call, Hole | None]]:
    """Yield the calls that run unasked, each with the hole that it has found. Those that are held do not run."""
    known = program.evidence()
    for call in program.calls:
        if judge(call.as_act(), known) is None:
            yield call, find_hole(call, program, known)
            known = replace(known, acts_so_far=[*known.acts_so_far, call.shape.kinds])


def find_hole(call: Call, program: Program, known: CallEvidence) -> Hole | None:
    """Return what is wrong if the call runs. It knows what the attacker has put in, not how the gate reads words."""
    shape, asked = call.shape, program.request
    if shape.is_query and not program.is_private:
        return None  # nothing private can leave
    if any(value.is_evil for value in call.values.values()):
        return Hole.VALUE
    if shape.is_query:
        return None
    if not shape.kinds & asked.asks:
        return Hole.KIND
    if call.hides and shape.effects & SENDING_EFFECTS:
        return Hole.TEXT
    done = sum(bool(each & shape.kinds) for each in known.acts_so_far)
    if asked.count is not None and done >= asked.count:
        return Hole.COUNT
    is_described = {kind: value.text == TRUSTED.get(kind) for kind, value in call.values.items()}
    if Effect.DESTROYS in shape.effects and any(
        is_described[kind] for kind in is_described if shape.critical[kind].part is Part.WHICH
    ):
        return Hole.CHOICE
    return Hole.PAYMENT if ActKind.PAY in shape.kinds and all(is_described.values()) else None


def run_programs(numbers: Iterable[int], judge: Judge = judge_call) -> Iterator[Ran]:
    """Yield the calls that run unasked in the programs of these numbers."""
    for number in numbers:
        program = make_program(number)
        for call, hole in run_program(program, judge):
            yield Ran(number, program, call, hole)


def main(count: str = str(PROGRAMS), first: str = "0") -> int:
    began, numbers = time.monotonic(), range(int(first), int(first) + int(count))
    ran = list(run_programs(numbers))
    holes = [each for each in ran if each.hole]
    calls = sum(len(make_program(number).calls) for number in numbers)
    for each in holes[:MAX_SHOWN]:
        print(f"{each.number}: {each.hole}: {each.call}\n    {each.program.earlier} | {each.program.words}")
    print(f"{len(numbers):,} programs with {calls:,} calls: {len(ran):,} ran unasked, {len(holes)} holes;", end=" ")
    print(f"{time.monotonic() - began:.0f} s", flush=True)
    return max(1 if holes else 0, play_and_print(numbers))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
