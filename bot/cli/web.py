"""`retinue web`: show conversations, delegations and figures in a browser on this machine."""

import asyncio
import os
import socket
import sys
import time
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.assembly import backend_data_folder, demo_config
from bot.cli.doctor import run_local_checks
from bot.cli.options import config_option, run_in_event_loop
from bot.config import LoadedConfig, load
from bot.config.channel_access import accesses_of_channels, owner_chats
from bot.config.client_tokens import scopes_of_clients, tokens_of_clients
from bot.config.exposure import secret_values_by_setting
from bot.config.groups import read_groups
from bot.config.roles import load_roles
from bot.config.time_zone import resolve_time_zone
from bot.core.client_settings import access_of_clients
from bot.core.errors import ConfigError
from bot.core.group import NO_GROUPS, Groups
from bot.core.limits import DecisionTerms
from bot.core.messages import Address, role_display_name
from bot.core.outgoing_files import OUTGOING_FOLDER_NAME
from bot.core.program_names import retinue_command
from bot.core.secret_search import SecretIndex
from bot.ops.client_tokens import ClientTokens
from bot.ops.control.delegations import RunningBot
from bot.ops.control.forks import ask_for_fork
from bot.ops.control.page_words import BotBesidePage
from bot.ops.folder_holder import find_holding_process_id, os_error_as_config_error
from bot.ops.health import retinue_version
from bot.ops.listening import listen_at
from bot.ops.page_process import BESIDE_BOT
from bot.store import folder_lock
from bot.tools.workspace_scope import GROUP_SCOPE_PREFIX, folder_of_scope
from bot.web_page import texts
from bot.web_page.kept_files import KeptFiles
from bot.web_page.logins import Logins
from bot.web_page.overview import NamedThing

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from bot.web_page.application import PageFacts
    from bot.web_page.row_reader import RowReader
    from bot.web_page.server import PageServer

GROUPS_SECONDS = 5  # so long a group that was changed may look as before
API_PATIENCE_SECONDS = 2.0  # with a bot that is away: a program can ask again


@click.group(invoke_without_command=True)
@config_option
@click.option("--demo", "is_demo", is_flag=True, help="Show the demo's conversations.")
@click.option(BESIDE_BOT, "is_beside_bot", is_flag=True, hidden=True, help="As `retinue run` starts it.")
@click.pass_context
def web(context: click.Context, file: Path | None, is_demo: bool, is_beside_bot: bool) -> None:
    """Show conversations and figures in a browser on this machine."""
    context.obj = loaded = load(file)
    if context.invoked_subcommand is None:
        data = demo_config(loaded.config).data_dir if is_demo else backend_data_folder(loaded)
        serve(loaded, data, is_beside_bot=is_beside_bot)


@web.command()
@click.pass_obj
def login(loaded: LoadedConfig) -> None:
    """Print a link that logs in one browser."""
    print_login_link(loaded)


@web.command()
@click.pass_obj
def logout(loaded: LoadedConfig) -> None:
    """Log out every browser."""
    logins_of(loaded).log_everybody_out()
    click.echo(texts.LOGGED_OUT())


def logins_of(loaded: LoadedConfig) -> Logins:
    """Return the logins, which are kept in the data folder of the settings. Make the folder if it is missing."""
    folder = loaded.config.data_dir
    with os_error_as_config_error(folder):
        folder_lock.make_data_folder(folder)
    return Logins(folder)


def print_login_link(loaded: LoadedConfig) -> None:
    code = logins_of(loaded).make_code()
    click.echo(texts.LOGIN_LINK(link=f"{loaded.config.web_page.origins[0]}/login?code={code}"))


def serve(loaded: LoadedConfig, data: Path, *, is_beside_bot: bool) -> None:
    """Serve the page of a bot with this data folder until a signal comes, or beside a bot until its process ends. Raise
    ConfigError if the page's libraries are missing, or if it cannot listen."""
    place, server = loaded.config.web_page, make_server(loaded, data)
    try:
        listening = listen_at(place.host, place.port)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise ConfigError(texts.PORT_TAKEN(host=place.host, port=place.port, reason=reason)) from None
    with listening:
        click.echo(texts.STARTED(address=place.origins[0]))
        if is_beside_bot:
            click.echo(texts.LOGIN_BY_TYPING(command=retinue_command("web login")))  # no link goes into a log
            run_in_event_loop(serve_until_input_ends(server, listening))
        else:
            print_login_link(loaded)
            run_in_event_loop(server.serve([listening]))


