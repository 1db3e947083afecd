"""Forget a person: `/forget everything`, and `retinue people delete ID`.

What is deleted and what stays: docs/privacy.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.limits import DecisionTerms
from bot.core.messages import (
    GroupName,
    InboundMessage,
    OutboundId,
    OutboundKind,
    OutboundMessage,
    match_option,
)
from bot.core.texts import people
from bot.core.texts import people_accounts as texts
from bot.core.turn import SessionId
from bot.journal import memory_confirmation, openings, questions
from bot.journal.people import list_all_accounts, person_key
from bot.store import deletion, found_words, inbox, memories, outbox, personal_data, session_records
from bot.store.connection import Connection
from bot.store.forks import list_forks
from bot.store.found_words import Reading
from bot.store.orders import OrderAnswer
from bot.store.people import PersonKey
from bot.store.personal_data import Account
from bot.store.questions import ButtonQuestion
from bot.store.text_search.scopes import MemoryScope

FORGET_COMMAND = "/forget"
FORGET_BUTTON_ACTION = "forget everything"  # marks the question that asks once more
EVERYTHING_WORDS = ("everything", "alles")


def answer_forget_command(db: Connection, message: InboundMessage, terms: DecisionTerms) -> str:
    """Ask once more whether to forget the sender. Return what to answer; empty if the question is the answer."""
    if message.group_chat is not None:
        return texts.LINK_ONLY_IN_PRIVATE()
    if " ".join(message.text.split()[1:]).casefold() not in EVERYTHING_WORDS:
        return texts.FORGET_USAGE()
    question = OutboundMessage(
        id=OutboundId(f"b{inbox.inbox_number_of_message(db, message.id)}"),
        address=message.address,
        kind=OutboundKind.QUESTION,
        text=texts.FORGET_ALL(),
        options=(texts.FORGET_OPTION(), texts.KEEP_OPTION()),
    )
    about = {"does": FORGET_BUTTON_ACTION, "person": message.sender.id}
    questions.ask_harness_question(db, question, about, terms.now)
    return ""


def apply_tapped_forgetting(
    db: Connection, button: ButtonQuestion, message: InboundMessage, terms: DecisionTerms
) -> str:
    """Forget the sender, or keep everything, as tapped. Return what to answer."""
    choice = match_option(button.options, message.text)
    if button.arguments["person"] != message.sender.id:
        return people.QUESTION_FOR_ANOTHER()
    if not button.is_open:
        return people.QUESTION_CLOSED()
    if not choice:
        return texts.FORGET_ALL()
    if choice != button.options[0]:
        questions.close_question_and_remove_buttons(db, button.id, "answered", choice)
        return texts.NOTHING_FORGOTTEN()
    person = person_key(db, message.address.channel, message.sender.id, terms)
    inbox.mark_message_done(db, message.id)
    accounts = list_all_accounts(db, person, terms)
    if is_work_open(db, accounts, but=button.id):
        return texts.FORGET_AT_WORK()
    if is_work_of_others_open(db, accounts):
        return texts.FORGET_OTHERS_AT_WORK()
    questions.close_question_and_remove_buttons(db, button.id, "answered", choice)
    forget_person(db, person, accounts, terms)
    return texts.FORGOTTEN()


def delete_person(db: Connection, channel: str, id: str, terms: DecisionTerms) -> OrderAnswer:
    """Forget a person with all their accounts, and that they were let in: `retinue people delete CHANNEL ID`."""
    person = person_key(db, channel, id, terms)
    accounts = list_all_accounts(db, person, terms)
    if is_work_open(db, accounts) or is_work_of_others_open(db, accounts):
        return OrderAnswer(texts.PERSON_AT_WORK(id=id), is_done=False)
    forget_person(db, person, accounts, terms)
    personal_data.delete_admission(db, accounts)
    named = ", ".join(texts.BARE_ACCOUNT(channel=each.channel, id=each.id) for each in accounts)
    return OrderAnswer(texts.PERSON_FORGOTTEN(accounts=named))


def is_work_open(db: Connection, accounts: Sequence[Account], but: str = "") -> bool:
    """Return True if something is at work for the person, or on its way to them, except the message `but`."""
    private = personal_data.list_private_addresses(db, accounts)
    return personal_data.has_person_work_open(db, accounts) or personal_data.are_messages_on_their_way(
        db, accounts, private, but
    )


def is_work_of_others_open(db: Connection, accounts: Sequence[Account]) -> bool:
    """Return True if a turn is at work in a conversation that the person is part of, or that holds words of theirs: it
    cannot go on with gaps."""
    own = personal_data.list_conversations_of_person(db, accounts)
    touched = [*own, *find_words_in_transcripts(db, accounts).conversations]
    return personal_data.are_conversations_at_work(db, [*touched, *list_forks(db, touched)])


@dataclass(frozen=True, slots=True)
class WordsInTranscripts:
    """Where transcripts, of whomever, may hold words of a person that the bot has put there."""

    readings: list[Reading]
    began_with_memories: list[SessionId]

    @property
    def conversations(self) -> list[SessionId]:
        return [*dict.fromkeys([*(each.conversation for each in self.readings), *self.began_with_memories])]


def find_words_in_transcripts(db: Connection, accounts: Sequence[Account]) -> WordsInTranscripts:
    private = personal_data.list_private_addresses(db, accounts)
    remembered = [id for id, _, _ in personal_data.list_memories_of_person(db, accounts, private)]
    copies = list_forks(db, personal_data.list_conversations_of_person(db, accounts))
    chats_of_copies = {session_records.load_session_place(db, each).address.whole_chat for each in copies}
    of_conversations = found_words.list_readings_of_conversations(
        db, personal_data.list_chats_of_person(db, accounts) | chats_of_copies
    )
    readings = [*of_conversations, *found_words.list_readings_of_memories(db, remembered)]
    return WordsInTranscripts(readings, found_words.list_sessions_begun_with(db, remembered))


def delete_words_in_transcripts(db: Connection, words: WordsInTranscripts, terms: DecisionTerms) -> None:
    """Delete these words. The conversations do not go on: their next request would still hold them."""
    for session in words.conversations:
        openings.leave_conversation(db, session, terms.now)
    for session in words.began_with_memories:
        personal_data.clear_what_chapters_began_with(db, session)
    found_words.delete_results(db, words.readings)


def delete_forks(db: Connection, sessions: Sequence[SessionId]) -> None:
    """Delete the conversations that were forked from these: they hold copies of what was said there."""
    while found := list_forks(db, sessions):
        deletion.delete_session_rows(db, found[0], deletion.find_session_tree(db, found[0]))


def forget_person(db: Connection, person: PersonKey, accounts: Sequence[Account], terms: DecisionTerms) -> None:
    """Delete what the rows hold of a person. Conversations in which only they have written are deleted whole. In those
    with others, what others wrote and what they were answered stays."""
    private, copies = personal_data.list_private_addresses(db, accounts), outbox.list_copy_names(db)
    remembered = personal_data.list_memories_of_person(db, accounts, private)
    words = find_words_in_transcripts(db, accounts)
    delete_forks(db, [*words.conversations, *personal_data.list_conversations_of_person(db, accounts)])
    delete_words_in_transcripts(db, words, terms)
    for id, chat, group in remembered:
        memories.forget_memory(db, MemoryScope(chat=chat, group=GroupName(group)), id)
    memory_confirmation.remove_questions_about(db, [id for id, _, _ in remembered], terms)
    for session in personal_data.list_conversations_of_person(db, accounts):
        # A transcript with gaps cannot go on, and an older conversation must not.
        openings.leave_conversation(db, session, terms.now)
        if personal_data.has_others_in_conversation(db, session, accounts):
            own = personal_data.find_turns_of_person(db, session, accounts)
            personal_data.delete_turns_in_shared_conversation(db, session, own)
        else:
            deletion.delete_session_rows(db, session, deletion.find_session_tree(db, session))
    personal_data.delete_schedules(db, accounts)
    personal_data.delete_pairings_of_person(db, accounts)
    personal_data.delete_overheard_lines(db, accounts)
    personal_data.delete_messages_of_person(db, accounts, private)
    personal_data.delete_settings_of_chats(db, private)
    personal_data.delete_settings_and_links(db, accounts, person)
    personal_data.note_person_forgotten(db, copies - outbox.list_copy_names(db))
