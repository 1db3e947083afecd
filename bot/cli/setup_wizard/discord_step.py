"""The third part of setup: the bot's Discord token, its owner there, and the link that invites it to a server."""

import asyncio
from typing import TYPE_CHECKING

from bot.cli.setup_wizard import texts
from bot.cli.setup_wizard.person_ids import ask_person_id
from bot.cli.setup_wizard.plan import DISCORD_TOKEN_FILE, SetupPlan
from bot.cli.setup_wizard.prompts import ask_secret, ask_yes_or_no, print_could_not_check, print_text, show_checking
from bot.config.resolved_settings import network_from_config
from bot.core.errors import ConfigError
from bot.core.printable import escape_unprintable
from bot.ops.checks.live import CHECK_SECONDS

if TYPE_CHECKING:
    from channels.discord.bot_profile import DiscordBotProfile

PORTAL = "https://discord.com/developers/applications"


def ask_for_settings(plan: SetupPlan) -> None:
    settings = plan.config.channels.discord
    if not ask_yes_or_no(texts.ANSWER_ON_DISCORD, usual=settings.enabled):
        if settings.enabled:
            plan.set_value(False, "channels", "discord", "enabled")
        return
    has_token, found = ask_discord_token(plan)
    if not has_token:
        return
    plan.set_value(True, "channels", "discord", "enabled")
    if settings.owner is None or ask_yes_or_no(texts.ANOTHER_OWNER(owner=settings.owner), usual=False):
        plan.set_value(ask_discord_owner(found), "channels", "discord", "owner")
    if found:
        add_discord_steps(plan, found)


def ask_discord_token(plan: SetupPlan) -> "tuple[bool, DiscordBotProfile | None]":
    """Return True if there is a token, and the bot's profile on Discord if Discord answered."""
    known = plan.config.channels.discord.token
    if known and ask_yes_or_no(texts.KEEP_TOKEN, usual=True):
        return True, check_discord_token(plan, known.get_secret_value())[0]
    print_text(texts.ABOUT_DISCORD_TOKEN(portal=PORTAL))
    while token := ask_secret(texts.DISCORD_TOKEN):
        found, is_refused = check_discord_token(plan, token)
        if not is_refused:
            plan.keep_secret(DISCORD_TOKEN_FILE, token)
            return True, found
    plan.leave_platform_out("discord")
    return False, None


def check_discord_token(plan: SetupPlan, token: str) -> "tuple[DiscordBotProfile | None, bool]":
    """Return the bot's profile, or None without an answer, and True if Discord refused the token."""
    base_url = plan.config.channels.discord.base_url
    try:
        with show_checking():
            from channels.discord.bot_profile import fetch_discord_profile  # here: its library takes a second

            found = asyncio.run(
                asyncio.wait_for(
                    fetch_discord_profile(token, base_url, network_from_config(plan.config)), CHECK_SECONDS
                )
            )
    except ConfigError as error:
        print_text(f"  {error}")
        return None, True
    except OSError as error:
        print_could_not_check(error)
        return None, False
    print_text(texts.THIS_IS_ON_DISCORD(found.servers, name=escape_unprintable(found.name)))
    return found, False


def ask_discord_owner(found: "DiscordBotProfile | None") -> int | None:
    print_text(texts.ABOUT_OWNER)
    if (
        found
        and found.owner
        and ask_yes_or_no(texts.OWNS_APPLICATION(name=escape_unprintable(found.owner_name)), usual=True)
    ):
        return found.owner
    return ask_person_id(texts.OWNERS_ID)


def add_discord_steps(plan: SetupPlan, found: "DiscordBotProfile") -> None:
    if not found.has_message_content:
        print_text(texts.MAY_NOT_READ)
        plan.next_steps.append(texts.NEXT_INTENT(portal=PORTAL, id=found.id))
    if found.servers:
        plan.next_steps.append(texts.NEXT_INVITE_ELSEWHERE(link=found.invite))
    else:
        plan.next_steps.append(texts.NEXT_INVITE(link=found.invite))
