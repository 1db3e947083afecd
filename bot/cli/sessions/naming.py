"""Which of many ids somebody means: in full, or by a part that no other has."""

from collections.abc import Callable, Sequence
from difflib import get_close_matches

import click

from bot.cli import one_line
from bot.cli.sessions import texts

SHOWN = 5  # of those that a part may mean

Fits = Callable[[str, str], bool]

FITS: Sequence[Fits] = (  # the first that fits any id decides
    lambda id, part: id == part,
    lambda id, part: id.endswith(tuple(sign + part for sign in ":#/")),  # a whole piece: 3 is terminal:local#3
    lambda id, part: id.startswith(part),
    lambda id, part: part in id,
)


def meant(part: str, ids: Sequence[str], what: str) -> str:
    """The one id that a part is of; raises click's error, exit status 1, that names the nearest or those there are.

    `what` says what the ids are of: “conversation” or “turn”.
    """
    if not part.strip():
        raise click.UsageError(texts.NAME_ONE[what])
    found = next((some for fits in FITS if (some := [id for id in ids if fits(id, part)])), [])
    if len(found) == 1:
        return found[0]
    if found:
        shown = ", ".join([*found[:SHOWN], *(["…"] if len(found) > SHOWN else [])])
        raise click.ClickException(one_line(texts.MAY_BE_ANY_OF(part=part, ids=shown)))
    near = nearest(part, ids)
    said = texts.NO_SUCH_BUT[what](part=part, nearest=near) if near else texts.NO_SUCH[what](part=part)
    raise click.ClickException(one_line(said))


def nearest(part: str, ids: Sequence[str]) -> str:
    """The id that has a piece like that part; "" if none has."""
    if not ids:
        return ""
    pieces = {id: [id, *(id.rpartition(sign)[2] for sign in ":#/" if sign in id)] for id in ids}
    known = {piece: id for id in reversed(ids) for piece in pieces[id]}  # of two, the newer
    near = get_close_matches(part, known, 1, cutoff=0.0)
    return known[near[0]] if near else ""
