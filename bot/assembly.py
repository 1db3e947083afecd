"""Assemble a bot from its settings: what `app.run_bot` needs, for `retinue chat` and `retinue run`."""

import logging
import secrets
import shutil
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bot.app import Assembly
from bot.config import Config, LoadedConfig, resolved_settings
from bot.config.channel_access import access_of_channel, bot_account_on_platform, owner_chats
from bot.config.exposure import secret_values_by_setting
from bot.config.groups import LoadedGroups, read_groups
from bot.config.paths import DEMO_FOLDER_NAME
from bot.config.roles import describe_ignored_parts, load_roles, own_tools
from bot.config.skills import load_skills
from bot.config.watchers import GroupWatcher, RoleWatcher
from bot.config.web_tools import is_model_server_anthropic, web_tools_here, web_tools_of_server
from bot.core import durable_files
from bot.core.access import Access, AccessByChannel
from bot.core.channel import Channel
from bot.core.command_menus import CommandMenu
from bot.core.errors import ConfigError
from bot.core.group import GetCurrentGroups, find_role_of_turn, no_groups
from bot.core.guarded_fetch import FetchPolicy, GuardedFetcher
from bot.core.host_proxy import HostProxy
from bot.core.languages import Language, speaking
from bot.core.languages.language_file import languages_with_folder
from bot.core.limits import ResolvedSettings, Timings
from bot.core.messages import RoleName
from bot.core.model import Model
from bot.core.named_hosts import parse_named_hosts
from bot.core.network import DEFAULT_NETWORK_ACCESS, NetworkAccess
from bot.core.role import GetCurrentRoles, Role
from bot.core.secret_search import NO_SECRETS, SecretIndex
from bot.core.settings import Settings, WebSettings
from bot.core.skill import Skill
from bot.core.texts import logs, operators, people
from bot.core.transcriber import Transcriber
from bot.core.turn import Turn
from bot.models.demo import PAGES_FOLDER
from bot.models.fallback import open_fallback_router
from bot.models.search_providers import search_provider_from_settings
from bot.models.transcribers import transcriber_from_settings
from bot.tools import Tool
from bot.tools.files import file_tools
from bot.tools.own_web import fetch_policy_of_tools, own_web_tools
from bot.tools.search_tools import search_tools
from bot.tools.shell import FindRole, ShellNetwork, find_no_role, shell_tools
from bot.tools.skills import skill_tools
from bot.tools.web import web_tools
from bot.tools.workspace_scope import MakeFolderTools, make_scoped_tools
from channels.registry import platforms

log = logging.getLogger(__name__)

PAGE_COPIES_FOLDER_NAME = "pages"  # below the demo's data folder: copies of the pages that it reads
SHELL_NOTES_FOLDER_NAME = "shell"  # below the data folder: which commands run, for the case of a kill
USER_HASH_KEY_BYTES = 32
STOP_GRACE_SECONDS = 3.0  # a person may be waiting; unfinished work continues at the next start


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """The model that answers (Claude, a compatible server or the demo), with its roles, tools and settings."""

    open_model: Callable[[], AbstractAsyncContextManager[Model]]
    roles: Mapping[RoleName, Role] | GetCurrentRoles
    tools: Sequence[Tool]
    settings: Settings
    resolved: ResolvedSettings
    title: str
    model_names: frozenset[str] = frozenset()  # all models of the lead, the roles and the groups, as far as known
    groups: GetCurrentGroups = no_groups
    network: NetworkAccess = DEFAULT_NETWORK_ACCESS
    file_watches: Sequence[RoleWatcher | GroupWatcher] = ()  # they notice changes in files while the bot runs
    transcriber: Transcriber | None = None  # turns voice notes into text
    secrets: SecretIndex = NO_SECRETS  # of the settings; they are taken out of all that is said and sent


