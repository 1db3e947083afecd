"""The slash commands that the bot offers: told to Discord once, and again only when they have changed."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from channels.discord import operator_texts, people_texts
from channels.discord.api import DiscordApi
from channels.discord.ids import Json

CHAT_INPUT, STRING = 1, 3  # kinds of commands and of their options, by Discord's numbers
MAX_DESCRIPTION = 100  # characters of a description
PATH = "/applications/{application_id}/commands"
OPTION_TEXTS = {  # those that take a text
    "stop": ("which", people_texts.WHICH_TO_STOP),
    "model": ("name", people_texts.WHICH_MODEL),
    "effort": ("level", people_texts.WHICH_EFFORT),
}

log = logging.getLogger(__name__)


def describe_commands(commands: Sequence[tuple[str, str]]) -> list[Json]:
    """What Discord is told: by name (with or without its stroke) and help."""
    return [describe_command(name.removeprefix("/"), help) for name, help in commands]


def describe_command(name: str, help: str) -> Json:
    return {"type": CHAT_INPUT, "name": name, "description": help[:MAX_DESCRIPTION], "options": describe_options(name)}


def describe_options(name: str) -> list[Json]:
    if name not in OPTION_TEXTS:
        return []
    what, help = OPTION_TEXTS[name]
    return [{"type": STRING, "name": what, "description": help, "required": False}]


async def register_commands(rest: DiscordApi, application: str, commands: Sequence[tuple[str, str]]) -> None:
    """Let Discord offer these and no others. Raises as a request does."""
    wanted = describe_commands(commands)
    if [normalize_command(each) for each in await rest.request("GET", PATH, application_id=application)] != wanted:
        await rest.request("PUT", PATH, body=wanted, application_id=application)
        log.info(operator_texts.LOG_COMMANDS_REGISTERED)


def normalize_command(command: Any) -> Json:
    """As much of a registered command as we say of one."""
    shown = [
        {**{key: each.get(key) for key in ("type", "name", "description")}, "required": bool(each.get("required"))}
        for each in command.get("options") or []
    ]
    return {**{key: command.get(key) for key in ("type", "name", "description")}, "options": shown}
