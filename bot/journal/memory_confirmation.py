"""Ask whether to keep memories that were saved after reading other people's words: by buttons or `/memory`."""

from bot.core import phrases
from bot.core.limits import DecisionTerms
from bot.core.messages import Address, InboundMessage, OutboundId, OutboundKind, OutboundMessage, match_option
from bot.core.rights import EVERY_RIGHT, Right
from bot.core.texts import people
from bot.core.texts import people_accounts as texts
from bot.journal import questions
from bot.journal.admission import rights_of_sender
from bot.store import memories
from bot.store.connection import Connection
from bot.store.memories import Memory
from bot.store.questions import ButtonQuestion, list_open_questions
from bot.store.text_search.scopes import MemoryScope
from bot.store.text_search.words import split_into_words

MEMORY_BUTTON_ACTION = "memory"  # marks the questions that keep or forget memories
KEEP, FORGET = "keep", "forget"  # the choices, as people type them
MAX_MEMORIES_PER_QUESTION = 5  # memories in one question
SEARCH_WORD, EXPORT_WORD = "search", "export"
MAX_SHOWN_MEMORIES, MAX_EXPORTED_MEMORIES, MAX_SOUGHT_WORDS = 20, 1_000, 24


def ask_to_confirm_memories(db: Connection, address: Address, scope: MemoryScope, terms: DecisionTerms) -> None:
    """Ask whether to keep the memories that wait. A chat has at most one such question open."""
    found = memories.list_unconfirmed_memories(db, scope)[:MAX_MEMORIES_PER_QUESTION]
    asked = list_open_questions(db, ButtonQuestion, address=address)
    if not found or any(each.arguments["does"] == MEMORY_BUTTON_ACTION for each in asked):
        return
    lines = [phrases.memory_line(each.id, each.text, each.asker, each.sources) for each in found]
    question = OutboundMessage(
        id=OutboundId(f"b:m{found[0].id}"),
        address=address,
        kind=OutboundKind.QUESTION,
        text="\n".join([people.KEEP_MEMORIES(), *lines, people.MEMORY_USAGE()]),
        options=(people.KEEP_OPTION(), people.FORGET_OPTION()),
        is_quiet=True,
    )
    about = {"does": MEMORY_BUTTON_ACTION, "chat": scope.chat, "group": scope.group, "ids": [each.id for each in found]}
    questions.ask_harness_question(db, question, about, terms.now)


def apply_tapped_memory_choice(
    db: Connection, button: ButtonQuestion, message: InboundMessage, terms: DecisionTerms
) -> str:
    """Keep or forget the memories of a question, as tapped. Return what to answer."""
    option = match_option(button.options, message.text)
    if not may_confirm_memories(db, message, terms):
        return people.OWNER_CONFIRMS()
    if not button.is_open or not option:
        return people.MEMORY_USAGE()
    choice = KEEP if option == button.options[0] else FORGET
    questions.close_question_and_remove_buttons(db, button.id, "answered", choice)
    scope = MemoryScope(chat=button.arguments["chat"], group=button.arguments["group"])
    done = [id for id in button.arguments["ids"] if apply_memory_choice(db, scope, id, choice)]
    ask_to_confirm_memories(db, button.address, scope, terms)
    return phrases.memories_kept_or_forgotten_text(done, is_kept=choice == KEEP)


