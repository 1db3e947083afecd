"""`retinue report`: print what helps to find a fault, ready to paste."""

import platform
import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click

from bot.cli import doctor, texts
from bot.cli.log_reader import find_log, read_log_lines
from bot.cli.options import config_option
from bot.config import Config, LoadedConfig, load
from bot.core.errors import ConfigError
from bot.core.printable import escape_unprintable
from bot.core.program_names import IS_CHECKOUT, PROJECT_FOLDER, git_revision
from bot.ops import logs
from bot.ops.health import assess_health, format_health

LOG_LINES = 60
FINDINGS_WITH_NAMES = ("pairing:", "groups:")  # these findings contain names that people chose
LONG_NUMBERS = re.compile(r"(?<![\w.])-?\d{5,}(?![\w.])")
HANDLES = re.compile(r"@\w+")
PLAIN_TYPES = (bool, int, float)
PUBLIC_TEXT_KEYS = ("model.lead", "model.roles", "model.effort", "busy", "logs", "swarm.memory_writes", "time_zone")


@click.command()
@config_option
def command(file: Path | None) -> None:
    """Gather what helps to find a fault, for one paste without secrets."""
    logs.silence_logs()
    for line in build_report(file):
        click.echo(escape_unprintable(line))


def build_report(file: Path | None) -> Iterator[str]:
    yield texts.READ_BEFORE_PASTING
    yield ""
    ours, system, python = version("retinue"), platform.platform(), platform.python_version()
    if IS_CHECKOUT:
        yield texts.CHECKOUT(version=ours, platform=system, python=python)
        yield texts.COMMIT(commit=git_revision(PROJECT_FOLDER) or "unknown")
    else:
        yield texts.INSTALLED(version=ours, platform=system, python=python)
    findings = [str(each) for each in doctor.list_findings(file)]
    try:
        loaded = load(file)
    except ConfigError:
        yield from ("", texts.FINDINGS, *(f"  {anonymize(line)}" for line in findings))
        return
    yield from ("", texts.UNUSUAL_SETTINGS)
    yield from (f"  {line}" for line in list_changed_settings(loaded))
    yield from ("", texts.FINDINGS)
    yield from (f"  {anonymize(line)}" for line in findings)
    yield from ("", texts.HEALTH)
    yield from (f"  {anonymize(line)}" for line in format_health(assess_health(loaded.config)).splitlines())
    yield from ("", texts.LAST_LINES_OF_LOG(lines=LOG_LINES))
    log = find_log(loaded.config.data_dir)
    last = [*read_log_lines(log, goes_on=False)][-LOG_LINES:] if log else [texts.NO_LINES_OF_LOG]
    yield from (f"  {anonymize(line)}" for line in last)


def list_changed_settings(loaded: LoadedConfig) -> Iterator[str]:
    """Yield the settings that somebody changed. Show numbers and choices as they are.

    For other values, say only that they are set, because they may be secret or somebody's own words.
    """
    usual = dict(flatten_settings(Config().model_dump()))
    for key, value in flatten_settings(loaded.config.model_dump()):
        is_given = any(key == each or key.startswith(f"{each}.") for each in loaded.given_keys)
        if is_given and value != usual.get(key):
            is_plain = key in PUBLIC_TEXT_KEYS or (
                isinstance(value, PLAIN_TYPES) and not key.endswith(("owner", "port"))
            )
            yield f"{key}: {value if is_plain else 'set'}"


def flatten_settings(values: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, dict) and above + name != "swarm.roles":
            yield from flatten_settings(value, f"{above}{name}.")
        else:
            yield above + name, value


def anonymize(line: str) -> str:
    """Return the line without ids, names and the path of the home folder.

    If a finding contains names that people chose, keep only its kind.
    """
    for word in FINDINGS_WITH_NAMES:
        if word in line:
            return line.partition(word)[0] + word + " …"
    return HANDLES.sub("@…", LONG_NUMBERS.sub("…", line.replace(str(Path.home()), "~")))
