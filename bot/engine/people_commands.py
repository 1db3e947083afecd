"""The commands about the sender's own accounts and data."""

from bot.core.limits import DecisionTerms
from bot.core.messages import InboundMessage
from bot.journal import linking
from bot.journal.openings import RoleResolver
from bot.store.connection import Connection


def link_command_reply(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    return linking.answer_link_command(db, message, terms)


def unlink_command_reply(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    return linking.answer_unlink_command(db, message, terms)
