"""The owner has the bot leave a Telegram group. Only the model is not real."""

from tests.stand_ins.telegram import Fault, Person, Room, Standing, TelegramStandIn
from tests.support.bench import Bench
from tests.support.group_questions import is_asked
from tests.support.places.telegram import ANN, owned_by
from tests.support.telegram_bot import bot, private
from tests.support.troubles import wait_for_row


async def test_leaving_is_carried_out_despite_a_fault_and_a_kill(
    bench: Bench, server: TelegramStandIn, team: Room, ben: Person
) -> None:
    owner = private(server)
    server.faults.always("leaveChat", Fault.RESET_UNREAD)
    async with bot(bench, server, owned_by(ANN)):
        team.change_bot(ben, Standing.MEMBER)
        await is_asked(server, owner, team)
        owner.tap(owner.chat.person, owner.answers()[0], owner.answers()[0].labels[2])
        await wait_for_row(bench, "group_starts", "decision = 'leave'")
        bench.crashes()
    assert team.chat.standing is Standing.MEMBER
    server.faults.always("leaveChat", None)
    async with bot(bench, server, owned_by(ANN)):
        await server.until(lambda: team.chat.standing is Standing.LEFT)
        await wait_for_row(bench, "group_starts", "left_at IS NOT NULL")
        team.change_bot(ben, Standing.MEMBER)  # it was decided: it leaves again, and asks nobody
        await server.until(lambda: len(server.accepted("leaveChat")) == 2)
    assert bench.count("questions") == 1
