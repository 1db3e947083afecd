"""Accounts become one person by a code, and separate again."""

from dataclasses import replace

from bot.core.messages import PersonId
from bot.core.texts import people_accounts as texts
from bot.journal import linking
from bot.journal.clock import own_zone_name
from bot.journal.people import list_accounts_of_person, person_key
from bot.store import people
from bot.store.connection import Connection
from bot.store.people import OWNER_KEY, PersonSettings, account_key
from tests.people.accounts import ACCESS, CODE, code_for, link, terms, writes

ANN, ANN_TOO, BOB, OWNER = ("telegram", "7"), ("discord", "70"), ("telegram", "9"), ("telegram", "1")
ALLOWED, OWNER_LATER = ("discord", "80"), ("telegram", PersonId("9"))


def person_of(db: Connection, account: tuple[str, str]) -> str:
    return person_key(db, *account, terms())


def told(db: Connection, chat: str) -> list[str]:
    sql = "SELECT text FROM outbox WHERE address = ? AND kind = 'notice' ORDER BY seq"
    return [row["text"] for row in db.fetch_rows(sql, chat)]


def test_a_code_of_one_account_links_the_other_one(db: Connection) -> None:
    assert link(db, ANN, ANN_TOO).startswith("This account is linked with Name7 (telegram 7) now.")
    assert person_of(db, ANN) == person_of(db, ANN_TOO) == account_key(*ANN)
    assert told(db, "telegram:7") == [texts.LINKED_THERE(account="Name70 (discord 70)")]


def test_a_code_may_be_typed_as_one_likes(db: Connection) -> None:
    code = code_for(db, *ANN).lower().replace("-", " ")
    writes(db, f"/link\n{code} ", *ANN_TOO)
    assert person_of(db, ANN_TOO) == account_key(*ANN)


def test_equal_names_and_equal_ids_do_not_link(db: Connection) -> None:
    assert person_of(db, ("telegram", "7")) != person_of(db, ("discord", "7"))


def test_a_code_works_only_once(db: Connection) -> None:
    code = code_for(db, *ANN)
    writes(db, f"/link {code}", *ANN_TOO)
    assert writes(db, f"/link {code}", *BOB) == texts.WRONG_LINK_CODE()
    assert person_of(db, BOB) == account_key(*BOB)


def test_a_code_is_valid_for_ten_minutes(db: Connection) -> None:
    code = code_for(db, *ANN)
    assert writes(db, f"/link {code}", *ANN_TOO, minutes=10) == texts.WRONG_LINK_CODE()
    code = code_for(db, *ANN)
    assert writes(db, f"/link {code}", *ANN_TOO, minutes=9.9) != texts.WRONG_LINK_CODE()


def test_a_new_code_replaces_the_one_before(db: Connection) -> None:
    before, after = code_for(db, *ANN), code_for(db, *ANN)
    assert writes(db, f"/link {before}", *ANN_TOO) == texts.WRONG_LINK_CODE()
    assert writes(db, f"/link {after}", *ANN_TOO) != texts.WRONG_LINK_CODE()


def test_five_wrong_codes_lock_an_account_out_for_an_hour(db: Connection) -> None:
    said = [writes(db, "/link AAAA-AAAA", *BOB) for _ in range(6)]
    assert said == [texts.WRONG_LINK_CODE()] * 5 + [texts.TOO_MANY_WRONG_LINK_CODES()]
    code = code_for(db, *ANN)
    assert writes(db, f"/link {code}", *BOB) == texts.TOO_MANY_WRONG_LINK_CODES()
    assert writes(db, f"/link {code}", *ANN_TOO).startswith("This account is linked")
    assert writes(db, "/link AAAA-AAAA", *BOB, minutes=61) == texts.WRONG_LINK_CODE()


def test_accounts_are_linked_only_in_private_chats(db: Connection) -> None:
    code = code_for(db, *ANN)
    for text in ("/link", f"/link {code}", "/unlink"):
        assert writes(db, text, *ANN_TOO, group="-5") == texts.LINK_ONLY_IN_PRIVATE()
    assert person_of(db, ANN_TOO) == account_key(*ANN_TOO)


def test_an_account_is_not_linked_with_itself(db: Connection) -> None:
    assert writes(db, f"/link {code_for(db, *ANN)}", *ANN) == texts.LINK_CODE_OF_THIS_ACCOUNT()


def test_the_owner_enters_nobodys_code(db: Connection) -> None:
    assert writes(db, f"/link {code_for(db, *ANN)}", *OWNER) == texts.LINK_FROM_OWNER()
    assert person_of(db, ANN) == account_key(*ANN)


def test_a_code_of_the_owner_links_with_the_owner(db: Connection) -> None:
    link(db, OWNER, ANN_TOO)
    assert person_of(db, ANN_TOO) == person_of(db, ("discord", "2")) == OWNER_KEY


def test_a_linked_account_joins_nobody_else(db: Connection) -> None:
    link(db, ANN, ANN_TOO)
    assert link(db, BOB, ANN_TOO) == texts.LINKED_WITH_ANOTHER()
    assert link(db, ANN, ANN_TOO) == texts.LINKED_ALREADY()
    assert link(db, BOB, ANN) == texts.LINKED_WITH_ANOTHER()


