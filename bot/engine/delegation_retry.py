"""`/retry`: a delegation's task once more.

The command becomes a message of its sender, which waits for a turn like any other: with the sender's rights, money and
limits, and behind the messages that came before it. It asks the lead to delegate the task again. The task was written
by a model, so it stands in a quote and not in the sender's own words.
"""

from dataclasses import replace

from bot.core import reports
from bot.core.limits import DecisionTerms
from bot.core.messages import InboundKind, InboundMessage, Quote, role_display_name
from bot.core.texts import model, people
from bot.core.turn import TurnState
from bot.engine.delegation_commands import roles_for_sender
from bot.engine.delegation_log import (
    Refusals,
    argument_of_command,
    find_delegation_with_number,
    load_task_of_delegation,
)
from bot.journal.openings import RoleResolver
from bot.store import inbox, transcript
from bot.store.connection import Connection
from bot.store.delegations import Delegation

RETRY_COMMAND = "/retry"
REFUSALS = Refusals(people.RETRY_FOR_ANOTHER, people.RETRY_OF_ANOTHER_GROUP)


def rewrite_retry_as_request(
    db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver
) -> InboundMessage | None:
    """If a message is a `/retry` that its sender may give, return the request that it has become; otherwise None."""
    if not is_retry(message) or find_retry_refusal(db, message, terms, resolver):
        return None
    delegation, _ = find_delegation_to_retry(db, message, terms)
    assert delegation, "otherwise there is a refusal"
    request = as_request(db, message, delegation)
    inbox.rewrite_command_as_text(db, request)
    return request


def is_retry(message: InboundMessage) -> bool:
    return message.kind is InboundKind.COMMAND and message.text.split()[0].split("@")[0].casefold() == RETRY_COMMAND


def refused_retry_reply(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    """Return why a `/retry` is refused. One that is not refused never comes here: it has become a request."""
    return find_retry_refusal(db, message, terms, resolver)


def find_delegation_to_retry(
    db: Connection, message: InboundMessage, terms: DecisionTerms
) -> tuple[Delegation | None, str]:
    return find_delegation_with_number(db, message, argument_of_command(message), terms, REFUSALS)


def find_retry_refusal(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    delegation, refusal = find_delegation_to_retry(db, message, terms)
    if delegation is None:
        return refusal or people.RETRY_USAGE()
    turn = delegation.turn
    if turn.state is not TurnState.ENDED:
        return people.STILL_AT_WORK(role=role_display_name(turn.role), number=turn.number)
    return "" if turn.is_hop or roles_for_sender(db, message, terms, resolver) else people.NO_ROLES()


def as_request(db: Connection, message: InboundMessage, delegation: Delegation) -> InboundMessage:
    turn = delegation.turn
    task = reports.brief_text(transcript.load_call_arguments(db, turn.opening_call_id))
    task = task or load_task_of_delegation(db, delegation)
    if turn.is_hop:
        text = model.ASK_GROUP_AGAIN(delegation=turn.id, group=turn.role)
    else:
        text = model.DO_TASK_AGAIN(delegation=turn.id, role=turn.role)
    quote = Quote(author=model.TASK_OF_DELEGATION(delegation=turn.id), text=task)
    written = message.written_text  # what the request says is not the sender's
    return replace(message, kind=InboundKind.TEXT, text=text, written=written, quotes=(quote,))
