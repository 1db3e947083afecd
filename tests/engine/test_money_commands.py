"""`/usage` and `/budget`: what was spent, by whom and on what; what is left, and the owner's cap for a day."""

from datetime import UTC, datetime
from typing import Any

import pytest

from bot.core.messages import ChatMovedEvent, MessageId, OutboundKind
from bot.core.prices import Usage
from bot.core.settings import Settings
from bot.core.texts import people, reasons
from tests.support.bench import UNSHARED, Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import delegates, reply, uses

REPLY, NOTICE = OutboundKind.REPLY, OutboundKind.NOTICE
USAGE = Usage(input=100_000, output=0)


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.time = datetime(2026, 11, 26, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time


async def ask(bench: Bench, text: str, by: str = "Ann", chat: str = "room", **fields: Any) -> list[str]:
    bench.chat.hears(text, by=by, chat=chat, **fields)
    return (await bench.chat.said(NOTICE)).splitlines()


async def answer(bench: Bench, by: str = "Ann", chat: str = "room") -> None:
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", reply(uses("read"), usage=USAGE), "found")
    bench.chat.hears("go", by=by, chat=chat)
    assert await bench.chat.said(REPLY) == "there"


def part(name: str, today: str, month: str) -> str:
    return people.COST_PART(name=name, today=today, month=month)


async def test_usage_says_what_each_role_has_cost_today_and_this_month(bench: Bench) -> None:
    clock = Clock()
    async with bench.run(now=clock):
        await answer(bench)
        clock.time = clock.time.replace(day=27)
        await answer(bench)
        said = await ask(bench, "/usage")
    parts = [part("Researcher", "$0.01", "$0.02"), part("Lead", "$0.01", "$0.01")]
    assert people.COST_BY_ROLE(parts="; ".join(parts)) in said


async def test_usage_says_what_each_model_has_cost(bench: Bench) -> None:
    async with bench.run():
        await answer(bench)
        said = await ask(bench, "/usage")
    models = Settings().model
    parts = [part(models.roles, "$0.01", "$0.01"), part(models.lead, "$0.01", "$0.01")]
    assert people.COST_BY_MODEL(parts="; ".join(parts)) in said


async def test_usage_of_a_month_counts_no_other_month(bench: Bench) -> None:
    clock = Clock()
    async with bench.run(now=clock):
        await answer(bench)
        clock.time = clock.time.replace(month=12)
        said = await ask(bench, "/usage")
    assert not any("Researcher" in line for line in said)


async def test_usage_by_role_moves_with_a_chat(bench: Bench) -> None:
    async with bench.run():
        await answer(bench)
        move = ChatMovedEvent(id=MessageId("moved"), channel="fake", old="room", new="hall")
        bench.chat.incoming.put_nowait(move)
        said = await ask(bench, "/usage", chat="hall")
    assert any("Researcher" in line for line in said)


async def test_the_owner_in_private_reads_what_each_person_has_cost(bench: Bench) -> None:
    async with bench.run():
        await answer(bench, by="Bob")
        said = await ask(bench, "/usage", by="Owner", chat="private")
    person = people.SPENDER(channel="fake", id="Bob")
    assert people.COST_BY_PERSON(parts=part(person, "$0.02", "$0.02")) in said


async def test_nobody_else_reads_what_each_person_has_cost(bench: Bench) -> None:
    begins = people.COST_BY_PERSON.english.partition("{")[0]
    async with bench.run():
        await answer(bench, by="Bob")
        of_bob = await ask(bench, "/usage", by="Bob")
        in_group = await ask(bench, "/usage", by="Owner", group_chat="room")
    assert not any(line.startswith(begins) for line in (*of_bob, *in_group))


async def test_the_owner_changes_the_cap_of_the_day(bench: Bench) -> None:
    async with bench.run(now=Clock(), **engine_options(**UNSHARED)):
        said = await ask(bench, "/budget 2.50", by="Owner")
        assert said == [
            people.LEFT_TODAY(left="$2.50", chat="$5.00", day="$2.50"),
            people.CAP_OF_TODAY(cap="$2.50", usual="$20.00", time_zone="UTC"),
        ]


@pytest.mark.parametrize("amount", ["2,50", "$2.50", "2,5 $", "$ 2,5"])
async def test_an_amount_may_be_written_as_elsewhere(bench: Bench, amount: str) -> None:
    async with bench.run(now=Clock(), **engine_options(**UNSHARED)):
        assert "$2.50" in (await ask(bench, f"/budget {amount}", by="Owner"))[0]


async def test_a_changed_cap_holds_for_everybody_after_a_restart(bench: Bench) -> None:
    async with bench.run(now=Clock(), **engine_options(**UNSHARED)):
        await ask(bench, "/budget 0", by="Owner")
    async with bench.run(now=Clock(), **engine_options(**UNSHARED)):
        bench.chat.hears("go")
        assert reasons.NO_MONEY["day"](time_zone="UTC") in await bench.chat.said(REPLY)
    assert bench.model.seen == []


async def test_a_changed_cap_ends_with_its_day(bench: Bench) -> None:
    clock = Clock()
    async with bench.run(now=clock, **engine_options(**UNSHARED)):
        await ask(bench, "/budget 0", by="Owner")
        clock.time = clock.time.replace(day=27)
        await answer(bench)
        assert people.LEFT_TODAY(left="$4.98", chat="$5.00", day="$20.00") in await ask(bench, "/budget")


async def test_the_owner_takes_a_changed_cap_back(bench: Bench) -> None:
    async with bench.run(now=Clock(), **engine_options(**UNSHARED)):
        await ask(bench, "/budget $1", by="Owner")
        said = await ask(bench, "/budget default", by="Owner")
    assert said == [people.LEFT_TODAY(left="$5.00", chat="$5.00", day="$20.00")]


async def test_a_share_is_part_of_the_changed_cap(bench: Bench) -> None:
    async with bench.run(now=Clock()):
        await ask(bench, "/budget 1", by="Owner")
        said = await ask(bench, "/budget")
    assert said[0] == people.OWN_SHARE(spent="$0.00", share="$0.25", left="$0.25")


async def test_only_the_owner_changes_the_cap(bench: Bench) -> None:
    async with bench.run():
        assert await ask(bench, "/budget 500") == [people.OWNER_CHANGES_BUDGET()]
    assert bench.rows("SELECT cap FROM spending WHERE cap IS NOT NULL") == []


@pytest.mark.parametrize("amount", ["-1", "nan", "1e9", "five", "1,500", "12345678"])
async def test_what_is_no_amount_changes_nothing(bench: Bench, amount: str) -> None:
    async with bench.run():
        assert await ask(bench, f"/budget {amount}", by="Owner") == [people.NOT_AN_AMOUNT(amount=amount)]


async def test_the_owner_reads_how_to_change_the_cap(bench: Bench) -> None:
    async with bench.run():
        assert (await ask(bench, "/budget", by="Owner"))[-1] == people.HOW_TO_CHANGE_BUDGET()
        assert people.HOW_TO_CHANGE_BUDGET() not in await ask(bench, "/budget", by="Ann")
