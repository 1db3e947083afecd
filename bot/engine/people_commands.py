"""The commands about the sender's own accounts and data."""

from bot.core.limits import DecisionTerms
from bot.core.messages import InboundMessage
from bot.core.texts import people_accounts
from bot.journal import forgetting, group_starts, languages, linking, mcp_tools, people_rights, questions
from bot.journal.openings import RoleResolver
from bot.store.connection import Connection
from bot.store.questions import ButtonQuestion

OWNER_DECISIONS = {  # by what a button of the owner's does
    people_rights.RIGHTS_BUTTON_ACTION: people_rights.change_tapped_right,
    group_starts.GROUP_BUTTON_ACTION: group_starts.apply_owner_decision,
    mcp_tools.MCP_BUTTON_ACTION: mcp_tools.apply_owner_decision,
}


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


def answer_tap_of_owner(db: Connection, message: InboundMessage, terms: DecisionTerms) -> str | None:
    """Do what the owner decides by a button. Return what to answer; None if the message taps no such button."""
    button = questions.find_question_named_by_message(db, ButtonQuestion, message)
    decide = OWNER_DECISIONS.get(button.arguments["does"]) if button else None
    return decide(db, button, message, terms) if button and decide else None
