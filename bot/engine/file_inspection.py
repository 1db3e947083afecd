"""What a file is by its content, until the room for documents is there."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from bot.core.errors import ToolError
from bot.core.images_and_pdfs import Media, name_unsupported_file_type, read_media

MAX_FIRST_CHARACTERS = 1_500


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectedFile:
    media_type: str
    media: Media | None = None
    markdown: str = ""
    first_lines: str = ""
    refusal: str = ""


async def inspect_file(path: Path, *, name: str) -> InspectedFile:
    return await asyncio.to_thread(inspect_path, path, name)


def inspect_path(path: Path, name: str) -> InspectedFile:
    with open(path, "rb") as file:
        try:
            if media := read_media(name, file):
                return InspectedFile(media_type=media.type, media=media)
        except ToolError as error:
            return InspectedFile(media_type="application/octet-stream", refusal=str(error))
        file.seek(0)
        head = file.read(4 * MAX_FIRST_CHARACTERS)
        if name_unsupported_file_type(head) or b"\0" in head:
            return InspectedFile(media_type="application/octet-stream")
        text = head.decode(errors="replace")
        return InspectedFile(media_type="text/plain", first_lines=text[:MAX_FIRST_CHARACTERS])
