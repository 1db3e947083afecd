"""`/people`: the owner sees and changes what each person may use the bot for, by buttons or in words. So with linked
accounts, and with group chats where everybody may talk.
"""

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
from bot.core.phrases import list_rights
from bot.core.rights import Right, Rights
from bot.core.texts import people, people_access
from bot.journal import group_starts, linking, pairing, questions
from bot.journal.admission import rights_of_sender
from bot.journal.people import is_account_of_owner
from bot.store import guests, inbox
from bot.store.connection import Connection
from bot.store.group_starts import find_group_start, list_group_starts
from bot.store.people import find_linked_account, list_linked_accounts, split_account_key
from bot.store.questions import ButtonQuestion

RIGHTS_BUTTON_ACTION = "rights"  # marks the questions that change rights
GIVE_VERB, TAKE_VERB = "Give", "Take"
UNLINK_CHOICE, SEND_AWAY_CHOICE = "Unlink", "Send away"
CHANGEABLE_RIGHTS = tuple(right for right in Right if right is not Right.TALK)  # TALK: revoke their access


def answer_people_command(db: Connection, message: InboundMessage, terms: DecisionTerms) -> str:
    """Do what `/people` says: list everybody, ask about one person or group chat by buttons, or change something of one
    person. Return what to answer; empty if a question is the answer."""
    words = message.text.split()[1:]
    if not words:
        lines = [format_person_rights_line(db, channel, id, terms) for channel, id in list_known_people(db, terms)]
        lines += list_role_lines(terms)
        groups = group_starts.group_lines(db, terms.access_by_channel)
        return "\n".join([*(lines or [people_access.NO_PEOPLE()]), *groups, people_access.PEOPLE_USAGE()])
    if len(words) < 2 or words[0] not in terms.access_by_channel:
        return people_access.PEOPLE_USAGE()
    channel, person = words[0], PersonId(words[1])
    if group := find_group_start(db, channel, person):
        return group_starts.ask_again_who_may_talk(db, group, message, terms)
    choice = " ".join(words[2:]).capitalize()
    if choice in (UNLINK_CHOICE, SEND_AWAY_CHOICE):
        return unlink_or_send_away(db, channel, person, choice, terms)
    if why := why_rights_cannot_be_set(channel, person, terms):
        return why
    if not choice:
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
    option = match_option(button.options, message.text)
    choices = button.arguments.get("choices", button.options)  # earlier versions had only English options
    choice = choices[button.options.index(option)] if option else ""
    verb, _, name = choice.partition(" ")
    right = next((each for each in CHANGEABLE_RIGHTS if each == name), None)
    is_farewell = choice in (UNLINK_CHOICE, SEND_AWAY_CHOICE)
    if (right is None and not is_farewell) or not button.is_open:
        return people.QUESTION_CLOSED()
    questions.close_question_and_remove_buttons(db, button.id, "answered", message.text)
    if right is None:
        return unlink_or_send_away(db, channel, person, choice, terms)
    if why := why_rights_cannot_be_set(channel, person, terms):
        return why
    said = change_and_describe_rights(db, channel, person, right, is_given=verb == GIVE_VERB, by=message, terms=terms)
    ask_which_rights_to_change(db, message, channel, person, terms)
    return said


def ask_which_rights_to_change(
    db: Connection, message: InboundMessage, channel: str, person: PersonId, terms: DecisionTerms
) -> None:
    now = rights_in_private(db, channel, person, terms)
    choices = [f"{TAKE_VERB if right in now else GIVE_VERB} {right}" for right in CHANGEABLE_RIGHTS]
    choices += list_farewells(db, channel, person)
    question = OutboundMessage(
        id=OutboundId(f"b{inbox.inbox_number_of_message(db, message.id)}"),
        address=message.address,
        kind=OutboundKind.QUESTION,
        text=people_access.PERSON_MAY(person=person, channel=channel, rights=list_rights(now)),
        options=tuple(map(label_of_choice, choices)),
    )
    about = {"does": RIGHTS_BUTTON_ACTION, "channel": channel, "person": person, "choices": choices}
    questions.ask_harness_question(db, question, about, terms.now)


