"""Check what only other servers can say: the model's server, Telegram, Discord. Each is asked once, for ten
seconds."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from bot.config import Config, LoadedConfig
from bot.config.channel_access import owner_chats
from bot.config.groups import read_groups
from bot.config.resolved_settings import (
    fallback_config,
    is_anthropic,
    models_in_use,
    network_from_config,
    no_price_warning,
)
from bot.config.roles import load_roles
from bot.config.settings import ChannelSettings
from bot.core.errors import ConfigError
from bot.core.program_names import retinue_command
from bot.core.role import LEAD
from bot.ops.checks import CheckFinding, ok, texts, warning, wrong
from bot.ops.health import list_enabled_channels

if TYPE_CHECKING:
    from bot.models.claude.model_check import ModelVerdict

CHECK_SECONDS = 10.0

ServerCheck = Callable[[], Awaitable[list[CheckFinding]]]


NEEDED_MODULES = {  # what each is asked by: their libraries take seconds, which are not taken off its ten
    "model": "bot.models.claude.sdk_client",
    "telegram": "channels.telegram.bot_profile",
    "discord": "channels.discord.bot_profile",
}


async def check_servers(config: Config, seconds: float = CHECK_SECONDS) -> list[CheckFinding]:
    """Ask all servers at once. The order of findings does not depend on which server answers first."""
    looks: dict[str, ServerCheck] = {"model": lambda: check_model(config)}
    if config.channels.telegram.enabled:
        looks["telegram"] = lambda: check_telegram(config)
    if config.channels.discord.enabled:
        looks["discord"] = lambda: check_discord(config)
    for name in looks:
        import_module(NEEDED_MODULES[name])
    answers = await asyncio.gather(*(check_within_seconds(name, look, seconds) for name, look in looks.items()))
    return [finding for answer in answers for finding in answer]


async def check_within_seconds(name: str, look: ServerCheck, seconds: float) -> list[CheckFinding]:
    try:
        async with asyncio.timeout(seconds):
            return await look()
    except ConfigError as error:
        return [wrong(texts.CHECK_FAILS(name=name, fault=error), texts.OR_RUN_SETUP(command=retinue_command("setup")))]
    except TimeoutError:
        return [warning(texts.NO_ANSWER(name=name, seconds=seconds), texts.ANOTHER_TIME)]
    except OSError as error:
        return [warning(texts.NOT_CHECKED(name=name, reason=error), texts.ANOTHER_TIME)]


async def check_model(config: Config) -> list[CheckFinding]:
    model = config.model
    if not model.api_key and not model.base_url:
        say = wrong if list_enabled_channels(config) else warning  # in the terminal the demo answers
        return [say(texts.NO_MODEL, texts.SET_MODEL)]
    efforts = efforts_by_model(config)
    findings = await check_model_server(config, efforts)
    if other := fallback_config(config):
        findings += await check_model_server(other, {other.model.lead: {model.effort}})
    if line := no_price_warning({*efforts, *filter(None, [model.fallback.model])}, config):
        findings.append(warning(texts.WRONG_MODEL(fault=line), texts.LOOK_AFTER_COSTS))
    return findings


async def check_model_server(config: Config, efforts: Mapping[str, Collection[str]]) -> list[CheckFinding]:
    """Check that the server is there and knows these models, with the efforts used for each."""
    from bot.models.claude.model_check import examine_models

    key = config.model.api_key.get_secret_value() if config.model.api_key else None
    own, network = is_anthropic(config), network_from_config(config)
    found = await examine_models(
        key, config.model.base_url, efforts.keys(), is_anthropic=own, efforts=efforts, network=network
    )
    return list(dict.fromkeys(map(finding_of_verdict, found)))  # a refused key is refused for each model


def efforts_by_model(config: Config) -> dict[str, set[str]]:
    """Every model that somebody is played by, with the efforts that it is asked with; where a role is wrong, which
    another look tells, the usual two."""
    model = config.model
    try:
        roles = dict(load_roles(config, "the settings"))
        groups = read_groups(LoadedConfig(config=config, path=None), roles.keys(), owner_chats(config)).groups
        roles |= {group.agent.name: group.agent for group in groups}
    except ConfigError:
        roles = {}
    efforts: dict[str, set[str]] = {name: {model.effort} for name in models_in_use(config, {})}
    for role in roles.values():
        usual = model.lead if role.name == LEAD else model.roles
        efforts.setdefault(role.model or usual, set()).add(role.effort or model.effort)
    return efforts


def finding_of_verdict(found: "ModelVerdict") -> CheckFinding:
    if not found.words:
        return ok(texts.MODEL_THERE(model=found.model))
    if found.is_certain:
        return wrong(texts.WRONG_MODEL(fault=found.words), found.advice)
    return warning(texts.NOT_CHECKED(name="model", reason=found.words), found.advice)


async def check_telegram(config: Config) -> list[CheckFinding]:
    settings = config.channels.telegram
    if settings.token is None:
        return [missing_token_finding("telegram")]
    from channels.telegram.bot_profile import fetch_telegram_profile

    found = await fetch_telegram_profile(
        settings.token.get_secret_value(), settings.base_url, network_from_config(config)
    )
    if found.is_shown_everything:
        findings = [ok(texts.TELEGRAM_READS_ALL(name=found.username))]
    else:
        findings = [ok(texts.TELEGRAM_READS_ITS_OWN(name=found.username))]
    if found.webhook:
        findings.append(wrong(texts.WEBHOOK_SET, texts.REMOVE_WEBHOOK(command=retinue_command("setup"))))
    return [*findings, *check_who_may_speak("telegram", settings)]


async def check_discord(config: Config) -> list[CheckFinding]:
    settings = config.channels.discord
    if settings.token is None:
        return [missing_token_finding("discord")]
    from channels.discord.bot_profile import DEVELOPER_PORTAL, fetch_discord_profile

    found = await fetch_discord_profile(
        settings.token.get_secret_value(), settings.base_url, network_from_config(config)
    )
    findings = [ok(texts.DISCORD_ANSWERS(found.servers, name=found.name))]
    if not found.has_message_content:
        step = texts.SWITCH_INTENT_ON(portal=DEVELOPER_PORTAL, id=found.id)
        findings.append(wrong(texts.DISCORD_READS_NOTHING, step))
    if not found.servers:
        findings.append(warning(texts.NO_SERVER, texts.INVITE(link=found.invite)))
    if settings.owner is None and found.owner:
        findings.append(ok(texts.APPLICATION_OWNER(name=found.owner_name, id=found.owner)))
    return [*findings, *check_who_may_speak("discord", settings)]


def missing_token_finding(name: str) -> CheckFinding:
    variable = f"{name.upper()}_BOT_TOKEN"
    remedy = texts.SET_TOKEN(channel=name, variable=variable, command=retinue_command("setup"))
    return wrong(texts.NO_TOKEN(channel=name), remedy)


def check_who_may_speak(name: str, settings: ChannelSettings) -> Iterator[CheckFinding]:
    """Who may speak, and who hears of faults."""
    if settings.allow_from == "*":
        yield warning(texts.EVERYBODY(channel=name), texts.LIST_PEOPLE(channel=name))
    if settings.owner is None:
        yield warning(texts.NO_OWNER(channel=name), texts.SET_OWNER(channel=name, command=retinue_command("setup")))