def test_only_the_first_account_makes_codes(db: Connection) -> None:
    link(db, ANN, ANN_TOO)
    assert writes(db, "/link", *ANN_TOO) == texts.LINK_FROM_FIRST_ACCOUNT(account="Name7 (telegram 7)")
    assert CODE.search(said := writes(db, "/link", *ANN))
    assert texts.LINKED_ACCOUNTS(accounts="Name70 (discord 70), Name7 (telegram 7)") in said
    link(db, OWNER, ("discord", "80"))
    assert writes(db, "/link", "discord", "80") == texts.LINK_FROM_FIRST_ACCOUNT(account="Name1 (telegram 1)")
    assert CODE.search(writes(db, "/link", "discord", "2"))


def test_a_person_has_a_limited_number_of_accounts(db: Connection) -> None:
    for number in range(linking.MAX_ACCOUNTS - 1):
        link(db, ANN, ("discord", f"70{number}"))
    assert writes(db, "/link", *ANN) == texts.TOO_MANY_LINKED_ACCOUNTS(most=linking.MAX_ACCOUNTS)


def test_the_owner_is_told_of_a_link_between_others(db: Connection) -> None:
    link(db, ANN, ANN_TOO)
    both = {"account": "Name70 (discord 70)", "first": "Name7 (telegram 7)"}
    assert told(db, "telegram:1") == [texts.LINKED_TO_OWNER(**both, channel="discord", id="70")]


def test_settings_come_from_the_other_account_where_the_first_has_none(db: Connection) -> None:
    people.save_person_setting(db, account_key(*ANN), "language", "de")
    people.save_person_setting(db, account_key(*ANN_TOO), "language", "fr")
    people.save_person_setting(db, account_key(*ANN_TOO), "time_zone", "Asia/Tokyo")
    link(db, ANN, ANN_TOO)
    assert people.load_person_settings(db, account_key(*ANN)) == PersonSettings(time_zone="Asia/Tokyo", language="de")


def test_unlink_separates_an_account_with_what_it_had_set(db: Connection) -> None:
    people.save_person_setting(db, account_key(*ANN_TOO), "language", "fr")
    link(db, ANN, ANN_TOO)
    assert writes(db, "/unlink", *ANN_TOO) == texts.UNLINKED_HERE()
    assert person_of(db, ANN_TOO) == account_key(*ANN_TOO)
    assert people.load_person_settings(db, account_key(*ANN_TOO)).language == "fr"
    assert db.fetch_number("SELECT count(*) FROM linked_accounts") == 0
    assert writes(db, "/unlink", *ANN_TOO) == writes(db, "/unlink", *ANN) == texts.NOT_LINKED()


def test_the_first_account_separates_the_only_other_one(db: Connection) -> None:
    link(db, ANN, ANN_TOO)
    assert writes(db, "/unlink", *ANN) == texts.UNLINKED(accounts="Name70 (discord 70)")
    assert person_of(db, ANN_TOO) == account_key(*ANN_TOO)
    assert told(db, "discord:70") == [texts.UNLINKED_HERE()]


def test_the_first_account_says_which_of_several_to_separate(db: Connection) -> None:
    for account in ("70", "71"):
        link(db, OWNER, ("discord", account))
    commands = "/unlink discord 70, /unlink discord 71"
    assert writes(db, "/unlink", "discord", "2").startswith(f"Write which account to separate: {commands}.")
    assert writes(db, "/unlink discord 71", *OWNER) == texts.UNLINKED(accounts="Name71 (discord 71)")
    assert person_of(db, ("discord", "70")) == OWNER_KEY
    assert person_of(db, ("discord", "71")) != OWNER_KEY


def test_an_unlinked_account_may_join_another_person(db: Connection) -> None:
    link(db, ANN, ANN_TOO)
    writes(db, "/unlink", *ANN_TOO)
    link(db, BOB, ANN_TOO)
    assert person_of(db, ANN_TOO) == account_key(*BOB)


def test_a_code_that_an_account_made_before_it_joined_is_void(db: Connection) -> None:
    code = code_for(db, *ANN_TOO)
    link(db, ANN, ANN_TOO)
    assert writes(db, f"/link {code}", *BOB) == texts.WRONG_LINK_CODE()
    assert person_of(db, BOB) == account_key(*BOB)


def test_an_account_that_the_settings_make_the_owner_leaves_its_person(db: Connection) -> None:
    link(db, ALLOWED, OWNER_LATER)
    accesses = {**ACCESS, "telegram": replace(ACCESS["telegram"], owner_id=OWNER_LATER[1])}
    later = replace(terms(), access_by_channel=accesses)
    assert person_key(db, *OWNER_LATER, later) == OWNER_KEY
    assert person_key(db, *ALLOWED, later) == account_key(*ALLOWED)
    assert [each.account for each in list_accounts_of_person(db, account_key(*ALLOWED), later)] == ["80"]


def test_an_account_that_is_linked_with_the_owner_has_the_owners_clock(db: Connection) -> None:
    link(db, OWNER, ANN_TOO)
    people.save_person_setting(db, OWNER_KEY, "time_zone", "Asia/Tokyo")
    assert own_zone_name(db, *ANN_TOO, terms()) == "Asia/Tokyo"
    assert own_zone_name(db, *ANN, terms()) == ""
