"""Endpoints of the bot itself: its profile, owner, commands and servers, and the gateway's address."""

import re
from typing import Any

from tests.stand_ins.discord.calls import Call, snowflake
from tests.stand_ins.discord.errors import form, length, refusal
from tests.stand_ins.discord.events import Event
from tests.stand_ins.discord.places import EVERYONE, Guild, Permission
from tests.stand_ins.discord.records import Answer
from tests.stand_ins.discord.snowflakes import Json
from tests.stand_ins.discord.translations import check_translations, without_translations

COMMAND = re.compile(r"[-_\w]{1,32}")
MOST_COMMANDS = 100
MOST_OPTIONS = 25  # with so few options, a command never reaches the 8000 characters that it may have
OPTION_TYPES, TYPES_WITH_CHOICES = (3, 4, 5, 6, 7, 8, 9, 10, 11), (3, 4, 10)


def get_gateway(call: Call) -> Answer:
    return Answer(body={"url": call.gateway_url})


def get_gateway_bot(call: Call) -> Answer:
    limits = call.limits
    start = {"total": limits.identifies_per_day, "remaining": limits.identifies_left(), "max_concurrency": 1}
    start["reset_after"] = int(limits.identifies_full_in() * 1000)
    return Answer(body={"url": call.gateway_url, "shards": 1, "session_start_limit": start})


def get_me(call: Call) -> Answer:
    more = {"verified": True, "mfa_enabled": True, "locale": "en-US", "flags": 0, "email": None}
    return Answer(body={**call.world.bot.as_json(), **more})


def get_user(call: Call) -> Answer:
    account = call.world.accounts.get(call.id("user"))
    if account is None:
        raise refusal(10013)
    return Answer(body=account.as_json())


def get_application(call: Call) -> Answer:
    portal, bot = call.portal, call.world.bot
    texts = {"description": "", "summary": "", "verify_key": "0" * 64, "icon": None}
    who = {"owner": portal.owner.as_json(), "team": None, "bot": bot.as_json()}
    can = {"bot_public": portal.public, "bot_require_code_grant": False, "interactions_endpoint_url": None}
    return Answer(body={"id": str(bot.id), "name": bot.name, "flags": portal.flags, **texts, **who, **can})


def get_guilds(call: Call) -> Answer:
    guilds = [one for one in call.world.guilds.values() if one.has_bot]
    may = [one.bot_permissions or EVERYONE | Permission.MANAGE_WEBHOOKS for one in guilds]
    told = [
        {**one.as_short_json(), "owner": False, "permissions": str(int(has))}
        for one, has in zip(guilds, may, strict=True)
    ]
    return Answer(body=told)


def leave_guild(call: Call) -> Answer:
    guild = call.world.guilds.get(call.id("guild"))
    if guild is None or not guild.has_bot:
        raise refusal(10004)
    guild.has_bot = False
    call.world.publish(Event("GUILD_DELETE", {"id": str(guild.id)}, 1))
    return Answer(status=204)


def get_guild(call: Call) -> Answer:
    told = guild_of_bot(call).as_json()
    return Answer(body={name: told[name] for name in told if name not in ("channels", "threads", "members")})


def get_roles(call: Call) -> Answer:
    return Answer(body=guild_of_bot(call).roles_json())


def get_member(call: Call) -> Answer:
    guild, account = guild_of_bot(call), call.world.accounts.get(call.id("user"))
    if account is None:
        raise refusal(10013)
    if account not in guild.members:
        raise refusal(10007)
    return Answer(body={**guild.member_json(account), "user": account.as_json()})


def guild_of_bot(call: Call) -> Guild:
    guild = call.world.guilds.get(call.id("guild"))
    if guild is None:
        raise refusal(10004)
    if not guild.has_bot:
        raise refusal(50001)
    return guild


def open_private_channel(call: Call) -> Answer:
    account = call.world.accounts.get(snowflake(call.body.get("recipient_id"), "recipient_id"))
    if account is None:
        raise refusal(10013)
    if account.is_bot:
        raise refusal(50033)
    return Answer(body=call.world.private_channel(account).as_json())


def get_commands(call: Call) -> Answer:
    """Return all commands, with their translations only if they are asked for."""
    check_application(call)
    is_whole = call.request.query.get("with_localizations") in ("1", "true")
    return Answer(body=[each if is_whole else without_translations(each) for each in call.world.commands])


def put_commands(call: Call) -> Answer:
    """Replace all commands. Those whose names stay keep their ids."""
    check_application(call)
    given = call.body["list"]
    if len(given) > MOST_COMMANDS:
        raise length("commands", 0, MOST_COMMANDS)
    for place, command in enumerate(given):
        check_command(str(place), command)
    if len({command["name"] for command in given}) < len(given):
        raise form("name", "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique")
    known = {command["name"]: command["id"] for command in call.world.commands}
    call.world.commands = [stored(call, command, known) for command in given]
    return Answer(body=call.world.commands)


def stored(call: Call, command: Json, known: dict[str, str]) -> Json:
    ids = {"id": known.get(command["name"]) or str(call.world.ids.make()), "version": str(call.world.ids.make())}
    usual = {"type": 1, "options": [], "default_member_permissions": None, "dm_permission": True, "nsfw": False}
    for option in command.get("options") or []:  # Discord tells only what is true
        for field in ("required", "autocomplete"):
            if not option.get(field):
                option.pop(field, None)
    return {**usual, **command, **ids, "application_id": str(call.world.bot.id)}


def check_option(where: str, option: Any) -> None:
    name, description = option.get("name"), option.get("description")
    if option.get("type") not in OPTION_TYPES:
        raise form(f"{where}.options", "BASE_TYPE_CHOICES", f"Value must be one of {OPTION_TYPES}.")
    if not isinstance(name, str) or not COMMAND.fullmatch(name) or name != name.lower():
        raise form(f"{where}.options", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
    if not isinstance(description, str) or not 1 <= len(description) <= 100:
        raise length(f"{where}.options.description", 1, 100)
    check_translations(where, option)
    if option.get("autocomplete") and option["type"] not in TYPES_WITH_CHOICES:
        told = "autocomplete is only for options of type STRING, INTEGER and NUMBER"
        raise form(f"{where}.options", "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_INVALID", told)


def check_application(call: Call) -> None:
    if call.id("application") != call.world.bot.id:
        raise refusal(20012)


def check_command(where: str, command: Any) -> None:
    if not isinstance(command, dict):
        raise form(where, "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
    name, description = command.get("name"), command.get("description")
    if not isinstance(name, str) or not COMMAND.fullmatch(name) or name != name.lower():
        raise form(f"{where}.name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
    if not isinstance(description, str) or not 1 <= len(description) <= 100:
        raise length(f"{where}.description", 1, 100)
    check_translations(where, command)
    for option in command.get("options") or []:
        check_option(where, option)
    if len(command.get("options") or []) > MOST_OPTIONS:
        raise length(f"{where}.options", 0, MOST_OPTIONS)
    contexts = command.get("contexts")
    if contexts is not None and (not contexts or not set(contexts) <= {0, 1, 2} or len(set(contexts)) < len(contexts)):
        raise form(f"{where}.contexts", "BASE_TYPE_CHOICES", "Value must be one of (0, 1, 2).")
    required = [bool(option.get("required")) for option in command.get("options") or []]
    if required != sorted(required, reverse=True):
        told = "Required options must be placed before non-required options"
        raise form(f"{where}.options", "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", told)
