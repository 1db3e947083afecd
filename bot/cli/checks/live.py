"""What only others can say: the model's server, Telegram, Discord. Each is asked once, and has ten seconds."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from bot.cli.checks import Finding, ok, texts, warning, wrong
from bot.cli.condition import enabled
from bot.config import Config, Loaded
from bot.config.engine_settings import engine_settings, fallback_of, is_anthropic, models_of, network_of, uncapped
from bot.config.people import owners_at
from bot.config.settings import ChannelSettings
from bot.errors import ConfigError
from bot.groupfiles import read
from bot.program import command
from bot.role import LEAD
from bot.rolefiles import all_roles

if TYPE_CHECKING:
    from bot.claude.examining import Verdict

SECONDS = 10.0

Look = Callable[[], Awaitable[list[Finding]]]


NEEDED = {  # what each is asked by: their libraries take seconds, which are not taken off its ten
    "model": "bot.claude.wire",
    "telegram": "channels.telegram.examining",
    "discord": "channels.discord.examining",
}


async def all_of(config: Config, seconds: float = SECONDS) -> list[Finding]:
    """At once; in an order that does not depend on who answers first."""
    looks: dict[str, Look] = {"model": lambda: of_model(config)}
    if config.channels.telegram.enabled:
        looks["telegram"] = lambda: of_telegram(config)
    if config.channels.discord.enabled:
        looks["discord"] = lambda: of_discord(config)
    for name in looks:
        import_module(NEEDED[name])
    answers = await asyncio.gather(*(in_time(name, look, seconds) for name, look in looks.items()))
    return [finding for answer in answers for finding in answer]


async def in_time(name: str, look: Look, seconds: float) -> list[Finding]:
    try:
        async with asyncio.timeout(seconds):
            return await look()
    except ConfigError as error:
        return [wrong(texts.CHECK_FAILS(name=name, fault=error), texts.OR_RUN_SETUP(command=command("setup")))]
    except TimeoutError:
        return [warning(texts.NO_ANSWER(name=name, seconds=seconds), texts.ANOTHER_TIME)]
    except OSError as error:
        return [warning(texts.NOT_CHECKED(name=name, reason=error), texts.ANOTHER_TIME)]


async def of_model(config: Config) -> list[Finding]:
    model = config.model
    if not model.api_key and not model.base_url:
        say = wrong if enabled(config) else warning  # in the terminal the demo answers
        return [say(texts.NO_MODEL, texts.SET_MODEL)]
    efforts = played(config)
    findings = await examined(config, efforts)
    if other := fallback_of(config):
        findings += await examined(other, {other.model.lead: {model.effort}})
    if line := uncapped({*efforts, *filter(None, [model.fallback.model])}, engine_settings(config)):
        findings.append(warning(texts.WRONG_MODEL(fault=line), texts.LOOK_AFTER_COSTS))
    return findings


async def examined(config: Config, efforts: Mapping[str, Collection[str]]) -> list[Finding]:
    """Whether the server is there and knows these models, with the efforts that each is asked with."""
    from bot.claude.examining import examine

    key = config.model.api_key.get_secret_value() if config.model.api_key else None
    own, network = is_anthropic(config), network_of(config)
    found = await examine(
        key, config.model.base_url, efforts.keys(), is_anthropic=own, efforts=efforts, network=network
    )
    return list(dict.fromkeys(map(of_verdict, found)))  # a refused key is refused for each model


def played(config: Config) -> dict[str, set[str]]:
    """Every model that somebody is played by, with the efforts that it is asked with; where a role is wrong, which
    another look tells, the usual two."""
    model = config.model
    try:
        roles = dict(all_roles(config, "the settings"))
        groups = read(Loaded(config=config, path=None), roles.keys(), owners_at(config)).groups
        roles |= {group.agent.name: group.agent for group in groups}
    except ConfigError:
        roles = {}
    efforts: dict[str, set[str]] = {name: {model.effort} for name in models_of(config, {})}
    for role in roles.values():
        usual = model.lead if role.name == LEAD else model.roles
        efforts.setdefault(role.model or usual, set()).add(role.effort or model.effort)
    return efforts


def of_verdict(found: "Verdict") -> Finding:
    if not found.words:
        return ok(texts.MODEL_THERE(model=found.model))
    if found.is_certain:
        return wrong(texts.WRONG_MODEL(fault=found.words), found.advice)
    return warning(texts.NOT_CHECKED(name="model", reason=found.words), found.advice)


async def of_telegram(config: Config) -> list[Finding]:
    settings = config.channels.telegram
    if settings.token is None:
        return [no_token("telegram")]
    from channels.telegram.examining import examine

    found = await examine(settings.token.get_secret_value(), settings.base_url, network_of(config))
    if found.reads_all:
        findings = [ok(texts.TELEGRAM_READS_ALL(name=found.username))]
    else:
        findings = [ok(texts.TELEGRAM_READS_ITS_OWN(name=found.username))]
    if found.webhook:
        findings.append(wrong(texts.WEBHOOK_SET, texts.REMOVE_WEBHOOK(command=command("setup"))))
    return [*findings, *of_access("telegram", settings)]


async def of_discord(config: Config) -> list[Finding]:
    settings = config.channels.discord
    if settings.token is None:
        return [no_token("discord")]
    from channels.discord.examining import PORTAL, examine

    found = await examine(settings.token.get_secret_value(), settings.base_url, network_of(config))
    findings = [ok(texts.DISCORD_ANSWERS(found.servers, name=found.name))]
    if not found.reads_text:
        step = texts.SWITCH_INTENT_ON(portal=PORTAL, id=found.id)
        findings.append(wrong(texts.DISCORD_READS_NOTHING, step))
    if not found.servers:
        findings.append(warning(texts.NO_SERVER, texts.INVITE(link=found.invite)))
    if settings.owner is None and found.owner:
        findings.append(ok(texts.APPLICATION_OWNER(name=found.owner_name, id=found.owner)))
    return [*findings, *of_access("discord", settings)]


def no_token(name: str) -> Finding:
    variable = f"{name.upper()}_BOT_TOKEN"
    remedy = texts.SET_TOKEN(channel=name, variable=variable, command=command("setup"))
    return wrong(texts.NO_TOKEN(channel=name), remedy)


def of_access(name: str, settings: ChannelSettings) -> Iterator[Finding]:
    """Who may speak, and who hears of faults."""
    if settings.allow_from == "*":
        yield warning(texts.EVERYBODY(channel=name), texts.LIST_PEOPLE(channel=name))
    if settings.owner is None:
        yield warning(texts.NO_OWNER(channel=name), texts.SET_OWNER(channel=name, command=command("setup")))
