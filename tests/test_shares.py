"""The day's money where several may talk: each person has a share, and a part is kept for the owner."""

from bot import phrases
from bot.access import Access
from bot.limits import Settings
from bot.messages import OutboundKind, PersonId
from bot.prices import Micros
from tests.conftest import Bench
from tests.test_rights import SHARED

REPLY = OutboundKind.REPLY


async def test_one_person_cannot_use_up_the_day(bench: Bench) -> None:
    async with bench.run(access=SHARED, settings=Settings(day=Micros(40_000))):
        bench.chat.hears("go", by="Eve", chat="one")
        assert phrases.NO_MONEY["person"] in await bench.chat.said(REPLY)
        bench.model.says("lead", "for the owner")
        bench.chat.hears("go", by="Owner", chat="two")
        assert await bench.chat.said(REPLY) == "for the owner"


async def test_a_part_of_the_day_is_kept_for_the_owner(bench: Bench) -> None:
    settings = Settings(day=Micros(200_000), person_day_percent=100, owner_reserve_percent=95)
    async with bench.run(access=SHARED, settings=settings):
        bench.chat.hears("go", by="Eve", chat="one")
        assert phrases.NO_MONEY["shared day"] in await bench.chat.said(REPLY)
        bench.model.says("lead", "for the owner")
        bench.chat.hears("go", by="Owner", chat="two")
        assert await bench.chat.said(REPLY) == "for the owner"


async def test_who_is_alone_has_all_of_the_day(bench: Bench) -> None:
    access = {"fake": Access(owner=PersonId("Owner"))}
    settings = Settings(day=Micros(200_000), person_day_percent=1, owner_reserve_percent=99)
    bench.model.says("lead", "yes")
    async with bench.run(access=access, settings=settings):
        bench.chat.hears("go", by="Owner", chat="two")
        assert await bench.chat.said(REPLY) == "yes"


async def test_a_share_counts_in_every_chat_of_a_person(bench: Bench) -> None:
    settings = Settings(day=Micros(400_000))
    bench.model.says("lead", *["yes"] * 60)
    async with bench.run(access=SHARED, settings=settings):
        said = []
        for number in range(40):
            bench.chat.hears("go", by="Eve", chat=f"room {number}")
            said.append(await bench.chat.said(REPLY))
        bench.chat.hears("go", by="Bob", chat="bob")
        assert await bench.chat.said(REPLY) == "yes"
    assert phrases.NO_MONEY["person"] in said[-1]
    [(spent,)] = bench.rows("SELECT cost FROM spending WHERE chat = '@fake:Eve'")
    assert spent <= 100_000
