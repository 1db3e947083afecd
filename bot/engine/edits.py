"""Edits of messages: they count until somebody has read the message."""

from dataclasses import replace

from bot.core.limits import DecisionTerms
from bot.core.messages import InboundMessage
from bot.engine.delegation_steering import rewrite_edit_of_command
from bot.engine.file_intake import files_to_take_in
from bot.journal import incoming_files
from bot.journal.openings import NEW_COMMAND
from bot.store import inbox
from bot.store.connection import Connection


def follow_edit(db: Connection, message: InboundMessage, max_download_bytes: int | None, terms: DecisionTerms) -> bool:
    """Give a message that waits its new words and files. Return False if it never came: then the edit is the message.
    An edit never becomes a command, and `/new`, the command that waits, becomes a text if it is edited into something
    else."""
    edit = rewrite_edit_of_command(db, message)
    if edit is None:
        return True
    is_kept = inbox.apply_edit_to_waiting_message(db, edit, is_waiting_command=message.command == NEW_COMMAND)
    if is_kept:
        edit = replace(edit, files=files_to_take_in(edit))
        incoming_files.change_files_of_edited_message(db, edit, max_download_bytes, terms)
    return is_kept
