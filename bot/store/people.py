"""People: which accounts of the platforms belong to one person, and what that person has set.

An account that nobody has linked is its own person, without a row. The owner's accounts in the settings are one
person. Rows do not say who the owner is: they name the account that made the code, and `bot/journal/people.py` looks in
the settings whether that is one of the owner's. So a former owner's accounts are an ordinary person's.

What an account has saved or spent stays under its own name; the accounts of a person are looked up when it is read. So
nothing has to be moved when accounts are linked, and nothing has to be divided when they are unlinked.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NewType

from bot.core.messages import Address, PersonId
from bot.store.connection import Connection
from bot.store.row_mapping import dataclass_as_columns, dataclass_from_row

PersonKey = NewType("PersonKey", str)  # of a person on all platforms: the key of their first account, or OWNER_KEY
OWNER_KEY = PersonKey("owner")  # the key of an account has a colon in it

PersonSetting = Literal["time_zone", "language"]
MAX_KEPT_LANGUAGES = 4_096  # of accounts, in memory


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedAccount:
    """One of the accounts of a person who has several."""

    channel: str
    account: PersonId
    person: PersonKey  # the key of the person's first account, also if that is the owner's
    name: str  # as its platform gave it when it was linked
    address: Address  # of its private chat
    linked_at: datetime

    @property
    def is_first(self) -> bool:
        """Return True if the person is named by this account: it made the code for the others."""
        return self.person == account_key(self.channel, self.account)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkCode:
    """The code that an account has made, to be entered in another account of the same person."""

    channel: str
    account: PersonId
    code: str
    name: str
    address: Address
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class PersonSettings:
    """What a person has set for themself; None: nothing."""

    time_zone: str | None = None  # the name of a zone, such as Europe/Berlin
    language: str | None = None  # a language tag, such as de


NOTHING_SET = PersonSettings()


def account_key(channel: str, account: str) -> PersonKey:
    """Return the key of an account, which is also the key of a person who has no other account."""
    return PersonKey(f"{channel}:{account}")


def split_account_key(person: PersonKey) -> tuple[str, PersonId]:
    """Return the channel and the id of the account that names a person. No channel's name has a colon in it."""
    channel, _, account = person.partition(":")
    return channel, PersonId(account)


def find_linked_account(db: Connection, channel: str, account: str) -> LinkedAccount | None:
    row = db.fetch_row("SELECT * FROM linked_accounts WHERE channel = ? AND account = ?", channel, account)
    return dataclass_from_row(LinkedAccount, row) if row else None


def list_accounts_linked_with(db: Connection, first: Collection[PersonKey]) -> list[LinkedAccount]:
    """Return the accounts that are linked with one of these first accounts, and these themselves, in the order in which
    they came."""
    which = "person IN (SELECT value FROM json_each(?))"
    rows = db.fetch_rows(
        f"SELECT * FROM linked_accounts WHERE {which} ORDER BY linked_at, channel, account", list(first)
    )
    return [dataclass_from_row(LinkedAccount, row) for row in rows]


def list_linked_accounts(db: Connection) -> list[LinkedAccount]:
    """Return all linked accounts, those of a person together."""
    rows = db.fetch_rows("SELECT * FROM linked_accounts ORDER BY person, linked_at, channel, account")
    return [dataclass_from_row(LinkedAccount, row) for row in rows]


def add_linked_account(db: Connection, linked: LinkedAccount) -> None:
    """Add an account to a person. If it has a row, that one stays."""
    db.insert_if_new("linked_accounts", **dataclass_as_columns(linked))
    db.known_settings = None


def delete_linked_account(db: Connection, channel: str, account: str) -> None:
    db.execute("DELETE FROM linked_accounts WHERE channel = ? AND account = ?", (channel, account))
    db.known_settings = None


def save_link_code(db: Connection, code: LinkCode) -> None:
    """Save the code of an account, in place of its former one."""
    db.upsert("link_codes", **dataclass_as_columns(code))


def find_link_code(db: Connection, code: str, now: datetime) -> LinkCode | None:
    """Return the code if an account has made it and it has not expired. Forget those that have."""
    db.execute("DELETE FROM link_codes WHERE expires_at <= ?", (now,))
    row = db.fetch_row("SELECT * FROM link_codes WHERE code = ?", code)
    return dataclass_from_row(LinkCode, row) if row else None


def delete_link_code(db: Connection, channel: str, account: str) -> None:
    db.execute("DELETE FROM link_codes WHERE channel = ? AND account = ?", (channel, account))


def count_wrong_link_codes(db: Connection, channel: str, account: str, since: datetime) -> int:
    """Return how many wrong codes an account has entered. Forget those before that moment, of all accounts."""
    db.execute("DELETE FROM wrong_link_codes WHERE since < ?", (since,))
    return db.fetch_number("SELECT tries FROM wrong_link_codes WHERE channel = ? AND account = ?", channel, account)


def note_wrong_link_code(db: Connection, channel: str, account: str, now: datetime) -> None:
    db.execute(
        "INSERT INTO wrong_link_codes (channel, account, since, tries) VALUES (?, ?, ?, 1)"
        " ON CONFLICT DO UPDATE SET tries = tries + 1",
        (channel, account, now),
    )


def load_person_settings(db: Connection, person: PersonKey) -> PersonSettings:
    """Return what a person has set. If they have set nothing, there is no row."""
    row = db.fetch_row("SELECT time_zone, language FROM person_settings WHERE person = ?", person)
    return dataclass_from_row(PersonSettings, row) if row else PersonSettings()


def save_person_setting(db: Connection, person: PersonKey, name: PersonSetting, value: str | None) -> None:
    """Save one setting of a person; None: they leave it to the operator again."""
    db.upsert("person_settings", person=person, **{name: value})
    db.known_settings = None


def load_settings_of_people(db: Connection) -> tuple[Mapping[str, PersonSettings], Mapping[str, str]]:
    """Return what people have set, by the person's key, and the first accounts of the linked ones. Call this in a
    transaction of the writer only: its connection keeps the answer, so that a turn reads no row."""
    if db.known_settings is None:
        sql = "SELECT person, time_zone, language FROM person_settings WHERE ifnull(time_zone, language) IS NOT NULL"
        found = {row["person"]: PersonSettings(row["time_zone"], row["language"]) for row in db.fetch_rows(sql)}
        linked = list_linked_accounts(db) if found else []
        first: dict[str, str] = {account_key(each.channel, each.account): each.person for each in linked}
        db.known_settings = (found, first)
    return db.known_settings


def told_language(db: Connection, account: PersonKey) -> str:
    """Return the language that an account's platform has told; empty if it has told none. Call this in a transaction of
    the writer only: its connection keeps the answer."""
    if (known := db.told_languages.get(account)) is not None:
        return known
    row = db.fetch_row("SELECT told_language FROM person_settings WHERE person = ?", account)
    return keep_told_language(db, account, (row["told_language"] or "") if row else "")


def save_told_language(db: Connection, account: PersonKey, language: str) -> None:
    """Save the language that an account's platform tells, unless it is known already."""
    if language and language != told_language(db, account):
        db.upsert("person_settings", person=account, told_language=language)
        keep_told_language(db, account, language)


def forget_known_settings(db: Connection) -> None:
    """Let the next question about settings and languages read the rows."""
    db.known_settings = None
    db.told_languages.clear()


def keep_told_language(db: Connection, account: PersonKey, language: str) -> str:
    if len(db.told_languages) >= MAX_KEPT_LANGUAGES:
        db.told_languages.clear()
    db.told_languages[account] = language
    return language
