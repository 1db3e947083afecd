"""Say to people what a conversation has read."""

from bot.core import phrases
from bot.core.messages import PersonId
from bot.core.sources import (
    PERSON_SOURCE_PREFIX,
    Source,
    Sources,
    describe_sources_besides_person,
    private_sources,
)
from bot.core.texts import people


def describe_source(source: str) -> str:
    """Return a kind of source in words for people. In the rows it stands in English."""
    return people.SOURCES[source]() if source in people.SOURCES else source


def what_was_read_text(sources: Sources, person: PersonId, *, is_group_chat: bool = False) -> str:
    """Return what a conversation with these sources has read, for this person; empty if only what they wrote. In a
    group chat nobody needs to be told that what stands there was read."""
    if is_group_chat:
        sources = frozenset(each for each in sources if not each.startswith(PERSON_SOURCE_PREFIX)) - {Source.QUOTES}
    private = sorted(private_sources(sources) & people.SOURCES.keys())
    others = describe_sources_besides_person(sources, person)
    if Source.PRIVATE_FILES in private:  # they are files of others, too
        others = [each for each in others if each != Source.FILES]
    things = list(dict.fromkeys(map(describe_source, [*private, *others])))
    return people.READ_IN_CONVERSATION(things=phrases.join_with_and(things)) if things else ""
