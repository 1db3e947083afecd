"""The day's money where several may talk: each person has a share, and a part is kept for the owner."""

from bot.core.access import Access
from bot.core.messages import OutboundKind, PersonId
from bot.core.prices import Micros, format_micro_dollars
from bot.core.texts import people, reasons
from tests.intake.test_people_rights import SHARED
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import PRICE

REPLY, NOTICE = OutboundKind.REPLY, OutboundKind.NOTICE


async def test_one_person_cannot_use_up_the_day(bench: Bench) -> None:
    async with bench.run(access=SHARED, **engine_options(day=Micros(40_000))):
        bench.chat.hears("go", by="Eve", chat="one")
        assert reasons.NO_MONEY["person"](time_zone="UTC") in await bench.chat.said(REPLY)
        bench.model.says("lead", "for the owner")
        bench.chat.hears("go", by="Owner", chat="two")
        assert await bench.chat.said(REPLY) == "for the owner"


async def test_a_part_of_the_day_is_kept_for_the_owner(bench: Bench) -> None:
    settings = engine_options(day=Micros(200_000), limits__person_day_percent=100, limits__owner_reserve_percent=95)
    async with bench.run(access=SHARED, **settings):
        bench.chat.hears("go", by="Eve", chat="one")
        assert reasons.NO_MONEY["shared day"](time_zone="UTC") in await bench.chat.said(REPLY)
        bench.model.says("lead", "for the owner")
        bench.chat.hears("go", by="Owner", chat="two")
        assert await bench.chat.said(REPLY) == "for the owner"


async def test_a_lone_person_has_the_whole_days_budget(bench: Bench) -> None:
    access = {"fake": Access(owner_id=PersonId("Owner"))}
    settings = engine_options(day=Micros(200_000), limits__person_day_percent=1, limits__owner_reserve_percent=99)
    bench.model.says("lead", "yes")
    async with bench.run(access=access, **settings):
        bench.chat.hears("go", by="Owner", chat="two")
        assert await bench.chat.said(REPLY) == "yes"


async def test_a_share_counts_in_every_chat_of_a_person(bench: Bench) -> None:
    settings = engine_options(day=Micros(400_000))
    bench.model.says("lead", *["yes"] * 60)
    async with bench.run(access=SHARED, **settings):
        said = []
        for number in range(40):
            bench.chat.hears("go", by="Eve", chat=f"room {number}")
            said.append(await bench.chat.said(REPLY))
        bench.chat.hears("go", by="Bob", chat="bob")
        assert await bench.chat.said(REPLY) == "yes"
    assert reasons.NO_MONEY["person"](time_zone="UTC") in said[-1]
    [(spent,)] = bench.rows("SELECT cost FROM spending WHERE chat = '@fake:Eve'")
    assert spent <= 100_000


async def usage(bench: Bench, by: str) -> list[str]:
    bench.chat.hears("/usage", by=by, chat=f"of {by}")
    return (await bench.chat.said(NOTICE)).splitlines()


async def test_usage_shows_a_persons_own_share_and_the_owner_the_reserve(bench: Bench) -> None:
    bench.model.says("lead", "one", "two")
    settings = engine_options(chat_day=Micros(1_000_000), day=Micros(400_000))
    async with bench.run(access=SHARED, **settings):
        for chat in ("here", "there"):
            bench.chat.hears("go", by="Eve", chat=chat)
            await bench.chat.said(REPLY)
        of_eve, of_owner = await usage(bench, "Eve"), await usage(bench, "Owner")
    chat, day, kept = format_micro_dollars(1_000_000), format_micro_dollars(400_000), format_micro_dollars(80_000)
    spent, share, left = map(format_micro_dollars, (2 * PRICE, 100_000, 100_000 - 2 * PRICE))
    assert people.OWN_SHARE(spent=spent, share=share, left=left) in of_eve
    assert of_eve[-1] == people.LEFT_TODAY_FOR_OTHERS(left=left, chat=chat, day=day, kept=kept)
    left = format_micro_dollars(400_000 - 2 * PRICE)
    assert of_owner[-1] == people.LEFT_TODAY_FOR_OWNER(left=left, chat=chat, day=day, kept=kept)
    assert not any(line.startswith(people.OWN_SHARE.english.partition("{")[0]) for line in of_owner)


async def test_usage_shows_no_share_where_nobody_else_may_talk(bench: Bench) -> None:
    async with bench.run(access={"fake": Access(owner_id=PersonId("Owner"))}):
        said = await usage(bench, "Owner")
    assert len(said) == 3
    chat, day = format_micro_dollars(5_000_000), format_micro_dollars(20_000_000)
    assert said[-1] == people.LEFT_TODAY(left=chat, chat=chat, day=day)
