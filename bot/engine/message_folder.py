"""Which folder holds the files of a turn for a message."""

from bot.core.group import Groups
from bot.core.limits import DecisionTerms
from bot.core.messages import InboundMessage
from bot.journal import admission, openings
from bot.store.connection import Connection
from bot.tools.workspace_scope import file_scope


def file_scope_of_message(db: Connection, message: InboundMessage, groups: Groups, terms: DecisionTerms) -> str:
    """Return the name of the folder that holds the files of a turn for this message, as `folder_of_scope` takes it."""
    rights = admission.rights_of_sender(db, message.address, message.sender, message.group_chat, terms)
    return file_scope(rights, openings.find_group_at_address(db, message.address, groups))
