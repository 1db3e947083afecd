"""What is said in Telegram arrives once, through every fault, and never faster than Telegram takes it."""

import asyncio
from dataclasses import replace

import pytest

from channels.pacing import RateLimit
from channels.telegram.timing import TelegramRateLimits
from tests.stand_ins.telegram import Fault, Standing, TelegramStandIn
from tests.stand_ins.telegram.rates import Limits
from tests.support.bench import Bench
from tests.support.patience import PATIENCE
from tests.support.places.telegram import ANN, UNPACED, owned_by
from tests.support.telegram_bot import bot, private, sees
from tests.support.wording import REPEAT_MARK
from tests.support.writing_model import Writes


@pytest.mark.parametrize("fault", [Fault.RESET_AFTER, Fault.SERVER_ERROR_AFTER, Fault.HALF_ANSWER])
async def test_an_answer_in_doubt_is_never_lost_and_never_doubled_unmarked(
    bench: Bench, server: TelegramStandIn, fault: Fault
) -> None:
    room = private(server)
    bench.model.says("lead", "the answer")
    server.faults.next("sendMessage", fault)
    async with bot(bench, server):
        room.say(room.chat.person, "go")
        there = await sees(server, room, lambda there: len(there) == 2)
    assert there == ["the answer", f"{REPEAT_MARK}the answer"]


async def test_a_wait_that_telegram_asks_for_is_kept(bench: Bench, server: TelegramStandIn) -> None:
    room = private(server)
    bench.model.says("lead", "the answer")
    server.faults.next("sendMessage", Fault.RETRY_1)
    async with bot(bench, server):
        room.say(room.chat.person, "go")
        assert await sees(server, room, lambda there: bool(there)) == ["the answer"]
    first, second = [call for call in server.calls if call.method == "sendMessage"]
    assert second.at - first.at >= 1
    assert server.rates.trespasses == []


async def test_at_its_own_pace_it_is_never_told_to_wait(bench: Bench) -> None:
    async with TelegramStandIn() as server:
        people = [private(server, 100 + number, f"P{number}") for number in range(45)]
        access = owned_by(ANN, *(100 + number for number in range(45)))
        bench.model.says("lead", *(["hello"] * 45), "again")
        async with bot(bench, server, access, rates=TelegramRateLimits()):
            for room in people:
                room.say(room.chat.person, "hi")
            for room in people:
                await sees(server, room, lambda there: there == ["hello"])
            people[0].say(people[0].chat.person, "and?")
            await sees(server, people[0], lambda there: there == ["hello", "again"])
        assert not [call for call in server.calls if call.status == 429]
        assert server.rates.most(1.0) <= 30


async def test_a_right_that_comes_back_is_used_again(bench: Bench, server: TelegramStandIn) -> None:
    ann = server.person(ANN, "Ann")
    private(server)
    group = server.supergroup("Friends", ann)
    bench.model.says("lead", "unseen", "seen")
    async with bot(bench, server):
        group.change_bot(ann, Standing.RESTRICTED)
        group.say(ann, "@retinue_bot one")
        async with asyncio.timeout(PATIENCE):
            await server.until(lambda: any(call.refusal for call in server.calls if call.method == "sendMessage"))
        group.change_bot(ann, Standing.MEMBER)
        group.say(ann, "@retinue_bot two")
        await sees(server, group, lambda there: "seen" in there)


async def test_a_draft_leaves_room_in_the_minute_for_its_answer(bench: Bench) -> None:
    """A minute of Telegram's, twenty times as fast."""
    second = 0.05
    minute, edits = RateLimit(18, 60 * second, reserved_calls=6), RateLimit(12, 60 * second)
    rates = replace(UNPACED, chat_minute_limit=minute, chat_edit_limit=edits)
    async with TelegramStandIn(limits=Limits.none()) as server:
        room, step = private(server), Writes("the answer")
        bench.model.says("lead", step)
        async with bot(bench, server, rates=rates):
            room.say(room.chat.person, "go")
            text, began = "", asyncio.get_running_loop().time()
            while (
                asyncio.get_running_loop().time() - began < 75 * second
                or len(server.accepted("editMessageText")) <= edits.max_calls
            ):
                step.shows(text := f"{text} word")
                await asyncio.sleep(second / 2)
            step.ends()
            await sees(server, room, lambda there: there == ["the answer"])
        times = [call.at for call in server.accepted("editMessageText")]
        assert all(later - first > 55 * second for first, later in zip(times, times[12:], strict=False))
        assert server.rates.most(55 * second, room.id) <= 18
