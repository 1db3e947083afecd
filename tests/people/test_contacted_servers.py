"""A plain run connects only to the servers of its settings."""

import sys
from typing import Any
from urllib.parse import urlsplit

from bot.models.claude import Claude
from tests.stand_ins.claude import ClaudeStandIn
from tests.stand_ins.telegram import TelegramStandIn
from tests.support.bench import Bench
from tests.support.claude_bot import QUICK
from tests.support.telegram_bot import bot, private, sees

CONTACTED: set[tuple[str, int]] = set()  # the (host, port) that this process has connected to, or looked up


def note_contact(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        CONTACTED.add(arguments[1][:2])
    elif event == "socket.getaddrinfo":
        CONTACTED.add((str(arguments[0]), int(arguments[1] or 0)))


async def test_a_plain_run_connects_only_to_its_configured_servers(bench: Bench) -> None:
    sys.addaudithook(note_contact)  # it stays until this process ends, and does no harm
    async with ClaudeStandIn() as claude, TelegramStandIn() as telegram:
        room = private(telegram)
        CONTACTED.clear()
        async with (
            Claude(claude.api_key, claude.base_url, b"secret", is_anthropic=True, patience=QUICK) as model,
            bot(bench, telegram, model=model),
        ):
            room.say(room.chat.person, "hello")
            await sees(telegram, room, lambda said: any("You said" in text for text in said))
        contacted, configured = set(CONTACTED), {claude.base_url, telegram.base_url}
    assert {port for _, port in contacted} == {urlsplit(url).port for url in configured}
    assert {host for host, _ in contacted} <= {urlsplit(url).hostname for url in configured}
