"""`retinue mcp`: have roles work for other programs, beside the bot that runs, or with a bot in this process."""

import asyncio
import signal
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot import app
from bot.assembly import backend_data_folder, choose_backend, open_assembly
from bot.cli import error_lines, print_error, startup, texts
from bot.cli.options import config_option, run_in_event_loop
from bot.config import LoadedConfig, exposure, load
from bot.config.client_tokens import tokens_of_clients
from bot.core.access import Access
from bot.core.clients import LOCAL_CLIENT
from bot.core.errors import ConfigError, FolderInUse
from bot.core.exit_status import ExitStatus
from bot.core.mcp_settings import listening_place
from bot.ops import logs
from bot.ops.control.delegations import RunningBot
from bot.ops.folder_holder import GIVE_WAY_REQUEST, find_holding_process_id, make_give_way_answerer
from bot.ops.garbage_collector import collect_again_once_loaded
from bot.ops.health import retinue_version
from bot.ops.listening import listen_at
from bot.ops.watchdog import Watchdog
from channels.terminal.channel import Terminal
from channels.terminal.conversation import OWNER_ID

if TYPE_CHECKING:
    from bot.assembly import Backend

TAKE_OVER_SECONDS = 0.5  # between two looks whether the bot of another process has ended
GIVE_WAY_SECONDS = 5.0  # for the process that wants the folder to take it


@click.command()
@config_option
@click.option("--client", "name", default=LOCAL_CLIENT, metavar="NAME", help="Which client speaks over stdio.")
@click.option("--http", "is_http", is_flag=True, help="Serve clients with tokens at the address mcp.listen.")
def mcp(file: Path | None, name: str, is_http: bool) -> ExitStatus:
    """Have roles work for other programs, over stdio or HTTP."""
    startup.hold_virtualenv_lock()
    loaded = load(file)
    clients = loaded.config.clients
    if not is_http and name != LOCAL_CLIENT and name not in clients:
        raise ConfigError(texts.NO_SUCH_CLIENT(name=name, names=", ".join([LOCAL_CLIENT, *clients])))
    for warning in exposure.exposure_warnings(loaded):
        print_error(warning)
    data = backend_data_folder(loaded)
    if data != loaded.config.data_dir:
        print_error(texts.DEMO_ANSWERS)
    require_mcp_library()
    startup.make_data_folder_and_open_log(data, logs.secrets_to_redact(loaded.config))
    bot = RunningBot(data, retinue_version())
    front = prepare_http(loaded, bot) if is_http else prepare_stdio(bot, name)
    run_in_event_loop(serve_beside_bot(BotKeeper(partial(load, file), data), front))
    return ExitStatus.DONE


def require_mcp_library() -> None:
    try:
        import mcp.server.lowlevel  # noqa: F401  # it takes a second, and only this command needs it
    except ImportError:
        raise ConfigError(texts.NO_MCP_LIBRARY) from None


def prepare_stdio(bot: RunningBot, client: str) -> Coroutine[Any, Any, None]:
    from bot.mcp_server.server import DelegationServer
    from bot.mcp_server.stdio_front import serve_stdio

    return serve_stdio(DelegationServer(bot, lambda _: client, bot.version))


def prepare_http(loaded: LoadedConfig, bot: RunningBot) -> Coroutine[Any, Any, None]:
    """Return what serves over HTTP. Raise ConfigError if no client has a token, or if the address cannot be used."""
    from bot.mcp_server.http_front import PATH, make_http_app, names_of_place, serve_http

    tokens = tokens_of_clients(loaded)
    if not tokens:
        raise ConfigError(texts.NO_CLIENT_WITH_TOKEN)
    settings = loaded.config.mcp
    host, port = listening_place(settings.listen)
    try:
        listening = listen_at(host, port)
    except OSError as error:
        raise ConfigError(texts.CANNOT_LISTEN(address=settings.listen, reason=error.strerror)) from None
    port = listening.getsockname()[1]
    if not exposure.is_this_machine(host):
        print_error(texts.LISTENS_BEYOND_MACHINE(address=settings.listen))
    print_error(texts.SERVING(url=f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}"))
    return serve_http(make_http_app(bot, bot.version, tokens, names_of_place(host, port, settings.hosts)), listening)


async def serve_beside_bot(keeper: "BotKeeper", front: Coroutine[Any, Any, None]) -> None:
    """Serve clients until they leave or a signal ends this process, and see that a bot runs meanwhile."""
    collect_again_once_loaded(asyncio.get_running_loop())
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, keeper.end)
    async with asyncio.TaskGroup() as tasks:
        serving = tasks.create_task(front, name="MCP clients")
        serving.add_done_callback(lambda _: keeper.end())
        await keeper.run()
        serving.cancel()


class BotKeeper:
    """Run a bot in this process whenever no other process runs one in the folder. Give way to `retinue run`."""

    def __init__(self, read_settings: Callable[[], LoadedConfig], data: Path) -> None:
        self.read_settings = read_settings
        self.data = data
        self._secrets: set[str] = set()  # of all settings so far: an old key may still be valid
        self._told = ""  # the newest error of the settings that was printed
        self._end = asyncio.Event()
        self._stop = asyncio.Event()  # set: the bot in this process ends

    def end(self) -> None:
        self._end.set()
        self._stop.set()

    async def run(self) -> None:
        """Keep a bot running until `end` is called."""
        while not self._end.is_set():
            if not find_holding_process_id(self.data) and (found := self.find_settings_and_backend()):
                with suppress(FolderInUse):  # another process has just taken the folder
                    await self.run_bot(*found)
            pause = GIVE_WAY_SECONDS if self._stop.is_set() else TAKE_OVER_SECONDS
            self._stop.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._end.wait()

    def find_settings_and_backend(self) -> "tuple[LoadedConfig, Backend] | None":
        """Return the settings as they are now, with the backend by them. If they have an error, print it once, and
        return None: this process still serves its clients, and another one may run the bot."""
        try:
            loaded = self.read_settings()
            if (folder := backend_data_folder(loaded)) != self.data:
                raise ConfigError(texts.DATA_FOLDER_CHANGED(folder=folder))
            found = loaded, choose_backend(loaded, is_watched=False)
        except ConfigError as error:
            if str(error) != self._told:
                for line in error_lines(error):
                    print_error(line)
            self._told = str(error)
            return None
        self._told = ""
        self._secrets |= logs.secrets_to_redact(loaded.config)
        logs.redact_in_log_file(self._secrets)
        return found

    async def run_bot(self, loaded: LoadedConfig, backend: "Backend") -> None:
        """Run a bot without platforms until it must stop: only clients and attached terminals reach it."""
        config = loaded.config.model_copy(update={"data_dir": backend.settings.data_dir})
        terminal = Terminal(title=backend.title, version=retinue_version())
        access = startup.access_without_platforms(config, Access(owner_id=OWNER_ID))
        more = {GIVE_WAY_REQUEST: make_give_way_answerer(self._stop.set)}
        serve = startup.make_control_socket(config, terminal, [], more)
        async with Watchdog().watch_event_loop(), open_assembly(backend, [], access, terminal) as assembly:
            await app.run_bot(replace(assembly, serve_control_socket=serve), self._stop)
