"""What clients do with roles: begin a delegation, look at what became of it, cancel it. A client knows only its own.

A delegation of a client is a direct turn in a session and a thread of its own. Its task counts as the words of the
client's person. What the client hands over as context are quoted words: anybody may have written them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bot.core import phrases
from bot.core.clients import (
    MAX_CONTEXT_CHARACTERS,
    MAX_OPEN_DELEGATIONS_PER_CLIENT,
    MAX_TASK_CHARACTERS,
    ClientDelegation,
    DelegationOrder,
    DelegationStatus,
    chat_of_client,
)
from bot.core.content_blocks import sanitize_and_shorten_name
from bot.core.errors import DelegationRefused
from bot.core.limits import DecisionTerms
from bot.core.messages import NO_GROUP, InboundMessage, MessageId, PersonId, Quote, Sender
from bot.core.rights import Right, Rights
from bot.core.role import Role
from bot.core.sources import sources_of_messages
from bot.core.texts import clients as texts
from bot.core.texts import model, reasons
from bot.core.turn import Turn, TurnId, TurnOutcome, TurnState
from bot.journal import admission, boards, chapters, endings, openings, provenance
from bot.journal.openings import RoleResolver
from bot.store import delegations, inbox, turns
from bot.store.connection import Connection
from bot.store.delegations import Delegation

MESSAGE_ID_PREFIX = "client:"
MAX_LISTED = 50
STATUS_BY_OUTCOME = {
    TurnOutcome.COMPLETED: DelegationStatus.COMPLETED,
    TurnOutcome.TIMEOUT: DelegationStatus.TIMEOUT,
    TurnOutcome.CANCELLED: DelegationStatus.CANCELLED,
    TurnOutcome.FAILED: DelegationStatus.FAILED,
}


def list_roles_for_client(db: Connection, client: str, resolver: RoleResolver, terms: DecisionTerms) -> Sequence[Role]:
    """Return the roles that may work for a client, by name; none if it may have no roles work for it."""
    rights = rights_of_client(db, client, terms)
    if Right.TALK not in rights:
        return []
    return resolver.list_delegable_roles(NO_GROUP, resolver.last_loaded_groups(), rights, chat_of_client(client))


def begin_delegation(db: Connection, order: DelegationOrder, resolver: RoleResolver, terms: DecisionTerms) -> TurnId:
    """Begin what a client has ordered. Return the delegation's id, the same one if the order has come before. Raise
    DelegationRefused if it cannot begin."""
    message = message_of_order(order, terms)
    if known := inbox.inbox_number_of_message(db, message.id):
        return turn_id_of_message(known)
    role = require_role(db, order, resolver, terms)
    require_room(db, order)
    inbox.add_inbound_message(db, message, terms.now)
    turn = open_turn_of_client(db, order, message, role, resolver, terms)
    return turn.id


def message_of_order(order: DelegationOrder, terms: DecisionTerms) -> InboundMessage:
    """Return an order as its client's message. The context is quoted, and so is the task of a client whose tasks are
    not trusted: then nothing in it counts as a person's words."""
    client = terms.settings.clients.get(order.client)
    is_trusted = client is None or client.trust_tasks
    handed = [*([order.context] if order.context else []), *([] if is_trusted else [order.task])]
    return InboundMessage(
        id=MessageId(f"{MESSAGE_ID_PREFIX}{order.client}:{order.key}"),
        address=replace(chat_of_client(order.client), thread=order.key),
        sender=Sender(id=PersonId(order.client), name=order.client),
        text=order.task if is_trusted else "",
        quotes=tuple(Quote(author=model.CONTEXT_OF_TASK, text=text, is_forwarded=True) for text in handed),
        sent_at=terms.now,
    )


def require_role(db: Connection, order: DelegationOrder, resolver: RoleResolver, terms: DecisionTerms) -> Role:
    roles = list_roles_for_client(db, order.client, resolver, terms)
    if not roles:
        raise DelegationRefused(texts.MAY_NOT_DELEGATE(client=order.client))
    found = next((role for role in roles if role.name.casefold() == order.role.strip().casefold()), None)
    if found is None:
        raise DelegationRefused(texts.NO_SUCH_ROLE(role=order.role[:80], roles=", ".join(each.name for each in roles)))
    return found


def require_room(db: Connection, order: DelegationOrder) -> None:
    """Raise DelegationRefused if the task is no task or too long, or if too many delegations of the client are at work.
    Without money a delegation begins and ends at once: its reason says so."""
    if not order.task.strip():
        raise DelegationRefused(texts.NO_TASK)
    for name, text, most in (
        ("task", order.task, MAX_TASK_CHARACTERS),
        ("context", order.context, MAX_CONTEXT_CHARACTERS),
    ):
        if len(text) > most:
            raise DelegationRefused(texts.TOO_LONG(name=name, length=len(text), most=most))
    chat = chat_of_client(order.client)
    if delegations.count_open_delegations_in_threads(db, chat) >= MAX_OPEN_DELEGATIONS_PER_CLIENT:
        raise DelegationRefused(texts.TOO_MANY_AT_WORK(most=MAX_OPEN_DELEGATIONS_PER_CLIENT))


