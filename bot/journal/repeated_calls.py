"""Notice a turn that makes the same call again and again: the model is told, and in the end the turn is stopped.

A call is repeated if an earlier reply of the turn has made it with the same arguments. What comes before another call
that has changed something does not count, because the same call may then have another result: a file is read again
after an edit, or after a role has worked. Equal calls of one reply count once.
"""

from bot.core.limits import CALL_REPEATS_TO_STOP, CALL_REPEATS_TO_TELL
from bot.core.texts import model, reasons
from bot.core.turn import Turn, TurnOutcome
from bot.journal.endings import mark_turn_tree_ending
from bot.store import transcript
from bot.store.connection import Connection
from bot.store.transcript import MadeCall


def stop_turn_if_call_is_repeated(db: Connection, turn: Turn) -> bool:
    """Stop a turn whose newest reply makes a call once too often. Return True if it is stopped: no call of that reply
    is run then, and the turn ends with what it has."""
    most, tool = find_most_repeated_call(db, turn)
    if most < CALL_REPEATS_TO_STOP:
        return False
    mark_turn_tree_ending(db, turn.id, TurnOutcome.BUDGET, reasons.CALL_REPEATED(most, tool=tool))
    return True


def note_about_repeated_call(db: Connection, turn: Turn) -> str:
    """Return what the model is told about a call that its newest reply repeats; empty if there is nothing to tell."""
    most, tool = find_most_repeated_call(db, turn)
    if most < CALL_REPEATS_TO_TELL:
        return ""
    return model.CALL_REPEATED(tool=tool, times=most, most=CALL_REPEATS_TO_STOP)


def find_most_repeated_call(db: Connection, turn: Turn) -> tuple[int, str]:
    """Return how many replies have made the call of the newest reply that was made most often, and its tool."""
    made = transcript.list_made_calls_newest_first(db, turn.id)
    newest = [call for call in made if call.step == made[0].step]
    return max((count_replies_with_call(made, call), call.name) for call in newest)


def count_replies_with_call(made: list[MadeCall], call: MadeCall) -> int:
    replies = set()
    for each in made:
        if each.is_same_as(call):
            replies.add(each.step)
        elif each.has_changed_something:
            break
    return len(replies)
