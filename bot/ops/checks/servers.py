"""Check the model and the platforms by asking their servers. Each check may take CHECK_TIMEOUT_SECONDS."""

import asyncio
import shutil
import wave
from collections.abc import Awaitable, Collection, Mapping
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from bot.config import Config, LoadedConfig, resolved_settings
from bot.config.channel_access import bot_account_on_platform, owner_chats
from bot.config.groups import read_groups
from bot.config.roles import load_roles
from bot.config.web_tools import is_model_server_anthropic, web_tools_here
from bot.core.errors import ConfigError, SearchFailed, TranscriptionFailed
from bot.core.findings import CheckFinding, ok_finding, warning_finding, wrong_finding
from bot.core.platform import AnyPlatform
from bot.core.program_names import retinue_command
from bot.core.role import LEAD_ROLE_NAME
from bot.core.web import WEB_SEARCH_TOOL_NAME
from bot.models.search_providers import search_provider_from_settings
from bot.models.transcribers import transcriber_from_settings
from bot.ops.checks import texts
from channels.registry import platforms

if TYPE_CHECKING:
    from bot.models.claude.model_checks import ModelVerdict

CHECK_TIMEOUT_SECONDS = 10.0

MODEL_CLIENT_MODULE = "bot.models.claude.sdk_client"
TRANSCRIBER_MODULE = "bot.models.transcribers.server"
SEARCH_MODULE = "bot.models.search_providers.client"
CHECKING_QUERY = "weather"
SILENT_FRAMES, FRAMES_PER_SECOND = 8_000, 16_000  # half a second of speech without words


async def check_model_and_channels(
    config: Config, seconds: float = CHECK_TIMEOUT_SECONDS, *, is_demo: bool = False
) -> list[CheckFinding]:
    """Ask all servers at once. The order of findings does not depend on which server answers first. `is_demo` is True
    if the demo runs: it needs no model."""
    enabled = [platforms()[name] for name in config.channels.list_enabled_channels()]
    needed = {
        MODEL_CLIENT_MODULE: config.model.api_key or config.model.base_url,
        TRANSCRIBER_MODULE: config.voice.base_url,
        SEARCH_MODULE: config.web.provider,
    }
    libraries = [library for library, is_needed in needed.items() if is_needed]
    for library in (*libraries, *(library for platform in enabled for library in platform.slow_libraries)):
        import_module(library)  # imports take seconds, which must not count as the server's
    answers = await asyncio.gather(
        run_check_with_timeout("model", check_model(config, is_demo=is_demo), seconds),
        *(run_check_with_timeout(each.name, check_platform(each, config), seconds) for each in enabled),
        run_check_with_timeout("voice", check_voice(config), seconds),
        run_check_with_timeout("web", check_search(config), seconds),
    )
    return [finding for answer in answers for finding in answer]


async def run_check_with_timeout(name: str, look: Awaitable[list[CheckFinding]], seconds: float) -> list[CheckFinding]:
    try:
        async with asyncio.timeout(seconds):
            return await look
    except ConfigError as error:
        remedy = texts.OR_RUN_SETUP(command=retinue_command("setup"))
        return [wrong_finding(texts.CHECK_FAILS(name=name, fault=error), remedy)]
    except TimeoutError:
        return [warning_finding(texts.NO_ANSWER(name=name, seconds=seconds), texts.ANOTHER_TIME)]
    except OSError as error:
        return [warning_finding(texts.NOT_CHECKED(name=name, reason=error), texts.ANOTHER_TIME)]


async def check_model(config: Config, *, is_demo: bool) -> list[CheckFinding]:
    model = config.model
    if not model.api_key and not model.base_url:
        if is_demo:
            return [ok_finding(texts.DEMO_ANSWERS)]
        # Without channels, the demo answers.
        say = wrong_finding if config.channels.list_enabled_channels() else warning_finding
        return [say(texts.NO_MODEL, texts.SET_MODEL)]
    efforts = efforts_by_model(config)
    findings = await check_model_server(config, efforts)
    if other := resolved_settings.config_of_fallback_model(config):
        findings += await check_model_server(other, {other.model.lead: {model.effort}})
    if line := resolved_settings.unpriced_models_warning({*efforts, *filter(None, [model.fallback.model])}, config):
        findings.append(warning_finding(texts.WRONG_MODEL(fault=line), texts.LOOK_AFTER_COSTS))
    return findings


