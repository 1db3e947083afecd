"""Deliberate bugs of calls that wait for a person's yes, as changes of the source."""

from tests.simulation.asked import ASKED
from tests.simulation.mutation import Mutation

HOLDS = "bot/journal/holds.py"
OF_APPROVALS = (
    Mutation(
        name="a yes is not used up",
        path="bot/store/held_calls.py",
        old="SET approval = '{CallApproval.USED}' WHERE",
        new="SET approval = '{CallApproval.GRANTED}' WHERE",
        scenario=ASKED,
    ),
    Mutation(
        name="a call that was agreed to runs with the arguments of the first one of its name in the turn",
        path="bot/engine/agent.py",
        old="        with self.agent.show_progress(turn, call) as report:\n",
        new="""\
        if call.approval is not CallApproval.NONE:
            import json
            sql = "SELECT arguments FROM calls WHERE turn = ? AND name = ? ORDER BY step, position LIMIT 1"
            first = await self.agent.store.read(lambda db: db.fetch_row(sql, turn.id, call.name)["arguments"])
            call = replace(call, arguments=json.loads(first))
        with self.agent.show_progress(turn, call) as report:
""",
        scenario=ASKED,
    ),
    Mutation(
        name="a call runs though its person has written something else",
        path="bot/journal/questions.py",
        old='end_turn_question(db, question, "withdrawn", result, outcome=people_holds.APPROVAL_WITHDRAWN())',
        new='end_turn_question(db, question, "withdrawn", result, question.options[0])',
        scenario=ASKED,
    ),
    Mutation(
        name="a yes counts for everything that is held",
        path="bot/journal/approvals.py",
        old="held_calls.release_held_calls(db, question.turn, question.held_calls, are_approved",
        new="""\
waiting = db.fetch_rows("SELECT id FROM calls WHERE held_kind IS NOT NULL AND state != 'done'")
        held_calls.release_held_calls(db, question.turn, [row["id"] for row in waiting], are_approved""",
        scenario=ASKED,
    ),
    Mutation(
        name="words that are no yes agree to a call",
        path="bot/engine/intake.py",
        old="    answer = answer or message.text_or_attachments\n",
        new="    answer = answer or question.options[0]\n",
        scenario=ASKED,
    ),
    Mutation(
        name="who writes in a group chat is asked in place of the owner",
        path=HOLDS,
        old="    if turn.is_private:\n        return Approver",
        new="    if turn:\n        return Approver",
        scenario=ASKED,
    ),
    Mutation(
        name="what is allowed again for one recipient is allowed for all",
        path="bot/core/gate.py",
        old="return target is not None and grant_of(act, target) in known.grants",
        new="return target is not None and act.tool in dict(known.grants)",
        scenario=ASKED,
    ),
)
