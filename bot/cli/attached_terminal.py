"""A terminal that is attached to a running bot: this process shows the conversation, the bot does everything else."""

import asyncio
import time
from functools import partial
from pathlib import Path

from bot.cli import print_error, texts
from bot.cli.terminal_run import TerminalRun, user_name
from bot.core.exit_status import ExitStatus
from bot.core.program_names import retinue_command
from bot.ops import logs
from bot.ops.control.socket_path import connect_to_bot
from bot.ops.folder_holder import holding_process
from bot.ops.health import retinue_version
from bot.store.chat_reader import ChatReader
from channels.terminal.bot_connection import HELLO_SECONDS, BotConnection
from channels.terminal.channel import LocalSeat
from channels.terminal.talk import Talk

PATIENCE_SECONDS = 5.0  # wait for the socket of the bot that holds the folder: it may be starting or ending
RETRY_SECONDS = 0.1
AWAY_SECONDS = 60.0  # one message or a pipe waits this long for a bot that is away; a screen has no limit


async def attach_to_running_bot(data: Path, sitting: TerminalRun, give_up: float) -> ExitStatus | None:
    """Talk with the bot that holds the folder. Return the exit status.

    Return None if no process holds the folder, or if the bot has not answered by `give_up` (monotonic clock, seconds).
    """
    if not holding_process(data):
        return None
    remote = BotConnection(
        partial(connect_to_bot, data, HELLO_SECONDS), retinue_version(), goes_on=sitting.is_continuing
    )
    while not await remote.open():
        if time.monotonic() >= give_up or not holding_process(data):
            return None
        await asyncio.sleep(RETRY_SECONDS)
    assert remote.address, "it has sat down"
    logs.silence_logs()
    until, path = asyncio.Event(), data / "bot.db"
    review = ChatReader(path, remote.address)
    talk = Talk(
        review, user_name(), goes_on=sitting.is_continuing, address=remote.address, patience=sitting.wait_seconds
    )
    face = sitting.make_face(talk, until, remote.title, data)
    here, patience = LocalSeat(face, talk), None if sitting.is_watched else AWAY_SECONDS
    async with asyncio.TaskGroup() as tasks:
        talking = tasks.create_task(here.run(remote.publish), name="face")  # first: it looks for what was left open
        hearing = tasks.create_task(remote.run(here, texts.BOT_AWAY, texts.BOT_BACK, patience), name="bot")
        hearing.add_done_callback(lambda _: until.set())
        await until.wait()
        is_lost = hearing.done()
        for task in (hearing, talking):
            task.cancel()
    await remote.close()
    if is_lost:
        print_error(texts.BOT_LOST(command=retinue_command("chat --continue")))
        return ExitStatus.NOT_DONE
    return sitting.finish(face, talk, path, texts.BOT_GOES_ON(command=retinue_command("chat --continue")))
