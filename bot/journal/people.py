"""Which person an account belongs to, by the settings and by the rows."""

from bot.core.access import CLOSED_ACCESS
from bot.core.limits import DecisionTerms
from bot.store import people
from bot.store.connection import Connection
from bot.store.people import OWNER_KEY, PersonKey


def person_key(db: Connection, channel: str, account: str, terms: DecisionTerms) -> PersonKey:
    """Return the person whom an account belongs to. For the owner's accounts this reads no row, for others one."""
    if is_account_of_owner(channel, account, terms):
        return OWNER_KEY
    linked = people.find_linked_account(db, channel, account)
    return linked.person if linked else people.account_key(channel, account)


def list_account_keys(db: Connection, channel: str, account: str, terms: DecisionTerms) -> list[PersonKey]:
    """Return the keys of all accounts of the person whom an account belongs to, this one first."""
    person = person_key(db, channel, account, terms)
    named = list_accounts_of_owner(terms) if person == OWNER_KEY else [person]
    linked = [people.account_key(each.channel, each.account) for each in people.list_accounts_of_person(db, person)]
    return list(dict.fromkeys([people.account_key(channel, account), *named, *linked]))


def is_account_of_owner(channel: str, account: str, terms: DecisionTerms) -> bool:
    """Return True if the settings name this account as the owner's. Only such an account decides about others."""
    return terms.access_by_channel.get(channel, CLOSED_ACCESS).owner_id == account


def list_accounts_of_owner(terms: DecisionTerms) -> list[PersonKey]:
    """Return the owner's accounts in the settings."""
    owners = {channel: access.owner_id for channel, access in terms.access_by_channel.items()}
    return [people.account_key(channel, account) for channel, account in owners.items() if account is not None]
