"""Whose memories a turn or a command may see, and whose it may change.

A conversation that others read knows nothing of its person alone: what a model has read there, it may say there. So a
person's memories stand only where nobody else reads. A group's agent remembers for its group alone.
"""

from bot.core.errors import ToolError
from bot.core.limits import DecisionTerms
from bot.core.messages import NO_GROUP, Address, GroupName, InboundMessage, PersonId
from bot.core.scope_kinds import ScopeKind
from bot.core.texts import model
from bot.core.turn import Turn
from bot.journal.admission import is_owner
from bot.journal.people import list_account_keys
from bot.store.connection import Connection
from bot.store.people import account_key
from bot.store.text_search.scopes import EVERYBODY, MemoryScope


def list_scopes_of_turn(db: Connection, turn: Turn, terms: DecisionTerms) -> list[MemoryScope]:
    """Return the scopes whose memories a turn may see."""
    return list_visible_scopes(db, turn.address, turn.person, turn.group, terms, is_private=turn.is_private)


def list_scopes_of_message(
    db: Connection, message: InboundMessage, group: GroupName, terms: DecisionTerms
) -> list[MemoryScope]:
    """Return the scopes whose memories the answer to a command may show. `group` is the group that has the chat."""
    is_private = message.group_chat is None
    return list_visible_scopes(db, message.address, message.sender.id, group, terms, is_private=is_private)


def list_visible_scopes(
    db: Connection, address: Address, person: PersonId, group: GroupName, terms: DecisionTerms, *, is_private: bool
) -> list[MemoryScope]:
    """Return the scopes whose memories stand at an address: those of all accounts of the person, if nobody else reads
    there; the chat's or the group's; and everybody's."""
    shared = [MemoryScope.for_address(address, group), EVERYBODY]
    if group or not is_private:
        return shared
    accounts = list_account_keys(db, address.channel, person, terms)
    return [*map(MemoryScope.of_account, accounts), *shared]


def default_scope_kind(turn: Turn) -> ScopeKind:
    """Return whose a memory is if nobody says so."""
    if turn.group:
        return ScopeKind.GROUP
    return ScopeKind.PERSON if turn.is_private else ScopeKind.CHAT


def scope_of_kind(turn: Turn, kind: ScopeKind) -> MemoryScope:
    match kind:
        case ScopeKind.PERSON:
            return MemoryScope.of_account(account_key(turn.address.channel, turn.person))
        case ScopeKind.TENANT:
            return EVERYBODY
    return MemoryScope.for_address(turn.address, turn.group)


def reject_forbidden_scope_kind(turn: Turn, kind: ScopeKind) -> None:
    """Raise ToolError if no person may save memories of this kind in such a turn."""
    if turn.group and kind is not ScopeKind.GROUP:
        raise ToolError(model.GROUP_REMEMBERS_FOR_ITSELF)
    if kind is ScopeKind.PERSON and not turn.is_private:
        raise ToolError(model.PERSONAL_ONLY_IN_PRIVATE)


def may_change_memories_of_everybody(db: Connection, turn: Turn, terms: DecisionTerms) -> bool:
    """Return True if the owner is alone with the lead. (In a group chat, others' words could have it done.)"""
    is_alone = turn.is_private and turn.group == NO_GROUP
    return is_alone and is_owner(db, turn.address.channel, turn.person, terms)
