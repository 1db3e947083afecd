"""The slash commands: registered with their options, and read as what one would type."""

import logging
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from bot.core.command_places import PLACES_IN_GROUP_CHATS, PLACES_IN_PRIVATE, places_of_command
from bot.core.texts import Sentence
from channels.discord import operator_texts, people_texts
from channels.discord.api import DiscordApi
from channels.discord.ids import JsonObject
from channels.discord.locales import MAX_COMMAND_DESCRIPTION_LENGTH, MenuByLocale, help_by_locale, sentence_by_locale
from channels.discord.message_contents import ATTACHMENT_OPTION_TYPE

CHAT_INPUT_COMMAND_TYPE, STRING_OPTION_TYPE = 1, 3  # kinds of commands and of their options, by Discord's numbers
COMMANDS_PATH = "/applications/{application_id}/commands"
COMMAND_OPTIONS = {  # by command: its options (name, description), in the order in which one would type them
    "help": [("command", people_texts.WHICH_COMMAND)],
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
    "ask": [("text", people_texts.WHAT_TO_ASK)],
}
ASK_COMMAND = "ask"  # only Discord has it: its words are a message, whose answer everybody sees
HELP_OF_OWN_COMMANDS = {ASK_COMMAND: people_texts.ASK}
FILE_OPTIONS = {
    ASK_COMMAND: [
        ("file", people_texts.FILE_TO_ASK_ABOUT),
        ("file2", people_texts.ANOTHER_FILE),
        ("file3", people_texts.ANOTHER_FILE),
    ]
}
COMMANDS_WITH_REQUIRED_OPTIONS = ("tell", ASK_COMMAND)  # the others say something useful without an option
# The options for which the bot offers choices while somebody types
OPTIONS_WITH_CHOICES = {
    ("stop", "which"),
    ("log", "number"),
    ("tell", "number"),
    ("retry", "number"),
    ("schedules", "what"),
}
SERVER_CONTEXT, BOT_CHAT_CONTEXT = 0, 1  # where a command is offered, by Discord's numbers

log = logging.getLogger(__name__)


async def sync_slash_commands(
    api: DiscordApi,
    application: str,
    commands: Sequence[tuple[str, str]],
    menus: MenuByLocale = MappingProxyType({}),
) -> None:
    """Register exactly these commands (name, help), and Discord's own, with the translations of `menus`. A name may
    begin with a slash. Raise like a request."""
    offered = [(name.removeprefix("/"), help) for name, help in commands]
    wanted = [describe_command(name, help, help_by_locale(name, menus), menus) for name, help in offered]
    if offered:
        help = HELP_OF_OWN_COMMANDS[ASK_COMMAND]
        wanted.append(describe_command(ASK_COMMAND, help(), sentence_by_locale(help, menus), menus))
    # Compare only the fields that we set ourselves.
    whole = {"with_localizations": "true"}
    found = await api.request("GET", COMMANDS_PATH, params=whole, application_id=application)
    if [comparable_command(each) for each in found] != [comparable_command(each) for each in wanted]:
        await api.request("PUT", COMMANDS_PATH, body=wanted, application_id=application)
        log.info(operator_texts.LOG_COMMANDS_REGISTERED)


def comparable_command(command: JsonObject) -> JsonObject:
    """Return what we set of a command. Discord leaves out what is false or empty."""
    options = [
        {
            **{key: each.get(key) for key in ("type", "name", "description")},
            **{key: bool(each.get(key)) for key in ("required", "autocomplete")},
            "description_localizations": each.get("description_localizations") or {},
        }
        for each in command.get("options") or []
    ]
    shown = {key: command.get(key) for key in ("type", "name", "description")}
    localized, contexts = command.get("description_localizations") or {}, sorted(command.get("contexts") or [])
    return {**shown, "options": options, "description_localizations": localized, "contexts": contexts}


def describe_command(
    name: str,
    help: str,
    translations: Mapping[str, str] = MappingProxyType({}),
    menus: MenuByLocale = MappingProxyType({}),
) -> JsonObject:
    is_required = name in COMMANDS_WITH_REQUIRED_OPTIONS
    options = [
        {
            "type": STRING_OPTION_TYPE,
            "name": option,
            **describe_option(description, menus),
            "required": is_required,
            "autocomplete": (name, option) in OPTIONS_WITH_CHOICES,
        }
        for option, description in COMMAND_OPTIONS.get(name, ())
    ]
    options += [
        {"type": ATTACHMENT_OPTION_TYPE, "name": option, **describe_option(description, menus), "required": False}
        for option, description in FILE_OPTIONS.get(name, ())
    ]
    described = {"name": name, "description": help[:MAX_COMMAND_DESCRIPTION_LENGTH], "contexts": contexts_of(name)}
    localized = {"description_localizations": dict(translations)} if translations else {}
    return {"type": CHAT_INPUT_COMMAND_TYPE, **described, **localized, "options": options}


def describe_option(description: Sentence, menus: MenuByLocale) -> JsonObject:
    described: JsonObject = {"description": description()[:MAX_COMMAND_DESCRIPTION_LENGTH]}
    return described | ({"description_localizations": sentence_by_locale(description, menus)} if menus else {})


def contexts_of(name: str) -> list[int]:
    """Return where a command is offered: in servers, and in the private chat with the bot."""
    places = places_of_command(name)
    found = [SERVER_CONTEXT] if places & PLACES_IN_GROUP_CHATS else []
    return [*found, BOT_CHAT_CONTEXT] if places & PLACES_IN_PRIVATE else found


def text_of_command(name: str, options: Sequence[JsonObject]) -> str:
    """Return a slash command as one would type it: `/tell 2 hurry`. People may fill in its options in any order."""
    if name == ASK_COMMAND:  # its words are a message
        return next((str(each.get("value", "")) for each in options if each.get("type") == STRING_OPTION_TYPE), "")
    places = {option: place for place, (option, _) in enumerate(COMMAND_OPTIONS.get(name, ()))}
    words = [each for each in options if each.get("type") != ATTACHMENT_OPTION_TYPE]  # a file is read as one
    in_order = sorted(words, key=lambda each: places.get(str(each.get("name")), len(places)))
    return " ".join([f"/{name}", *(str(each.get("value", "")) for each in in_order)]).strip()
