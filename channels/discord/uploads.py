"""Send files to Discord with a message: up to ten, with a caption."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BufferedIOBase
from typing import cast

import discord

from bot.core.channel import MessagePart
from bot.core.messages import OutboundMessage
from bot.core.outgoing_files import PartContent
from channels.discord.ids import JsonObject
from channels.discord.rendering import render_message_texts
from channels.formatting import role_label
from channels.outgoing import group_files, open_files

MAX_TOGETHER_BYTES = 24 * 1024 * 1024  # of a message, below the limit of a request
ACTIVITY_SECONDS = 8.0  # people see the typing sign for ten


def split_with_files(message: OutboundMessage) -> Sequence[PartContent]:
    """Return the parts of a message with files. The last text is the caption of the first files."""
    label = role_label(message).rstrip()
    *before, caption = render_message_texts(message) if message.text.strip() else [label]
    groups = group_files(message.files, MAX_TOGETHER_BYTES)
    captions = [caption, *[label] * (len(groups) - 1)]
    with_files = [PartContent(text, group) for text, group in zip(captions, groups, strict=True)]
    return [*map(PartContent, before), *with_files]


@contextmanager
def open_uploads(part: MessagePart) -> Iterator[list[discord.File]]:
    """Yield the files of a part for the library, which reads them piece by piece while it sends. Raise DeliveryError if
    one cannot be opened."""
    with open_files(part) as files:
        uploads = [
            discord.File(cast(BufferedIOBase, file), each.file.name)
            for file, each in zip(files, part.files, strict=True)
        ]
        try:
            yield uploads
        finally:
            for upload in uploads:  # the library keeps a file open until then
                upload.close()


def attachments_of_part(part: MessagePart) -> JsonObject:
    """Return the field of a message's body that names its files; nothing if it has none."""
    named = [{"id": number, "filename": each.file.name} for number, each in enumerate(part.files)]
    return {"attachments": named} if named else {}


def has_files_of_part(raw: JsonObject, part: MessagePart) -> bool:
    """Return True if a message of Discord has as many files as a part, of the same sizes. Discord changes names."""
    there = raw.get("attachments")
    sizes = [each.get("size") for each in there if isinstance(each, dict)] if isinstance(there, list) else []
    return sizes == [each.file.size for each in part.files]
