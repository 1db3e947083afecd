"""How a stranger is let in: they get a code, and the owner a question. The operator may also enter the code."""

from datetime import datetime, timedelta

from bot.core import phrases
from bot.core.access import CLOSED_ACCESS, Access
from bot.core.languages import speaking
from bot.core.limits import DecisionTerms
from bot.core.messages import (
    InboundKind,
    InboundMessage,
    OutboundId,
    OutboundKind,
    OutboundMessage,
    PersonId,
    QuestionId,
    Sender,
)
from bot.core.texts import people, people_access
from bot.journal.bus import post, post_notice
from bot.journal.codes import make_code, normalize_code
from bot.journal.group_starts import close_group_chats
from bot.journal.languages import language_of_owner, language_of_person, remember_told_language
from bot.journal.linking import unlink_accounts
from bot.journal.people import person_key
from bot.journal.questions import close_question_and_remove_buttons, find_question_named_by_message
from bot.store import guests, inbox, questions
from bot.store import people as people_rows
from bot.store.connection import Connection
from bot.store.orders import OrderAnswer
from bot.store.questions import Pairing

PAIRING_LIFETIME, FIRST_REFUSAL_WAIT = timedelta(hours=1), timedelta(days=1)
MAX_REFUSAL_DOUBLINGS = 10  # times: then a stranger waits nearly three years
MAX_PENDING_PAIRINGS = 3  # on one channel: many unknown accounts must not fill the owner's chat
LET_IN, REFUSE = "Let in", "Refuse"  # the answers in the rows
LET_IN_WORDS = {"1", "yes", "y", "ja", LET_IN.casefold()}
REFUSE_WORDS = {"2", "no", "n", "nein", REFUSE.casefold()}


def request_pairing(db: Connection, message: InboundMessage, access: Access, terms: DecisionTerms) -> None:
    """Start a pairing for a stranger who wrote in private: send them a code, and ask the owner. Do this at most
    once an hour, later if the stranger was refused, and never for a former guest."""
    channel, stranger = message.address.channel, message.sender
    expire_pairings(db, terms.now)
    earlier = questions.list_pairings_of_stranger(db, stranger, channel)
    is_pending = bool(earlier) and (earlier[-1].is_open or terms.now < earlier[-1].deadline)
    guest = guests.find_guest(db, channel, stranger.id)
    if is_pending or (guest and guest.is_revoked):
        return
    pending = questions.list_open_questions(db, Pairing)
    if sum(each.address.channel == channel for each in pending) >= MAX_PENDING_PAIRINGS:
        return
    pairing = Pairing(
        id=QuestionId(f"p{inbox.inbox_number_of_message(db, message.id)}"),
        code=make_code(),
        stranger=stranger,
        address=message.address,
        owner=access.owner_id,
        deadline=terms.now + PAIRING_LIFETIME,
        state="open",
    )
    remember_told_language(db, message)  # for the welcome
    with speaking(language_of_owner(db, channel, terms)):
        text = phrases.pairing_question_text(channel, stranger, pairing.code, access.others_rights)
        options, deadline = (people_access.LET_IN_OPTION(), people_access.REFUSE_OPTION()), pairing.deadline
    about = {"text": text, "options": options, "deadline": deadline, "arguments": pairing.stored_arguments}
    asked_at = access.owner_address or ""
    questions.add_question(db, Pairing, pairing.id, address=asked_at, person=access.owner_id or "", **about)
    said = people_access.CODE_FOR_STRANGER(code=pairing.code)
    post_notice(db, f"{message.id}:knock", message.address, said, terms.now)
    if access.owner_address:
        question = OutboundMessage(
            id=OutboundId(pairing.id),
            address=access.owner_address,
            kind=OutboundKind.QUESTION,
            text=text,
            options=options,
        )
        with speaking(language_of_owner(db, channel, terms)):
            post(db, question, terms.now)


def expire_pairings(db: Connection, now: datetime) -> None:
    for pairing in questions.list_open_questions(db, Pairing):
        if pairing.deadline <= now:
            close_question_and_remove_buttons(db, pairing.id, "expired")


def find_pairing_answered_by_message(db: Connection, message: InboundMessage) -> Pairing | None:
    """Return the request that a message decides, by a tap anywhere or by a reply to the question."""
    if message.kind is InboundKind.ANSWER:
        return questions.find_question(db, Pairing, message.question, None)
    return find_question_named_by_message(db, Pairing, message)


def apply_pairing_answer(db: Connection, pairing: Pairing, message: InboundMessage, terms: DecisionTerms) -> str:
    """Apply the owner's answer to a pairing request. Return what to answer."""
    if pairing.is_open and terms.now >= pairing.deadline:
        expire_pairings(db, terms.now)
    elif pairing.is_open:
        words = message.text.strip().casefold()
        if words in LET_IN_WORDS or words == people_access.LET_IN_OPTION().casefold():
            return let_in_stranger(db, pairing, message.sender.name, terms)
        if words in REFUSE_WORDS or words == people_access.REFUSE_OPTION().casefold():
            return refuse_stranger(db, pairing, message.sender.name, terms)
        return people_access.LET_IN_OR_NOT(person=phrases.format_name_and_id(pairing.stranger))
    return people.QUESTION_CLOSED()


