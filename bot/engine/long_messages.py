"""A message too long for a prompt is kept whole as a file in the workspace; the prompt holds its beginning.

A row says where the file lies before it is written, so it is deleted like the files that people send.
"""

import hashlib
from dataclasses import replace
from pathlib import Path

from bot.core.errors import ToolError
from bot.core.group import Groups
from bot.core.limits import DecisionTerms
from bot.core.messages import InboundMessage, MessageId
from bot.core.texts import model
from bot.engine.message_folder import file_scope_of_message
from bot.store import inbox, incoming_files
from bot.store.connection import Connection
from bot.store.incoming_files import LongTextPlace
from bot.tools.workspace import Workspace
from bot.tools.workspace_scope import folder_of_scope

MAX_MESSAGE_CHARACTERS_IN_PROMPT = 40_000  # a longer message becomes a file
KEPT_BEGINNING_CHARACTERS = 4_000  # characters that stay in the prompt
LONG_MESSAGES_FOLDER = "received"


def note_long_text(db: Connection, message: InboundMessage, groups: Groups, terms: DecisionTerms) -> Path | None:
    """Note where the text of a new or edited message is about to lie. Return the folder of its turn's files; None if it
    has none, or if the message is known already."""
    scope = file_scope_of_message(db, message, groups, terms)
    folder = folder_of_scope(scope, terms.resolved_settings.writable_workspace, message.address, groups)
    if folder and (message.is_edit or not inbox.inbox_number_of_message(db, message.id)):
        place = LongTextPlace(scope, long_text_path(message.id), len(encode_text(message)))
        incoming_files.note_place_of_long_text(db, message.id, message.address, place, terms.now)
        return folder
    return None


def long_text_path(message: MessageId) -> str:
    """Return the path in the workspace: the same each time this message comes."""
    return f"{LONG_MESSAGES_FOLDER}/{hashlib.sha256(message.encode()).hexdigest()[:12]}.txt"


def encode_text(message: InboundMessage) -> bytes:
    return message.text.encode("utf-8", "surrogatepass")


def replace_long_text_with_file(message: InboundMessage, workspace: Path) -> InboundMessage:
    """Write the text to a file in the workspace. Return the message with its beginning and the path, or unchanged if
    that fails (disk full, workspace read-only)."""
    name = long_text_path(message.id)
    try:
        workspace.mkdir(parents=True, exist_ok=True)
        with Workspace(workspace).open_writable_file_location(name, make=True) as location:
            location.replace_content(encode_text(message), location.regular_file_status())
    except (OSError, ToolError):
        return message
    beginning = message.text[:KEPT_BEGINNING_CHARACTERS]
    text = model.KEPT_AS_FILE(beginning=beginning, characters=len(message.text), path=name)
    return replace(message, text=text, written="")  # nobody types so much: it is pasted
