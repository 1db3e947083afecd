"""Which clock counts for a person: that of the zone they have set, or else the operator's."""

from datetime import datetime, tzinfo

from bot.core.limits import DecisionTerms
from bot.core.messages import InboundMessage
from bot.core.time_zones import find_zone
from bot.journal.people import is_account_of_owner, person_key, person_of_first_account
from bot.store import people
from bot.store.connection import Connection
from bot.store.people import OWNER_KEY, PersonKey


def own_zone_name(db: Connection, channel: str, account: str, terms: DecisionTerms) -> str:
    """Return the name of the zone that a person has set, by any of their accounts; empty if they have set none. Call
    this in a transaction of the writer."""
    own = people.account_key(channel, account)
    zones, first_accounts = people.load_time_zones(db)
    if is_account_of_owner(channel, account, terms):
        return zones.get(OWNER_KEY, "")
    return zones.get(person_of_first_account(PersonKey(first_accounts.get(own, own)), terms), "")


def zone_of_person(db: Connection, channel: str, account: str, terms: DecisionTerms) -> tzinfo:
    return zone_by_name(own_zone_name(db, channel, account, terms), terms)


def time_on_clock_of_sender(db: Connection, message: InboundMessage, terms: DecisionTerms) -> datetime:
    """Return when a message was written, on the clock of its sender."""
    return message.sent_at.astimezone(zone_of_person(db, message.address.channel, message.sender.id, terms))


def read_zone_of_person(db: Connection, channel: str, account: str, terms: DecisionTerms) -> tzinfo:
    """Return the same as `zone_of_person`, in a transaction that only reads."""
    person = person_key(db, channel, account, terms)
    return zone_by_name(people.load_person_settings(db, person).time_zone or "", terms)


def zone_by_name(name: str, terms: DecisionTerms) -> tzinfo:
    """Return a zone. For an empty name, or one that this machine does not know any more, return the operator's."""
    return find_zone(name) or terms.resolved_settings.operator_time_zone
