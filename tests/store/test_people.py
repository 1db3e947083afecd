"""What a person has set, as rows."""

from bot.store import people
from bot.store.connection import Connection
from bot.store.people import OWNER_KEY, PersonSettings


def test_a_person_who_has_set_nothing_has_no_settings(db: Connection) -> None:
    assert people.load_person_settings(db, OWNER_KEY) == PersonSettings(time_zone=None, language=None)


def test_each_setting_of_a_person_is_saved_by_itself(db: Connection) -> None:
    ann = people.account_key("telegram", "7")
    people.save_person_setting(db, ann, "time_zone", "Europe/Berlin")
    people.save_person_setting(db, ann, "language", "de")
    people.save_person_setting(db, ann, "time_zone", "Asia/Tokyo")
    assert people.load_person_settings(db, ann) == PersonSettings(time_zone="Asia/Tokyo", language="de")
    people.save_person_setting(db, ann, "language", None)
    assert people.load_person_settings(db, ann) == PersonSettings(time_zone="Asia/Tokyo", language=None)
    assert people.load_person_settings(db, OWNER_KEY) == PersonSettings()
