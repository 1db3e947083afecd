"""The Telegram stand-in as a command: it says where it is, takes what is typed, and shows what the bot writes."""

import asyncio
import sys
from asyncio.subprocess import PIPE

from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup


async def test_it_runs_by_hand() -> None:
    command = [sys.executable, "-m", "tests.stand_ins.telegram", "--token", "8:typed", "--person", "9:Ann"]
    running = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
    assert running.stdin
    assert running.stdout
    try:
        hint = (await running.stdout.readuntil(b"Ctrl-C")).decode()
        address = hint.split()[1]
        assert all(hint.count(f"={word} ") == 2 for word in (address, "8:typed", "9")), (
            "in both commands that it prints"
        )
        await running.stdout.readline()
        assert await running.stdout.readline() == b"\n"
        running.stdin.write(b"\nhello\n")
        async with Bot("8:typed", base_url=address) as bot:
            [heard] = await bot.get_updates(timeout=5)
            assert heard.message
            assert heard.message.from_user
            assert (heard.message.text, heard.message.from_user.id) == ("hello", 9)
            sent = await bot.send_message(9, "Ready?", reply_markup=buttons("Yes", "No"))
            shown = [await running.stdout.readline() for _ in range(3)]
            assert shown == [b"1 Retinue: Ready?\n", b"[Yes]\n", b"[No]\n"]
            running.stdin.write(b"tap 1 Maybe\ntap 2 Yes\ntap 1 Yes\nreply 1 wait\n")
            [tapped] = await bot.get_updates(offset=heard.update_id + 1, timeout=5, limit=1)
            assert tapped.callback_query
            assert tapped.callback_query.data == "Yes"
            [replied] = await bot.get_updates(offset=tapped.update_id + 1, timeout=5)
            assert replied.message
            assert replied.message.reply_to_message
            assert replied.message.reply_to_message.message_id == sent.message_id
            missing = [await running.stdout.readline() for _ in range(2)]
            assert missing == [b"There is no button Maybe below it.\n", b"There is no message 2.\n"]
            await bot.set_message_reaction(9, replied.message.message_id, "👀")
            assert (await running.stdout.readline()).decode() == "👀 below “wait”\n"
            await bot.edit_message_text("Done.", 9, sent.message_id)
        assert await running.stdout.readline() == b"1 Retinue (edited): Done.\n"
    finally:
        running.terminate()
        await running.wait()


def buttons(*labels: str) -> InlineKeyboardMarkup:
    return InlineKeyboardMarkup([[InlineKeyboardButton(label, callback_data=label) for label in labels]])
