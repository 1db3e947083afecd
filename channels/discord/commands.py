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
OPTION_TEXTS = {  # commands that take a text
    "stop": ("which", people_texts.WHICH_TO_STOP),
    "model": ("name", people_texts.WHICH_MODEL),
    "effort": ("level", people_texts.WHICH_EFFORT),
}

log = logging.getLogger(__name__)


def describe_commands(commands: Sequence[tuple[str, str]]) -> list[Json]:
    """Return the commands in Discord's form. `commands` are (name, help); a name may begin with a slash."""
    return [describe_command(name.removeprefix("/"), help) for name, help in commands]


def describe_command(name: str, help: str) -> Json:
    return {"type": CHAT_INPUT, "name": name, "description": help[:MAX_DESCRIPTION], "options": describe_options(name)}


def describe_options(name: str) -> list[Json]:
    if name not in OPTION_TEXTS:
        return []
    what, help = OPTION_TEXTS[name]
    return [{"type": STRING, "name": what, "description": help, "required": False}]


async def register_commands(rest: DiscordApi, application: str, commands: Sequence[tuple[str, str]]) -> None:
    """Let Discord offer exactly these commands. Raise like a request."""
    wanted = describe_commands(commands)
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
