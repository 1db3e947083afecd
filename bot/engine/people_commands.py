"""The commands about the sender's own accounts and data."""

from bot.core.limits import DecisionTerms
from bot.core.messages import InboundMessage
from bot.core.texts import people_accounts
from bot.journal import forgetting, languages, linking
from bot.journal.openings import RoleResolver
from bot.store.connection import Connection


def link_command_reply(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    return linking.answer_link_command(db, message, terms)


def unlink_command_reply(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    return linking.answer_unlink_command(db, message, terms)


def language_command_reply(
    db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver
) -> str:
    return languages.answer_language_command(db, message, terms)


def forget_command_reply(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    return forgetting.answer_forget_command(db, message, terms)


def privacy_command_reply(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    """Return what becomes of what people write, in a few lines."""
    days, talk = terms.settings.keep_days, terms.settings.group_chats.talk_messages
    goes_along = [people_accounts.TALK_GOES_ALONG(talk)] if talk else []
    kept = people_accounts.KEPT_FOR(days) if days else people_accounts.KEPT_FOREVER()
    return people_accounts.PRIVACY(kept=" ".join([*goes_along, kept]))
