"""What a conversation has read besides its person's own words. A conversation only gains sources.

Two families matter to rules. Anybody may have written words of the first: they may ask for anything (`untrusted`). The
second stands for things that are not for everybody's eyes (`private`). A file of the workspace is of both. What the
turn's own person has written in the conversation is of neither, and so are the few memories with which a chapter
begins: they only bound which addresses are asked (`Flags.knows_memories`)."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from bot.core.clients import is_of_client
from bot.core.messages import InboundMessage, InboundOrigin, PersonId
from bot.core.request_reading.own_words import has_pasted_words

PERSON_SOURCE_PREFIX = "person:"  # with a person's id behind it: that person as a source
PRIVATE_SOURCE_PREFIX = "private:"  # of each source that stands for private things


class Source(StrEnum):
    QUOTES = "quoted words"
    FILES = "files"
    WEB = "the web"
    MEMORIES = "memories that nobody has confirmed"
    ROLES = "what roles have read"
    CONVERSATIONS = "earlier conversations"
    SCHEDULES = "schedules"
    SERVERS = "tools of other programs"
    SKILLS = "skills that somebody else has written"
    PRIVATE_FILES = "private:files"
    PRIVATE_MEMORIES = "private:memories"
    PRIVATE_CONVERSATIONS = "private:earlier conversations"
    PRIVATE_SCHEDULES = "private:schedules"
    PRIVATE_THINGS = "private:other things"

    @property
    def is_private(self) -> bool:
        return self.startswith(PRIVATE_SOURCE_PREFIX)


Sources = frozenset[str]
NO_SOURCES: Sources = frozenset()
OTHER_PEOPLES_WORDS_TEXT = "other people's words"
KNOWN_SOURCES: Sources = frozenset({"known:memories"})  # those that a chapter begins with, unasked
UNTRUSTED_SOURCES: Sources = frozenset(str(each) for each in Source if not each.is_private)


class Flags(NamedTuple):
    """What rules ask of a conversation. A flag that is set stays set as long as the conversation lasts."""

    untrusted: bool  # it holds words that its person has not written
    private: bool  # it holds private things
    knows_memories: bool = False  # it began with memories


def flags_of(sources: Sources, person: PersonId) -> Flags:
    """Return the flags of a conversation with these sources, for a turn of this person. A source that this version does
    not know counts as untrusted."""
    private = {each for each in sources if each.startswith(PRIVATE_SOURCE_PREFIX)}
    known = sources & KNOWN_SOURCES
    untrusted = sources - private - known - {f"{PERSON_SOURCE_PREFIX}{person}"}
    return Flags(untrusted=bool(untrusted), private=bool(private), knows_memories=bool(known))


def private_sources(sources: Iterable[str]) -> Sources:
    return frozenset(each for each in sources if each.startswith(PRIVATE_SOURCE_PREFIX))


def without_private_sources(sources: Sources) -> Sources:
    """Return what passes from a group to another: a group's private things stay behind its walls."""
    return sources - private_sources(sources) - KNOWN_SOURCES


def sources_of_messages(messages: Iterable[InboundMessage]) -> Sources:
    found = set()
    for message in messages:
        is_quoting = message.quotes or message.attachments or has_foreign_words(message)
        found |= {str(Source.QUOTES)} if is_quoting else set()
        found |= {str(Source.FILES)} if message.arrived_files else set()
        found |= {f"{PERSON_SOURCE_PREFIX}{message.sender.id}"} if message.group_chat else set()
    return frozenset(found)


def has_foreign_words(message: InboundMessage) -> bool:
    """Return True if the text of a person's message holds more than its sender has written: names in mentions, or
    pasted blocks."""
    is_of_person = message.sender.origin is InboundOrigin.PERSON
    is_pasted = has_pasted_words(message.text, is_task=is_of_client(message.address))
    return is_of_person and (message.written is not None or is_pasted)


def describe_sources_besides_person(sources: Sources, person: PersonId) -> list[str]:
    """Return the untrusted sources that are not this person, in words for people."""
    kinds = UNTRUSTED_SOURCES & sources
    others = sources - {f"{PERSON_SOURCE_PREFIX}{person}"}
    has_others = any(each.startswith(PERSON_SOURCE_PREFIX) for each in others)
    return sorted({*kinds, OTHER_PEOPLES_WORDS_TEXT} if has_others else kinds)
