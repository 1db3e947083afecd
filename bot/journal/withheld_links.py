"""Links in what a turn says. Once its conversation holds private things and words of others, a link that nobody has
shown to the bot may carry the private ones to whoever has asked for it, so it is left out.

A link is seen if somebody else has brought it in before the model wrote it. What the model has written itself, into a
file or into a brief, and reads again later, does not count.
"""

from collections.abc import Iterable, Iterator

from bot.core.citations import is_server_tool_result
from bot.core.content_blocks import Block
from bot.core.limits import DecisionTerms
from bot.core.turn import Turn
from bot.core.unseen_links import iterate_links, leave_out_links, normalize_link
from bot.journal import call_evidence, provenance
from bot.store import transcript
from bot.store.connection import Connection


def withhold_unseen_links(db: Connection, turn: Turn, text: str, terms: DecisionTerms) -> str:
    """Return what a turn may say."""
    if not terms.settings.approvals.enabled or next(iterate_links(text), None) is None:
        return text
    flags = provenance.load_flags(db, turn)
    if not (flags.untrusted and flags.private):
        return text
    seen = list_seen_links(db, turn)
    return leave_out_links(text, lambda link: link not in seen)


def list_seen_links(db: Connection, turn: Turn) -> set[str]:
    """Return the links that others have brought into a turn's conversation and into those above it."""
    seen: set[str] = set()
    made: set[str] = set()  # by the model, before anybody else has named them
    for each in reversed(call_evidence.list_turns_above(db, turn)):
        for entry in transcript.list_entries_of_session(db, each.session):
            for block in entry.content:
                found = set(map(normalize_link, links_in(block)))
                if entry.role == "user" or is_server_tool_result(block):
                    seen |= found - made
                else:
                    made |= found - seen
    return seen


def links_in(block: Block) -> Iterator[str]:
    for text in texts_in(block):
        yield from iterate_links(text)


def texts_in(value: object) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each)