@asynccontextmanager
async def open_assembly(
    backend: Backend, channels: Sequence[Channel], access: AccessByChannel, terminal_channel: Channel | None = None
) -> AsyncIterator[Assembly]:
    """Connect the model and the channels, and watch the files of roles and groups, until the context ends."""
    async with backend.open_model() as model, AsyncExitStack() as connections:
        for channel in channels:
            if isinstance(channel, AbstractAsyncContextManager):  # its connections outlast its `run`
                await connections.enter_async_context(channel)
        for watch in backend.file_watches:
            connections.enter_context(watch)
        yield Assembly(
            model=model,
            roles=backend.roles,
            channels=channels,
            data=backend.settings.data_dir,
            groups=backend.groups,
            tools=backend.tools,
            access=access,
            transcriber=backend.transcriber,
            secrets=backend.secrets,
            settings=backend.settings,
            resolved=backend.resolved,
            timings=Timings(stop_timeout_seconds=STOP_GRACE_SECONDS),
            terminal_channel=terminal_channel,
            fetcher=GuardedFetcher(backend.network, FetchPolicy(domains=backend.settings.web.domains)),
        )


def choose_backend(loaded: LoadedConfig, *, is_watched: bool) -> Backend:
    """Return Claude, or the demo if there is no key and no server for a model."""
    if has_model(loaded):
        return claude_backend(loaded)
    return demo_backend(loaded, is_watched=is_watched)


def backend_data_folder(loaded: LoadedConfig) -> Path:
    return loaded.config.data_dir if has_model(loaded) else demo_config(loaded.config).data_dir


def has_model(loaded: LoadedConfig) -> bool:
    return bool(loaded.config.model.api_key or loaded.config.model.base_url)


def claude_backend(loaded: LoadedConfig) -> Backend:
    config, model = loaded.config, loaded.config.model
    roles = RoleWatcher(config.swarm.roles_dir, partial(load_roles_with_warnings, loaded))

    def read_current_groups() -> LoadedGroups:
        return read_groups(loaded, roles.last_loaded_roles().keys(), owner_chats(config), may_make_workspaces=True)

    groups = GroupWatcher(config.swarm.groups_dir, read_current_groups)
    network = resolved_settings.network_access_from_config(config)
    network.ssl_context()  # report a wrong file now, not at the first message
    agents = {group.agent.name: group.agent for group in groups.last_loaded_groups()}
    models = resolved_settings.models_in_use(config, {**roles.last_loaded_roles(), **agents})

    def open_model() -> AbstractAsyncContextManager[Model]:
        own, other = claude_client(config, models, network), resolved_settings.config_of_fallback_model(config)
        return open_fallback_router(own, claude_client(other, [other.model.lead], network)) if other else own

    skills = load_skills_with_warnings(config)
    if line := resolved_settings.unpriced_models_warning({*models, *filter(None, [model.fallback.model])}, config):
        log.warning("%s", line)
    return Backend(
        open_model=open_model,
        roles=roles.last_loaded_roles,
        tools=[
            *make_tools_and_workspace_folder(
                config, groups.last_loaded_groups, skills=skills, roles=roles.last_loaded_roles
            ),
            *load_own_tools_or_warn(config),
            *skill_tools(skills),
        ],
        settings=config,
        resolved=resolved_settings.resolve_settings(config),
        title=model.lead,
        model_names=models,
        groups=groups.last_loaded_groups,
        network=network,
        file_watches=[roles, groups],
        transcriber=transcriber_from_settings(config.voice, network),
        secrets=SecretIndex(secret_values_by_setting(config)),
    )


def claude_client(config: Config, names: Collection[str], network: NetworkAccess) -> AbstractAsyncContextManager[Model]:
    from bot.models.claude import Claude  # imported here, because only this needs anthropic
    from bot.models.claude.faults import RequestPatience

    model, secret = config.model, load_or_create_user_hash_key(config.data_dir)
    key = model.api_key.get_secret_value() if model.api_key else None
    patience = RequestPatience(read_timeout_seconds=model.read_timeout_seconds)
    own = is_model_server_anthropic(config)
    return Claude(key, model.base_url, secret, models=names, is_anthropic=own, patience=patience, network=network)


def load_roles_with_warnings(loaded: LoadedConfig) -> dict[RoleName, Role]:
    """Return all roles. Log a warning for each file with keys, tools or roles that are ignored here."""
    roles = load_roles(loaded.config, loaded.config_file_named_in_errors)
    for line in describe_ignored_parts(loaded.config):
        log.warning("%s", line)
    return roles


