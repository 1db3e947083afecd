"""The slash commands: registered with their options, and read as what one would type."""

import logging
from collections.abc import Sequence

from channels.discord import operator_texts, people_texts
from channels.discord.api import DiscordApi
from channels.discord.ids import JsonObject
from channels.discord.message_contents import ATTACHMENT_OPTION_TYPE

CHAT_INPUT_COMMAND_TYPE, STRING_OPTION_TYPE = 1, 3  # kinds of commands and of their options, by Discord's numbers
MAX_COMMAND_DESCRIPTION_LENGTH = 100  # characters
COMMANDS_PATH = "/applications/{application_id}/commands"
COMMAND_OPTIONS = {  # by command: its options (name, description), in the order in which one would type them
    "stop": [("which", people_texts.WHICH_TO_STOP)],
    "log": [("number", people_texts.WHICH_ROLE)],
    "tell": [("number", people_texts.WHICH_ROLE), ("words", people_texts.WHAT_TO_TELL)],
    "retry": [("number", people_texts.WHICH_ROLE)],
    "budget": [("dollars", people_texts.WHICH_CAP)],
    "mode": [("mode", people_texts.WHICH_MODE)],
    "memory": [("what", people_texts.WHICH_MEMORIES)],
    "link": [("code", people_texts.WHICH_LINK_CODE)],
    "unlink": [("which", people_texts.WHICH_ACCOUNT)],
    "forget": [("what", people_texts.WHAT_TO_FORGET)],
    "schedules": [("what", people_texts.WHICH_SCHEDULES)],
    "timezone": [("name", people_texts.WHICH_TIME_ZONE)],
    "language": [("language", people_texts.WHICH_LANGUAGE)],
    "people": [("whom", people_texts.WHOSE_RIGHTS)],
    "pair": [("code", people_texts.WHICH_CODE)],
    "model": [("name", people_texts.WHICH_MODEL)],
    "effort": [("level", people_texts.WHICH_EFFORT)],
}
COMMANDS_WITH_REQUIRED_OPTIONS = ("tell",)  # the others say something useful without an option

log = logging.getLogger(__name__)


async def sync_slash_commands(api: DiscordApi, application: str, commands: Sequence[tuple[str, str]]) -> None:
    """Register exactly these commands (name, help). A name may begin with a slash. Raise like a request."""
    wanted = [describe_command(name.removeprefix("/"), help) for name, help in commands]
    # Compare only the fields that we set ourselves.
    registered: list[JsonObject] = []
    for command in await api.request("GET", COMMANDS_PATH, application_id=application):
        options = [
            {**{key: each.get(key) for key in ("type", "name", "description")}, "required": bool(each.get("required"))}
            for each in command.get("options") or []
        ]
        shown = {key: command.get(key) for key in ("type", "name", "description")}
        registered.append({**shown, "options": options})
    if registered != wanted:
        await api.request("PUT", COMMANDS_PATH, body=wanted, application_id=application)
        log.info(operator_texts.LOG_COMMANDS_REGISTERED)


def describe_command(name: str, help: str) -> JsonObject:
    is_required = name in COMMANDS_WITH_REQUIRED_OPTIONS
    options = [
        {"type": STRING_OPTION_TYPE, "name": option, "description": description(), "required": is_required}
        for option, description in COMMAND_OPTIONS.get(name, ())
    ]
    described = {"name": name, "description": help[:MAX_COMMAND_DESCRIPTION_LENGTH]}
    return {"type": CHAT_INPUT_COMMAND_TYPE, **described, "options": options}


def text_of_command(name: str, options: Sequence[JsonObject]) -> str:
    """Return a slash command as one would type it: `/tell 2 hurry`. People may fill in its options in any order."""
    places = {option: place for place, (option, _) in enumerate(COMMAND_OPTIONS.get(name, ()))}
    words = [each for each in options if each.get("type") != ATTACHMENT_OPTION_TYPE]  # a file is read as one
    in_order = sorted(words, key=lambda each: places.get(str(each.get("name")), len(places)))
    return " ".join([f"/{name}", *(str(each.get("value", "")) for each in in_order)]).strip()
