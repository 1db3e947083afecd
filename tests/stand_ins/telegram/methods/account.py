"""The bot itself: its profile, its commands, its webhook."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.stand_ins.telegram.arguments import Arguments
from tests.stand_ins.telegram.errors import Json, bad, unsupported
from tests.stand_ins.telegram.world import World

MOST_COMMANDS = 100
MOST_DESCRIPTION = 256
SCOPES = ("default", "all_private_chats", "all_group_chats", "all_chat_administrators", "chat")


def get_me(world: World, arguments: Arguments) -> Json:
    cannot = ("supports_inline_queries", "can_connect_to_business", "has_main_web_app")
    whole = world.bot.as_json() | dict.fromkeys(cannot, False) | {"has_topics_enabled": world.has_topics}
    return whole | {"can_join_groups": True, "can_read_all_group_messages": world.reads_all}


def set_my_commands(world: World, arguments: Arguments) -> bool:
    commands = arguments.parsed("commands", "bot commands")
    if not isinstance(commands, list):
        raise bad("expected an Array of BotCommand")
    if len(commands) > MOST_COMMANDS:
        raise bad("BOT_COMMANDS_TOO_MUCH")
    world.commands[scope_of(world, arguments)] = [command(item) for item in commands]
    return True


def command(item: Any) -> Json:
    if not isinstance(item, dict) or not isinstance(item.get("command"), str):
        raise bad("can't parse BotCommand: Can't find field \"command\"")
    name, description = item["command"].removeprefix("/"), item.get("description")
    if not re.fullmatch(r"[a-z0-9_]{1,32}", name):
        raise bad("BOT_COMMAND_INVALID")
    if not isinstance(description, str) or not 1 <= len(description) <= MOST_DESCRIPTION:
        raise bad("BOT_COMMAND_DESCRIPTION_INVALID")
    return {"command": name, "description": description}


def get_my_commands(world: World, arguments: Arguments) -> list[Json]:
    return world.commands.get(scope_of(world, arguments), [])


def delete_my_commands(world: World, arguments: Arguments) -> bool:
    world.commands.pop(scope_of(world, arguments), None)
    return True


def scope_of(world: World, arguments: Arguments) -> tuple[str, str]:
    """Return the scope of a list of commands: the scope as JSON, and the language."""
    scope = arguments.parsed("scope", "bot command scope")
    if scope is None:
        scope = {"type": "default"}
    if not isinstance(scope, dict) or "type" not in scope:
        raise bad("can't parse BotCommandScope: Can't find field \"type\"")
    if scope["type"] not in SCOPES:
        raise unsupported(f"a command scope of type {scope['type']!r}")
    if scope["type"] == "chat":
        if "chat_id" not in scope:
            raise bad("can't parse BotCommandScope: Can't find field \"chat_id\"")
        if not world.chat(str(scope["chat_id"])).is_started:  # the bot has never met this person
            raise bad("chat not found")
    language = arguments.text("language_code")
    if language and not re.fullmatch("[a-z]{2}", language):
        raise bad("invalid language code specified")
    return json.dumps(scope, sort_keys=True), language


def set_webhook(world: World, arguments: Arguments) -> bool:
    url = arguments.text("url")
    if url and not url.startswith("https://"):
        raise bad("bad webhook: An HTTPS URL must be provided for webhook")
    drop(world, arguments)
    world.webhook = url
    return True


def delete_webhook(world: World, arguments: Arguments) -> bool:
    drop(world, arguments)
    world.webhook = ""
    return True


def drop(world: World, arguments: Arguments) -> None:
    if arguments.flag("drop_pending_updates"):
        world.updates.confirm(world.updates.waiting)


def get_webhook_info(world: World, arguments: Arguments) -> Json:
    world.updates.lapse()
    waiting = len(world.updates.waiting)
    return {"url": world.webhook, "has_custom_certificate": False, "pending_update_count": waiting}


ACCOUNT = {
    "getMe": get_me,
    "setMyCommands": set_my_commands,
    "getMyCommands": get_my_commands,
    "deleteMyCommands": delete_my_commands,
    "setWebhook": set_webhook,
    "deleteWebhook": delete_webhook,
    "getWebhookInfo": get_webhook_info,
}