def label_of_choice(choice: str) -> str:
    """Return the words on the button of a choice."""
    verb, _, right = choice.partition(" ")
    if choice in people_access.FAREWELLS:
        return people_access.FAREWELLS[choice]()
    name = people_access.NAMES_OF_RIGHTS[right]()
    return people_access.GIVE_RIGHT(right=name) if verb == GIVE_VERB else people_access.TAKE_RIGHT(right=name)


def list_farewells(db: Connection, channel: str, person: PersonId) -> list[str]:
    """Return what can end somebody's access: that they are not let in, or not linked with another account."""
    linked = find_linked_account(db, channel, person)
    unlink = [UNLINK_CHOICE] if linked and not linked.is_first else []
    return [*unlink, *([SEND_AWAY_CHOICE] if pairing.may_be_sent_away(db, channel, person) else [])]


def unlink_or_send_away(db: Connection, channel: str, person: PersonId, choice: str, terms: DecisionTerms) -> str:
    """Do one of both. Return what to answer."""
    if choice == UNLINK_CHOICE:
        return linking.cut_links(db, channel, person, terms).text
    return pairing.send_away(db, person, terms, channel=channel).text


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
    if Right.TALK not in now:  # only a group chat or a server role lets this person talk, and goes on to
        now |= terms.access_by_channel.get(channel, CLOSED_ACCESS).others_rights
    now = now | {right} if is_given else now - {right}
    guests.save_granted_rights(db, channel, person, now, by.sender.name, terms.now)
    return people_access.PERSON_MAY(person=person, channel=channel, rights=list_rights(now))


def why_rights_cannot_be_set(channel: str, person: PersonId, terms: DecisionTerms) -> str:
    """Return why this person's rights cannot be set here; empty if they can."""
    access = terms.access_by_channel.get(channel, CLOSED_ACCESS)
    if access.owner_id == person:
        return people_access.OWNER_MAY_ALL()
    is_in_settings = person in access.rights_by_id or person in access.allowed_roles
    return people_access.RIGHTS_IN_SETTINGS(person=person, channel=channel) if is_in_settings else ""


def list_known_people(db: Connection, terms: DecisionTerms) -> list[tuple[str, PersonId]]:
    """Return everybody the settings name, the owner has let in, or who came by a link, each once, as (channel, person).
    A group chat that the bot was added to has a line of its own."""
    named = [
        (name, PersonId(id))
        for name, access in terms.access_by_channel.items()
        for id in sorted((access.allowed_ids | access.rights_by_id.keys()) - access.allowed_roles)
    ]
    let_in = [(guest.channel, guest.person) for guest in guests.list_guests(db) if not guest.is_revoked]
    linked = [(each.channel, each.account) for each in list_linked_accounts(db)]
    groups = {(each.channel, each.group_chat) for each in list_group_starts(db)}
    known = dict.fromkeys([*named, *let_in, *linked])
    return [each for each in known if each not in groups and not is_account_of_owner(*each, terms)]


def list_role_lines(terms: DecisionTerms) -> list[str]:
    """Return what people may do by each role of a server that the settings name."""
    return [
        people_access.ROLE_LINE(channel=name, id=id, rights=list_rights(access.rights_by_roles([id])))
        for name, access in terms.access_by_channel.items()
        for id in sorted(access.allowed_roles)
    ]


def format_person_rights_line(db: Connection, channel: str, person: PersonId, terms: DecisionTerms) -> str:
    guest, linked = guests.find_guest(db, channel, person), find_linked_account(db, channel, person)
    may = list_rights(rights_in_private(db, channel, person, terms))
    if linked and not linked.is_first:
        first, id = split_account_key(linked.person)
        name = sanitize_name(linked.name)
        return people_access.LINKED_PERSON_LINE(
            channel=channel, id=person, name=name, first=f"{first} {id}", rights=may
        )
    if guest is None:
        return people_access.PERSON_LINE(channel=channel, id=person, rights=may)
    return people_access.PERSON_LINE_WITH_NAME(channel=channel, id=person, name=sanitize_name(guest.name), rights=may)


def rights_in_private(db: Connection, channel: str, person: PersonId, terms: DecisionTerms) -> Rights:
    """Return what somebody may do in private. For a group chat, return what everybody there may do."""
    return rights_of_sender(db, Address(channel=channel, chat=person), Sender(id=person, name=""), None, terms)