def let_in_stranger_by_code(db: Connection, code: str, granted_by: str, terms: DecisionTerms) -> OrderAnswer:
    """Let a stranger in by code: `/pair CODE` and `retinue pair CODE`."""
    expire_pairings(db, terms.now)
    plain = normalize_code(code)
    for pairing in questions.list_open_questions(db, Pairing):
        if normalize_code(pairing.code) == plain:
            return OrderAnswer(let_in_stranger(db, pairing, granted_by, terms))
    return OrderAnswer(people_access.NO_REQUEST(), is_done=False)


def let_in_stranger(db: Connection, pairing: Pairing, granted_by: str, terms: DecisionTerms) -> str:
    outcome = phrases.option_chosen_text(people_access.LET_IN_OPTION(), granted_by)
    close_question_and_remove_buttons(db, pairing.id, "answered", LET_IN, outcome)
    guests.add_guest(db, pairing.address.channel, pairing.stranger, granted_by, terms.now)
    with speaking(language_of_person(db, pairing.address.channel, pairing.stranger.id, terms)):
        post_notice(db, f"{pairing.id}:welcome", pairing.address, people_access.WELCOME(), terms.now)
    channel = pairing.address.channel
    access = terms.access_by_channel.get(channel, CLOSED_ACCESS)
    return phrases.guest_let_in_text(pairing.stranger, channel, access.others_rights)


def refuse_stranger(db: Connection, pairing: Pairing, refused_by: str, terms: DecisionTerms) -> str:
    """Refuse a stranger without a word. They may ask again after a day, after two if refused twice, then four, etc."""
    earlier = questions.list_pairings_of_stranger(db, pairing.stranger, pairing.address.channel)
    times = sum(each.answer == REFUSE for each in earlier)
    outcome = phrases.option_chosen_text(people_access.REFUSE_OPTION(), refused_by)
    close_question_and_remove_buttons(db, pairing.id, "answered", REFUSE, outcome)
    wait = FIRST_REFUSAL_WAIT * 2 ** min(times, MAX_REFUSAL_DOUBLINGS)
    questions.set_question_deadline(db, pairing.id, terms.now + wait)
    return people_access.STAYS_OUTSIDE(person=phrases.format_name_and_id(pairing.stranger))


def send_away(db: Connection, person: PersonId, terms: DecisionTerms, *, channel: str | None = None) -> OrderAnswer:
    """Send somebody away, on all channels or on one: `retinue pair --revoke ID`, and `/people`. Also close the group
    chats with this id that were open to everybody there. Return what became of it."""
    known = {each.channel for each in guests.list_guests(db) if each.person == person}
    known |= {each.channel for each in people_rows.list_linked_accounts(db) if each.account == person}
    channels = sorted(each for each in known if channel in (None, each))
    gone = [each for each in channels if may_be_sent_away(db, each, person)]
    for each in gone:
        revoke_access(db, each, person, terms)
    lines = [people_access.SENT_AWAY(person=person, channels=", ".join(gone))] if gone else []
    closed = close_group_chats(db, person, terms) if channel is None else []
    lines += [people_access.GROUP_CLOSED(title=each.title) for each in closed]
    named = [name for name in terms.access_by_channel if is_let_in_by_settings(name, person, terms)]
    named = [name for name in named if channel in (None, name)]
    lines += [people_access.LET_IN_BY_SETTINGS(person=person, channel=each) for each in named]
    return OrderAnswer("\n".join(lines) or people_access.NOBODY_SENT_AWAY(person=person), is_done=bool(gone or closed))


def may_be_sent_away(db: Connection, channel: str, person: PersonId) -> bool:
    """Return True if somebody was let in, or came by a link. What the settings say about them stays."""
    guest, linked = guests.find_guest(db, channel, person), people_rows.find_linked_account(db, channel, person)
    return bool((guest and not guest.is_revoked) or (linked and not linked.is_first))


def is_let_in_by_settings(channel: str, person: PersonId, terms: DecisionTerms) -> bool:
    access = terms.access_by_channel.get(channel, CLOSED_ACCESS)
    return access.may_speak(Sender(id=person, name=""), [person])


def revoke_access(db: Connection, channel: str, person: PersonId, terms: DecisionTerms) -> None:
    """Note that somebody was sent away, and end what let them in: that stays so until they are let in again."""
    linked = people_rows.find_linked_account(db, channel, person)
    if linked:
        first, id = people_rows.split_account_key(linked.person)
        sender = Sender(id=person, name=linked.name)
        if guests.find_guest(db, channel, person) is None:
            guests.add_guest(db, channel, sender, people_access.LET_IN_BY_CODE(channel=first, id=id), terms.now)
        if not linked.is_first:
            unlink_accounts(db, [linked], person_key(db, channel, person, terms), terms)
    guests.revoke_guest_access(db, channel, person, terms.now)
    guests.delete_granted_rights(db, channel, person)  # a person who is let in again starts with the default rights
