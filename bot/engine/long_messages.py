"""A message too long for a prompt is kept whole as a file in the workspace; the prompt holds its beginning."""

import hashlib
from dataclasses import replace
from pathlib import Path

from bot.core.errors import ToolError
from bot.core.messages import InboundMessage
from bot.core.texts import model
from bot.tools.workspace import Workspace

MAX_MESSAGE_CHARACTERS_IN_PROMPT = 40_000  # a longer message becomes a file
KEPT_BEGINNING_CHARACTERS = 4_000  # characters that stay in the prompt
LONG_MESSAGES_FOLDER = "received"


def replace_long_text_with_file(message: InboundMessage, workspace: Path) -> InboundMessage:
    """Write the text to a file in the workspace. Return the message with its beginning and the path, or unchanged if
    that fails (disk full, workspace read-only). The file name is the same each time this message comes."""
    name = f"{LONG_MESSAGES_FOLDER}/{hashlib.sha256(message.id.encode()).hexdigest()[:12]}.txt"
    try:
        workspace.mkdir(parents=True, exist_ok=True)
        with Workspace(workspace).open_writable_file_location(name, make=True) as location:
            location.replace_content(message.text.encode("utf-8", "surrogatepass"), location.regular_file_status())
    except (OSError, ToolError):
        return message
    beginning = message.text[:KEPT_BEGINNING_CHARACTERS]
    text = model.KEPT_AS_FILE(beginning=beginning, characters=len(message.text), path=name)
    return replace(message, text=text)
