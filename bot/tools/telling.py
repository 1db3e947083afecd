"""What the model is told where a path is not right: what is wrong, what there is, and nothing of this machine's own."""

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import islice

from bot.errors import ToolError
from bot.tools.workspace import Workspace

LARGEST = 16 * 2**20  # bytes of a file that is read
MOST_COMPARED = 5_000  # names, when the nearest is looked for

WRONG = {  # what an errno means here, and what to do about it
    errno.EACCES: "the bot has no permission for that",
    errno.EDQUOT: "the disk is full; nothing was changed",
    errno.EFBIG: f"too large; files of up to {LARGEST // 2**20} MB are read, and nothing was changed",
    errno.EISDIR: "that names a folder, not a file; list_dir shows what is in it",
    errno.ELOOP: "its links lead round in a circle, or are changing just now",
    errno.ENAMETOOLONG: "this path cannot be: too long, too deep, or with a null character in it",
    errno.ENOSPC: "the disk is full; nothing was changed",
    errno.ENOTDIR: "a part of this path, or all of it, is a file and no folder",
    errno.ENXIO: "that is a pipe, a socket or a device, and no file",
    errno.EPERM: "the bot has no permission for that",
    errno.EROFS: "that can only be read",
    errno.ESTALE: "somebody else has just changed it; nothing was written: read it again first",
    errno.EXDEV: "that is outside the workspace; name a path beneath it, as notes/plan.md",
}


@contextmanager
def told(path: str, nearest: Callable[[str], str]) -> Iterator[None]:
    """Say what went wrong so that the model can mend it: with the path that it gave, and none of this machine's own."""
    try:
        yield
    except FileNotFoundError:
        raise ToolError(nearest(path)) from None
    except UnicodeEncodeError:
        raise ToolError("this path holds half a character") from None
    except OSError as error:
        wrong = WRONG.get(error.errno or 0, error.strerror or "cannot be done")
        raise ToolError(f"{shown(path)}: {wrong}") from None


def nearest_in(workspace: Workspace) -> Callable[[str], str]:
    """Says what is missing of a path that is not there, and which name there is most like it."""

    def nearest(path: str) -> str:
        above, _, name = workspace.relative(path).rstrip("/").rpartition("/")
        try:
            with workspace.entries(above or ".") as entries:
                names = [entry.name for entry in islice(entries, MOST_COMPARED)]
        except OSError:
            return nearest(above) if above else "there is nothing to be found"
        if name in names:
            return f"{shown(path)} is a link to something that is not there"
        like = [other for other in names if other.casefold() == name.casefold()] or get_close_matches(name, names, 1)
        here = f"the nearest is {shown(f'{above}/{like[0]}' if above else like[0])}" if like else ""
        return f"there is no {shown(path)}; {here or 'list_dir shows what there is'}"

    return nearest


def shown(name: str, most: int = 300) -> str:
    """A name on one line, whatever it is made of."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in name[:most])
