"""Ask whether to keep memories that were saved after reading other people's words, and settle it by buttons.

`/memory keep` and `/memory forget` settle it in words: `bot/journal/memory_command.py`.
"""

from collections.abc import Collection, Sequence
from zlib import crc32

from bot.core import memory_phrases
from bot.core.limits import DecisionTerms
from bot.core.messages import Address, InboundMessage, OutboundId, OutboundKind, OutboundMessage, match_option
from bot.core.rights import EVERY_RIGHT
from bot.core.scope_kinds import ScopeKind
from bot.core.texts import people
from bot.journal import questions
from bot.journal.admission import is_owner, rights_of_sender
from bot.journal.bus import withdraw
from bot.journal.people import list_account_keys
from bot.store import memories
from bot.store.connection import Connection
from bot.store.memories import Memory
from bot.store.questions import ButtonQuestion, delete_question, list_buttons_about_memories, list_open_questions
from bot.store.text_search.scopes import MemoryScope

MEMORY_BUTTON_ACTION = "memory"  # marks the questions that keep or forget memories
KEEP, FORGET = "keep", "forget"  # the choices, as people type them
MAX_MEMORIES_PER_QUESTION = 5  # memories in one question
MAX_MEMORY_LINE_CHARACTERS = 300  # characters of a memory that people are asked about


def ask_to_confirm_memories(db: Connection, address: Address, scope: MemoryScope, terms: DecisionTerms) -> None:
    """Ask whether to keep the memories that wait. An address has at most one such question open."""
    found = memories.list_unconfirmed_memories(db, [scope])[:MAX_MEMORIES_PER_QUESTION]
    asked = list_open_questions(db, ButtonQuestion, address=address)
    if not found or any(each.arguments["does"] == MEMORY_BUTTON_ACTION for each in asked):
        return
    lines = map(line_of_memory, found)
    question = OutboundMessage(
        # A memory may be asked about at several addresses of its scope, and there again beside newer ones.
        id=OutboundId(f"b:m{found[0].id}-{found[-1].id}:{len(found)}:{crc32(str(address).encode()):x}"),
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
    scope = MemoryScope(chat=button.arguments["chat"], group=button.arguments["group"])
    if not may_change_memories(db, scope, message, terms):
        return people.OWNER_CONFIRMS()
    if not button.is_open or not option:
        return people.MEMORY_USAGE()
    choice = KEEP if option == button.options[0] else FORGET
    questions.close_question_and_remove_buttons(db, button.id, "answered", choice)
    done = [id for id in button.arguments["ids"] if apply_memory_choice(db, scope, id, choice)]
    ask_to_confirm_memories(db, button.address, scope, terms)
    return memory_phrases.memories_kept_or_forgotten_text(done, is_kept=choice == KEEP)


def close_settled_questions(db: Connection, address: Address, choice: str, terms: DecisionTerms) -> None:
    """Close the question of an address if none of its memories waits any more, and ask about the next ones."""
    for button in list_open_questions(db, ButtonQuestion, address=address):
        if button.arguments["does"] != MEMORY_BUTTON_ACTION:
            continue
        scope = MemoryScope(chat=button.arguments["chat"], group=button.arguments["group"])
        waiting = {each.id for each in memories.list_unconfirmed_memories(db, [scope])}
        if not waiting & set(button.arguments["ids"]):
            questions.close_question_and_remove_buttons(db, button.id, "answered", choice)
            ask_to_confirm_memories(db, address, scope, terms)


def remove_questions_about(db: Connection, forgotten: Collection[int], terms: DecisionTerms) -> None:
    """Remove the questions that have the words of memories that are forgotten, and ask about the others again."""
    for button in list_buttons_about_memories(db, forgotten):
        delete_question(db, button.id)
        withdraw(db, OutboundId(button.id))
        if button.is_open:
            scope = MemoryScope(chat=button.arguments["chat"], group=button.arguments["group"])
            ask_to_confirm_memories(db, button.address, scope, terms)


def apply_memory_choice(db: Connection, scope: MemoryScope, id: int, choice: str) -> bool:
    """Keep or forget a memory that waits. Return False if none with that number waits in this scope."""
    if id not in numbers_of(memories.list_unconfirmed_memories(db, [scope])):
        return False
    return memories.confirm_memory(db, scope, id) if choice == KEEP else memories.forget_memory(db, scope, id)


def numbers_of(found: Sequence[Memory]) -> list[int]:
    return [memory.id for memory in found]


def line_of_memory(memory: Memory) -> str:
    return memory_phrases.memory_line(memory.id, memory.text, memory.scope.kind, memory.asker, memory.sources)


def may_change_memories(db: Connection, scope: MemoryScope, message: InboundMessage, terms: DecisionTerms) -> bool:
    """Return True if the sender may confirm and forget any memories of a scope: their own; in private also those of the
    chat; the owner those of everybody. What several people share is for the owner and for people with every right,
    since anybody there may have asked for the memory."""
    channel, person = message.address.channel, message.sender.id
    is_private = message.group_chat is None
    match scope.kind:
        case ScopeKind.TENANT:
            return is_owner(db, channel, person, terms)
        case ScopeKind.PERSON:
            own = map(MemoryScope.of_account, list_account_keys(db, channel, person, terms))
            return is_private and scope in own
        case ScopeKind.CHAT if is_private:
            return True
    return rights_of_sender(db, message.address, message.sender, message.group_chat, terms) == EVERY_RIGHT
