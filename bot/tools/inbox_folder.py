"""The folder `inbox` of a workspace, where the files lie that people send. Their names are the same at each try."""

import errno
import hashlib
import os
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path, PurePath

from bot.core.errors import ToolError
from bot.core.incoming_files import FileId
from bot.tools.workspace import TEMPORARY_FILE_PREFIX, Workspace

INBOX_FOLDER = "inbox"
MAX_STEM_BYTES, MAX_EXTENSION_BYTES = 120, 24  # a name may have 255, and the text beside it has a longer one
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
    extension = cut_to_bytes(clean_name(given.suffix.removeprefix(".")), MAX_EXTENSION_BYTES)
    extension = f".{extension}" if extension else EXTENSIONS_BY_MEDIA_TYPE.get(media_type, "")
    stem = cut_to_bytes(clean_name(given.stem), MAX_STEM_BYTES).rstrip("-") or UNNAMED_FILE_STEM
    return f"{INBOX_FOLDER}/{stem}-{hashlib.sha256(id.encode()).hexdigest()[:8]}{extension}"


def clean_name(name: str) -> str:
    """Return a name of letters, digits and hyphens only, so that no program takes it for anything else."""
    kept = (sign if may_stand_in_name(sign) else " " for sign in unicodedata.normalize("NFC", name))
    return "-".join("".join(kept).split()).strip("-")


def may_stand_in_name(sign: str) -> bool:
    """Return True for letters, with the marks that some scripts write around them, for digits and hyphens."""
    return sign.isalnum() or sign in "_-" or unicodedata.category(sign).startswith("M")


def cut_to_bytes(name: str, most: int) -> str:
    return name.encode(errors="ignore")[:most].decode(errors="ignore")


def put_into_workspace(workspace: Path, path: str, source: Path) -> None:
    """Copy a file into a workspace, whole or not at all; a file of that name is replaced. Raise OSError."""
    workspace.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with (
            source.open("rb") as content,
            Workspace(workspace).open_writable_file_location(path, make=True) as location,
        ):
            location.replace_content(content, location.regular_file_status(), draft_name(path))
    except ToolError as error:
        raise OSError(errno.EACCES, str(error)) from None


def draft_name(path: str) -> str:
    """Return the name of what becomes the file at a path: the same at each try, so a kill leaves none for ever."""
    return TEMPORARY_FILE_PREFIX + hashlib.sha256(path.encode()).hexdigest()[:16]


def delete_from_workspace(workspace: Path, paths: Sequence[str]) -> None:
    """Delete these files, and their drafts, as far as they are there. Raise OSError if one cannot be deleted."""
    drafts = [str(PurePath(path).with_name(draft_name(path))) for path in paths]
    for path in (*paths, *drafts):
        with suppress(FileNotFoundError, NotADirectoryError), Workspace(workspace).open_file_location(path) as location:
            if location.regular_file_status():
                os.unlink(location.name, dir_fd=location.folder)
