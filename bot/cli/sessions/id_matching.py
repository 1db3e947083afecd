"""Which of many ids somebody means: in full, or by a part that no other has."""

from collections.abc import Callable, Sequence
from difflib import get_close_matches

import click

from bot.cli.sessions import texts
from bot.core.printable import escape_unprintable

MAX_SHOWN = 5  # of those that a part may mean

Matcher = Callable[[str, str], bool]

MATCHERS: Sequence[Matcher] = (  # the first that fits any id decides
    lambda id, part: id == part,
    lambda id, part: id.endswith(tuple(sign + part for sign in ":#/")),  # a whole piece: 3 is terminal:local#3
    lambda id, part: id.startswith(part),
    lambda id, part: part in id,
)


def resolve_id(part: str, ids: Sequence[str], what: str) -> str:
    """The one id that a part is of; raises click's error, exit status 1, that names the nearest or those there are.

    `what` says what the ids are of: “conversation” or “turn”.
    """
    if not part.strip():
        raise click.UsageError(texts.NAME_ONE[what])
    found = next((some for fits in MATCHERS if (some := [id for id in ids if fits(id, part)])), [])
    if len(found) == 1:
        return found[0]
    if found:
        shown = ", ".join([*found[:MAX_SHOWN], *(["…"] if len(found) > MAX_SHOWN else [])])
        raise click.ClickException(escape_unprintable(texts.MAY_BE_ANY_OF(part=part, ids=shown)))
    near = hint_at_nearest_id(part, ids)
    said = texts.NO_SUCH_BUT[what](part=part, nearest=near) if near else texts.NO_SUCH[what](part=part)
    raise click.ClickException(escape_unprintable(said))


def hint_at_nearest_id(part: str, ids: Sequence[str]) -> str:
    """The id that has a piece like that part; "" if none has."""
    if not ids:
        return ""
    pieces = {id: [id, *(id.rpartition(sign)[2] for sign in ":#/" if sign in id)] for id in ids}
    known = {piece: id for id in reversed(ids) for piece in pieces[id]}  # of two, the newer
    near = get_close_matches(part, known, 1, cutoff=0.0)
    return known[near[0]] if near else ""
