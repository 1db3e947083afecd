"""What only others can say: the model's server, Telegram, Discord. Each is asked once, and has ten seconds."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from bot.cli.checks import Finding, ok, warning, wrong
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
ANOTHER_TIME = "try again once the network is there"

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
        return [wrong(f"{name}: {error}", f"or run {command('setup')}")]
    except TimeoutError:
        return [warning(f"{name}: could not be checked: no answer within {seconds:g} s", ANOTHER_TIME)]
    except OSError as error:
        return [warning(f"{name}: could not be checked: {error}", ANOTHER_TIME)]


async def of_model(config: Config) -> list[Finding]:
    model = config.model
    if not model.api_key and not model.base_url:
        say = wrong if enabled(config) else warning  # in the terminal the demo answers
        return [say("model: there is none", "set model.api_key (ANTHROPIC_API_KEY) or model.base_url")]
    efforts = played(config)
    findings = await examined(config, efforts)
    if other := fallback_of(config):
        findings += await examined(other, {other.model.lead: {model.effort}})
    if line := uncapped({*efforts, *filter(None, [model.fallback.model])}, engine_settings(config)):
        findings.append(warning(f"model: {line}", "or look after it yourself"))
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
        return ok(f"model: {found.model} is there")
    if found.is_certain:
        return wrong(f"model: {found.words}", found.advice)
    return warning(f"model: could not be checked: {found.words}", found.advice)


async def of_telegram(config: Config) -> list[Finding]:
    settings = config.channels.telegram
    if settings.token is None:
        return [no_token("telegram")]
    from channels.telegram.examining import examine

    found = await examine(settings.token.get_secret_value(), settings.base_url, network_of(config))
    heard = "all that is written" if found.reads_all else "what is addressed to it (privacy mode)"
    findings = [ok(f"telegram: @{found.username} answers; in group chats it is shown {heard}")]
    if found.webhook:
        text = "telegram: a webhook is set, so messages go to another program"
        findings.append(wrong(text, f"run {command('setup')}, which offers to remove it"))
    return [*findings, *of_access("telegram", settings)]


async def of_discord(config: Config) -> list[Finding]:
    settings = config.channels.discord
    if settings.token is None:
        return [no_token("discord")]
    from channels.discord.examining import PORTAL, examine

    found = await examine(settings.token.get_secret_value(), settings.base_url, network_of(config))
    findings = [ok(f"discord: {found.name} answers; it is in {found.servers} server{'s' * (found.servers != 1)}")]
    if not found.reads_text:
        step = f"{PORTAL}/{found.id}/bot, Privileged Gateway Intents: switch on Message Content Intent"
        findings.append(wrong("discord: it may not read what people write", step))
    if not found.servers:
        findings.append(warning("discord: it is in no server yet", f"invite it: {found.invite}"))
    if settings.owner is None and found.owner:
        findings.append(ok(f"discord: the application belongs to {found.owner_name} (id {found.owner})"))
    return [*findings, *of_access("discord", settings)]


def no_token(name: str) -> Finding:
    remedy = f"set channels.{name}.token ({name.upper()}_BOT_TOKEN), or run {command('setup')}"
    return wrong(f"{name}: it is enabled and has no token", remedy)


def of_access(name: str, settings: ChannelSettings) -> Iterator[Finding]:
    """Who may speak, and who hears of faults."""
    if settings.allow_from == "*":
        text = f"{name}: everybody on it may talk to the bot, at your cost"
        yield warning(text, f"list those who may in channels.{name}.allow_from, unless that is meant")
    if settings.owner is None:
        text = f"{name}: it has no owner, so nobody there hears of faults, lets others in or has all rights"
        yield warning(text, f"set channels.{name}.owner to your numeric id, or run {command('setup')}")
