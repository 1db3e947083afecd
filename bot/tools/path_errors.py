"""Tell the model what is wrong with a path and what exists instead, without the paths of this machine."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import islice

from bot.core.errors import ToolError
from bot.core.texts import MAX_NAME_CHARACTERS, escape_unprintable
from bot.tools import texts
from bot.tools.workspace import Workspace

MAX_FILE_BYTES = 16 * 2**20  # bytes; larger files are not read
MAX_NAMES_COMPARED = 5_000  # when the most similar name is looked for


@contextmanager
def explain_path_errors(workspace: Workspace, path: str, *, may_name_others: bool = True) -> Iterator[None]:
    """Turn an OSError into a ToolError that the model can act on. It names the model's path, none of this machine.
    Others may have chosen the names of other files, so only what reads words of others may name them
    (`may_name_others`); one that differs in capitals alone says nothing new."""
    try:
        yield
    except FileNotFoundError:
        raise ToolError(missing_path_text(workspace, path, may_name_others=may_name_others)) from None
    except UnicodeEncodeError:
        raise ToolError(texts.PATH_WITH_HALF_A_CHARACTER) from None
    except OSError as error:
        named = escape_unprintable(path, MAX_NAME_CHARACTERS)
        if (code := errno.errorcode.get(error.errno or 0, "")) in texts.PATH_ERRORS:
            raise ToolError(texts.PATH_ERRORS[code](path=named, megabytes=MAX_FILE_BYTES // 2**20)) from None
        if error.strerror:
            raise ToolError(texts.PATH_FAILED(path=named, reason=error.strerror)) from None
        raise ToolError(texts.PATH_FAILED_FOR_NO_REASON(path=named)) from None


def missing_path_text(workspace: Workspace, path: str, *, may_name_others: bool) -> str:
    """Say which part of a path is missing, and if `may_name_others` which existing name is most like it."""
    above, _, name = workspace.relative_path(path).rstrip("/").rpartition("/")
    try:
        with workspace.list_entries(above or ".") as entries:
            names = [entry.name for entry in islice(entries, MAX_NAMES_COMPARED)]
    except OSError:
        return missing_path_text(workspace, above, may_name_others=may_name_others) if above else texts.NO_PATHS
    named = escape_unprintable(path, MAX_NAME_CHARACTERS)
    if name in names:
        return texts.BROKEN_LINK(path=named)
    like = [other for other in names if other.casefold() == name.casefold()]
    if may_name_others:
        like = like or get_close_matches(name, names, 1)
    if not like:
        return texts.NO_SUCH_PATH(path=named)
    nearest = f"{above}/{like[0]}" if above else like[0]
    return texts.NO_SUCH_PATH_BUT(path=named, nearest=escape_unprintable(nearest, MAX_NAME_CHARACTERS))
