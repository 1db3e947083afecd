"""Edits of commands that wait, on Telegram, which tells no bot of deletions."""

from tests.stand_ins.telegram import Person, Room, TelegramStandIn
from tests.support.bench import Bench
from tests.support.fakes import Pause
from tests.support.telegram_bot import bot, sees
from tests.support.troubles import wait_for_row


async def test_a_new_that_waits_is_edited_into_a_question(
    bench: Bench, server: TelegramStandIn, friends: Room, ann: Person, ben: Person
) -> None:
    at_work = Pause("hello")
    bench.model.says("lead", at_work, "done")
    async with bot(bench, server):
        friends.say(ann, "@retinue_bot hi")
        await at_work.reached.wait()
        waiting = friends.say(ben, "/new@retinue_bot")
        await wait_for_row(bench, "inbox", "text LIKE '/new%'")
        friends.edit(waiting, "@retinue_bot what is next?")
        await wait_for_row(bench, "inbox", "kind = 'text' AND text LIKE '%what is next?'")
        at_work.go_on.set()
        await sees(server, friends, lambda there: "done" in there)
    assert bench.count("sessions") == 1
    assert "/new" not in str(bench.model.seen)
