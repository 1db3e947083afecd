"""In which language somebody is spoken to: the one that they have set, or that their app shows, or the operator's."""

from bot.core.access import CLOSED_ACCESS
from bot.core.languages import Language, current_language, match_language_as_typed, set_language
from bot.core.limits import DecisionTerms
from bot.core.messages import Address, InboundMessage
from bot.core.phrases import first_words
from bot.core.texts import people_accounts as texts
from bot.core.turn import Turn
from bot.journal.people import person_key, settings_of_account
from bot.store import people
from bot.store.connection import Connection

AUTOMATIC_WORD = "auto"


def own_language_code(db: Connection, channel: str, account: str, terms: DecisionTerms) -> str:
    """Return the language that a person has set, by any of their accounts; empty if they have set none. Call this in a
    transaction of the writer."""
    return settings_of_account(db, channel, account, terms).language or ""


def language_of_person(db: Connection, channel: str, account: str, terms: DecisionTerms) -> Language:
    """Return the language in which a person is spoken to. Call this in a transaction of the writer."""
    told = people.told_language(db, people.account_key(channel, account))
    return terms.language_named(own_language_code(db, channel, account, terms), told)


def language_of_chat(db: Connection, address: Address, person: str | None, terms: DecisionTerms) -> Language:
    """Return the language of what is said to a chat and to nobody in it: in private that of its person, if that is
    known; elsewhere the operator's."""
    return language_of_person(db, address.channel, person, terms) if person else terms.operator_language


def language_of_turn(turn: Turn, terms: DecisionTerms) -> Language:
    return terms.language_named(turn.language)


def language_of_sender(db: Connection, message: InboundMessage, terms: DecisionTerms) -> Language:
    channel, account = message.address.channel, message.sender.id
    told = message.language or people.told_language(db, people.account_key(channel, account))
    return terms.language_named(own_language_code(db, channel, account, terms), told)


def language_of_reader(db: Connection, message: InboundMessage, terms: DecisionTerms) -> Language:
    """Return the language of a message's sender, outside of the writer's transactions: this reads rows."""
    person = person_key(db, message.address.channel, message.sender.id, terms)
    return terms.language_named(people.load_person_settings(db, person).language, message.language)


def language_of_owner(db: Connection, channel: str, terms: DecisionTerms) -> Language:
    """Return the language in which the owner is spoken to on a channel."""
    owner = terms.access_by_channel.get(channel, CLOSED_ACCESS).owner_id
    return language_of_person(db, channel, owner, terms) if owner else terms.operator_language


def remember_told_language(db: Connection, message: InboundMessage) -> None:
    """Remember the language that the app of a message's sender shows: something may be said to them later."""
    people.save_told_language(db, people.account_key(message.address.channel, message.sender.id), message.language)


def answer_language_command(db: Connection, message: InboundMessage, terms: DecisionTerms) -> str:
    """Say in which language the sender is spoken to, or set another one. Return what to answer, in that language."""
    channel, account = message.address.channel, message.sender.id
    typed, languages = message.text.partition(" ")[2].strip(), terms.resolved_settings.languages
    known = ", ".join(texts.LANGUAGE_WITH_CODE(language=each.name, code=each.code) for each in languages.list_all())
    if not typed:
        now = language_of_sender(db, message, terms)
        if own_language_code(db, channel, account, terms):
            return texts.LANGUAGE_IS_OWN(language=now.name, languages=known)
        return texts.LANGUAGE_IS(language=now.name, languages=known, code=now.code)
    chosen = None if typed.casefold() == AUTOMATIC_WORD else match_language_as_typed(languages, typed)
    if chosen is None and typed.casefold() != AUTOMATIC_WORD:
        return texts.NO_SUCH_LANGUAGE(name=first_words(typed), languages=known)
    person = person_key(db, channel, account, terms)
    people.save_person_setting(db, person, "language", chosen.code if chosen else None)
    set_language(chosen or language_of_sender(db, message, terms))  # of this answer
    name = current_language().name
    return texts.LANGUAGE_SET(language=name) if chosen else texts.LANGUAGE_IS_AUTOMATIC(language=name)
