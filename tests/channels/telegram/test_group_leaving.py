"""The owner has the bot leave a Telegram group. Only the model is not real."""

import asyncio
from dataclasses import replace

from tests.stand_ins.telegram import Fault, Person, Room, Standing, TelegramStandIn
from tests.support.bench import Bench
from tests.support.group_questions import is_asked
from tests.support.places.telegram import ANN, owned_by
from tests.support.telegram_bot import QUICK, bot, private
from tests.support.troubles import wait_for_row

SOON = replace(QUICK["timings"], leave_delay_seconds=0.3)
IN_TIME = replace(QUICK["timings"], leave_delay_seconds=1.5)  # a busy machine reads what happened within that


async def decide_to_leave_and_crash(
    bench: Bench, server: TelegramStandIn, owner: Room, team: Room, adder: Person
) -> None:
    """Let the owner decide that the bot leaves the team's chat. It cannot leave, and is killed."""
    server.faults.always("leaveChat", Fault.RESET_UNREAD)
    async with bot(bench, server, owned_by(ANN)):
        team.change_bot(adder, Standing.MEMBER)
        await is_asked(server, owner, team)
        owner.tap(owner.chat.person, owner.answers()[0], owner.answers()[0].labels[2])
        await wait_for_row(bench, "group_starts", "decision = 'leave'")
        bench.crashes()


async def test_leaving_is_carried_out_despite_a_fault_and_a_kill(
    bench: Bench, server: TelegramStandIn, team: Room, ben: Person
) -> None:
    owner = private(server)
    await decide_to_leave_and_crash(bench, server, owner, team, ben)
    assert team.chat.standing is Standing.MEMBER
    server.faults.always("leaveChat", None)
    async with bot(bench, server, owned_by(ANN), timings=SOON):
        await server.until(lambda: team.chat.standing is Standing.LEFT)
        await wait_for_row(bench, "group_starts", "left_at IS NOT NULL")
        team.change_bot(ben, Standing.MEMBER)  # it was decided: it leaves again, and asks nobody
        await server.until(lambda: len(server.accepted("leaveChat")) == 2)
    assert bench.count("questions") == 1


async def test_a_bot_that_its_owner_adds_again_while_it_is_down_stays(
    bench: Bench, server: TelegramStandIn, team: Room, ben: Person
) -> None:
    owner = private(server)
    await decide_to_leave_and_crash(bench, server, owner, team, ben)
    server.faults.always("leaveChat", None)
    team.change_bot(ben, Standing.LEFT)
    team.change_bot(owner.chat.person, Standing.MEMBER)
    async with bot(bench, server, owned_by(ANN), timings=IN_TIME):
        await wait_for_row(bench, "group_starts", "decision = '' AND left_at IS NULL")
        await server.until(lambda: any("Ann added me" in each.text for each in owner.answers()))  # it asks again
        await asyncio.sleep(1.6)  # longer than it waits before it leaves
    assert not server.accepted("leaveChat")
    assert team.chat.standing is Standing.MEMBER
