"""People who plan. They pause, resume, run and delete what they have planned, while hours pass and the bot dies."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from tests.rig.chat import Chat, Plot
from tests.rig.files import HAS_DESK
from tests.rig.schedules import HAS_CLOCK, HOUR_SECONDS, IDLE, NEWS, PLAN, WATER

SHOWN_NUMBERS = re.compile(r"made ([\d ]+)\.")
HOURLY = "repeat=FREQ=HOURLY"
FIRST_PLAN = " | ".join(
    (
        "remind_me text=now when=PT0S",
        f"remind_me text=tea {HOURLY}",
        f"schedule_create task={WATER} {HOURLY} tools=read,change",
        f"schedule_create task={IDLE} {HOURLY} only_if=window what=00:00-23:59",
        f"schedule_create task={NEWS} {HOURLY} only_if=file_changed what=report.txt",
        f"schedule_create task={NEWS} {HOURLY} only_if=tool_changed what=read",
        "schedule_create task=idle when=PT2H",
        "remind_me text=gone when=PT3H",
    )
)


async def plans(chat: Chat) -> None:
    """People plan, and pause, resume, run and delete what they have planned, while hours pass."""
    chat.says(PLAN, behind_tag=FIRST_PLAN)
    await chat.sees("reply")
    tea, water, *_, late = numbers_made(chat)
    await let_hours_pass(chat, 1)
    await rest(chat)  # how much is done by now must not depend on how busy the machine is
    chat.types(f"/schedules run {water}")
    await chat.pause(0.05)
    await let_hours_pass(chat, 3)  # while the run is at work
    await rest(chat)
    chat.types(f"/schedules pause {tea}")
    await let_hours_pass(chat, 1)
    await rest(chat)
    chat.types(f"/schedules resume {tea}")
    chat.types(f"/schedules delete {water}")
    chat.types(f"/schedules run {late}")
    await let_hours_pass(chat, 1)
    chat.says("more")


async def let_hours_pass(chat: Chat, hours: float) -> None:
    """Set the clock, and wake the scheduler, which would see that only after a minute."""
    chat.world.advance(hours * HOUR_SECONDS)
    chat.says(PLAN, behind_tag="remind_me text=again when=PT0S")
    await chat.pause(0.1)


async def rest(chat: Chat) -> None:
    """Wait until all that was due is done."""
    while not chat.world.is_at_rest():  # noqa: ASYNC110 -- the bot is another process, which sets no event
        await asyncio.sleep(0.02)


def numbers_made(chat: Chat) -> list[int]:
    """Return the numbers of the repeated schedules that people have been told, and that of the reminder at the end."""
    found = [match for each in chat.first_sends("reply") if (match := SHOWN_NUMBERS.search(each["text"]))]
    return [int(number) for number in found[0][1].split()][1:]


PLANNED: dict[str, dict[str, Plot]] = {"schedules": {"tg:1": plans, "dc:2": plans}}
PLANNED_SETTINGS: dict[str, dict[str, Any]] = {  # a request that a kill loses may have cost all that a run may cost
    "schedules": {HAS_DESK: True, HAS_CLOCK: True, "schedules__run_usd": 3.0, "schedules__day_usd": 30.0}
}
