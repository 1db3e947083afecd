"""How the operator invites somebody: a code that lets in the first person who shows it, by a link or in words."""

from datetime import timedelta

from bot.core import phrases
from bot.core.access import CLOSED_ACCESS, owner_addresses
from bot.core.limits import DecisionTerms
from bot.core.messages import InboundKind, InboundMessage
from bot.core.texts import people_access, people_accounts
from bot.journal import linking, pairing
from bot.journal.bus import post_notice
from bot.journal.codes import make_code, normalize_code
from bot.journal.linking import MAX_WRONG_CODES, WRONG_CODES_WINDOW
from bot.store import guests, people
from bot.store.connection import Connection
from bot.store.orders import OrderAnswer

INVITATION_LIFETIME = timedelta(hours=1)
MAX_INVITATIONS = 20
START_COMMAND, PAIR_COMMAND = "/start", "/pair"
LINK_PARAMETER_PREFIX = "pair_"  # of the word that a link to the bot hands over: `/start pair_K7MW3QXA`


def make_invitation(db: Connection, terms: DecisionTerms) -> OrderAnswer:
    """Make an invitation. Return its code as the answer."""
    guests.delete_expired_invitations(db, terms.now)
    if guests.count_invitations(db) >= MAX_INVITATIONS:
        return OrderAnswer(people_access.TOO_MANY_INVITATIONS(), is_done=False)
    code = make_code()
    guests.add_invitation(db, normalize_code(code), terms.now + INVITATION_LIFETIME)
    return OrderAnswer(code)


def link_parameter(code: str) -> str:
    """Return the word that a link to the bot hands over; Telegram permits letters, digits, `_` and `-`."""
    return LINK_PARAMETER_PREFIX + normalize_code(code)


def code_of_command(message: InboundMessage) -> str:
    """Return the code of `/pair CODE` or `/start pair_CODE`, as it was typed; empty if the message is neither."""
    if message.kind is not InboundKind.COMMAND:
        return ""
    command, _, rest = message.text.partition(" ")
    name, typed = command.partition("@")[0].casefold(), rest.strip()
    if name == START_COMMAND and typed.startswith(LINK_PARAMETER_PREFIX):
        return typed.removeprefix(LINK_PARAMETER_PREFIX)
    return typed if name == PAIR_COMMAND else ""


def is_open_invitation(db: Connection, code: str, terms: DecisionTerms) -> bool:
    return guests.has_invitation(db, normalize_code(code), terms.now)


def answer_pair_command(db: Connection, message: InboundMessage, terms: DecisionTerms) -> str:
    """Let in the stranger whose code the owner has entered. Return what to answer."""
    code = code_of_command(message)
    if code and is_open_invitation(db, code, terms):
        return people_access.INVITATION_FOR_ANOTHER()
    if code:
        return pairing.let_in_stranger_by_code(db, code, message.sender.name, terms).text
    return people_access.PAIR_USAGE()


def answer_code_of_stranger(db: Connection, message: InboundMessage, terms: DecisionTerms) -> bool:
    """Link or let in a stranger whose message has a code. Return False if it is about something else."""
    return linking.answer_code_of_stranger(db, message, terms) or let_in_by_invitation(db, message, terms)


def let_in_by_invitation(db: Connection, message: InboundMessage, terms: DecisionTerms) -> bool:
    """Let in the stranger whose message has the code of an invitation, or say that the code is not valid. Return False
    if the message has no code, or its writer was sent away: that stays so. Five wrong codes lock an account out for an
    hour."""
    channel, stranger, code = message.address.channel, message.sender, code_of_command(message)
    guest = guests.find_guest(db, channel, stranger.id)
    if not code or (guest and guest.is_revoked):
        return False
    said = people_access.WELCOME()
    if people.count_wrong_link_codes(db, channel, stranger.id, terms.now - WRONG_CODES_WINDOW) >= MAX_WRONG_CODES:
        said = people_accounts.TOO_MANY_WRONG_LINK_CODES()
    elif not guests.take_invitation(db, normalize_code(code), terms.now):
        people.note_wrong_link_code(db, channel, stranger.id, terms.now)
        said = people_access.NO_REQUEST()
    else:
        guests.add_guest(db, channel, stranger, people_access.OPERATOR(), terms.now)
        others_rights = terms.access_by_channel.get(channel, CLOSED_ACCESS).others_rights
        told = phrases.guest_let_in_text(stranger, channel, others_rights)
        for owner_at in owner_addresses(terms.access_by_channel, channel)[:1]:
            post_notice(db, f"{message.id}:invited", owner_at, told, terms.now)
    post_notice(db, f"{message.id}:told", message.address, said, terms.now, reply_to=message.id)
    return True
