"""`/memory`: see, search and export what is remembered, and keep or forget single memories."""

from collections.abc import Sequence

from bot.core import memory_phrases, phrases
from bot.core.limits import DecisionTerms
from bot.core.messages import GroupName, InboundMessage
from bot.core.rights import Right
from bot.core.texts import people
from bot.core.texts import people_accounts as texts
from bot.journal.admission import rights_of_sender
from bot.journal.clock import zone_of_person
from bot.journal.memory_confirmation import (
    FORGET,
    KEEP,
    close_settled_questions,
    line_of_memory,
    may_change_memories,
)
from bot.journal.memory_scopes import list_scopes_of_message
from bot.journal.people import is_same_person
from bot.store import memories
from bot.store.connection import Connection
from bot.store.memories import Memory
from bot.store.text_search.scopes import MemoryScope
from bot.store.text_search.words import split_into_words

SEARCH_WORD, EXPORT_WORD = "search", "export"
MAX_SHOWN_MEMORIES, MAX_EXPORTED_MEMORIES, MAX_SOUGHT_WORDS = 20, 1_000, 24
MAX_DIGITS = 18  # of a memory's number: SQLite takes no longer ones


def answer_memory_command(db: Connection, message: InboundMessage, group: GroupName, terms: DecisionTerms) -> str:
    """Do what `/memory` says: show what waits and what is remembered, search or export it, or keep or forget one
    memory. `group` is the group that has the chat. Return what to answer."""
    words = message.text.split()[1:]
    scopes = list_scopes_of_message(db, message, group, terms)
    may_read = Right.MEMORY in rights_of_sender(db, message.address, message.sender, message.group_chat, terms)
    is_forgetting = bool(words) and words[0].casefold() == FORGET
    if not (may_read or is_forgetting):
        return texts.MEMORY_NOT_ALLOWED()
    if not words:
        waiting = unconfirmed_memories_text(db, scopes, message, terms)
        return "\n".join(filter(None, [waiting, newest_memories_text(db, scopes)]))
    if words[0].casefold() == SEARCH_WORD and words[1:]:
        return found_memories_text(db, scopes, " ".join(words[1:]), terms)
    if words[0].casefold() == EXPORT_WORD:
        return exported_memories_text(db, scopes, message, terms)
    choice = next((each for each in (KEEP, FORGET) if each == words[0].casefold()), "")
    if not choice or len(words) != 2 or not words[1].isdecimal() or len(words[1]) > MAX_DIGITS:
        return people.MEMORY_USAGE()
    return keep_or_forget_memory(db, scopes, int(words[1]), choice, message, terms, may_read=may_read)


def keep_or_forget_memory(
    db: Connection,
    scopes: Sequence[MemoryScope],
    id: int,
    choice: str,
    message: InboundMessage,
    terms: DecisionTerms,
    *,
    may_read: bool,
) -> str:
    """Keep or forget a memory as its sender wishes. What was saved for them they may always forget."""
    memory = memories.find_memory(db, scopes, id, even_if_hidden=True)
    channel, sender = message.address.channel, message.sender.id
    is_own = choice == FORGET and memory is not None and is_same_person(db, channel, memory.person, sender, terms)
    may_change = may_read and may_change_memories(db, memory.scope if memory else scopes[0], message, terms)
    if not (is_own or may_change):
        return people.OWNER_CONFIRMS() if may_read else texts.MEMORY_NOT_ALLOWED()
    is_done = False
    if memory:
        forget_or_keep = memories.forget_memory if choice == FORGET else memories.confirm_memory
        is_done = forget_or_keep(db, memory.scope, id)
        close_settled_questions(db, message.address, choice, terms)
    return memory_phrases.memories_kept_or_forgotten_text([id] if is_done else [], is_kept=choice == KEEP)


def unconfirmed_memories_text(
    db: Connection, scopes: Sequence[MemoryScope], message: InboundMessage, terms: DecisionTerms
) -> str:
    """Return the memories that somebody has to confirm; empty if there are none. Those of everybody only their owner
    reads."""
    waiting = [
        memory
        for memory in memories.list_unconfirmed_memories(db, scopes)
        if not memories.is_hidden(memory) or may_change_memories(db, memory.scope, message, terms)
    ]
    if not waiting:
        return ""
    return "\n".join([people.UNCONFIRMED_MEMORIES(), *map(line_of_memory, waiting), people.MEMORY_USAGE()])


def newest_memories_text(db: Connection, scopes: Sequence[MemoryScope]) -> str:
    found = memories.list_newest_memories(db, scopes, MAX_SHOWN_MEMORIES, only_confirmed=True)
    if not found.memories:
        return texts.NOTHING_REMEMBERED()
    more = [] if found.is_complete else [texts.MORE_MEMORIES()]
    return "\n".join([texts.REMEMBERED(), *map(line_of_memory, found.memories), *more, texts.MEMORY_COMMANDS()])


def found_memories_text(db: Connection, scopes: Sequence[MemoryScope], sought: str, terms: DecisionTerms) -> str:
    words = list(dict.fromkeys(split_into_words(sought)))[:MAX_SOUGHT_WORDS]
    found = memories.search_memories(db, scopes, words, terms.settings.search_languages, terms.now)
    if not found.memories:
        return texts.NO_MEMORY_FOUND(words=phrases.first_words(sought))
    return "\n".join([texts.MEMORIES_FOUND(), *map(line_of_memory, found.memories)])


def exported_memories_text(
    db: Connection, scopes: Sequence[MemoryScope], message: InboundMessage, terms: DecisionTerms
) -> str:
    """Return all memories whole, oldest first."""
    zone = zone_of_person(db, message.address.channel, message.sender.id, terms)

    def exported(memory: Memory) -> str:
        text = texts.EXPORTED_MEMORY_OF[memory.scope.kind]
        return text(date=memory.saved_at.astimezone(zone), number=memory.id, text=memory.text)

    found = memories.list_newest_memories(db, scopes, MAX_EXPORTED_MEMORIES)
    return "\n\n".join(map(exported, reversed(found.memories))) or texts.NOTHING_REMEMBERED()
