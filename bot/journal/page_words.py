"""What the owner writes in the page becomes a message of theirs in the chat that it is about.

The page may do what the owner may do in a chat, and nothing else: the message goes the way of every message. Before
that, this module refuses what would lead to nothing, so that the owner reads why at once, in the page.
"""

from typing import NamedTuple

from bot.core.clients import is_of_client
from bot.core.errors import WordsRefused
from bot.core.limits import DecisionTerms
from bot.core.messages import Address, InboundKind, InboundMessage, PersonId, QuestionId, Sender
from bot.core.page_words import MAX_WORDS_CHARACTERS, PageAct, PageWords
from bot.core.texts import page as texts
from bot.core.texts import people_help
from bot.core.turn import SessionId, Turn, TurnId
from bot.journal import admission, people, questions
from bot.store import chats, delegations, session_records, turns
from bot.store.connection import Connection
from bot.store.people import OWNER_KEY
from bot.store.questions import Question, find_question


class Target(NamedTuple):
    """Where the words go, as somebody would write them there."""

    address: Address
    text: str
    question: Question | None = None


def message_from_page(db: Connection, words: PageWords, terms: DecisionTerms) -> InboundMessage:
    """Return the message that these words are. Raise WordsRefused if the owner could not write it in the chat, or if
    what they are about is over."""
    if not words.act.is_stop and not words.text.strip():
        raise WordsRefused(texts.NO_WORDS())
    if len(words.text) > MAX_WORDS_CHARACTERS:
        raise WordsRefused(texts.TOO_LONG(length=len(words.text), most=MAX_WORDS_CHARACTERS))
    target = find_target(db, words)
    channel, question = target.address.channel, target.question
    account = choose_account(db, target.address, question.person if question else None, terms)
    if words.act in (PageAct.WRITE, PageAct.TELL) and not may_write_there(db, target.address, account, terms):
        raise WordsRefused(texts.NOT_YOUR_CHAT())
    message = InboundMessage(
        id=words.message_id,
        address=target.address,
        sender=Sender(id=account, name=chats.find_newest_name(db, channel, account) or people_help.THE_OWNER()),
        text=target.text,
        sent_at=terms.now,
        kind=InboundKind.ANSWER if question else InboundKind.TEXT,
        question=question.id if question else None,
        group_chat=find_group_chat(db, target.address),
        is_unseen_by_others=question is None or target.text not in question.options,  # else the question shows it
    )
    if question and not questions.is_question_for_sender(db, question, message, terms):
        raise WordsRefused(texts.QUESTION_FOR_ANOTHER())
    return message


def find_target(db: Connection, words: PageWords) -> Target:
    text = words.text.strip()
    match words.act:
        case PageAct.WRITE:
            return Target(find_address_of_conversation(db, SessionId(words.about)), text)
        case PageAct.STOP:
            return Target(find_address_of_conversation(db, SessionId(words.about)), "/stop")
        case PageAct.TELL:
            turn = find_delegation(db, TurnId(words.about))
            return Target(turn.address, f"/tell {turn.number} {text}")
        case PageAct.STOP_DELEGATION:
            turn = find_delegation(db, TurnId(words.about))
            return Target(turn.address, f"/stop {turn.number}")
        case PageAct.ANSWER:
            question = find_question(db, Question, QuestionId(words.about), None)
            if question is None or not question.is_open:
                raise WordsRefused(texts.NO_SUCH_QUESTION())
            return Target(question.address, text, question)


def find_address_of_conversation(db: Connection, session: SessionId) -> Address:
    try:
        return session_records.load_session_place(db, session).address
    except LookupError:
        raise WordsRefused(texts.NO_SUCH_CONVERSATION()) from None


def find_delegation(db: Connection, id: TurnId) -> Turn:
    """Return a delegation that the commands of its chat still mean by its number."""
    try:
        turn = turns.get_turn(db, id)
    except LookupError:
        raise WordsRefused(texts.NO_SUCH_DELEGATION()) from None
    newest = delegations.find_newest_delegation_with_number(db, turn.address, turn.number)
    if newest is None or newest.turn.id != id:
        raise WordsRefused(texts.NO_SUCH_DELEGATION())
    return turn


def choose_account(db: Connection, address: Address, asked: PersonId | None, terms: DecisionTerms) -> PersonId:
    """Return the account by which the owner writes there: the one that is asked, or one that has written there, or the
    one in the settings. Raise WordsRefused if there is none."""
    channel = address.channel
    named = [PersonId(each.id) for each in people.list_all_accounts(db, OWNER_KEY, terms) if each.channel == channel]
    accounts = [each for each in named if admission.is_owner(db, channel, each, terms)]
    if not accounts:
        raise WordsRefused(texts.NO_ACCOUNT(channel=channel))
    if asked in accounts:
        return asked
    return next((each for each in accounts if may_write_there(db, address, each, terms)), accounts[0])


def may_write_there(db: Connection, address: Address, account: PersonId, terms: DecisionTerms) -> bool:
    """Return True if an account of the owner takes part in a chat: it has written there, as far as messages are kept,
    or it is where the owner is told of faults. Nobody reads the threads of clients."""
    if is_of_client(address):
        return False
    named = list_names_of_chat(db, address)
    access = terms.access_by_channel.get(address.channel)
    own = access.owner_address if access and access.owner_id == account else None
    return own in named or any(chats.find_newest_writing(db, each, account) for each in named)


def find_group_chat(db: Connection, address: Address) -> str | None:
    """Return the id of the group chat or server that an address is in; None in private."""
    found = (chats.find_newest_writing(db, each) for each in list_names_of_chat(db, address))
    return next((each.group_chat for each in found if each and each.group_chat), None)


def find_person_of_private_chat(db: Connection, address: Address) -> PersonId | None:
    found = chats.find_newest_writing(db, address)
    return found.person if found and found.group_chat is None else None


def list_names_of_chat(db: Connection, address: Address) -> list[Address]:
    """Return the addresses of a chat: the one that it has now, and those from before it moved."""
    return [address.whole_chat, *chats.list_former_addresses(db, address.whole_chat)]


def why_owner_may_not_write(db: Connection, address: Address, terms: DecisionTerms) -> str:
    """Return why the owner cannot write in a chat from the page; empty if they can."""
    try:
        account = choose_account(db, address, None, terms)
    except WordsRefused as error:
        return str(error)
    return "" if may_write_there(db, address, account, terms) else texts.NOT_YOUR_CHAT()
