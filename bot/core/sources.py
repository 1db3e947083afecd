"""What a conversation has read besides its person's own words. Such words are from anybody and may ask for anything. A
source is a kind of text, or a person who wrote in a group chat. A conversation only gains sources."""

from collections.abc import Iterable
from enum import StrEnum

from bot.core.messages import InboundMessage, PersonId

PERSON_SOURCE_PREFIX = "person:"  # with a person's id behind it: that person as a source


class Source(StrEnum):
    QUOTES = "quoted words"
    FILES = "files"
    WEB = "the web"
    MEMORIES = "memories that nobody has confirmed"
    ROLES = "what roles have read"
    CONVERSATIONS = "earlier conversations"


Sources = frozenset[str]
OTHER_PEOPLES_WORDS_TEXT = "other people's words"


def sources_of_messages(messages: Iterable[InboundMessage]) -> Sources:
    found = set()
    for message in messages:
        found |= {str(Source.QUOTES)} if message.quotes else set()
        found |= {str(Source.FILES)} if message.arrived_files else set()
        found |= {f"{PERSON_SOURCE_PREFIX}{message.sender.id}"} if message.group_chat else set()
    return frozenset(found)


def describe_sources_besides_person(sources: Sources, person: PersonId) -> list[str]:
    """Return the sources that are not this person, in words for people."""
    kinds = {str(each) for each in Source} & sources
    others = sources - {f"{PERSON_SOURCE_PREFIX}{person}"}
    has_others = any(each.startswith(PERSON_SOURCE_PREFIX) for each in others)
    return sorted({*kinds, OTHER_PEOPLES_WORDS_TEXT} if has_others else kinds)
