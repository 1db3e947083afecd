"""Which person an account belongs to, by the settings and by the rows."""

from bot.core.access import CLOSED_ACCESS
from bot.core.limits import DecisionTerms
from bot.store import people
from bot.store.connection import Connection
from bot.store.people import NOTHING_SET, OWNER_KEY, LinkedAccount, PersonKey, PersonSettings
from bot.store.personal_data import Account


def person_key(db: Connection, channel: str, account: str, terms: DecisionTerms) -> PersonKey:
    """Return the person of an account. For the owner's accounts in the settings this reads no row, for
    others one."""
    if is_account_of_owner(channel, account, terms):
        return OWNER_KEY
    linked = people.find_linked_account(db, channel, account)
    return person_of_first_account(linked.person if linked else people.account_key(channel, account), terms)


def person_of_first_account(first: PersonKey, terms: DecisionTerms) -> PersonKey:
    """Return whose first account this is: the owner's as long as the settings name it, or else its own person's."""
    return OWNER_KEY if is_account_of_owner(*people.split_account_key(first), terms) else first


def settings_of_account(db: Connection, channel: str, account: str, terms: DecisionTerms) -> PersonSettings:
    """Return what the person of an account has set, in any of their accounts. Call this in a transaction of the
    writer."""
    settings, first_accounts = people.load_settings_of_people(db)
    own = people.account_key(channel, account)
    if is_account_of_owner(channel, account, terms):
        return settings.get(OWNER_KEY, NOTHING_SET)
    return settings.get(person_of_first_account(PersonKey(first_accounts.get(own, own)), terms), NOTHING_SET)


def list_accounts_of_person(db: Connection, person: PersonKey, terms: DecisionTerms) -> list[LinkedAccount]:
    """Return the linked accounts of a person, in the order in which they came. The owner has others in the settings; if
    those name an account that was linked with somebody else, it is the owner's from then on."""
    if person == OWNER_KEY:
        return people.list_accounts_linked_with(db, list_accounts_of_owner(terms))
    found = people.list_accounts_linked_with(db, [person])
    return [each for each in found if not is_account_of_owner(each.channel, each.account, terms)]


def list_account_keys(db: Connection, channel: str, account: str, terms: DecisionTerms) -> list[PersonKey]:
    """Return the keys of all accounts of an account's person, this one first."""
    person = person_key(db, channel, account, terms)
    named = list_accounts_of_owner(terms) if person == OWNER_KEY else [person]
    linked = [people.account_key(each.channel, each.account) for each in list_accounts_of_person(db, person, terms)]
    return list(dict.fromkeys([people.account_key(channel, account), *named, *linked]))


def list_all_accounts(db: Connection, person: PersonKey, terms: DecisionTerms) -> list[Account]:
    """Return all accounts of a person: those that are linked, and those that the settings name as the owner's."""
    linked = [Account(channel=each.channel, id=each.account) for each in list_accounts_of_person(db, person, terms)]
    keys = list_accounts_of_owner(terms) if person == OWNER_KEY else [person]
    named = [Account(channel=channel, id=id) for channel, id in map(people.split_account_key, keys)]
    return list(dict.fromkeys([*named, *linked]))


def is_same_person(db: Connection, channel: str, account: str, other: str, terms: DecisionTerms) -> bool:
    """Return True if two accounts of a channel are one, or are linked."""
    return account == other or person_key(db, channel, account, terms) == person_key(db, channel, other, terms)


def is_account_of_owner(channel: str, account: str, terms: DecisionTerms) -> bool:
    """Return True if the settings name this account as the owner's."""
    return terms.access_by_channel.get(channel, CLOSED_ACCESS).owner_id == account


def list_accounts_of_owner(terms: DecisionTerms) -> list[PersonKey]:
    """Return the owner's accounts in the settings."""
    owners = {channel: access.owner_id for channel, access in terms.access_by_channel.items()}
    return [people.account_key(channel, account) for channel, account in owners.items() if account is not None]
