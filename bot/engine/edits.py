"""Edits of messages: they count until somebody has read the message."""

from bot.core.messages import InboundMessage
from bot.engine.delegation_steering import rewrite_edit_of_command
from bot.journal.openings import NEW_COMMAND
from bot.store import inbox
from bot.store.connection import Connection


def follow_edit(db: Connection, message: InboundMessage) -> bool:
    """Give a message that waits its new words. Return False if it never came: then the edit is the message. An edit
    never becomes a command, and `/new`, the command that waits, becomes a text if it is edited into something else."""
    edit = rewrite_edit_of_command(db, message)
    if edit is None:
        return True
    return inbox.apply_edit_to_waiting_message(db, edit, is_waiting_command=message.command == NEW_COMMAND)
