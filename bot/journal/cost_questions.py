"""Questions about cost: a person is asked before delegations start that are expected to cost more than the operator
has set.

The calls wait for the answer. If the person agrees, the turn plans them again and they begin; otherwise the model is
told that they were not started.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import timedelta

from bot.core.limits import DecisionTerms
from bot.core.messages import QuestionId, RoleName
from bot.core.prices import Micros, format_micro_dollars
from bot.core.reply_plan import AskPerson, OpenDelegation, RunCalls
from bot.core.texts import people
from bot.core.turn import CallId, Turn
from bot.journal import questions
from bot.store import delegations
from bot.store.connection import Connection

QUESTION_ID_SUFFIX = ":cost"


def ask_before_costly_delegations(db: Connection, turn: Turn, step: RunCalls, terms: DecisionTerms) -> set[CallId]:
    """Ask a turn's person if the delegations of its reply are expected to cost more than may start unasked. Return the
    calls that wait for the answer; none if nobody has to be asked. What an asked group delegates belongs to another
    chat's question, so nobody is asked for it."""
    most = terms.settings.swarm.ask_above_micros
    if most is None or turn.agent_depth > 0:
        return set()
    begun = {call.id: call.rows_to_write for call in step.calls if isinstance(call.rows_to_write, OpenDelegation)}
    roles = [each.resolved_role.role for each in begun.values() if isinstance(each, OpenDelegation)]
    expected = estimate_cost_of_roles(db, roles)
    if expected <= most:
        return set()
    asked = AskPerson(
        text=people.MAY_ROLES_START(len(roles), cost=format_micro_dollars(expected)),
        options=(people.START_COSTLY_ROLES(), people.DO_NOT_START_COSTLY_ROLES()),
        default=None,
        deadline=terms.now + timedelta(seconds=terms.timings.question_timeout_seconds),
    )
    id = QuestionId(next(iter(begun)) + QUESTION_ID_SUFFIX)
    questions.ask_about_held_calls(db, turn, id, list(begun), asked, terms.now)
    return set(begun)


def estimate_cost_of_roles(db: Connection, roles: Iterable[RoleName]) -> Micros:
    """Return what one delegation to each of these roles is expected to cost, by what each has usually cost before. A
    role that has never completed anything adds nothing."""
    often = Counter(roles)
    return Micros(sum(count * (delegations.median_cost_of_role(db, role) or 0) for role, count in often.items()))