def load_own_tools_or_warn(config: Config) -> Sequence[Tool]:
    """Return the operator's own tools. Log a warning for each that cannot be loaded, or raise ConfigError if all of
    them must load."""
    own = own_tools(config)
    if own.faults and config.tools_must_load:
        raise ConfigError(*own.faults)
    for fault in own.faults:
        log.warning("%s", operators.OWN_TOOL_NOT_LOADED(fault=fault))
    return own.tools


def load_skills_with_warnings(config: Config) -> Sequence[Skill]:
    """Return the skills. Log a warning for each that cannot be used."""
    loaded = load_skills(config)
    for fault in loaded.faults:
        log.warning("%s", operators.SKILL_NOT_LOADED(fault=fault))
    return loaded.skills


def make_tools_and_workspace_folder(
    config: Config,
    groups: GetCurrentGroups = no_groups,
    *,
    may_write: bool = True,
    skills: Sequence[Skill] = (),
    roles: GetCurrentRoles = dict,
) -> list[Tool]:
    """Return the tools; a group's turns use its own workspace. If `may_write`, make the config's workspace if it is
    missing. May raise ConfigError."""
    if may_write:
        try:
            config.workspace.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            why = operators.CANNOT_MAKE_WORKSPACE(folder=config.workspace, reason=error.strerror)
            raise ConfigError(why) from None
    has_shell = may_write and not report_reason_for_no_shell(config)

    def find_role(turn: Turn) -> Role | None:
        return find_role_of_turn(turn, roles(), groups())

    shell = make_shell(config, skills, find_role) if has_shell else no_tools
    web = make_web_tools(config)
    return make_workspace_and_web_tools(config.workspace, groups, may_write=may_write, web=web, shell=shell)


def make_shell(config: Config, skills: Sequence[Skill], find_role: FindRole = find_no_role) -> MakeFolderTools:
    """Return what makes the tool `shell`. Its commands can read the folders of the skills, and reach the hosts that the
    settings and the role of the turn name."""
    seen = (*config.shell.programs, *(skill.folder for skill in skills))
    settings, notes = config.shell.model_copy(update={"programs": seen}), config.data_dir / SHELL_NOTES_FOLDER_NAME
    proxy = HostProxy(GuardedFetcher(resolved_settings.network_access_from_config(config)))
    network = ShellNetwork(hosts=parse_named_hosts(config.shell.hosts), find_role=find_role, proxy=proxy)
    return shell_tools(settings, folders_hidden_from_shell(config), notes, network)


def report_reason_for_no_shell(config: Config) -> str:
    """Return why there is no tool `shell`. Log it, if the operator wants that tool."""
    reason = resolved_settings.reason_for_no_shell(config)
    if config.shell.enabled and reason:
        log.warning("%s", logs.NO_SHELL(reason=reason))
    return reason


def folders_hidden_from_shell(config: Config) -> list[Path]:
    """Return the folders that no command may see, wherever the operator has put them."""
    return [*filter(None, [config.data_dir, config.secrets_dir, config.swarm.roles_dir, config.swarm.groups_dir])]


def no_tools(folder: Path) -> list[Tool]:
    return []


def make_web_tools(config: Config) -> list[Tool]:
    """Return the tools of the web: those of the model's server, or else those that run here."""
    domains = config.web.domains
    if web_tools_of_server(config):
        return web_tools(domains)
    if not (names := web_tools_here(config)):
        return []
    network = resolved_settings.network_access_from_config(config)
    fetcher = GuardedFetcher(network, fetch_policy_of_tools(FetchPolicy(domains=domains)))
    return own_web_tools(fetcher, search_provider_from_settings(config.web, network), names)


def make_workspace_and_web_tools(
    workspace: Path,
    groups: GetCurrentGroups = no_groups,
    *,
    may_write: bool = True,
    web: Sequence[Tool] | None = None,
    shell: MakeFolderTools = no_tools,
) -> list[Tool]:
    """Return the tools that work in `workspace`, without making the folder, with those of `shell`, and those of the
    web; if `web` is None, those of the model's server."""

    def make_folder_tools(folder: Path) -> list[Tool]:
        return [*file_tools(folder, may_write=may_write), *search_tools(folder), *shell(folder)]

    return [*make_scoped_tools(make_folder_tools, workspace, groups), *(web_tools() if web is None else web)]


