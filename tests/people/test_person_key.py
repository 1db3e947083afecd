"""Which accounts are one person, by the settings and by the rows."""

from bot.core.access import Access
from bot.core.limits import DecisionTerms
from bot.core.messages import PersonId
from bot.core.settings import Settings
from bot.journal import people
from bot.store.connection import Connection
from bot.store.people import OWNER_KEY
from tests.support.rows import NOW

ACCESS = {"telegram": Access(owner_id=PersonId("1")), "discord": Access(owner_id=PersonId("2")), "toy": Access()}
TERMS = DecisionTerms(settings=Settings(), now=NOW, access_by_channel=ACCESS)


def test_an_account_that_nobody_linked_is_its_own_person(db: Connection) -> None:
    assert people.person_key(db, "telegram", "7", TERMS) == "telegram:7"
    assert people.person_key(db, "discord", "7", TERMS) == "discord:7"
    assert people.person_key(db, "no such channel", "7", TERMS) == "no such channel:7"


def test_the_owner_accounts_of_the_settings_are_one_person(db: Connection) -> None:
    assert people.person_key(db, "telegram", "1", TERMS) == people.person_key(db, "discord", "2", TERMS) == OWNER_KEY
    assert people.person_key(db, "discord", "1", TERMS) != OWNER_KEY


def test_the_owner_is_known_without_a_row(db: Connection) -> None:
    statements: list[str] = []
    db.set_trace_callback(statements.append)
    people.person_key(db, "telegram", "1", TERMS)
    assert statements == []