def answer_memory_command(db: Connection, message: InboundMessage, scope: MemoryScope, terms: DecisionTerms) -> str:
    """Do what `/memory` says: show what waits and what is remembered, search or export it, or keep or forget one
    memory. Return what to answer."""
    words = message.text.split()[1:]
    may_read = Right.MEMORY in rights_of_sender(db, message.address, message.sender, message.group_chat, terms)
    is_forgetting = bool(words) and words[0].casefold() == FORGET
    if not (may_read or is_forgetting):
        return texts.MEMORY_NOT_ALLOWED()
    if not words:
        return "\n".join(filter(None, [unconfirmed_memories_text(db, scope), newest_memories_text(db, scope)]))
    if words[0].casefold() == SEARCH_WORD and words[1:]:
        return found_memories_text(db, scope, " ".join(words[1:]), terms)
    if words[0].casefold() == EXPORT_WORD:
        return exported_memories_text(db, scope)
    choice = words[0].casefold()
    if choice not in (KEEP, FORGET) or len(words) != 2 or not words[1].isdecimal():
        return people.MEMORY_USAGE()
    id = int(words[1])
    own = memories.find_memory(db, scope, id) if choice == FORGET else None
    is_own = own is not None and own.person == message.sender.id
    if not (is_own or (may_read and may_confirm_memories(db, message, terms))):
        return people.OWNER_CONFIRMS()
    if choice == FORGET:
        done = [id] if memories.forget_memory(db, scope, id) else []
    else:
        done = [id] if apply_memory_choice(db, scope, id, choice) else []
    still_waiting = {each.id for each in memories.list_unconfirmed_memories(db, scope)}
    for button in list_open_questions(db, ButtonQuestion, address=message.address):
        if button.arguments["does"] == MEMORY_BUTTON_ACTION and not still_waiting & set(button.arguments["ids"]):
            questions.close_question_and_remove_buttons(db, button.id, "answered", choice)
            ask_to_confirm_memories(db, message.address, scope, terms)
    return phrases.memories_kept_or_forgotten_text(done, is_kept=choice == KEEP)


def unconfirmed_memories_text(db: Connection, scope: MemoryScope) -> str:
    """Return the memories that somebody has to confirm; empty if there are none."""
    waiting = memories.list_unconfirmed_memories(db, scope)
    if not waiting:
        return ""
    return "\n".join([people.UNCONFIRMED_MEMORIES(), *map(line_of_memory, waiting), people.MEMORY_USAGE()])


def newest_memories_text(db: Connection, scope: MemoryScope) -> str:
    found = memories.list_newest_memories(db, scope, MAX_SHOWN_MEMORIES, only_confirmed=True)
    if not found.memories:
        return texts.NOTHING_REMEMBERED()
    more = [] if found.is_complete else [texts.MORE_MEMORIES()]
    return "\n".join([texts.REMEMBERED(), *map(line_of_memory, found.memories), *more, texts.MEMORY_COMMANDS()])


def found_memories_text(db: Connection, scope: MemoryScope, sought: str, terms: DecisionTerms) -> str:
    words = list(dict.fromkeys(split_into_words(sought)))[:MAX_SOUGHT_WORDS]
    found = memories.search_memories(db, scope, words, terms.settings.search_languages, terms.now)
    if not found.memories:
        return texts.NO_MEMORY_FOUND(words=phrases.first_words(sought))
    return "\n".join([texts.MEMORIES_FOUND(), *map(line_of_memory, found.memories)])


def exported_memories_text(db: Connection, scope: MemoryScope) -> str:
    """Return all memories whole, oldest first."""
    found = memories.list_newest_memories(db, scope, MAX_EXPORTED_MEMORIES)
    lines = [texts.EXPORTED_MEMORY(date=each.saved_at, number=each.id, text=each.text) for each in found.memories]
    return "\n\n".join(reversed(lines)) or texts.NOTHING_REMEMBERED()


def line_of_memory(memory: Memory) -> str:
    return phrases.memory_line(memory.id, memory.text, memory.asker, memory.sources)


def apply_memory_choice(db: Connection, scope: MemoryScope, id: int, choice: str) -> bool:
    if id not in [each.id for each in memories.list_unconfirmed_memories(db, scope)]:
        return False
    return memories.confirm_memory(db, scope, id) if choice == KEEP else memories.forget_memory(db, scope, id)


def may_confirm_memories(db: Connection, message: InboundMessage, terms: DecisionTerms) -> bool:
    """Return True if the sender may confirm memories. In private everybody may. In a group chat only people with
    every right may, since anybody there may have asked for the memory."""
    if message.group_chat is None:
        return True
    return rights_of_sender(db, message.address, message.sender, message.group_chat, terms) == EVERY_RIGHT
