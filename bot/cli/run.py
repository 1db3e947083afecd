"""`retinue run`: answer in all configured channels until a signal stops the bot."""

import asyncio
import logging
import os
import signal
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from bot import app, assembly
from bot.cli import error_lines, exit_status_of, startup, texts
from bot.cli.options import config_option, run_in_event_loop
from bot.config import LoadedConfig, exposure, load
from bot.core.access import Access
from bot.core.client_settings import access_of_clients
from bot.core.errors import ConfigError, StoreDamaged
from bot.core.exit_status import ExitStatus
from bot.core.limits import Timings
from bot.core.program_names import retinue_command
from bot.core.texts import escape_unprintable
from bot.ops import logs
from bot.ops.folder_holder import os_error_as_config_error, wait_until_folder_is_free
from bot.ops.garbage_collector import collect_again_once_loaded
from bot.ops.health import retinue_version
from bot.ops.metrics import serve_metrics_and_count_failures
from bot.ops.page_process import BESIDE_BOT, keep_page_running
from bot.ops.watchdog import Watchdog, notify_systemd
from bot.store import folder_lock
from channels.registry import platforms
from channels.terminal.channel import Terminal
from channels.terminal.conversation import CHANNEL_NAME, OWNER_ID

log = logging.getLogger(__name__)


@click.command()
@config_option
@click.option("--demo", "is_demo", is_flag=True, help="A script answers, without a key for a model.")
def run(file: Path | None, is_demo: bool) -> ExitStatus:
    """Answer in all configured channels."""
    loaded = load(file)
    is_json = loaded.config.logs == "json"
    logs.set_up_stderr_logging(logs.secrets_to_redact(loaded.config), is_json=is_json)
    try:
        names = require_usable_channels(loaded, needs_model=not is_demo)
        for warning in exposure.exposure_warnings(loaded):
            log.warning("%s", warning)
        return serve(loaded, names, is_demo=is_demo)
    except (ConfigError, StoreDamaged) as error:
        if not is_json:
            raise  # the caller prints it as plain lines
        for line in error_lines(error):
            logs.log_cli_output_line(line, is_wrong=True)
        return exit_status_of(error)


def require_usable_channels(loaded: LoadedConfig, *, needs_model: bool) -> list[str]:
    """Return the enabled channels. Raise ConfigError if there are none, or if a token or the model key is missing."""
    channels = loaded.config.channels
    enabled, origin = channels.list_enabled_channels(), loaded.config_file_named_in_errors
    if not enabled:
        keys = " or ".join(f"channels.{name}.enabled" for name in platforms())
        raise ConfigError(texts.NO_CHANNEL(origin=origin, command=retinue_command("setup"), keys=keys))
    for name in enabled:
        if channels[name].token is None:
            variable = platforms()[name].token_variable
            raise ConfigError(texts.NO_TOKEN(origin=origin, channel=name, variable=variable))
    if needs_model and not assembly.has_model(loaded):
        raise ConfigError(texts.NO_MODEL(origin=origin))
    return enabled


def serve(loaded: LoadedConfig, names: Sequence[str], *, is_demo: bool) -> ExitStatus:
    """Answer in these channels until a signal stops the bot. Raise ConfigError if the data folder cannot be used."""
    startup.hold_virtualenv_lock()
    data = (assembly.demo_config(loaded.config) if is_demo else loaded.config).data_dir
    with os_error_as_config_error(data):
        folder_lock.make_data_folder(data)
        logging.getLogger().addHandler(logs.open_log_file_handler(data, logs.secrets_to_redact(loaded.config)))
    wait_until_folder_is_free(data)
    return run_in_event_loop(answer_on_channels(loaded, names, is_demo=is_demo))


async def answer_on_channels(loaded: LoadedConfig, names: Sequence[str], *, is_demo: bool) -> ExitStatus:
    collect_again_once_loaded(asyncio.get_running_loop())
    until = asyncio.Event()
    set_event_on_signals(until)  # first: importing the library of a channel takes a second
    backend = assembly.demo_backend(loaded, is_public=True) if is_demo else assembly.claude_backend(loaded)
    channels, access = assembly.make_channels_with_access(loaded, names, backend.roles)
    # Anybody who can open the data folder is the owner; perhaps nobody reads notices there.
    access |= {CHANNEL_NAME: Access(owner_id=OWNER_ID), **access_of_clients(loaded.config.clients)}
    terminal = Terminal(title=backend.title, version=retinue_version())
    config = loaded.config.model_copy(update={"data_dir": backend.settings.data_dir})
    async with (
        Watchdog().watch_event_loop(),
        assembly.open_assembly(backend, channels, access, terminal) as made,
        serve_metrics_and_count_failures(config, made.model, channels, backend.model_names) as counted,
        serve_page_beside_bot(loaded, until, is_demo=is_demo),
    ):
        made = replace(
            made,
            model=counted.model,
            channels=counted.channels,
            on_schedule_time=counted.on_schedule_time,
            on_secret_kept_back=counted.on_secret_kept_back,
            timings=Timings(),  # the defaults: nobody waits at a terminal
            serve_control_socket=startup.make_control_socket(config, terminal, names),
            on_disk_state_change=partial(startup.tell_terminals_disk_state, terminal),
            on_recovered=partial(announce_start, loaded, names, backend.settings.workspace, is_demo=is_demo),
        )
        await app.run_bot(made, until)
    return ExitStatus.DONE


def serve_page_beside_bot(
    loaded: LoadedConfig, until: asyncio.Event, *, is_demo: bool
) -> AbstractAsyncContextManager[None]:
    """Return a context in which the page in a browser is served, if the settings say so."""
    if not loaded.config.web_page.enabled:
        return nullcontext()
    config = ["--config", str(loaded.path)] if loaded.path else []
    return keep_page_running(["web", *config, *(["--demo"] if is_demo else []), BESIDE_BOT], until)


def set_event_on_signals(until: asyncio.Event) -> None:
    """Set `until` on SIGTERM or SIGINT. A second signal ends the process at once. Nothing is lost in either case."""
    loop = asyncio.get_running_loop()

    def heard(number: signal.Signals) -> None:
        if until.is_set():
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        notify_systemd("STOPPING=1")
        until.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, heard, number)


def announce_start(loaded: LoadedConfig, names: Sequence[str], workspace: Path, *, is_demo: bool) -> None:
    notify_systemd("READY=1")
    channels = " and ".join(names)
    up = texts.DEMO_ANSWERING(channels=channels) if is_demo else texts.ANSWERING(channels=channels)
    for line in (*startup.describe_config_and_workspace(loaded, workspace), up):
        logs.log_cli_output_line(line)
        if loaded.config.logs != "json":
            click.echo(escape_unprintable(line), err=True)
