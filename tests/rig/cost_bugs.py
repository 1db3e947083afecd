"""Deliberate bugs of questions about cost: roles begin unasked, or an answer is forgotten."""

from typing import ClassVar

from tests.rig.mistakes import Afterwards, Mistaken
from tests.rig.watching import Watched

HELD = """SELECT held.value FROM questions, json_each(questions.arguments, '$.held_calls') AS held
    WHERE questions.state"""


class HeldCallsStart(Afterwards):
    """The bug: calls that are held begin without a yes."""

    statements: ClassVar = [f"UPDATE calls SET kind = 'read' WHERE kind = 'wait' AND id IN ({HELD} = 'open')"]


class AgreementIsAskedAgain(Mistaken):
    """The bug: an answered question about cost is open again after a kill."""

    belief = """UPDATE questions SET state = 'open', answer = NULL WHERE state = 'answered'
        AND arguments IS NOT NULL
        AND EXISTS (SELECT 1 FROM calls WHERE state != 'done' AND calls.turn = questions.turn)"""


class AgreementIsForgotten(Mistaken):
    """The bug: a call to which a person has agreed, and which has not begun, waits again after a kill."""

    belief = f"""UPDATE calls SET kind = 'wait' WHERE kind = 'read' AND state != 'done'
        AND id IN ({HELD} = 'answered')"""


OF_COSTS: dict[str, type[Watched]] = {
    "held calls start without a yes": HeldCallsStart,
    "an answered question about cost is open again after a kill": AgreementIsAskedAgain,
    "an agreement is forgotten in a kill": AgreementIsForgotten,
}
