"""Deliberate bugs as changes of the source: each is tried on a copy of the bot, which the simulator must find faulty.

MENDED were in the bot once, or are as near as today's code lets them be. UNSEEN were invented by somebody who had not
read the checks. RANDOM were drawn by a seeded generator from all comparisons turned round and all calls deleted in
`bot/journal/` and `bot/store/`: the first six that break a promise of docs/architecture.md or docs/state.md. OF_COSTS,
OF_APPROVALS, OF_THREADS, OF_FILES, OF_SCHEDULES and OF_KIN were made with the checks of questions about cost, of held
calls, of threads, of files that people send, of schedules, and of linking and forgetting.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.simulation.approval_mutations import OF_APPROVALS
from tests.simulation.kin_mutations import OF_KIN
from tests.simulation.mutation import Mutation
from tests.simulation.schedule_mutations import OF_SCHEDULES

ROOT = Path(__file__).parents[2]
COPIED = ("bot", "channels", "roles", "tests")  # all that the simulator imports and reads

MENDED = (
    Mutation(
        name="a reply that comes after a stop is written all the same",
        path="bot/journal/steps.py",
        old="""
    if turn.state is not TurnState.RUNNING or request is None:
        return  # a stop came first""",
        new="""
    if request is None:
        return  # a stop came first""",
    ),
    Mutation(
        name="an urgent message overtakes what its own turn said before",
        path="bot/store/delivery.py",
        old="""
    " ORDER BY urgency, seq LIMIT 1) ORDER BY seq LIMIT 1"
)
NEXT_COSMETIC""",
        new="""
    " ORDER BY urgency, seq LIMIT 1) ORDER BY urgency, seq LIMIT 1"
)
NEXT_COSMETIC""",
    ),
    Mutation(
        name="a message joins a turn over the head of another person's",
        path="bot/journal/openings.py",
        old="""
        if message.kind is not InboundKind.TEXT or message.sender.id != person or is_more:
            break
""",
        new="""
        if message.kind is not InboundKind.TEXT or is_more:
            break
        if message.sender.id != person:
            continue
""",
    ),
    Mutation(
        name="a request that a kill cut off costs nothing",
        path="bot/journal/recovery.py",
        old="        payments.charge_open_request_as_lost(db, turns.get_turn(db, id))",
        new="""\
        db.execute("UPDATE requests SET state = 'lost', cost = 0 WHERE turn = ? AND state = 'open'", (id,))""",
    ),
    Mutation(
        name="a board that may have arrived is sent again with other words",
        path="bot/journal/delivery.py",
        old="""\
    if found.delivery.unknown_since or found.delivery.shown:  # the same words and nonce again; a new revision follows
        return replace(found.delivery, message=replace(message, revision=found.delivery.text_revision))
""",
        new="",
    ),
    Mutation(
        name="of two messages with the same words the first is taken for the second",
        path="bot/engine/delivery.py",
        old="""\
        known = await self.store.read(delivery.platform_ids_shown_at_address, message.address)
""",
        new="""\
        known: frozenset[PlatformId] = frozenset()
""",
    ),
)
RANDOM = (
    Mutation(
        name="random: what a server owes is never followed by the last words",
        path="bot/journal/requests.py",
        old="""\
        transcript.append_entry(db, turn, "assistant", owed)
    transcript.append_entry(db, turn, "user", said)
""",
        new="""\
        transcript.append_entry(db, turn, "assistant", owed)
""",
    ),
    Mutation(
        name="random: a reply is written only if it is of another request",
        path="bot/journal/steps.py",
        old="""\
ledger.list_open_booked_requests(db, turn.id) if each.id == plan.request), None)""",
        new="""\
ledger.list_open_booked_requests(db, turn.id) if each.id != plan.request), None)""",
    ),
    Mutation(
        name="random: only what is no tap answers the question that it names",
        path="bot/journal/questions.py",
        old="""\
    if message.kind is InboundKind.ANSWER:
        return named
    if named:
""",
        new="""\
    if message.kind is not InboundKind.ANSWER:
        return named
    if named:
""",
    ),
    Mutation(
        name="random: a stop does not mark what is below",
        path="bot/journal/endings.py",
        old="""\
    turns.mark_turns_stopping(db, below, TurnOutcome.CANCELLED, reasons.ABOVE_ENDED())
""",
        new="",
    ),
    Mutation(
        name="random: what is withdrawn stays",
        path="bot/journal/bus.py",
        old="""\
    else:
        outbox.blank_message_for_deletion(db, sent.message)
""",
        new="",
    ),
    Mutation(
        name="random: what a role says is not posted",
        path="bot/journal/turn_messages.py",
        old="""\
        post_in_place_of_draft(db, message, turn.id, terms.now)
    else:
        post(db, message, terms.now)
""",
        new="""\
        post_in_place_of_draft(db, message, turn.id, terms.now)
""",
    ),
)
UNSEEN = (
    Mutation(
        name="a step's only change runs before its start is written",
        path="bot/engine/agent.py",
        old="""\
            if not await self.agent.store.write(steps.begin_call, turn, planned, self.agent.terms(), is_held=is_held):
                return""",
        new="""\
            is_alone = call.kind is CallKind.CHANGE and call.id.endswith("/0")
            if not is_alone and not await self.agent.store.write(
                steps.begin_call, turn, planned, self.agent.terms(), is_held=is_held
            ):
                return""",
    ),
    Mutation(
        name="what a cut-off request has used is forgotten when the run of its turn ends",
        path="bot/engine/dispatcher.py",
        old="""\
        self._turns.pop(turn, None)
        self.agent.slots.clear_crash_suspect(turn)
""",
        new="""\
        self._turns.pop(turn, None)
        self.agent.forget_turns([turn])
        self.agent.slots.clear_crash_suspect(turn)
""",
    ),
    Mutation(
        name="a person's later messages pass another person's waiting message",
        path="bot/journal/openings.py",
        old="""\
    for message in waiting:
        if message.kind is InboundKind.REPORT or message.sender.origin is InboundOrigin.SCHEDULE:
            continue
        length += len(message.text)
        is_more = bool(found) and length > MAX_CHARACTERS_TAKEN_AT_ONCE
        if message.kind is not InboundKind.TEXT or message.sender.id != person or is_more:
            break
""",
        new="""\
    for message in waiting:
        if message.kind is InboundKind.REPORT or message.sender.id != person:
            continue
        length += len(message.text)
        if message.kind is not InboundKind.TEXT or (found and length > MAX_CHARACTERS_TAKEN_AT_ONCE):
            break
""",
    ),
    Mutation(
        name="a turn stopped between its last result and its step leaves calls without results",
        path="bot/journal/endings.py",
        old="""\
    for call in transcript.list_open_calls(db, turn.id):
        result = model.CALL_INTERRUPTED if call.may_have_run else model.CALL_NOT_RUN
        transcript.finish_call(db, call.id, result, is_error=True)
    if not sessions.get_current_chapter(db, turn.session).is_model_next:
""",
        new="""\
    open_calls = transcript.list_open_calls(db, turn.id)
    for call in open_calls:
        result = model.CALL_INTERRUPTED if call.may_have_run else model.CALL_NOT_RUN
        transcript.finish_call(db, call.id, result, is_error=True)
    if open_calls:
""",
    ),
    Mutation(
        name="a message that may have arrived is no longer in doubt after its next try was refused",
        path="bot/store/delivery.py",
        old="""\
CASE WHEN ? AND (shown = ? OR sending_since < said_at) THEN 'unknown'""",
        new="""\
CASE WHEN ? AND (shown = ? AND sending_since < said_at) THEN 'unknown'""",
    ),
    Mutation(
        name="messages that have not arrived overtake an earlier one in doubt",
        path="bot/store/delivery.py",
        old="""\
    " ORDER BY urgency, seq LIMIT 1) ORDER BY seq LIMIT 1"
""",
        new="""\
    " ORDER BY urgency, seq LIMIT 1) ORDER BY state, seq LIMIT 1"
""",
    ),
    Mutation(
        name="a start ends the calls that wait for a role or a person",
        path="bot/store/transcript.py",
        old="""\
db.fetch_rows("SELECT id FROM calls WHERE state = 'started'")]""",
        new="""\
db.fetch_rows("SELECT id FROM calls WHERE state != 'done' AND NOT is_repeatable")]""",
    ),
    Mutation(
        name="anybody's tap answers a question that was asked of another person",
        path="bot/engine/intake.py",
        old="""\
        if not questions.is_question_for_sender(db, question, message, terms):
            close_message_with_notice(db, message, people.QUESTION_FOR_ANOTHER(), terms)
        elif not question.is_open:
""",
        new="""\
        if not question.is_open:
""",
    ),
)
OF_COSTS = (
    Mutation(
        name="whatever is no refusal agrees to what roles will cost",
        path="bot/engine/delegation_steering.py",
        old="    agrees = says_yes(text)\n",
        new="    agrees = says_yes(text) is not False\n",
    ),
    Mutation(
        name="roles that nobody has decided about in time begin",
        path="bot/journal/approvals.py",
        old="    if answer is not None and answer in question.agreeing_options:\n",
        new="    if answer is None or answer in question.agreeing_options:\n",
    ),
    Mutation(
        name="an agreement lets only the first role begin",
        path="bot/journal/approvals.py",
        old="held_calls.release_held_calls(db, question.turn, question.held_calls,",
        new="held_calls.release_held_calls(db, question.turn, question.held_calls[:1],",
    ),
    Mutation(
        name="a role that was agreed to begins after a stop",
        path="bot/journal/steps.py",
        old="""\
    if not turns.is_turn_running(db, turn.id):
        return False
    permitted""",
        new="""\
    if call.rows_to_write is None and not turns.is_turn_running(db, turn.id):
        return False
    permitted""",
    ),
)
OF_THREADS = (
    Mutation(
        name="a summary comes while roles still work for the request",
        path="bot/journal/summaries.py",
        old="    if not (words and outbox.is_request_over(db, root)):\n",
        new="    if not words:\n",
    ),
)
OF_FILES = (
    Mutation(
        name="a message overtakes the files of its sender's earlier one",
        path="bot/store/inbox.py",
        old="return AddedMessage(is_behind_files=bool(row[0])) if row else None",
        new="return AddedMessage(is_behind_files=False) if row else None",
        scenario="arrivals",
    ),
    Mutation(
        name="a message with files opens its turn at once",
        path="bot/engine/file_intake.py",
        old="        inbox.hold_message_until_files_arrive(db, message.id)\n        return None\n",
        new="        pass\n",
        scenario="arrivals",
    ),
    Mutation(
        name="the files of a deleted message are fetched all the same",
        path="bot/store/inbox.py",
        old="    incoming_files.drop_files_of_message(db, id)\n",
        new="",
        scenario="arrivals",
    ),
    Mutation(
        name="what was written behind a deleted message waits for ever",
        path="bot/engine/file_arrivals.py",
        old="inbox.list_messages_behind_no_file(db))",
        new="[])",
        scenario="arrivals",
    ),
    Mutation(
        name="a file is copied before its row says where",
        path="bot/store/incoming_files.py",
        old="SET scope = ?, path = ?, content = json_object('text_path', ?)",
        new="SET scope = ?, why = ?, content = json_object('text_path', ?)",
        scenario="arrivals",
    ),
    Mutation(
        name="a file is forgotten while its copy is being made",
        path="bot/engine/file_removal.py",
        old="            if self.is_being_fetched(place.id):\n                continue\n",
        new="",
        scenario="arrivals",
    ),
    Mutation(
        name="an album goes on before its last picture is there",
        path="bot/engine/file_arrivals.py",
        old="if id in waiting or album in albums:",
        new="if id in waiting:",
        scenario="arrivals",
    ),
    Mutation(
        name="a file that was fetched before a kill is settled without its message",
        path="bot/engine/file_arrivals.py",
        old="    if is_new:\n        let_arrived",
        new="    if is_new and not waiting.failures:\n        let_arrived",
        scenario="arrivals",
    ),
)
OF_ALL = (*MENDED, *UNSEEN, *RANDOM, *OF_COSTS, *OF_APPROVALS, *OF_THREADS, *OF_FILES, *OF_SCHEDULES, *OF_KIN)
MUTATIONS = {each.name: each for each in OF_ALL}


def simulate_with(mutation: Mutation, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the simulator on a copy of the bot that has this bug."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in COPIED:
            shutil.copytree(ROOT / name, copy / name)
        mutation.apply(copy)
        return subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "tests.simulation", *words],
            cwd=copy,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": str(copy)},
            check=False,
        )
