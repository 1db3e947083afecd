"""Let roles go on in the background when a message comes, so that the lead answers it at once."""

from bot.core import reports
from bot.core.content_blocks import text_block
from bot.core.group import Groups
from bot.core.limits import MAX_BACKGROUND_DELEGATIONS, DecisionTerms
from bot.core.messages import RoleName
from bot.core.texts import people
from bot.core.turn import Turn, TurnId, TurnOutcome, TurnState
from bot.journal.endings import end_turn
from bot.journal.openings import MessageQueue, find_group_at_address, messages_taken_together
from bot.journal.results import result_blocks_of_calls, unavailable_results_for_server_uses
from bot.store import inbox, transcript, turns
from bot.store.connection import Connection


def detach_roles_if_message_waits(db: Connection, id: TurnId, terms: DecisionTerms, groups: Groups) -> bool:
    """Put a root turn's delegations into the background if it waits for nothing else, and for a message that waits.

    If the message is of the turn's own person, the turn goes on and takes it in, with what a delegation has found that
    is being stopped. Otherwise the turn ends, with a quiet line, and the message opens a turn of its own. Return False
    if the message has to wait; it need not wait long for delegations that are all being stopped.
    """
    turn = turns.find_open_turn(db, id)
    if turn is None or turn.state is TurnState.STOPPING or not turn.is_root or terms.settings.busy != "steer":
        return False
    waiting = inbox.find_oldest_waiting_words(db, turn.address)
    at_work = list_delegations_waited_for(db, turn) if waiting else []
    if not at_work:
        return False
    written = messages_taken_together(MessageQueue.load(db, turn.address).waiting, turn.person)
    joins = bool(written) and find_group_at_address(db, turn.address, groups) == turn.group
    if joins:
        at_work = [delegation for delegation in at_work if delegation.state is not TurnState.STOPPING]
    if joins and not has_room_in_background(db, turn, len(at_work)):
        return False
    for delegation in at_work:
        turns.put_turn_into_background(db, delegation.id)
        transcript.finish_call(db, delegation.opening_call_id, reports.detached_delegation_text(delegation))
    if not joins:
        end_turn_while_roles_work(db, turn, terms)
    return True


def list_delegations_waited_for(db: Connection, turn: Turn) -> list[Turn]:
    """Return the delegations that a turn waits for; none if it also waits for something else, or has other calls."""
    calls = transcript.list_open_calls(db, turn.id)
    found = [delegation for call in calls if (delegation := turns.find_open_turn(db, call.id))]
    return found if len(found) == len(calls) else []


def list_roles_without_room(db: Connection, turn: Turn) -> list[RoleName]:
    """Return the roles that a turn waits for and that cannot go on in the background, because too many work there. A
    message to the turn waits until they are done."""
    calls = transcript.list_open_calls(db, turn.id)
    opened = [delegation for call in calls if (delegation := turns.find_open_turn(db, call.id))]
    found = [delegation.role for delegation in opened if delegation.state is not TurnState.STOPPING]
    return [] if has_room_in_background(db, turn, len(found)) else found


def has_room_in_background(db: Connection, turn: Turn, more: int) -> bool:
    at_work = len(turns.list_open_background_delegations(db, turn.address))
    return at_work + more <= MAX_BACKGROUND_DELEGATIONS


def end_turn_while_roles_work(db: Connection, turn: Turn, terms: DecisionTerms) -> None:
    """End a turn without asking the model. Its roles go on, and their reports come as messages."""
    transcript.append_entry(db, turn, "user", result_blocks_of_calls(transcript.calls_of_last_step(db, turn.id)))
    owed = unavailable_results_for_server_uses(db, turn)
    transcript.append_entry(db, turn, "assistant", [*owed, text_block(people.ROLES_GO_ON())])
    end_turn(db, turn, TurnOutcome.COMPLETED, "", people.ROLES_GO_ON(), terms, is_quiet=True)
