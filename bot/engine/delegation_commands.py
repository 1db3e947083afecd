"""The commands about roles and delegations: who there is, who works on what, and what one has done."""

from collections.abc import Sequence

from bot.core import phrases
from bot.core.limits import DecisionTerms
from bot.core.messages import InboundMessage, role_display_name
from bot.core.role import Role
from bot.core.texts import people
from bot.journal import admission, boards
from bot.journal.openings import RoleResolver, find_group_at_address
from bot.store import chats, delegations, inbox, turns
from bot.store.connection import Connection


def agents_command_reply(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    """Return who works here, on what, since when, and what that has cost so far. A turn's cost includes the cost of
    the turns below it."""
    zone = terms.resolved_settings.operator_time_zone
    lines = []
    if root := turns.find_open_root_turn(db, message.address):
        messages = phrases.quote_message_beginnings(inbox.messages_taken_by_turn(db, root.id))
        lines.append(phrases.lead_at_work_line(root, messages, zone))
    at_work = [turn.id for turn in turns.list_queued_and_running_delegations(db, message.address)]
    for delegation in delegations.load_delegations_with_ids(db, at_work):
        line = boards.board_line_of_delegation(delegation)
        lines.append(phrases.agent_at_work_line(line, zone, is_in_background=delegation.turn.background))
    return "\n".join(lines) or people.NOTHING_AT_WORK()


def roles_command_reply(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    """Return one line for each role that can be given work here, for this person."""
    lines = [phrases.role_line(each.name, each.description) for each in roles_for_sender(db, message, terms, resolver)]
    return "\n".join(lines) or people.NO_ROLES()


def roles_for_sender(
    db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver
) -> Sequence[Role]:
    """Return the roles that the agent of this chat can give work to, for the sender of this message."""
    groups = resolver.last_loaded_groups()
    rights = admission.rights_of_sender(db, message.address, message.sender, message.group_chat, terms)
    group = find_group_at_address(db, message.address, groups)
    return resolver.list_delegable_roles(group, groups, rights, message.address)


def introduce_roles(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    """Return the names of the roles that can be given work here, with an example of a job; empty if there are none."""
    roles = ", ".join(role_display_name(each.name) for each in roles_for_sender(db, message, terms, resolver))
    if not roles:
        return ""
    if terms.resolved_settings.is_demo:
        return people.ROLES_INTRODUCED_IN_DEMO(roles=roles)
    return people.ROLES_INTRODUCED(roles=roles)


def quiet_command_reply(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    """Show no updates of roles in this chat from now on. Their questions and reports are shown as before."""
    is_new = chats.mark_chat_quiet(db, message.address.whole_chat, terms.now)
    return people.NOW_QUIET() if is_new else people.ALREADY_QUIET()


def verbose_command_reply(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    chats.mark_chat_verbose(db, message.address.whole_chat)
    return people.NOW_VERBOSE()