def demo_backend(loaded: LoadedConfig, *, is_watched: bool = True, is_public: bool = False) -> Backend:
    """Return the demo. It only reads Retinue's own folder. It has its own data folder, so the script's words never
    appear in a conversation with Claude. It is slower if it `is_watched`. If `is_public`, others than the operator
    write to it. Then it reads copies of the pages, because config and secrets may be beside the originals."""
    from bot.models.demo import LEAD_MODEL, ROLES_MODEL, UNWATCHED_PACE, WATCHED_PACE, DemoModel

    config = demo_config(loaded.config, is_public=is_public)
    if is_public:
        replace_folder_with_project_pages(PAGES_FOLDER, config.workspace)
    played = config.model.model_copy(update={"lead": LEAD_MODEL, "roles": ROLES_MODEL})
    return Backend(
        open_model=lambda: nullcontext(DemoModel(WATCHED_PACE if is_watched else UNWATCHED_PACE)),
        roles={name: replace(role, model="") for name, role in load_roles_with_warnings(loaded).items()},
        tools=make_tools_and_workspace_folder(config, may_write=False),
        settings=config.model_copy(update={"model": played}),
        resolved=replace(resolved_settings.resolve_settings(config), is_demo=True, writable_workspace=None),
        title=operators.DEMO_TITLE,
        secrets=SecretIndex(secret_values_by_setting(loaded.config)),
    )


def demo_config(config: Config, *, is_public: bool = False) -> Config:
    """Return the demo's config. It has no web tools, because a script does not use the web. If `is_public`, its
    workspace is the folder with the copied pages."""
    folder = config.data_dir / DEMO_FOLDER_NAME
    pages = folder / PAGE_COPIES_FOLDER_NAME if is_public else PAGES_FOLDER
    return config.model_copy(update={"workspace": pages, "data_dir": folder, "web": WebSettings(enabled=False)})


def replace_folder_with_project_pages(source: Path, folder: Path) -> Path:
    """Replace the folder with copies of the public pages. Raise ConfigError if that fails."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for page in source.glob("*.md"):
            shutil.copy(page, folder)
        for name in ("docs", "roles"):
            shutil.copytree(source / name, folder / name, ignore=shutil.ignore_patterns("*.png"))
    except OSError as error:
        raise ConfigError(operators.CANNOT_COPY_PAGES(folder=folder, reason=error)) from None
    return folder


def load_or_create_user_hash_key(data: Path) -> bytes:
    """Return the installation's secret key. Make it if the file is missing or too short. May raise ConfigError."""
    path = data / "user_key"
    try:
        key = path.read_bytes() if path.exists() else b""
        if len(key) >= USER_HASH_KEY_BYTES:
            return key
        key = secrets.token_bytes(USER_HASH_KEY_BYTES)
        durable_files.replace_file(path, key, mode=0o600)  # a kill never leaves a partial key
        return key
    except OSError as error:
        raise ConfigError(operators.CANNOT_USE_DATA(path=path, reason=error.strerror)) from None


def make_channels_with_access(
    loaded: LoadedConfig, names: Sequence[str], roles: Mapping[RoleName, Role] | GetCurrentRoles
) -> tuple[list[Channel], dict[str, Access]]:
    """Return the channels of those names, made from the settings, and who may speak on each."""
    config = loaded.config

    def get_picture(name: RoleName) -> bytes:
        role = (roles() if callable(roles) else roles).get(name)  # an asked group's agent is none
        return role.picture if role else b""

    menus = make_command_menus(config)
    accounts = {
        name: replace(bot_account_on_platform(config, name), get_picture=get_picture, menus=menus) for name in names
    }
    made = [platforms()[name].make_channel(account, menus[0].commands) for name, account in accounts.items()]
    return made, {name: access_of_channel(name, config.channels[name]) for name in names}


def make_command_menus(config: Config) -> list[CommandMenu]:
    """Return what each command is for in all languages, beginning with the operator's."""
    first, languages = resolved_settings.find_operator_language(config), languages_with_folder(config.languages_dir)
    return [command_menu(each) for each in (first, *(each for each in languages.list_all() if each is not first))]


def command_menu(language: Language) -> CommandMenu:
    with speaking(language):
        commands = [(command.removeprefix("/"), help()) for command, help in people.COMMANDS.items()]
    return CommandMenu(language=language, commands=commands)
