"""Messages with files, cut into parts as the courier cuts them."""

import hashlib
from pathlib import Path

from bot.core.channel import Channel, MessagePart
from bot.core.messages import OutboundMessage
from bot.core.outgoing_files import OutgoingFile
from bot.engine.delivery import list_part_contents, make_message_part, open_part_files
from bot.tools.outgoing_folder import OutgoingFolder
from bot.tools.send_file import copy_file
from bot.tools.workspace import Workspace


def outgoing(folder: Path, name: str, content: bytes) -> OutgoingFile:
    """Write a file into the folder, and copy it as `send_file` does."""
    (folder / name).write_bytes(content)
    return copy_file(Workspace(folder), name, OutgoingFolder(folder / "outgoing"), None)


def file_parts(channel: Channel, said: OutboundMessage, folder: Path) -> list[MessagePart]:
    contents = list_part_contents(channel, said)
    texts = [content.text for content in contents]
    files = [open_part_files(said, content, folder / "outgoing") for content in contents]
    return [make_message_part(said, texts, number, files=each) for number, each in enumerate(files)]


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
