"""The folder `inbox` of a workspace, where the files lie that people send. Their names are the same at each try."""

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path, PurePath

from bot.core.errors import ToolError
from bot.core.incoming_files import FileId
from bot.tools.workspace import Workspace

INBOX_FOLDER = "inbox"
MAX_STEM_CHARACTERS, MAX_EXTENSION_CHARACTERS = 60, 12
UNNAMED_FILE_STEM = "file"
EXTENSIONS_BY_MEDIA_TYPE = {
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "application/pdf": ".pdf",
    "text/plain": ".txt",
    "text/csv": ".csv",
    "audio/ogg": ".ogg",
    "audio/mpeg": ".mp3",
    "audio/mp4": ".m4a",
    "video/mp4": ".mp4",
}


def inbox_path(id: FileId, name: str, media_type: str) -> str:
    """Return the path of a file in its workspace: made of the name that its sender gave it, and of its id."""
    given = PurePath(name.replace("\\", "/").rpartition("/")[2])
    extension = clean_name(given.suffix.removeprefix("."))[:MAX_EXTENSION_CHARACTERS]
    extension = f".{extension}" if extension else EXTENSIONS_BY_MEDIA_TYPE.get(media_type, "")
    stem = clean_name(given.stem)[:MAX_STEM_CHARACTERS].rstrip("-") or UNNAMED_FILE_STEM
    return f"{INBOX_FOLDER}/{stem}-{hashlib.sha256(id.encode()).hexdigest()[:8]}{extension}"


def clean_name(name: str) -> str:
    """Return a name of letters, digits and hyphens only, so that no program takes it for anything else."""
    return "-".join("".join(sign if sign.isalnum() or sign in "_-" else " " for sign in name).split()).strip("-")


def put_into_workspace(workspace: Path, path: str, source: Path) -> None:
    """Copy a file into a workspace, whole or not at all; a file of that name is replaced. Raise OSError."""
    workspace.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with (
            source.open("rb") as content,
            Workspace(workspace).open_writable_file_location(path, make=True) as location,
        ):
            location.replace_content(content, location.regular_file_status())
    except ToolError as error:
        raise OSError(str(error)) from None


def delete_from_workspace(workspace: Path, paths: Sequence[str]) -> None:
    """Delete these files, as far as they are there. Raise OSError if one that is there cannot be deleted."""
    for path in paths:
        with suppress(FileNotFoundError, NotADirectoryError), Workspace(workspace).open_file_location(path) as location:
            if location.regular_file_status():
                os.unlink(location.name, dir_fd=location.folder)
