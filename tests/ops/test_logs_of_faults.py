"""A bot with canaries for secrets and for all that is said meets every fault of the stand-ins; its log at the
finest level, libraries and all, has none of them in it, in no form."""

import asyncio
import base64
import io
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from urllib.parse import quote, quote_plus

import pytest

from bot.ops.log_redaction import RedactingJsonFormatter
from tests.channels.test_faults_in_a_talk import opened_again
from tests.stand_ins import claude, discord, telegram
from tests.stand_ins.claude import Asked, Reply, ToolUse, reply
from tests.stand_ins.discord import Drop, Route
from tests.stand_ins.telegram import Malformed
from tests.support.bench import Bench
from tests.support.both_platforms import Chat, Together, together
from tests.support.patience import PATIENCE
from tests.support.places.telegram import HASTY

HASTIER = replace(HASTY, poll_seconds=1, connect_timeout_seconds=0.5, call_timeout_seconds=0.4)
HEARD, SAID, TASKED, UPDATED = "heard-canary-Qz7", "said-canary-Xk4", "task-canary-Wj9", "update-canary-Vn3"
METHODS = ("getUpdates", "sendMessage", "editMessageText", "sendChatAction")
ROUTES = (Route.SEND, Route.EDIT, Route.TYPING, Route.HISTORY)
SLOW = {  # each takes as long as a patience that is set for people
    *(claude.Fault.STALL_BEFORE_HEAD, claude.Fault.STALL, claude.Fault.STALL_WITH_PINGS),
    *(telegram.Fault.RETRY_35, telegram.Fault.RETRY_240),
    *(discord.Fault.RATE_LIMITED_35, discord.Fault.RATE_LIMITED_240, discord.Fault.BANNED),
}


@pytest.fixture
def log() -> Iterator[Callable[[], str]]:
    """All that is logged, as `retinue run` would write it if every level were on."""
    written, root = io.StringIO(), logging.getLogger()
    handler, level = logging.StreamHandler(written), root.level
    handler.setFormatter(RedactingJsonFormatter(()))  # of no secret: nothing may have to be taken out
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield written.getvalue
    root.removeHandler(handler)
    root.setLevel(level)


def answers(asked: Asked) -> Reply:
    if "analyst" in asked.system[:30]:
        return reply(f"done: {SAID}") if asked.step else reply(ToolUse("message", {"text": UPDATED}))
    if asked.step:
        return reply(SAID)
    tools = [ToolUse("read", {"path": SAID}), ToolUse("delegate", {"role": "analyst", "task": TASKED})]
    return reply(*tools) if "delegate" in asked.turn_text else reply(SAID)


async def at_rest(bench: Bench) -> None:
    """Nobody is at work, and nothing waits."""
    async with asyncio.timeout(2 * PATIENCE):
        while bench.rows(  # noqa: ASYNC110 -- rows of another connection wake nobody
            "SELECT 1 FROM turns WHERE state != 'ended' UNION ALL SELECT 1 FROM inbox WHERE state = 'received'"
        ):
            await asyncio.sleep(0.02)


async def goes_through_it(both: Together, chats: list[Chat]) -> None:
    """One message for each fault there is."""
    room, channel = chats
    room.ask(f"delegate {HEARD}")
    channel.ask(f"delegate {HEARD}")
    for fault in claude.Fault:
        if fault not in SLOW:
            both.claude.faults.append(fault)
            (room if fault.value < "m" else channel).ask(f"{HEARD} {fault}")
            await asyncio.sleep(0.05)
            await at_rest(both.bench)
    for of_telegram in (fault for fault in telegram.Fault if fault not in SLOW):
        for method in METHODS:
            both.telegram.faults.next(method, of_telegram)
        room.ask(f"{HEARD} {of_telegram}")
        await asyncio.sleep(0.1)
        await at_rest(both.bench)


async def goes_through_discord(both: Together, chat: Chat) -> None:
    server = both.town.server
    for fault in (fault for fault in discord.Fault if fault not in SLOW):
        for route in ROUTES:
            server.faults.on(route, fault)
        chat.ask(f"{HEARD} {fault}")
        await asyncio.sleep(0.1)
        await at_rest(both.bench)
    for drop in (Drop.BEFORE_EVENT, Drop.IN_FRAME, Drop.HALF_COMPRESSED, Drop.AFTER_EVENT, Drop.MALFORMED):
        server.drops.at("MESSAGE_CREATE", drop)
        chat.ask(f"{HEARD} {drop}")
        await asyncio.sleep(0.2)
    for drop in (Drop.BODY_IS_A_LIST, Drop.PAYLOAD_IS_A_LIST, Drop.NOT_JSON):
        server.drops.at("MESSAGE_CREATE", drop)
        chat.ask(f"{HEARD} {drop}")
        await asyncio.sleep(0.2)


def shapes(canary: str) -> set[str]:
    """As it may stand in a log: plain, backwards, in base64 wherever it begins, in hex, in an address."""
    raw = canary.encode()
    encoded = {base64.b64encode(b"x" * shift + raw).decode()[4 if shift else 0 : -4].rstrip("=") for shift in range(3)}
    return {canary, canary[::-1], raw.hex(), raw.hex().upper(), quote(canary, safe=""), quote_plus(canary), *encoded}


@pytest.mark.timeout(240)
async def test_no_fault_puts_a_secret_or_a_message_into_the_log(bench: Bench, log: Callable[[], str]) -> None:
    async with together(bench) as both:
        both.claude.script.rule(answers)
        chats = [both.in_room(both.room), both.in_channel(both.town.general)]
        async with opened_again(both.telegram), opened_again(both.town.server), both.run(HASTIER):
            await goes_through_it(both, chats)
            await goes_through_discord(both, chats[1])
            for kind in Malformed:
                both.room.malformed(both.room.chat.people[7], kind)
            await asyncio.sleep(1)
        secrets = [both.claude.api_key, both.telegram.token, both.town.server.portal.token]
    lines = log().splitlines()
    said = [HEARD, SAID, TASKED, UPDATED, *secrets, secrets[1].partition(":")[2]]
    found = {(shape, line) for canary in said for shape in shapes(canary) for line in lines if shape in line}
    assert found == set()
    assert len(lines) > 100
