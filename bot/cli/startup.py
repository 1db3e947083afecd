"""What `chat` and `run` share: both start a bot in their own process."""

import fcntl
import logging
import os
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import MappingProxyType

from bot.app import BotServices, ServeControlSocket
from bot.cli import texts
from bot.config import Config, LoadedConfig
from bot.config.channel_access import access_of_channel
from bot.config.config_file import CONFIG_FILE_NAME, user_config_file
from bot.core import phrases
from bot.core.access import Access
from bot.core.client_settings import access_of_clients
from bot.ops import logs
from bot.ops.control.delegations import DELEGATIONS_REQUEST, make_delegations_answerer
from bot.ops.control.page_words import PAGE_REQUEST, make_page_answerer
from bot.ops.control.server import Answerer, ControlServer
from bot.ops.folder_holder import HOLDER_REQUEST, make_holder_answerer, os_error_as_config_error
from bot.ops.health import answer_health_request, retinue_version
from bot.store import folder_lock
from channels.terminal.channel import Terminal
from channels.terminal.conversation import CHANNEL_NAME

NO_ANSWERERS: Mapping[str, Answerer] = MappingProxyType({})


def hold_virtualenv_lock() -> None:
    """Hold a shared lock on pyvenv.cfg, if there is one, until the process ends. scripts/install.py looks for it."""
    with suppress(OSError):
        descriptor = os.open(Path(sys.prefix) / "pyvenv.cfg", os.O_RDONLY)  # the kernel closes it when the process ends
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)


def describe_config_and_workspace(loaded: LoadedConfig, workspace: Path | None = None) -> Iterator[str]:
    """Yield a line with the config and the workspace, and a warning if a config file in this folder is ignored.
    `workspace` is the folder that the tools see; None: the one in the config."""
    config = loaded.path or texts.NO_CONFIG_FILE
    yield texts.WHEREABOUTS(config=config, workspace=workspace or loaded.config.workspace)
    here = Path(CONFIG_FILE_NAME).absolute()
    if loaded.path == user_config_file() and here.is_file() and not here.samefile(loaded.path):
        yield texts.CONFIG_PASSED_OVER(ignored=here, path=loaded.path, name=CONFIG_FILE_NAME)


def access_without_platforms(config: Config, terminal: Access) -> dict[str, Access]:
    """Return who may do what, by channel, in a bot that listens on no platform. What people of the platforms have begun
    goes on with their rights, and what is said to them waits in the outbox."""
    platforms = {name: access_of_channel(name, settings) for name, settings in config.channels.by_name().items()}
    return {CHANNEL_NAME: terminal, **platforms, **access_of_clients(config.clients)}


def make_control_socket(
    config: Config, terminal: Terminal, platforms: Sequence[str], more: Mapping[str, Answerer] = NO_ANSWERERS
) -> ServeControlSocket:
    """Return what serves the control socket once the bot's parts are made. `more` answers further requests."""

    async def serve(services: BotServices) -> None:
        answerers: dict[str, Answerer] = {
            "health": partial(answer_health_request, config),
            "chat": terminal.serve_attached_terminal,
            HOLDER_REQUEST: make_holder_answerer(platforms),
            DELEGATIONS_REQUEST: make_delegations_answerer(services.clients, retinue_version()),
            PAGE_REQUEST: make_page_answerer(services.page, retinue_version()),
            **more,
        }
        await ControlServer(config.data_dir, answerers).run()

    return serve


def make_data_folder_and_open_log(data: Path, secrets: Collection[str]) -> None:
    """Make the data folder and log to a file in it: stdout and stderr are for others. May raise ConfigError."""
    with os_error_as_config_error(data):
        folder_lock.make_data_folder(data)
        logging.raiseExceptions = False  # a failing log, as on a full disk, must not print into the conversation
        log = logs.open_log_file_handler(data, secrets)
    logging.basicConfig(level=logging.WARNING, handlers=[log])


def tell_terminals_disk_state(terminal: Terminal, why: str | None) -> None:
    """Tell attached terminals why nothing can be written to the disk. If `why` is None, say that it works again."""
    terminal.warn(phrases.disk_state_text(why), is_over=why is None)
