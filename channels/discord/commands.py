"""Register the bot's slash commands with Discord, only if they have changed."""

from __future__ import annotations

import logging
from collections.abc import Sequence

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
    # Compare only the fields that we set ourselves.
    registered: list[Json] = []
    for command in await rest.request("GET", PATH, application_id=application):
        options = [
            {**{key: each.get(key) for key in ("type", "name", "description")}, "required": bool(each.get("required"))}
            for each in command.get("options") or []
        ]
        shown = {key: command.get(key) for key in ("type", "name", "description")}
        registered.append({**shown, "options": options})
    if registered != wanted:
        await rest.request("PUT", PATH, body=wanted, application_id=application)
        log.info(operator_texts.LOG_COMMANDS_REGISTERED)
