"""What a conversation has read besides its person's own words: words of anybody, that may ask for anything.

A source is a kind of text, or a person who has written in a group chat. They only grow, until a new conversation.
"""

from collections.abc import Iterable
from enum import StrEnum

from bot.core.messages import InboundMessage, PersonId

PERSON_PREFIX = "person:"  # how the source begins that is a person


class Source(StrEnum):
    QUOTES = "quoted words"
    FILES = "files"
    WEB = "the web"
    MEMORIES = "memories that nobody has confirmed"
    ROLES = "what roles have read"


Sources = frozenset[str]
OTHER_PEOPLE = "other people's words"


def sources_of_messages(messages: Iterable[InboundMessage]) -> Sources:
    found = set()
    for message in messages:
        found |= {str(Source.QUOTES)} if message.quotes else set()
        found |= {f"{PERSON_PREFIX}{message.sender.id}"} if message.group_chat else set()
    return frozenset(found)


def sources_of_others(sources: Sources, person: PersonId) -> list[str]:
    """What of it is not this person's own, as people read it."""
    kinds = {str(each) for each in Source} & sources
    others = (
        {OTHER_PEOPLE}
        if any(each.startswith(PERSON_PREFIX) for each in sources - {f"{PERSON_PREFIX}{person}"})
        else set()
    )
    return sorted(kinds | others)