def open_turn_of_client(
    db: Connection,
    order: DelegationOrder,
    message: InboundMessage,
    role: Role,
    resolver: RoleResolver,
    terms: DecisionTerms,
) -> Turn:
    number, rights = inbox.inbox_number_of_message(db, message.id), rights_of_client(db, order.client, terms)
    resolved = resolver.resolve_role_for_client(role, rights, limits_of_order(order))
    session, _ = openings.begin_session(db, message.address, NO_GROUP, number, terms.now)
    id = turn_id_of_message(number)
    turn = Turn(
        id=id,
        root=id,
        session=session,
        address=message.address,
        person=message.sender.id,
        asker=sanitize_and_shorten_name(message.sender.name),
        role=resolved.role,
        is_private=False,  # a program passes on what it reads, so it gets no memories of a person
        tools=resolved.tools,
        rights=rights,
        limits=replace(resolved.limits, cost=terms.settings.limits.turn_limits.cost),
        depth=1,
        background=True,
        number=turns.next_delegation_number(db, message.address),
        state=TurnState.QUEUED,
    )
    turns.add_turn(db, turn, phrases.first_words(order.task), terms.now)
    inbox.assign_message_to_turn(db, message.id, id)
    inbox.close_messages_of_turn(db, id)
    provenance.add_turn_sources_to_session(db, turn, sources_of_messages([message]))
    chapters.write_first_entry_of_turn(db, turn, resolved.prefix, chapters.brief_of_direct_turn(db, turn, terms), terms)
    boards.post_or_revise_board(db, turn, terms)
    return turn


def limits_of_order(order: DelegationOrder) -> Mapping[str, Any]:
    named = {"tokens": order.max_tokens, "seconds": order.max_seconds}
    return {name: value for name, value in named.items() if value is not None}


def cancel_delegation(db: Connection, client: str, id: str, terms: DecisionTerms) -> None:
    """Decide that a client's delegation ends, with all below it. Do nothing if it has ended. Raise DelegationRefused if
    the client has none of this id."""
    turn = require_delegation(db, client, id).turn
    turns.save_person_who_stopped_turn(db, turn.id, turn.person)
    endings.mark_turn_tree_ending(db, turn.id, TurnOutcome.CANCELLED, reasons.STOPPED_BY(person=turn.asker))


def list_client_delegations(db: Connection, client: str, terms: DecisionTerms) -> list[ClientDelegation]:
    """Return a client's newest delegations, the newest first, without those below them and without their reports."""
    found = delegations.list_delegations_in_threads(db, chat_of_client(client), MAX_LISTED)
    return [replace(describe(db, each, (), terms), result="") for each in found]


def load_client_delegation(db: Connection, client: str, id: str, terms: DecisionTerms) -> ClientDelegation:
    """Return a client's delegation with all below it. Raise DelegationRefused if the client has none of this id."""
    found = require_delegation(db, client, id)
    return describe(db, found, delegations.list_delegations_of_root(db, found.turn.root), terms)


def require_delegation(db: Connection, client: str, id: str) -> Delegation:
    found = delegations.load_delegations_with_ids(db, [id])
    if not found or found[0].turn.address.whole_chat != chat_of_client(client):
        raise DelegationRefused(texts.NO_SUCH_DELEGATION(id=id[:80]))
    return found[0]


def describe(db: Connection, found: Delegation, among: Sequence[Delegation], terms: DecisionTerms) -> ClientDelegation:
    """Return a delegation with what it has come to. `among` holds those below it, at every depth."""
    turn, usage = found.turn, delegations.load_usage_of_turn_tree(db, found.turn)
    own = [each for each in among if not each.turn.is_direct and each.turn.parent_id == turn.id]
    return ClientDelegation(
        id=turn.id,
        role=turn.role,
        task=found.task_excerpt,
        status=status_of_turn(turn),
        result=turn.report,
        reason=turn.reason,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.output,
        cost=turn.spent.cost,
        seconds=turn.seconds_taken(terms.now),
        below=tuple(describe(db, each, among, terms) for each in own),
    )


def status_of_turn(turn: Turn) -> DelegationStatus:
    """Return the status of a turn. One that a budget has ended counts by whether it has said anything."""
    if turn.state is not TurnState.ENDED or turn.status is None:
        return DelegationStatus.RUNNING
    by_report = DelegationStatus.COMPLETED if turn.report else DelegationStatus.FAILED
    return STATUS_BY_OUTCOME.get(turn.status, by_report)


def rights_of_client(db: Connection, client: str, terms: DecisionTerms) -> Rights:
    sender = Sender(id=PersonId(client), name=client)
    return admission.rights_of_sender(db, chat_of_client(client), sender, None, terms)


def turn_id_of_message(number: int) -> TurnId:
    return TurnId(f"t{number}")
