"""The endpoint for each method and path, and what counts as one route for limits and faults."""

import re
from enum import StrEnum
from typing import NamedTuple

from tests.stand_ins.discord import answering, application, conversation, webhooks
from tests.stand_ins.discord.calls import Endpoint
from tests.stand_ins.discord.errors import plain


class Route(StrEnum):
    """Every route of the stand-in."""

    GATEWAY = "GET /gateway"
    GATEWAY_BOT = "GET /gateway/bot"
    ME = "GET /users/@me"
    GUILDS = "GET /users/@me/guilds"
    LEAVE = "DELETE /users/@me/guilds/{guild}"
    OPEN_PRIVATE = "POST /users/@me/channels"
    USER = "GET /users/{user}"
    GUILD = "GET /guilds/{guild}"
    ROLES = "GET /guilds/{guild}/roles"
    MEMBER = "GET /guilds/{guild}/members/{user}"
    APPLICATION = "GET /oauth2/applications/@me"
    APPLICATION_ME = "GET /applications/@me"
    COMMANDS = "GET /applications/{application}/commands"
    PUT_COMMANDS = "PUT /applications/{application}/commands"
    CHANNEL = "GET /channels/{channel}"
    TYPING = "POST /channels/{channel}/typing"
    SEND = "POST /channels/{channel}/messages"
    HISTORY = "GET /channels/{channel}/messages"
    MESSAGE = "GET /channels/{channel}/messages/{message}"
    EDIT = "PATCH /channels/{channel}/messages/{message}"
    DELETE = "DELETE /channels/{channel}/messages/{message}"
    REACT = "PUT /channels/{channel}/messages/{message}/reactions/{emoji}/@me"
    UNREACT = "DELETE /channels/{channel}/messages/{message}/reactions/{emoji}/@me"
    OPEN_THREAD = "POST /channels/{channel}/messages/{message}/threads"
    CALLBACK = "POST /interactions/{interaction}/{token}/callback"
    WEBHOOKS = "GET /channels/{channel}/webhooks"
    CREATE_WEBHOOK = "POST /channels/{channel}/webhooks"
    WEBHOOK = "GET /webhooks/{webhook}"
    CHANGE_WEBHOOK = "PATCH /webhooks/{webhook}"
    EXECUTE = "POST /webhooks/{webhook}/{hook}"
    HOOK_MESSAGE = "GET /webhooks/{webhook}/{hook}/messages/{message}"
    EDIT_HOOK_MESSAGE = "PATCH /webhooks/{webhook}/{hook}/messages/{message}"
    DELETE_HOOK_MESSAGE = "DELETE /webhooks/{webhook}/{hook}/messages/{message}"
    FOLLOW_UP = "POST /webhooks/{application}/{token}"
    ANSWER = "GET /webhooks/{application}/{token}/messages/{message}"
    EDIT_ANSWER = "PATCH /webhooks/{application}/{token}/messages/{message}"
    DELETE_ANSWER = "DELETE /webhooks/{application}/{token}/messages/{message}"


ENDPOINTS: dict[Route, Endpoint] = {
    Route.GATEWAY: application.get_gateway,
    Route.GATEWAY_BOT: application.get_gateway_bot,
    Route.ME: application.get_me,
    Route.GUILDS: application.get_guilds,
    Route.LEAVE: application.leave_guild,
    Route.OPEN_PRIVATE: application.open_private_channel,
    Route.USER: application.get_user,
    Route.GUILD: application.get_guild,
    Route.ROLES: application.get_roles,
    Route.MEMBER: application.get_member,
    Route.APPLICATION: application.get_application,
    Route.APPLICATION_ME: application.get_application,
    Route.COMMANDS: application.get_commands,
    Route.PUT_COMMANDS: application.put_commands,
    Route.CHANNEL: conversation.get_channel,
    Route.TYPING: conversation.start_typing,
    Route.SEND: conversation.create_message,
    Route.HISTORY: conversation.get_messages,
    Route.MESSAGE: conversation.get_message,
    Route.EDIT: conversation.edit_message,
    Route.DELETE: conversation.delete_message,
    Route.REACT: conversation.react,
    Route.UNREACT: conversation.unreact,
    Route.OPEN_THREAD: conversation.open_thread,
    Route.CALLBACK: answering.answer_interaction,
    Route.WEBHOOKS: webhooks.list_webhooks,
    Route.CREATE_WEBHOOK: webhooks.create_webhook,
    Route.WEBHOOK: webhooks.get_webhook,
    Route.CHANGE_WEBHOOK: webhooks.change_webhook,
    Route.EXECUTE: webhooks.execute,
    Route.HOOK_MESSAGE: webhooks.get_hook_message,
    Route.EDIT_HOOK_MESSAGE: webhooks.edit_hook_message,
    Route.DELETE_HOOK_MESSAGE: webhooks.delete_hook_message,
    Route.FOLLOW_UP: answering.follow_up,
    Route.ANSWER: answering.get_answer,
    Route.EDIT_ANSWER: answering.edit_answer,
    Route.DELETE_ANSWER: answering.delete_answer,
}
# Their token is in the path, so they need no other.
OPEN = frozenset({Route.GATEWAY, Route.CALLBACK, *(one for one in Route if "{hook}" in one or "{token}" in one)})


class Found(NamedTuple):
    route: Route
    ids: dict[str, str]

    @property
    def major(self) -> str:
        """Return the id in the path whose requests a limit counts separately."""
        return "/".join(self.ids.get(name, "") for name in ("channel", "guild", "webhook", "interaction", "token"))


def pattern(route: Route) -> re.Pattern[str]:
    path = route.split(" ", 1)[1].replace("{hook}", "(?P<hook>hook-[^/]+)")  # the tokens of webhooks begin so here
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path))


PATTERNS = {route: pattern(route) for route in Route}


def find(method: str, path: str) -> Found:
    """Return the route of a request. Raise 404, or 405 if only the method is wrong."""
    others = False
    for route, known in PATTERNS.items():
        if met := known.fullmatch(path):
            if route.startswith(f"{method} "):
                return Found(route, met.groupdict())
            others = True
    raise plain(405, "Method Not Allowed") if others else plain(404, "Not Found")
