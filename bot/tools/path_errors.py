"""Tell the model what is wrong with a path and what exists instead, without the paths of this machine."""

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import islice

from bot.core.errors import ToolError
from bot.tools import texts
from bot.tools.workspace import Workspace

LARGEST_FILE = 16 * 2**20  # bytes; larger files are not read
MOST_NAMES_COMPARED = 5_000  # when the most similar name is looked for


@contextmanager
def explain_path_errors(path: str, nearest: Callable[[str], str]) -> Iterator[None]:
    """Raise OSErrors again as a ToolError that the model can act on, with its own path and none of this machine."""
    try:
        yield
    except FileNotFoundError:
        raise ToolError(nearest(path)) from None
    except UnicodeEncodeError:
        raise ToolError(texts.PATH_WITH_HALF_A_CHARACTER) from None
    except OSError as error:
        raise ToolError(path_error_text(error, printable_name(path))) from None


def path_error_text(error: OSError, path: str) -> str:
    """Say in words what an error means for this path."""
    if (name := errno.errorcode.get(error.errno or 0, "")) in texts.PATH_ERRORS:
        return texts.PATH_ERRORS[name](path=path, megabytes=LARGEST_FILE // 2**20)
    if error.strerror:
        return texts.PATH_FAILED(path=path, reason=error.strerror)
    return texts.PATH_FAILED_FOR_NO_REASON(path=path)


def make_nearest_finder(workspace: Workspace) -> Callable[[str], str]:
    """Return a function that says which part of a path is missing, and which existing name is most like it."""

    def nearest(path: str) -> str:
        above, _, name = workspace.relative_path(path).rstrip("/").rpartition("/")
        try:
            with workspace.list_entries(above or ".") as entries:
                names = [entry.name for entry in islice(entries, MOST_NAMES_COMPARED)]
        except OSError:
            return nearest(above) if above else texts.NO_PATHS
        if name in names:
            return texts.BROKEN_LINK(path=printable_name(path))
        like = [other for other in names if other.casefold() == name.casefold()] or get_close_matches(name, names, 1)
        if not like:
            return texts.NO_SUCH_PATH(path=printable_name(path))
        return texts.NO_SUCH_PATH_BUT(
            path=printable_name(path), nearest=printable_name(f"{above}/{like[0]}" if above else like[0])
        )

    return nearest


def printable_name(name: str, most: int = 300) -> str:
    """Return the name on one line, with unprintable characters escaped."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in name[:most])
