"""How the operator invites somebody: a link or code that lets in one person."""

import asyncio
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from bot.core import phrases
from bot.core.messages import PersonId, Sender
from bot.core.rights import EVERY_RIGHT
from bot.core.texts import people, people_access, people_accounts
from bot.journal.invitations import INVITATION_LIFETIME, MAX_INVITATIONS, link_parameter
from bot.store import guests, orders
from tests.intake.test_pairing import GUARDED, asked, knocks
from tests.support.backup_bot import connection
from tests.support.bench import Bench
from tests.support.patience import PATIENCE

SAM = Sender(id=PersonId("Sam"), name="Sam")


async def invite(bench: Bench) -> str:
    """Order an invitation as `retinue pair --invite` does. Return its code, or why there is none."""
    path = bench.data / "bot.db"
    bench.chat.hears("/status", by="Owner", chat="office")  # once it is answered, there is a database
    await bench.chat.said()
    order = orders.write_order(path, "invite", datetime.now(UTC))
    async with asyncio.timeout(PATIENCE):
        while (answer := orders.read_order_answer(path, order)) is None:  # noqa: ASYNC110 -- another process
            await asyncio.sleep(0.01)
    return answer.text


def opens(bench: Bench, code: str, by: str = "Sam") -> None:
    """Let somebody open the link: their client sends this."""
    bench.chat.hears(f"/start {link_parameter(code)}", by=by, chat=by.lower())


@pytest.mark.parametrize("how", ["link", "words"])
async def test_a_stranger_with_an_invitation_is_let_in_and_heard(bench: Bench, how: str) -> None:
    bench.model.says("lead", "Hello Sam")
    async with bench.run(access=GUARDED):
        code = await invite(bench)
        if how == "link":
            opens(bench, code)
        else:
            bench.chat.hears(f"/pair {code.lower()}", by="Sam", chat="sam")
        said = {await bench.chat.said(), await bench.chat.said()}
        assert said == {people_access.WELCOME(), phrases.guest_let_in_text(SAM, "fake", EVERY_RIGHT)}
        bench.chat.hears("hello", by="Sam", chat="sam")
        assert await bench.chat.said() == "Hello Sam"
    assert bench.rows("SELECT person, granted_by FROM access") == [("Sam", people_access.OPERATOR())]


async def test_an_invitation_lets_in_only_the_first(bench: Bench) -> None:
    async with bench.run(access=GUARDED):
        code = await invite(bench)
        opens(bench, code)
        assert people_access.WELCOME() in {await bench.chat.said(), await bench.chat.said()}
        opens(bench, code, by="Tom")
        assert await bench.chat.said() == people_access.NO_REQUEST()
    assert bench.rows("SELECT person FROM access") == [("Sam",)]
    assert bench.count("questions") == 0, "a wrong code asks the owner nothing"


async def test_an_old_invitation_is_not_valid(bench: Bench) -> None:
    late = datetime.now(UTC) + INVITATION_LIFETIME + timedelta(minutes=1)
    async with bench.run(access=GUARDED):
        code = await invite(bench)
    async with bench.run(access=GUARDED, now=lambda: late):
        opens(bench, code)
        assert await bench.chat.said() == people_access.NO_REQUEST()
    assert bench.count("access") == 0


async def test_many_wrong_codes_lock_an_account_out(bench: Bench) -> None:
    async with bench.run(access=GUARDED):
        for number in range(5):
            opens(bench, f"WRNG-{number}")
            assert await bench.chat.said() == people_access.NO_REQUEST()
        opens(bench, await invite(bench))
        assert await bench.chat.said() == people_accounts.TOO_MANY_WRONG_LINK_CODES()
    assert bench.count("access") == 0


async def test_who_was_sent_away_stays_away(bench: Bench) -> None:
    async with bench.run(access=GUARDED):
        opens(bench, await invite(bench))
        await bench.chat.said()
        await bench.chat.said()
        orders.write_order(bench.data / "bot.db", "revoke", datetime.now(UTC), person="Sam")
        code = await invite(bench)
        opens(bench, code)
        await bench.chat.is_taken_in()
        assert bench.chat.sent.empty()
    assert bench.count("invitations") == 1


async def test_the_owner_lets_a_stranger_in_by_a_link_too(bench: Bench) -> None:
    async with bench.run(access=GUARDED):
        knocks(bench)
        code, _ = await asked(bench)
        bench.chat.hears(f"/start {link_parameter(code)}", by="Owner", chat="office")
        assert people_access.WELCOME() in {await bench.chat.said(), await bench.chat.said()}
        bench.chat.hears(f"/start {link_parameter(code)}", by="Owner", chat="office")
        assert await bench.chat.said() == people_access.NO_REQUEST(), "it was used"
        bench.chat.hears(f"/start {link_parameter(await invite(bench))}", by="Owner", chat="office")
        assert await bench.chat.said() == people_access.INVITATION_FOR_ANOTHER()
    assert bench.count("invitations") == 1


async def test_who_may_talk_already_is_greeted_and_uses_up_nothing(bench: Bench) -> None:
    async with bench.run(access=GUARDED):
        opens(bench, await invite(bench), by="Ann")
        assert (await bench.chat.said()).startswith(people.GREETING())
    assert bench.count("invitations") == 1


async def test_there_are_only_so_many_open_invitations(bench: Bench) -> None:
    async with bench.run(access=GUARDED):
        await invite(bench)
        with closing(connection(bench.data / "bot.db")) as db:
            for number in range(1, MAX_INVITATIONS):
                guests.add_invitation(db, f"CODE{number}", datetime.now(UTC) + INVITATION_LIFETIME)
        assert await invite(bench) == people_access.TOO_MANY_INVITATIONS()


def test_what_a_link_hands_over_is_what_telegram_permits() -> None:
    word = link_parameter("K7MW-3QXA")
    assert word == "pair_K7MW3QXA"
    assert len(word) <= 64
