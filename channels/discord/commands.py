"""Register the bot's slash commands with Discord, only if they have changed."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from channels.discord import operator_texts, people_texts
from channels.discord.api import DiscordApi
from channels.discord.ids import Json

CHAT_INPUT, STRING = 1, 3  # kinds of commands and of their options, by Discord's numbers
MAX_DESCRIPTION = 100  # characters
PATH = "/applications/{application_id}/commands"
OPTIONS = {  # of the commands that take a text
    "stop": {"name": "which", "description": people_texts.WHICH_TO_STOP},
    "model": {"name": "name", "description": people_texts.WHICH_MODEL},
    "effort": {"name": "level", "description": people_texts.WHICH_EFFORT},
}

log = logging.getLogger(__name__)


async def register_commands(rest: DiscordApi, application: str, commands: Sequence[tuple[str, str]]) -> None:
    """Let Discord offer exactly these commands: each is (name, help), and a name may begin with a slash. Raise like a
    request."""
    wanted: list[Json] = []
    for name, help in commands:
        name = name.removeprefix("/")
        options = [{"type": STRING, **OPTIONS[name], "required": False}] if name in OPTIONS else []
        described = {"name": name, "description": help[:MAX_DESCRIPTION]}
        wanted.append({"type": CHAT_INPUT, **described, "options": options})
    if [normalize_command(each) for each in await rest.request("GET", PATH, application_id=application)] != wanted:
        await rest.request("PUT", PATH, body=wanted, application_id=application)
        log.info(operator_texts.LOG_COMMANDS_REGISTERED)


def normalize_command(command: Any) -> Json:
    """Return those fields of a registered command that we set ourselves, to compare them."""
    shown = [
        {**{key: each.get(key) for key in ("type", "name", "description")}, "required": bool(each.get("required"))}
        for each in command.get("options") or []
    ]
    return {**{key: command.get(key) for key in ("type", "name", "description")}, "options": shown}
