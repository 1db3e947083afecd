"""Find the id that somebody means by the full id or by a part that no other id has."""

from collections.abc import Callable, Sequence
from difflib import get_close_matches

import click

from bot.cli.sessions import texts
from bot.core.printable import escape_unprintable

MAX_SHOWN = 5  # of the ids that match a part

Matcher = Callable[[str, str], bool]

MATCHERS: Sequence[Matcher] = (  # the first matcher that fits any id decides
    lambda id, part: id == part,
    lambda id, part: id.endswith(tuple(sign + part for sign in ":#/")),  # a whole piece: 3 means terminal:local#3
    lambda id, part: id.startswith(part),
    lambda id, part: part in id,
)


def resolve_id(part: str, ids: Sequence[str], what: str) -> str:
    """Return the one id that matches a part.

    Raise click's error (exit status 1) if several ids match, and name them, or if none matches, and name the nearest.
    Raise click's UsageError if the part is blank. `what` says what the ids stand for: “conversation” or “turn”.
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
    """Return the id with the piece most similar to the part, or "" if there are no ids."""
    if not ids:
        return ""
    pieces = {id: [id, *(id.rpartition(sign)[2] for sign in ":#/" if sign in id)] for id in ids}
    known = {piece: id for id in reversed(ids) for piece in pieces[id]}  # of two with the same piece, the newer wins
    near = get_close_matches(part, known, 1, cutoff=0.0)
    return known[near[0]] if near else ""
