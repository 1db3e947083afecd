"""`/people`: the owner sees and changes what each person may use the bot for, by buttons or in words."""

from bot.core.access import CLOSED_ACCESS
from bot.core.content_blocks import sanitize_name
from bot.core.limits import DecisionTerms
from bot.core.messages import (
    Address,
    InboundMessage,
    OutboundId,
    OutboundKind,
    OutboundMessage,
    PersonId,
    Sender,
    match_option,
)
from bot.core.rights import Right, Rights, format_rights
from bot.core.texts import people, people_access
from bot.journal import questions
from bot.journal.admission import rights_of_sender
from bot.store import guests, inbox
from bot.store.connection import Connection
from bot.store.questions import ButtonQuestion

RIGHTS_BUTTON_ACTION = "rights"  # marks the questions that change rights
GIVE_VERB, TAKE_VERB = "Give", "Take"
CHANGEABLE_RIGHTS = tuple(right for right in Right if right is not Right.TALK)  # TALK: revoke their access


def answer_people_command(db: Connection, message: InboundMessage, terms: DecisionTerms) -> str:
    """Do what `/people` says: list everybody, ask about one person by buttons, or change one right. Return what to
    answer; empty if a question is the answer."""
    words = message.text.split()[1:]
    if not words:
        lines = [format_person_rights_line(db, channel, id, terms) for channel, id in list_known_people(db, terms)]
        return "\n".join([*(lines or [people_access.NO_PEOPLE()]), people_access.PEOPLE_USAGE()])
    if len(words) < 2 or words[0] not in terms.access_by_channel:
        return people_access.PEOPLE_USAGE()
    channel, person = words[0], PersonId(words[1])
    if why := why_rights_cannot_be_set(channel, person, terms):
        return why
    if not words[2:]:
        ask_which_rights_to_change(db, message, channel, person, terms)
        return ""
    right = next((each for each in CHANGEABLE_RIGHTS if each == " ".join(words[3:]).casefold()), None)
    verb = words[2].capitalize()
    if right is None or verb not in (GIVE_VERB, TAKE_VERB):
        return people_access.PEOPLE_USAGE()
    return change_and_describe_rights(db, channel, person, right, is_given=verb == GIVE_VERB, by=message, terms=terms)


def change_tapped_right(db: Connection, button: ButtonQuestion, message: InboundMessage, terms: DecisionTerms) -> str:
    """Change the tapped right, and ask again with the new state. Return what to answer."""
    channel, person = button.arguments["channel"], PersonId(button.arguments["person"])
    verb, _, name = match_option(button.options, message.text).partition(" ")
    right = next((each for each in CHANGEABLE_RIGHTS if each == name), None)
    if right is None or not button.is_open:
        return people.QUESTION_CLOSED()
    questions.close_question_and_remove_buttons(db, button.id, "answered", message.text)
    if why := why_rights_cannot_be_set(channel, person, terms):
        return why
    said = change_and_describe_rights(db, channel, person, right, is_given=verb == GIVE_VERB, by=message, terms=terms)
    ask_which_rights_to_change(db, message, channel, person, terms)
    return said


def ask_which_rights_to_change(
    db: Connection, message: InboundMessage, channel: str, person: PersonId, terms: DecisionTerms
) -> None:
    now = rights_in_private(db, channel, person, terms)
    question = OutboundMessage(
        id=OutboundId(f"b{inbox.inbox_number_of_message(db, message.id)}"),
        address=message.address,
        kind=OutboundKind.QUESTION,
        text=people_access.PERSON_MAY(person=person, channel=channel, rights=format_rights(now)),
        options=tuple(f"{TAKE_VERB if right in now else GIVE_VERB} {right}" for right in CHANGEABLE_RIGHTS),
    )
    about = {"does": RIGHTS_BUTTON_ACTION, "channel": channel, "person": person}
    questions.ask_harness_question(db, question, about, terms.now)


def change_and_describe_rights(
    db: Connection,
    channel: str,
    person: PersonId,
    right: Right,
    *,
    is_given: bool,
    by: InboundMessage,
    terms: DecisionTerms,
) -> str:
    now = rights_in_private(db, channel, person, terms)
    now = now | {right} if is_given else now - {right}
    guests.save_granted_rights(db, channel, person, now, by.sender.name, terms.now)
    return people_access.PERSON_MAY(person=person, channel=channel, rights=format_rights(now))


def why_rights_cannot_be_set(channel: str, person: PersonId, terms: DecisionTerms) -> str:
    """Return why this person's rights cannot be set here; empty if they can."""
    access = terms.access_by_channel.get(channel, CLOSED_ACCESS)
    if access.owner_id == person:
        return people_access.OWNER_MAY_ALL()
    return people_access.RIGHTS_IN_SETTINGS(person=person, channel=channel) if person in access.rights_by_id else ""


def list_known_people(db: Connection, terms: DecisionTerms) -> list[tuple[str, PersonId]]:
    """Return everybody the settings name or the owner has let in, each once, as (channel, person)."""
    named = [
        (name, PersonId(id))
        for name, access in terms.access_by_channel.items()
        for id in sorted(access.allowed_ids | access.rights_by_id.keys())
    ]
    let_in = [(guest.channel, guest.person) for guest in guests.list_guests(db) if not guest.is_revoked]
    return list(dict.fromkeys([*named, *let_in]))


def format_person_rights_line(db: Connection, channel: str, person: PersonId, terms: DecisionTerms) -> str:
    guest = guests.find_guest(db, channel, person)
    may = format_rights(rights_in_private(db, channel, person, terms))
    if guest is None:
        return people_access.PERSON_LINE(channel=channel, id=person, rights=may)
    return people_access.PERSON_LINE_WITH_NAME(channel=channel, id=person, name=sanitize_name(guest.name), rights=may)


def rights_in_private(db: Connection, channel: str, person: PersonId, terms: DecisionTerms) -> Rights:
    """Return what somebody may do in private. For a group chat, return what everybody there may do."""
    return rights_of_sender(db, Address(channel=channel, chat=person), Sender(id=person, name=""), None, terms)