async def check_model_server(config: Config, efforts: Mapping[str, Collection[str]]) -> list[CheckFinding]:
    from bot.models.claude.model_checks import check_models_at_server

    key = config.model.api_key.get_secret_value() if config.model.api_key else None
    own, url = is_model_server_anthropic(config), config.model.base_url
    network = resolved_settings.network_access_from_config(config)
    found = await check_models_at_server(key, url, efforts.keys(), is_anthropic=own, efforts=efforts, network=network)
    return list(dict.fromkeys(map(finding_of_model_verdict, found)))  # once each: all models refuse a bad key alike


def efforts_by_model(config: Config) -> dict[str, set[str]]:
    """Return the efforts of requests, by model. Unreadable roles or groups leave only the settings' own two models."""
    model = config.model
    try:
        roles = dict(load_roles(config, "the settings"))
        groups = read_groups(LoadedConfig(config=config, path=None), roles.keys(), owner_chats(config)).groups
        roles |= {group.agent.name: group.agent for group in groups}
    except ConfigError:
        roles = {}
    efforts: dict[str, set[str]] = {name: {model.effort} for name in resolved_settings.models_in_use(config, {})}
    for role in roles.values():
        usual = model.lead if role.name == LEAD_ROLE_NAME else model.roles
        efforts.setdefault(role.model or usual, set()).add(role.effort or model.effort)
    return efforts


def finding_of_model_verdict(found: "ModelVerdict") -> CheckFinding:
    if not found.problem:
        return ok_finding(texts.MODEL_THERE(model=found.model))
    if found.is_certain:
        return wrong_finding(texts.WRONG_MODEL(fault=found.problem), found.advice)
    return warning_finding(texts.NOT_CHECKED(name="model", reason=found.problem), found.advice)


async def check_platform(platform: AnyPlatform, config: Config) -> list[CheckFinding]:
    name, settings = platform.name, config.channels[platform.name]
    if settings.token is None:
        remedy = texts.SET_TOKEN(channel=name, variable=platform.token_variable, command=retinue_command("setup"))
        return [wrong_finding(texts.NO_TOKEN(channel=name), remedy)]
    findings = [*await platform.doctor_findings(bot_account_on_platform(config, name))]
    if settings.allow_from == "*":
        findings.append(warning_finding(texts.EVERYBODY(channel=name), texts.LIST_PEOPLE(channel=name)))
    if settings.owner is None:
        set_owner = texts.SET_OWNER(channel=name, command=retinue_command("setup"))
        findings.append(warning_finding(texts.NO_OWNER(channel=name), set_owner))
    return findings


async def check_search(config: Config) -> list[CheckFinding]:
    """Return what the service that searches says to a search; nothing if none is used. It may bill it."""
    provider = search_provider_from_settings(config.web, resolved_settings.network_access_from_config(config))
    if provider is None or WEB_SEARCH_TOOL_NAME not in web_tools_here(config):
        return []
    try:
        hits = await provider.search(CHECKING_QUERY)
    except SearchFailed as failed:
        is_passing = failed.seconds is not None
        return [(warning_finding if is_passing else wrong_finding)(failed.fault or str(failed), texts.MEND_SEARCH)]
    if not hits:
        found = texts.WEB_FOUND_NOTHING(service=provider.title, query=CHECKING_QUERY)
        return [warning_finding(found, texts.LOOK_AT_ENGINES)]
    return [ok_finding(texts.WEB_SEARCHED(len(hits), service=provider.title))]


async def check_voice(config: Config) -> list[CheckFinding]:
    """Ask the server for the words of half a second of silence, which costs next to nothing. Only look for a command:
    a large program takes long to start."""
    voice = config.voice
    if voice.command:
        if await asyncio.to_thread(shutil.which, voice.command[0]) is None:
            return [wrong_finding(texts.NO_VOICE_COMMAND(command=voice.command[0]), texts.SET_VOICE_COMMAND)]
        return [ok_finding(texts.VOICE_COMMAND_THERE(command=voice.command[0]))]
    transcriber = transcriber_from_settings(voice, resolved_settings.network_access_from_config(config))
    if transcriber is None:
        return []
    with TemporaryDirectory() as folder:
        path = Path(folder, "silence.wav")
        await asyncio.to_thread(write_silence, path)
        try:
            await transcriber.transcribe(path, seconds=1)
        except TranscriptionFailed as failed:
            say = wrong_finding if failed.seconds is None else warning_finding
            return [say(failed.fault or texts.CHECK_FAILS(name="voice", fault=failed), texts.MEND_VOICE)]
    return [ok_finding(texts.VOICE_THERE(model=voice.model))]


def write_silence(path: Path) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(FRAMES_PER_SECOND)
        file.writeframes(bytes(2 * SILENT_FRAMES))
