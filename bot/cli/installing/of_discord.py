"""Setup's third part: the bot on Discord, who owns it, and how it comes into a server."""

import asyncio
from typing import TYPE_CHECKING

from bot.cli import one_line
from bot.cli.checks.live import SECONDS
from bot.cli.installing import texts
from bot.cli.installing.asking import checking, say, say_unchecked, secret, yes
from bot.cli.installing.numbers import number
from bot.cli.installing.plan import DISCORD, Plan
from bot.config.engine_settings import network_of
from bot.errors import ConfigError

if TYPE_CHECKING:
    from channels.discord.examining import Examined

PORTAL = "https://discord.com/developers/applications"


def ask(plan: Plan) -> None:
    settings = plan.config.channels.discord
    if not yes(texts.ANSWER_ON_DISCORD, usual=settings.enabled):
        if settings.enabled:
            plan.set(False, "channels", "discord", "enabled")
        return
    has_token, found = ask_token(plan)
    if not has_token:
        return
    plan.set(True, "channels", "discord", "enabled")
    if settings.owner is None or yes(texts.ANOTHER_OWNER(owner=settings.owner), usual=False):
        plan.set(ask_owner(found), "channels", "discord", "owner")
    if found:
        tell_steps(plan, found)


def ask_token(plan: Plan) -> "tuple[bool, Examined | None]":
    """Whether there is a token, and what Discord says of it, if it could be asked."""
    known = plan.config.channels.discord.token
    if known and yes(texts.KEEP_TOKEN, usual=True):
        return True, check(plan, known.get_secret_value())[0]
    say(texts.ABOUT_DISCORD_TOKEN(portal=PORTAL))
    while token := secret(texts.DISCORD_TOKEN):
        found, is_refused = check(plan, token)
        if not is_refused:
            plan.keep(DISCORD, token)
            return True, found
    plan.leave_out("discord")
    return False, None


def check(plan: Plan, token: str) -> "tuple[Examined | None, bool]":
    """What was found, and whether the token was refused."""
    base_url = plan.config.channels.discord.base_url
    try:
        with checking():
            from channels.discord.examining import examine  # here, since its library takes a second

            found = asyncio.run(asyncio.wait_for(examine(token, base_url, network_of(plan.config)), SECONDS))
    except ConfigError as error:
        say(f"  {error}")
        return None, True
    except OSError as error:
        say_unchecked(error)
        return None, False
    say(texts.THIS_IS_ON_DISCORD(found.servers, name=one_line(found.name)))
    return found, False


def ask_owner(found: "Examined | None") -> int | None:
    say(texts.ABOUT_OWNER)
    if found and found.owner and yes(texts.OWNS_APPLICATION(name=one_line(found.owner_name)), usual=True):
        return found.owner
    return number(texts.OWNERS_ID)


def tell_steps(plan: Plan, found: "Examined") -> None:
    if not found.reads_text:
        say(texts.MAY_NOT_READ)
        plan.next_steps.append(texts.NEXT_INTENT(portal=PORTAL, id=found.id))
    if found.servers:
        plan.next_steps.append(texts.NEXT_INVITE_ELSEWHERE(link=found.invite))
    else:
        plan.next_steps.append(texts.NEXT_INVITE(link=found.invite))
