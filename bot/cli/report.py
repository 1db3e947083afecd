"""`retinue report`: print facts that help to find a fault, ready to paste."""

import platform
import re
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click

from bot.cli import doctor, texts
from bot.cli.log_reader import find_log_file, read_or_follow_log_lines
from bot.cli.options import config_option, print_lines
from bot.config import Config, LoadedConfig, load
from bot.core.errors import ConfigError
from bot.core.program_names import IS_CHECKOUT, PROJECT_FOLDER, git_revision
from bot.ops import logs
from bot.ops.health import assess_health, format_health

MAX_LOG_LINES = 60
PRIVATE_FINDING_PREFIXES = ("pairing:", "groups:")  # the beginnings of findings that contain names chosen by people
LONG_NUMBER_PATTERN = re.compile(r"(?<![\w.])-?\d{5,}(?![\w.])")
HANDLE_PATTERN = re.compile(r"@\w+")
SETTINGS_WITH_PRIVATE_KEYS = ("roles", "people")  # the keys in these settings are names and ids
PUBLIC_TEXT_SETTINGS = ("model.lead", "model.roles", "model.effort", "busy", "logs", "swarm.memory_writes", "time_zone")


@click.command()
@config_option
def report(file: Path | None) -> None:
    """Gather what helps to find a fault, for one paste without secrets."""
    logs.silence_logs()
    print_lines(build_report(file))


def build_report(file: Path | None) -> Iterator[str]:
    yield texts.READ_BEFORE_PASTING
    yield ""
    ours, system, python = version("retinue"), platform.platform(), platform.python_version()
    if IS_CHECKOUT:
        yield texts.CHECKOUT(version=ours, platform=system, python=python)
        yield texts.COMMIT(commit=git_revision(PROJECT_FOLDER) or "unknown")
    else:
        yield texts.INSTALLED(version=ours, platform=system, python=python)
    findings = [anonymize_line(str(each)) for each in doctor.run_all_checks(file)]
    sections: dict[str, Iterable[str]] = {texts.FINDINGS: findings}
    with suppress(ConfigError):
        loaded = load(file)
        health = format_health(assess_health(loaded.config)).splitlines()
        last: Iterable[str] = [texts.NO_LINES_OF_LOG]
        try:
            if log := find_log_file(loaded.config.data_dir):
                last = deque(read_or_follow_log_lines(log, goes_on=False), MAX_LOG_LINES)
        except OSError as error:  # the folder or the log is another user's
            last = [f"{error.filename}: {error.strerror}"]
        sections = {
            texts.UNUSUAL_SETTINGS: list_changed_settings(loaded),
            texts.FINDINGS: findings,
            texts.HEALTH: map(anonymize_line, health),
            texts.LAST_LINES_OF_LOG(lines=MAX_LOG_LINES): map(anonymize_line, last),
        }
    for title, lines in sections.items():
        yield from ("", title, *(f"  {line}" for line in lines))


def list_changed_settings(loaded: LoadedConfig) -> Iterator[str]:
    """Yield the given settings that differ from the defaults. Show numbers and choices. Of others say only that they
    are set, because they may be secret or somebody's own words."""
    usual = dict(flatten_settings(Config().model_dump()))
    for key, value in flatten_settings(loaded.config.model_dump()):
        is_given = any(key == each or key.startswith(f"{each}.") for each in loaded.explicit_keys)
        if is_given and value != usual.get(key):
            is_number = isinstance(value, (bool, int, float)) and not key.endswith(("owner", "port"))
            yield f"{key}: {value if is_number or key in PUBLIC_TEXT_SETTINGS else 'set'}"


def flatten_settings(values: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, dict) and name not in SETTINGS_WITH_PRIVATE_KEYS:
            yield from flatten_settings(value, f"{above}{name}.")
        else:
            yield above + name, value


def anonymize_line(line: str) -> str:
    """Return the line without ids, handles and the home folder. Of a finding with names, return the beginning."""
    for word in PRIVATE_FINDING_PREFIXES:
        if word in line:
            return line.partition(word)[0] + word + " …"
    return HANDLE_PATTERN.sub("@…", LONG_NUMBER_PATTERN.sub("…", line.replace(str(Path.home()), "~")))
