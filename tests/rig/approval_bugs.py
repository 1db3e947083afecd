"""Deliberate bugs of held calls: a yes counts for other calls, for other arguments, or is not needed."""

from typing import ClassVar

from tests.rig.mistakes import Afterwards, Mistaken
from tests.rig.watching import Watched

ASKED = (
    "questions, json_each(questions.arguments, '$.held_calls') AS held WHERE questions.arguments ->> '$.is_approval'"
)
RUN = "UPDATE calls SET kind = held_kind, held_kind = NULL, approval = 'granted' WHERE held_kind = 'change'"


class YesCountsForAll(Afterwards):
    """The bug: a yes lets everything run that is held in its conversation."""

    statements: ClassVar = [
        f"{RUN} AND substr(turn, 1, instr(turn || '/', '/')) IN (SELECT substr(held.value, 1, instr(held.value, '/'))"
        f" FROM {ASKED} AND questions.answer LIKE 'Yes%')"
    ]


class RunsBeforeItsYes(Afterwards):
    """The bug: a call runs as soon as its person is asked. They agree later."""

    statements: ClassVar = [f"{RUN} AND id IN (SELECT held.value FROM {ASKED} AND questions.state = 'open')"]


class ArgumentsOfAnother(Afterwards):
    """The bug: a call that a person has agreed to takes the arguments of another call of its tool."""

    statements: ClassVar = [
        """UPDATE calls SET arguments = (SELECT arguments FROM calls AS other WHERE other.name = calls.name
        ORDER BY rowid LIMIT 1) WHERE approval = 'granted' AND state = 'planned'"""
    ]


class NoIsForgotten(Mistaken):
    """The bug: after a kill a call whose person was asked runs, whatever the answer is."""

    belief = f"{RUN} AND id IN (SELECT held.value FROM {ASKED})"


class YesIsNotUsedUp(Mistaken):
    """The bug: a call to which a person has agreed runs again after a kill."""

    belief = "UPDATE calls SET state = 'planned', approval = 'granted' WHERE approval = 'used' AND state = 'started'"


OF_APPROVALS: dict[str, type[Watched]] = {
    "a yes lets everything run that is held": YesCountsForAll,
    "a call runs before its yes": RunsBeforeItsYes,
    "a call that was agreed to takes the arguments of another": ArgumentsOfAnother,
    "a held call runs after a kill": NoIsForgotten,
    "a yes counts twice after a kill": YesIsNotUsedUp,
}
