"""Links in what a turn says. Once its conversation holds private things and words of others, a link that nobody has
shown to the bot may carry the private ones to the one who asked for it, so it is left out.

A link is seen if somebody else has brought it in before the model wrote it. What the model has written itself, into a
file or into a brief, and reads again later, does not count, even if it has written it in pieces. What is kept to be
said or read later, such as a reminder or a memory, is looked through when it is kept.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from bot.core.acts import ActKind
from bot.core.citations import is_server_tool_result
from bot.core.content_blocks import Block
from bot.core.exits import KEPT_BACK_TEXT
from bot.core.limits import DecisionTerms
from bot.core.messages import Draft
from bot.core.sources import Source, Sources, private_sources
from bot.core.turn import CallId, Turn, TurnId
from bot.core.unseen_links import holds_link, iterate_links, leave_out_links, normalize_link
from bot.journal import call_evidence, provenance
from bot.store import held_calls, shown_links, transcript, turns
from bot.store.connection import Connection

# What the model may have written itself stands there, too.
LOCAL_SOURCES: Sources = frozenset({Source.FILES, Source.MEMORIES, Source.CONVERSATIONS, Source.SCHEDULES})
WRITING_ACTS = frozenset({ActKind.MAKE, ActKind.CHANGE, ActKind.RUN})
READ_FILE_TOOL_NAME = "read_file"
OVERSIGHT_TOOL_NAMES = frozenset({"get_delegation", "list_delegations"})  # they show what roles have written
LAST_WORD_PATTERN = re.compile(r"\S+\Z")


def withhold_unseen_links(db: Connection, turn: Turn, text: str, terms: DecisionTerms) -> str:
    """Return what a turn may say, or keep to be said or read later."""
    if not holds_link(text) or not are_links_withheld(db, turn, terms):
        return text
    seen = list_seen_links(db, turn)
    return leave_out_links(text, lambda link: link not in seen)


def withhold_unseen_links_of_draft(db: Connection, draft: Draft, terms: DecisionTerms) -> Draft:
    """Return a draft as people may see it. A link at its end may go on, so it is left out until it is whole."""
    turn = turns.get_turn(db, TurnId(draft.turn))
    if not are_links_withheld(db, turn, terms):
        return draft
    last = LAST_WORD_PATTERN.search(draft.text)
    text = draft.text[: last.start()] if last and holds_link(last[0]) else draft.text
    return replace(draft, text=withhold_unseen_links(db, turn, text, terms) or KEPT_BACK_TEXT)


def are_links_withheld(db: Connection, turn: Turn, terms: DecisionTerms) -> bool:
    """Return True if private things, or the memories that it began with, and words of others have met in a turn's
    conversation."""
    if not terms.settings.approvals.enabled:
        return False
    flags = provenance.load_flags(db, turn)
    return flags.untrusted and (flags.private or flags.knows_memories)


def note_links_of_own(db: Connection, turn: Turn, call: CallId, result: str, sources: Sources) -> None:
    """Note that the result of a call shows no link if a model may have made it itself: in an earlier conversation, in a
    role, or in what it has written in this one. `sources` are those of the call's tool."""
    if not holds_link(result):
        return
    name, arguments = transcript.load_name_and_arguments_of_call(db, call)
    untrusted = sources - private_sources(sources)
    shows_models_words = Source.CONVERSATIONS in untrusted or name in OVERSIGHT_TOOL_NAMES
    is_local = not untrusted - LOCAL_SOURCES
    if shows_models_words or (is_local and may_hold_written_words(db, turn, name, arguments)):
        shown_links.mark_call_as_showing_no_link(db, call)


def may_hold_written_words(db: Connection, turn: Turn, name: str, arguments: Mapping[str, Any]) -> bool:
    """Return True if a call may have read what calls of its conversation have written. A file with another name is none
    of theirs, unless a command has run: nobody knows what that has written."""
    session = call_evidence.find_topmost_turn(db, turn).session
    writing = [each for each in held_calls.list_acting_calls(db, session) if each.acts & WRITING_ACTS]
    if name != READ_FILE_TOOL_NAME or any(ActKind.RUN in each.acts for each in writing):
        return bool(writing)
    written = {file_name(text) for each in writing for text in texts_in(each.arguments)}
    return file_name(str(arguments.get("path", ""))) in written


def file_name(path: str) -> str:
    return posixpath.basename(path.strip().rstrip("/")).casefold()


def list_seen_links(db: Connection, turn: Turn) -> set[str]:
    """Return the links that others have brought into a turn's conversation and into those above it."""
    seen: set[str] = set()
    made: set[str] = set()  # by the model, before anybody else has named them
    for each in reversed(call_evidence.list_turn_and_turns_above(db, turn)):
        own = shown_links.list_tool_uses_showing_no_link(db, each.session)
        for entry in transcript.list_entries_of_session(db, each.session):
            for block in entry.content:
                if block.get("tool_use_id") in own:
                    continue
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
