"""Linked accounts in the whole bot: strangers with a code, questions, and one share of the money."""

from dataclasses import replace

from bot.core.messages import Address, OutboundKind
from bot.core.prices import Usage
from bot.core.settings import Settings
from bot.core.texts import people as people_texts
from bot.core.texts import people_access, people_groups
from bot.core.texts import people_accounts as texts
from bot.journal.people_rights import SEND_AWAY_CHOICE, UNLINK_CHOICE
from tests.people.accounts import CODE
from tests.support.bench import ACCESS, Bench
from tests.support.fakes import reply, uses

OWNER_AT = Address(channel="fake", chat="office")
GUARDED = {"fake": replace(ACCESS["fake"], owner_address=OWNER_AT, may_strangers_pair=True)}
NOTICE, QUESTION, REPLY = OutboundKind.NOTICE, OutboundKind.QUESTION, OutboundKind.REPLY


async def code_of(bench: Bench, by: str) -> str:
    bench.chat.hears("/link", by=by, chat=by.lower())
    found = CODE.search(await bench.chat.said(NOTICE))
    assert found
    return found[0]


async def link(bench: Bench, first: str, other: str) -> dict[str, str]:
    """Link an account with another one. Return what is read, by the chat."""
    bench.chat.hears(f"/link {await code_of(bench, first)}", by=other, chat=other.lower())
    parts = [await bench.chat.part(NOTICE) for _ in range(3)]
    return {part.message.address.chat: part.text for part in parts}


async def test_a_stranger_with_a_code_is_heard_and_asks_nobody(bench: Bench) -> None:
    bench.model.says("lead", "Hello")
    async with bench.run(access=GUARDED):
        said = await link(bench, "Ann", "Zoe")
        assert said.keys() == {"ann", "zoe", "office"}
        assert said["zoe"] == texts.LINKED_HERE(account="Ann (fake Ann)")
        bench.chat.hears("hello", by="Zoe", chat="zoe")
        assert await bench.chat.said() == "Hello"
    assert bench.count("questions") == 0


async def test_a_stranger_with_a_wrong_code_reads_that_and_nothing_is_kept(bench: Bench) -> None:
    async with bench.run(access=GUARDED):
        bench.chat.hears("/link AAAA-AAAA", by="Zoe", chat="zoe")
        assert await bench.chat.said() == texts.WRONG_LINK_CODE()
    assert bench.count("questions") == 0
    assert bench.rows("SELECT text FROM inbox") == [("",)]


async def test_a_stranger_cannot_make_a_code(bench: Bench) -> None:
    async with bench.run(access={"fake": replace(ACCESS["fake"], owner_address=OWNER_AT)}):
        bench.chat.hears("/link", by="Zoe", chat="zoe")
        await bench.chat.is_taken_in()
    assert bench.chat.sent.empty()
    assert bench.count("link_codes") == 0


async def test_a_linked_account_answers_a_question_where_it_was_asked(bench: Bench) -> None:
    bench.model.says("lead", reply(uses("ask_person", question="which?", options=["red", "blue"])), "red, then")
    async with bench.run(access=GUARDED):
        await link(bench, "Ann", "Zoe")
        bench.chat.hears("paint", by="Ann", chat="hall")
        question = (await bench.chat.part(QUESTION)).message.id
        bench.chat.taps(question, "1", by="Bob", chat="hall")
        assert await bench.chat.said(NOTICE) == people_texts.QUESTION_FOR_ANOTHER()
        bench.chat.taps(question, "1", by="Zoe", chat="hall")
        assert await bench.chat.said(REPLY) == "red, then"


async def test_linked_accounts_have_one_share_of_the_day(bench: Bench) -> None:
    spends = Usage(input=100_000, output=0)
    settings = Settings.model_validate({"limits": {"day_usd": 4, "person_day_percent": 25}})
    bench.model.says("lead", reply(uses("read"), usage=spends), "done")
    async with bench.run(access=GUARDED, settings=settings):
        await link(bench, "Ann", "Zoe")
        bench.chat.hears("go", by="Ann", chat="ann")
        assert await bench.chat.said(REPLY) == "done"
        bench.chat.hears("/budget", by="Ann", chat="ann")
        own = (await bench.chat.said(NOTICE)).splitlines()[0]
        bench.chat.hears("/budget", by="Zoe", chat="zoe")
        assert (await bench.chat.said(NOTICE)).splitlines()[0] == own
        bench.chat.hears("/usage", by="Owner", chat="office")
        by_person = (await bench.chat.said(NOTICE)).splitlines()
    assert own.startswith("You have used $0.")
    assert not own.startswith("You have used $0.00 ")
    assert "fake Zoe" not in str(by_person)


