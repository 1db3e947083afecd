"""On Telegram the board shows what a call reports while it runs, as plain text."""

from tests.stand_ins.telegram import TelegramStandIn
from tests.support.bench import Bench
from tests.support.digging import ACTIVITY, let_researcher_dig
from tests.support.telegram_bot import bot, private, sees


async def test_the_board_shows_what_a_call_reports(bench: Bench, server: TelegramStandIn) -> None:
    room, digging = private(server), let_researcher_dig(bench)
    async with bot(bench, server, tools=digging.tools) as telegram:
        telegram.board_edit_seconds = 0.0
        room.say(room.chat.person, "dig")
        report = await digging.begun()
        report("step 1\n\x1b[32m**step** 2\x1b[0m \r")
        await sees(
            server, room, lambda there: any(f"#1 Researcher: {ACTIVITY}: **step** 2 · " in each for each in there)
        )
        digging.may_end.release()
        await sees(server, room, lambda there: "there" in there)
