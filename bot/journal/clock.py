"""Which clock counts for a person: that of the zone they have set, or else the operator's."""

from datetime import tzinfo

from bot.core.limits import DecisionTerms
from bot.core.time_zones import find_zone
from bot.journal.people import settings_of_account
from bot.store.connection import Connection


def own_zone_name(db: Connection, channel: str, account: str, terms: DecisionTerms) -> str:
    """Return the name of the zone that a person has set, by any of their accounts; empty if they have set none. Call
    this in a transaction of the writer."""
    return settings_of_account(db, channel, account, terms).time_zone or ""


def zone_of_person(db: Connection, channel: str, account: str, terms: DecisionTerms) -> tzinfo:
    return zone_by_name(own_zone_name(db, channel, account, terms), terms)


def zone_by_name(name: str, terms: DecisionTerms) -> tzinfo:
    """Return a zone. For an empty name, or one that this machine does not know any more, return the operator's."""
    return find_zone(name) or terms.resolved_settings.operator_time_zone