async def test_an_account_that_is_linked_with_the_owner_counts_as_the_owner(bench: Bench) -> None:
    async with bench.run(access=GUARDED):
        bench.chat.hears(f"/link {await code_of(bench, 'Owner')}", by="Zoe", chat="zoe")
        assert {await bench.chat.said(NOTICE) for _ in range(2)} >= {texts.LINKED_HERE(account="Owner (fake Owner)")}
        bench.chat.hears("/budget", by="Zoe", chat="zoe")
        said = await bench.chat.said(NOTICE)
        assert "your share of" not in said
        bench.chat.hears("/budget 50", by="Zoe", chat="zoe")
        assert "$50.00 in place of $20.00" in await bench.chat.said(NOTICE)
        bench.chat.hears("/people", by="Zoe", chat="zoe")
        assert (await bench.chat.said(NOTICE)).endswith(people_access.PEOPLE_USAGE())
        bench.chat.hears("/mode always", by="Zoe", chat="-5", group_chat="-5")
        assert await bench.chat.said(NOTICE) == people_groups.MODE_IS(mode=people_groups.MODES["always"]())


async def test_an_account_with_fewer_rights_than_the_owner_is_not_the_owner(bench: Bench) -> None:
    async with bench.run(access=GUARDED):
        bench.chat.hears(f"/link {await code_of(bench, 'Owner')}", by="Zoe", chat="zoe")
        assert {await bench.chat.said(NOTICE) for _ in range(2)} >= {texts.LINKED_HERE(account="Owner (fake Owner)")}
        bench.chat.hears("/people fake Zoe take shell", by="Owner", chat="office")
        await bench.chat.said(NOTICE)
        for wish in ("/people fake Zoe give shell", "/people"):
            bench.chat.hears(wish, by="Zoe", chat="zoe")
            assert people_access.PEOPLE_USAGE() not in await bench.chat.said(NOTICE)
        bench.chat.hears("/budget 50", by="Zoe", chat="zoe")
        assert await bench.chat.said(NOTICE) == people_texts.OWNER_CHANGES_BUDGET()
    assert "shell" not in str(bench.select("rights", "rights"))


async def test_the_owner_sees_links_and_cuts_one(bench: Bench) -> None:
    async with bench.run(access=GUARDED):
        await link(bench, "Ann", "Zoe")
        bench.chat.hears("/people", by="Owner", chat="office")
        assert "fake Zoe (Zoe), linked with fake Ann: everything" in (await bench.chat.said(NOTICE)).splitlines()
        bench.chat.hears("/people fake Zoe unlink", by="Owner", chat="office")
        cut = texts.LINKS_CUT(accounts="Zoe (fake Zoe)")
        assert {await bench.chat.said(NOTICE) for _ in range(2)} == {cut, texts.UNLINKED_HERE()}
    assert bench.count("linked_accounts") == 0


async def test_an_account_that_was_sent_away_does_not_come_back_by_a_code(bench: Bench) -> None:
    async with bench.run(access=GUARDED):
        await link(bench, "Ann", "Zoe")
        bench.chat.hears("/people fake Zoe", by="Owner", chat="office")
        asked = (await bench.chat.part(QUESTION)).message
        assert asked.options[-2:] == (UNLINK_CHOICE, SEND_AWAY_CHOICE)
        bench.chat.taps(asked.id, SEND_AWAY_CHOICE, by="Owner", chat="office")
        assert await bench.chat.said(NOTICE) == people_access.SENT_AWAY(person="Zoe", channels="fake")
        bench.chat.hears(f"/link {await code_of(bench, 'Ann')}", by="Zoe", chat="zoe")
        await bench.chat.is_taken_in()
        bench.chat.hears("/people", by="Owner", chat="office")
        assert "Zoe" not in await bench.chat.said(NOTICE)
    assert bench.select("person, revoked_at IS NULL", "access") == [("Zoe", 0)]


async def test_who_is_let_in_by_the_settings_is_not_sent_away(bench: Bench) -> None:
    async with bench.run(access=GUARDED):
        bench.chat.hears("/people fake Ann send away", by="Owner", chat="office")
        assert await bench.chat.said(NOTICE) == people_access.LET_IN_BY_SETTINGS(person="Ann", channel="fake")