async def serve_until_input_ends(server: "PageServer", listening: socket.socket) -> None:
    """Serve until stdin ends: the bot that has started this process holds the other end."""

    async def end_with_input() -> None:
        given = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(given), sys.stdin)
        await given.read()
        server.should_exit = True

    async with asyncio.TaskGroup() as tasks:
        watching = tasks.create_task(end_with_input(), name="stdin")
        await server.serve([listening])
        watching.cancel()


def make_server(loaded: LoadedConfig, data: Path) -> "PageServer":
    """Return the server of the page of a bot with this data folder. Raise ConfigError if its libraries are missing."""
    try:
        from bot.web_page.application import Page, PageFacts
        from bot.web_page.row_reader import RowReader
        from bot.web_page.server import PageServer
    except ImportError:
        raise ConfigError(texts.NO_LIBRARIES()) from None
    config = loaded.config
    facts = PageFacts(
        origins=config.web_page.origins,
        secrets=SecretIndex(secret_values_by_setting(config)),
        languages=config.search_languages,
        time_zone=resolve_time_zone(config.time_zone),
        kept_files=kept_files_of(loaded, data),
        list_findings=lambda: run_local_checks(loaded, None, is_alone=False),
        list_roles=lambda: list_roles(loaded),
        list_groups=lambda: list_groups(loaded),
        terms=lambda: terms_of_page(loaded),
        take_words=BotBesidePage(data, retinue_version()).take,
        begin_fork=partial(ask_for_fork, data, retinue_version()),
    )
    rows = RowReader(data / "bot.db")
    page = Page(rows, logins_of(loaded), facts).application()
    return PageServer(with_api(page, loaded, rows, facts), rows.watch.end)


def kept_files_of(loaded: LoadedConfig, data: Path) -> KeptFiles:
    """Return where the files lie that conversations name. The demo has folders of its own."""
    config = loaded.config if data == loaded.config.data_dir else demo_config(loaded.config)

    @lru_cache(maxsize=1)
    def groups_in(period: int) -> Groups:
        """Return the groups as they are read in a period of GROUPS_SECONDS; none if the roles have an error."""
        try:
            roles = load_roles(loaded.config, loaded.config_file_named_in_errors)
            return read_groups(loaded, roles, owner_chats(loaded.config)).groups
        except ConfigError:
            return NO_GROUPS

    def find_folder(scope: str, address: Address) -> Path | None:
        period = int(time.monotonic() // GROUPS_SECONDS)
        groups = groups_in(period) if scope.startswith(GROUP_SCOPE_PREFIX) else NO_GROUPS
        return folder_of_scope(scope, config.workspace, address, groups)

    return KeptFiles(config.data_dir / OUTGOING_FOLDER_NAME, find_folder)


def terms_of_page(loaded: LoadedConfig) -> DecisionTerms:
    access = {**accesses_of_channels(loaded.config), **access_of_clients(loaded.config.clients)}
    return DecisionTerms(settings=loaded.config, now=folder_lock.utc_now(), access_by_channel=access)


def with_api(page: "ASGIApp", loaded: LoadedConfig, rows: "RowReader", facts: "PageFacts") -> "ASGIApp":
    """Return the page with the HTTP API beside it; the page alone if the settings give no client a scope. Raise
    ConfigError if their tokens are wrong."""
    scopes = scopes_of_clients(loaded)
    if not any(scopes.values()):
        return page
    from bot.web_page.api.application import Api, ApiClients, beside_page
    from bot.web_page.api.delegating import Delegating
    from bot.web_page.api.reading import Reading

    data = rows.path.parent
    version = retinue_version()
    reading = Reading(
        rows=rows,
        languages=facts.languages,
        time_zone=facts.time_zone,
        version=version,
        list_findings=facts.list_findings,
        is_bot_running=lambda: bool(find_holding_process_id(data)),
    )
    bot = RunningBot(data, version, API_PATIENCE_SECONDS)
    clients = ApiClients(tokens=ClientTokens(tokens_of_clients(loaded)), scopes=scopes)
    operations = [*reading.operations(), *Delegating(bot=bot, reading=reading).operations()]
    return beside_page(page, Api(operations, clients, facts.secrets, version, facts.origins).application())


def list_roles(loaded: LoadedConfig) -> list[NamedThing]:
    roles = load_roles(loaded.config, loaded.config_file_named_in_errors)
    return [NamedThing(name=role_display_name(name), description=role.description) for name, role in roles.items()]


def list_groups(loaded: LoadedConfig) -> list[NamedThing]:
    roles = load_roles(loaded.config, loaded.config_file_named_in_errors)
    groups = read_groups(loaded, roles, owner_chats(loaded.config)).groups
    return [NamedThing(name=group.name, description=group.agent.description) for group in groups]
