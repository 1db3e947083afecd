"""How a stranger is let in: he gets a code, the owner the question; a tap, a word or the code at the command line."""

import secrets
from datetime import timedelta

from bot import people_phrases, phrases
from bot.access import NOBODY, Access
from bot.limits import Terms
from bot.messages import InboundMessage, OutboundId, OutboundKind, OutboundMessage, QuestionId
from bot.store import guests, inbox, outbox, pairings, rights
from bot.store.connection import Connection
from bot.store.pairings import Pairing
from bot.texts import people, people_access

CLEAR = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # no sign that is taken for another
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
MOST_DOUBLED = 10  # times: nearly three years
MOST_PENDING = 3  # on one channel: whoever sends from many accounts must not fill the owner's chat
LET_IN, REFUSE = "Let in", "Refuse"
YES = {"1", "yes", "y", LET_IN.casefold()}
NO = {"2", "no", "n", REFUSE.casefold()}


def knock(db: Connection, message: InboundMessage, access: Access, terms: Terms) -> None:
    """A stranger wrote in private: give him a code, and ask the owner; at most once an hour, and
    later where he was refused."""
    channel, stranger = message.address.channel, message.sender
    pairings.expire(db, terms.now)
    last = pairings.newest_of(db, channel, stranger.id)
    if (last and (last.state == "open" or terms.now < last.deadline)) or guests.was_sent_away(db, channel, stranger.id):
        return
    if sum(each.address.channel == channel for each in pairings.pending(db)) >= MOST_PENDING:
        return
    pairing = Pairing(
        id=QuestionId(f"p{inbox.number_of(db, message.id)}"),
        code="-".join("".join(secrets.choice(CLEAR) for _ in range(4)) for _ in range(2)),
        stranger=stranger,
        address=message.address,
        owner=access.owner,
        deadline=terms.now + HOUR,
        state="open",
    )
    text = people_phrases.knocks(channel, stranger, pairing.code, access.others)
    pairings.ask(db, pairing, access.owner_at, text, (LET_IN, REFUSE))
    outbox.notice(
        db, f"{message.id}:knock", message.address, people_access.CODE_FOR_STRANGER(code=pairing.code), terms.now
    )
    if access.owner_at:
        question = OutboundMessage(
            id=OutboundId(pairing.id),
            address=access.owner_at,
            kind=OutboundKind.QUESTION,
            text=text,
            options=(LET_IN, REFUSE),
        )
        outbox.say(db, question, terms.now)


def decide(db: Connection, pairing: Pairing, message: InboundMessage, terms: Terms) -> str:
    """What the owner says to a request; gives what to answer."""
    if pairing.state == "open" and terms.now >= pairing.deadline:
        pairings.expire(db, terms.now)
    elif pairing.state == "open":
        words = message.text.strip().casefold()
        if words in YES:
            return let_in(db, pairing, message.sender.name, terms)
        if words in NO:
            return refuse(db, pairing, message.sender.name, terms)
        return people_access.LET_IN_OR_NOT(person=people_phrases.who(pairing.stranger))
    return people.QUESTION_CLOSED


def by_code(db: Connection, code: str, granted_by: str, terms: Terms) -> str:
    """What `/pair CODE` and `retinue pair CODE` do."""
    pairings.expire(db, terms.now)
    pairing = pairings.by_code(db, code)
    if pairing is None:
        return people_access.NO_REQUEST
    return let_in(db, pairing, granted_by, terms)


def let_in(db: Connection, pairing: Pairing, granted_by: str, terms: Terms) -> str:
    pairings.close(db, pairing, LET_IN, phrases.chosen(LET_IN, granted_by))
    guests.let_in(db, pairing.address.channel, pairing.stranger, granted_by, terms.now)
    outbox.notice(db, f"{pairing.id}:welcome", pairing.address, people_access.WELCOME, terms.now)
    channel = pairing.address.channel
    return people_phrases.let_in(pairing.stranger, channel, terms.accesses.get(channel, NOBODY).others)


def refuse(db: Connection, pairing: Pairing, refused_by: str, terms: Terms) -> str:
    """Strangers hear nothing of it. They may ask again after a day, after two when refused twice, and so on."""
    times = pairings.count_refused(db, pairing.address.channel, pairing.stranger.id, REFUSE)
    pairings.close(db, pairing, REFUSE, phrases.chosen(REFUSE, refused_by))
    pairings.put_off(db, pairing, terms.now + DAY * 2 ** min(times, MOST_DOUBLED))
    return people_access.STAYS_OUTSIDE(person=people_phrases.who(pairing.stranger))


def revoke(db: Connection, person: str, terms: Terms) -> str:
    """What `retinue pair --revoke ID` does."""
    channels = guests.revoke(db, person, terms.now)
    for channel in channels:
        rights.forget(db, channel, person)  # who is let in again begins as everybody does
    if not channels:
        return people_access.NOBODY_SENT_AWAY(person=person)
    return people_access.SENT_AWAY(person=person, channels=", ".join(channels))
