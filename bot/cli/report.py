"""`retinue report`: print what helps to find a fault, ready to paste."""

import platform
import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot.cli import texts
from bot.cli.options import config_option
from bot.config.paths import DEMO

if TYPE_CHECKING:
    from bot.config import Config, LoadedConfig

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
    from bot.core.printable import escape_unprintable
    from bot.ops import logs  # here: pydantic is slow to import

    logs.silence_logs()
    for line in build_report(file):
        click.echo(escape_unprintable(line))


def build_report(file: Path | None) -> Iterator[str]:
    from bot.cli import doctor
    from bot.config import load
    from bot.core.errors import ConfigError
    from bot.core.program_names import IS_CHECKOUT, PROJECT_FOLDER
    from bot.ops.health import assess_health, format_health

    yield texts.READ_BEFORE_PASTING
    yield ""
    ours, system, python = version("retinue"), platform.platform(), platform.python_version()
    if IS_CHECKOUT:
        yield texts.CHECKOUT(version=ours, platform=system, python=python)
        yield texts.COMMIT(commit=commit_of_checkout(PROJECT_FOLDER))
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
    yield from (f"  {anonymize(line)}" for line in last_log_lines(loaded.config))


def commit_of_checkout(checkout: Path) -> str:
    from bot.core.program_names import git_revision

    return git_revision(checkout) or "unknown"


def list_changed_settings(loaded: "LoadedConfig") -> Iterator[str]:
    """Yield the settings that somebody changed. Show numbers and choices as they are.

    For other values, say only that they are set, because they may be secret or somebody's own words.
    """
    from bot.config import Config

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


def last_log_lines(config: "Config") -> list[str]:
    from bot.cli.log_reader import read_log_lines
    from bot.ops.logs import LOG_FILE

    logs = [each / LOG_FILE for each in (config.data_dir, config.data_dir / DEMO) if (each / LOG_FILE).exists()]
    return [*read_log_lines(logs[0], goes_on=False)][-LOG_LINES:] if logs else [texts.NO_LINES_OF_LOG]
