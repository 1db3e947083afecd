"""Files that somebody sends from a terminal: `/attach PATH`, the path of a file that was dragged into the line, and
those of `retinue chat --attach`. Only a terminal where a person types reads paths in what is typed: a pipe may carry
words of others."""

import mimetypes
import os
import re
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote_to_bytes

from bot.core.incoming_files import IncomingFile, IncomingFileKind

ATTACH_COMMAND = "/attach"
PATH_PATTERN = re.compile(r"""\s*("[^"]+"|'[^']+'|(?:\\.|[^\s\\])+)\s*""", re.DOTALL)  # quoted, or with escaped spaces
ESCAPED_CHARACTER_PATTERN = re.compile(r"\\(.)", re.DOTALL)
KINDS_BY_MEDIA_TYPE = {
    "image": IncomingFileKind.PHOTO,
    "video": IncomingFileKind.VIDEO,
    "audio": IncomingFileKind.AUDIO,
}


def split_attached_files(text: str) -> tuple[str, list[IncomingFile]]:
    """Return the words of a typed text, and the files that it attaches."""
    if (whole := PATH_PATTERN.fullmatch(text)) and (path := read_path(whole[1])).is_absolute() and is_file(path):
        return "", [describe_file(path)]
    files: list[IncomingFile] = []
    while text.split(maxsplit=1)[:1] == [ATTACH_COMMAND]:
        found = PATH_PATTERN.match(text.lstrip(), len(ATTACH_COMMAND))
        if found is None:
            break
        files.append(describe_file(read_path(found[1])))
        text = text.lstrip()[found.end() :]
    return text, files


def is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # it is no path at all
        return False


def read_path(typed: str) -> Path:
    is_quoted = typed[0] in "\"'"
    path = typed[1:-1] if is_quoted else ESCAPED_CHARACTER_PATTERN.sub(r"\1", typed)
    return Path(os.path.expanduser(path))


def describe_file(path: Path) -> IncomingFile:
    """Return a file as a message announces it. Whether it is there, the bot finds out."""
    media_type = mimetypes.guess_type(path.name)[0] or ""
    try:
        size = path.stat().st_size
    except (OSError, ValueError):
        size = None
    return IncomingFile(
        kind=KINDS_BY_MEDIA_TYPE.get(media_type.split("/")[0], IncomingFileKind.FILE),
        name=path.name.encode(errors="replace").decode(),
        reference=quote_from_bytes(os.fsencode(path.absolute())),  # a path may hold bytes that are no text
        size_bytes=size,
        media_type=media_type,
    )


def path_of_reference(reference: str) -> Path:
    return Path(os.fsdecode(unquote_to_bytes(reference)))
