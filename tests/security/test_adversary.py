"""An attacker who knows the rule, in short. `python -m tests.security.adversary` tries 10,000 programs."""

import inspect
from types import ModuleType

import pytest

from bot.core import gate
from tests.security.adversary import Hole, Judge, run_programs

SHORT = range(400)
LONG = range(6_000)  # in which each deleted rule shows; most show in the first hundred

FINDERS = "        find_doubts_about_{},\n"
# What is deleted from the gate, or put in its place, and what then runs.
DELETED = (
    (FINDERS.format("values"), "", Hole.VALUE),
    (FINDERS.format("text"), "", Hole.TEXT),
    (FINDERS.format("payment"), "", Hole.PAYMENT),
    (FINDERS.format("count"), "", Hole.COUNT),
    (" or (is_to_be_chosen and origin is not Origin.PERSON)", "", Hole.CHOICE),
    ("if not stands_in_words_or_is_made_of_them(value, known.words):", "if False:", Hole.VALUE),
    ("return stands_in(value, words, is_target=is_target, lexicons=lexicons)", "return True", Hole.VALUE),
    ("    if any(stands_in(each, words) for each in trusted):\n        return True\n", "", Hole.VALUE),
    ("return bool(list_amounts(act, known))", "return False", Hole.VALUE),
    ("return bool(critical.shape and clauses) and all(", "return False and all(", Hole.VALUE),
    ("frozenset(known.trusted.get(critical.type, ()))", "frozenset().union(*known.trusted.values())", Hole.VALUE),
    ("codes = list_codes(act.free_text) if known.flags.private else []", "codes = []", Hole.TEXT),
    ('return is_name_given(value, known.words, lexicons, is_file="file" in act.things)', "return True", Hole.VALUE),
    ("is_target=not is_web_address(pointer), ", "", Hole.TEXT),
    ("Effect.MAKES_NEW in done and done <= {Effect.MAKES_NEW, Effect.SENDS_OUT}", "True", Hole.VALUE),
    ("is_single_time(value) and ", "", Hole.VALUE),
    (" and is_time_left_open(request.words, known.now, request.lexicons)", "", Hole.VALUE),
    (" and stands_in(owner, words)\n", "\n", Hole.VALUE),
)


@pytest.mark.fast
def test_no_program_has_found_a_hole() -> None:
    ran = list(run_programs(SHORT))
    assert [each for each in ran if each.hole] == []
    assert len(ran) > len(SHORT) / 4, "a gate that asks about everything would have no holes either"


@pytest.mark.parametrize(("line", "instead", "hole"), DELETED)
def test_a_deleted_rule_shows(line: str, instead: str, hole: Hole) -> None:
    judge = judge_with(line, instead)
    assert any(each.hole is hole for each in run_programs(LONG, judge))


def test_without_two_rules_acts_run_that_nobody_has_asked_for() -> None:
    """One of them is enough: of a kind that is not asked for, one act is too many."""
    judge = judge_with(FINDERS.format("kind"), "", inspect.getsource(gate).replace(FINDERS.format("count"), ""))
    assert any(each.hole is Hole.KIND for each in run_programs(LONG, judge))


def judge_with(line: str, instead: str, source: str = inspect.getsource(gate)) -> Judge:
    """Return the gate of a source that is changed at one place."""
    assert source.count(line) == 1, line
    changed = ModuleType("tests.security.changed_gate")
    exec(compile(source.replace(line, instead), "changed gate", "exec"), vars(changed))
    judge: Judge = changed.judge_call
    return judge
