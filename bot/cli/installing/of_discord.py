"""Setup's third part: the bot on Discord, who owns it, and how it comes into a server."""

import asyncio
from typing import TYPE_CHECKING

from bot.cli import one_line
from bot.cli.checks.live import SECONDS
from bot.cli.installing.asking import checking, say, secret, yes
from bot.cli.installing.numbers import number
from bot.cli.installing.plan import DISCORD, Plan
from bot.config.engine_settings import network_of
from bot.errors import ConfigError
from bot.program import command

if TYPE_CHECKING:
    from channels.discord.examining import Examined

PORTAL = "https://discord.com/developers/applications"


def ask(plan: Plan) -> None:
    settings = plan.config.channels.discord
    if not yes("Answer on Discord?", usual=settings.enabled):
        if settings.enabled:
            plan.set(False, "channels", "discord", "enabled")
        return
    has_token, found = ask_token(plan)
    if not has_token:
        return
    plan.set(True, "channels", "discord", "enabled")
    if settings.owner is None or yes(f"The owner is {settings.owner}. Take another one?", usual=False):
        plan.set(ask_owner(found), "channels", "discord", "owner")
    if found:
        tell_steps(plan, found)


def ask_token(plan: Plan) -> "tuple[bool, Examined | None]":
    """Whether there is a token, and what Discord says of it, if it could be asked."""
    known = plan.config.channels.discord.token
    if known and yes("There is a token already. Keep it?", usual=True):
        return True, check(plan, known.get_secret_value())[0]
    say(f"An application and its token are made at {PORTAL} (New Application; then Bot, Reset Token).")
    while token := secret("Token (it is not shown; nothing: go on without):"):
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
        say(f"  it could not be checked: {error or 'no answer'}; {command('doctor')} looks again")
        return None, False
    say(f"  this is {one_line(found.name)}, in {found.servers} server{'s' * (found.servers != 1)}")
    return found, False


def ask_owner(found: "Examined | None") -> int | None:
    say("The owner may always speak, lets others in, and hears of faults.")
    if (
        found
        and found.owner
        and yes(f"{one_line(found.owner_name)} owns the application. Is that the owner?", usual=True)
    ):
        return found.owner
    return number("The owner's numeric id (nothing: none yet):")


def tell_steps(plan: Plan, found: "Examined") -> None:
    if not found.reads_text:
        step = f"{PORTAL}/{found.id}/bot, Privileged Gateway Intents: switch on Message Content Intent"
        say("  it may not read what people write yet")
        plan.next_steps.append(step)
    plan.next_steps.append(f"{'invite it' if not found.servers else 'to invite it elsewhere'}: {found.invite}")
