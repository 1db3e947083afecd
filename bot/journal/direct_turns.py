"""Direct turns: a person writes to a role that has ended, and the role works again in its own session.

No call waits for such a turn. It works in the background and is its own root, so it has a delegation's limits and costs
the chat and the day. The person gets its report as a reply; the agent that answers in the chat reads it later.
"""

from dataclasses import replace

from bot.core import phrases
from bot.core.content_blocks import sanitize_and_shorten_name
from bot.core.limits import MAX_BACKGROUND_DELEGATIONS, DecisionTerms
from bot.core.messages import InboundMessage
from bot.core.rights import Right
from bot.core.sources import sources_of_messages
from bot.core.turn import Turn, TurnId, TurnState
from bot.journal import admission, boards, chapters, provenance
from bot.journal.openings import RoleResolver
from bot.store import inbox, sessions, turns
from bot.store.connection import Connection


def may_open_direct_turn(db: Connection, message: InboundMessage, terms: DecisionTerms) -> bool:
    """Return True if a message may let an ended delegation work again: the sender may delegate, and not too many work
    in the background."""
    rights = admission.rights_of_sender(db, message.address, message.sender, message.group_chat, terms)
    return (
        terms.settings.swarm.enabled
        and Right.DELEGATE in rights
        and len(turns.list_open_background_delegations(db, message.address)) < MAX_BACKGROUND_DELEGATIONS
    )


def open_direct_turn(
    db: Connection, ended: Turn, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver
) -> Turn:
    """Let an ended delegation work again on a message. The message is read at once, so it waits for nothing else."""
    prefix = sessions.load_prefix(db, sessions.find_last_prefix_hash_of_turn(db, ended.session, ended.id))
    # The session may hold words of the person it worked for, so it gets no more rights than that person had.
    rights = ended.rights & admission.rights_of_sender(db, message.address, message.sender, message.group_chat, terms)
    resolved = resolver.resolve_ended_role(ended, prefix, rights)
    # As with `continue_from`, the tokens to read the session again come on top.
    tokens = resolved.limits.tokens + sessions.get_current_chapter(db, ended.session).tokens
    limits = replace(resolved.limits, cost=terms.settings.limits.turn_limits.cost, tokens=tokens)
    # So it may hold memories of that person, too.
    is_private = ended.is_private and message.group_chat is None and message.sender.id == ended.person
    id = TurnId(f"t{inbox.inbox_number_of_message(db, message.id)}")
    turn = Turn(
        id=id,
        root=id,
        session=ended.session,
        address=message.address,
        person=message.sender.id,
        asker=sanitize_and_shorten_name(message.sender.name),
        role=resolved.role,
        group=ended.group,
        is_private=is_private,
        parent_group=ended.parent_group,
        tools=resolved.tools,
        rights=rights,
        limits=limits,
        depth=1,
        background=True,
        number=turns.next_delegation_number(db, message.address),
        state=TurnState.QUEUED,
    )
    turns.add_turn(db, turn, phrases.first_words(message.text), terms.now)
    inbox.assign_message_to_turn(db, message.id, id)
    inbox.close_messages_of_turn(db, id)
    provenance.add_turn_sources_to_session(db, turn, sources_of_messages([message]))
    chapters.write_first_entry_of_turn(db, turn, resolved.prefix, chapters.brief_of_direct_turn(db, turn, terms), terms)
    boards.post_or_revise_board(db, turn, terms)
    return turn
