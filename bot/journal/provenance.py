"""Provenance: what a conversation has read. It is noted in the transaction that brings the words in."""

from collections.abc import Collection
from datetime import timedelta

from bot.core.limits import DecisionTerms
from bot.core.messages import PersonId
from bot.core.sources import (
    KNOWN_SOURCES,
    NO_SOURCES,
    PERSON_SOURCE_PREFIX,
    Flags,
    Source,
    Sources,
    describe_sources_besides_person,
    flags_of,
    without_private_sources,
)
from bot.core.turn import Turn
from bot.journal import memory_scopes
from bot.journal.people import list_account_keys
from bot.store import memories, schedules, sessions
from bot.store.connection import Connection
from bot.store.people import split_account_key

SHOWN_AFTER_LAST_TIME = timedelta(days=1)  # how long a list of schedules names one that is over


def add_turn_sources_to_session(db: Connection, turn: Turn, sources: Sources) -> None:
    sessions.add_session_sources(db, turn.session, sources)


def add_sources_of_calls(db: Connection, turn: Turn, sources: Sources, terms: DecisionTerms) -> None:
    """Note what a reply has read on the server, and what its calls read: with the reply, and again with the result of
    each call, since a call may run later. Memories count as untrusted only if some that the turn may see are
    unconfirmed, or are in the words of another person. Earlier conversations and schedules stand for what was read
    before them."""
    if Source.MEMORIES in sources:
        scopes = memory_scopes.list_scopes_of_turn(db, turn, terms)
        if not memories.list_unconfirmed_memories(db, scopes):
            sources = sources - {Source.MEMORIES}
        sources |= sources_of_savers(db, turn, memories.list_savers(db, scopes), terms)
    if Source.CONVERSATIONS in sources and not turn.group:
        earlier = sessions.load_sources_of_conversations(db, turn.address.whole_chat)
        sources = sources - {Source.CONVERSATIONS} | earlier
    if Source.SCHEDULES in sources:
        over = schedules.list_schedules_over_since(db, terms.now - SHOWN_AFTER_LAST_TIME)
        chat = turn.address.whole_chat
        listed = [each for each in (*schedules.list_all_schedules(db), *over) if each.address.whole_chat == chat]
        sources = sources - {Source.SCHEDULES} | NO_SOURCES.union(*(each.sources for each in listed))
    add_turn_sources_to_session(db, turn, sources)


def sources_of_savers(db: Connection, turn: Turn, savers: Collection[PersonId], terms: DecisionTerms) -> Sources:
    """Return the sources that memories are for a turn, by the people who had them saved in their own words:
    nobody was asked about these."""
    others = {each for each in savers if each != turn.person}
    if others:
        own = list_account_keys(db, turn.address.channel, turn.person, terms)
        others -= {split_account_key(key)[1] for key in own}
    return frozenset(f"{PERSON_SOURCE_PREFIX}{each}" for each in others)


def carry_sources(db: Connection, writer: Turn, reader: Turn) -> None:
    """Note the writer's sources for the reader: a brief or a report is made of what its writer has read. Between two
    groups only the untrusted ones pass: a group's private things stay behind its walls. Of the memories that it began
    with, a writer that nobody can have fooled tells only what belongs there."""
    carried = sessions.load_session_sources(db, writer.session)
    if not flags_of(carried, writer.person).untrusted:
        carried -= KNOWN_SOURCES
    if writer.group != reader.group:
        carried = without_private_sources(carried)
    sessions.add_session_sources(db, reader.session, carried)


def load_flags(db: Connection, turn: Turn) -> Flags:
    """Return the flags of the turn's conversation."""
    return flags_of(sessions.load_session_sources(db, turn.session), turn.person)


def list_sources_of_others(db: Connection, turn: Turn) -> list[str]:
    """Return the untrusted sources in the turn's conversation, other than its own person, in words for people."""
    return describe_sources_besides_person(sessions.load_session_sources(db, turn.session), turn.person)
