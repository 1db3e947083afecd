"""`retinue report`: what helps to find a fault, in one paste."""

import platform
import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot.cli import texts
from bot.cli.options import config_file
from bot.config.paths import DEMO

if TYPE_CHECKING:
    from bot.config import Config, Loaded

LOG_LINES = 60
WORDS = ("pairing:", "groups:")  # findings that hold names which people have given
IDS = re.compile(r"(?<![\w.])-?\d{5,}(?![\w.])")
HANDLES = re.compile(r"@\w+")
PLAIN = (bool, int, float)
NAMED = ("model.lead", "model.roles", "model.effort", "busy", "logs", "swarm.memory_writes", "time_zone")


@click.command()
@config_file
def command(file: Path | None) -> None:
    """Gather what helps to find a fault, for one paste without secrets."""
    from bot.cli import logs, one_line  # here, since pydantic takes its time

    logs.to_nobody()
    for line in report(file):
        click.echo(one_line(line))


def report(file: Path | None) -> Iterator[str]:
    from bot.cli import doctor
    from bot.cli.condition import condition, in_words
    from bot.config import load
    from bot.errors import ConfigError
    from bot.program import HERE, IS_CHECKOUT

    yield texts.READ_BEFORE_PASTING
    yield ""
    ours, system, python = version("retinue"), platform.platform(), platform.python_version()
    if IS_CHECKOUT:
        yield texts.CHECKOUT(version=ours, platform=system, python=python)
        yield texts.COMMIT(commit=commit(HERE))
    else:
        yield texts.INSTALLED(version=ours, platform=system, python=python)
    findings = [str(each) for each in doctor.findings(file)]
    try:
        loaded = load(file)
    except ConfigError:
        yield from ("", texts.FINDINGS, *(f"  {anonymous(line)}" for line in findings))
        return
    yield from ("", texts.UNUSUAL_SETTINGS)
    yield from (f"  {line}" for line in settings(loaded))
    yield from ("", texts.FINDINGS)
    yield from (f"  {anonymous(line)}" for line in findings)
    yield from ("", texts.HEALTH)
    yield from (f"  {anonymous(line)}" for line in in_words(condition(loaded.config)).splitlines())
    yield from ("", texts.LAST_LINES_OF_LOG(lines=LOG_LINES))
    yield from (f"  {anonymous(line)}" for line in last_lines(loaded.config))


def commit(checkout: Path) -> str:
    from bot.tenants.image import revision_of

    return revision_of(checkout) or "unknown"


def settings(loaded: "Loaded") -> Iterator[str]:
    """What somebody has given. Numbers and choices as they are; of all else only that it is set: it may be a secret or
    somebody's words."""
    from bot.config import Config

    usual = dict(flat(Config().model_dump()))
    for key, value in flat(loaded.config.model_dump()):
        is_given = any(key == each or key.startswith(f"{each}.") for each in loaded.given)
        if is_given and value != usual.get(key):
            is_plain = key in NAMED or (isinstance(value, PLAIN) and not key.endswith(("owner", "port")))
            yield f"{key}: {value if is_plain else 'set'}"


def flat(values: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, dict) and above + name != "swarm.roles":
            yield from flat(value, f"{above}{name}.")
        else:
            yield above + name, value


def anonymous(line: str) -> str:
    """The line without ids, names and this user's folder; of findings that hold names only their kind."""
    for word in WORDS:
        if word in line:
            return line.partition(word)[0] + word + " …"
    return HANDLES.sub("@…", IDS.sub("…", line.replace(str(Path.home()), "~")))


def last_lines(config: "Config") -> list[str]:
    from bot.cli.log_reading import written
    from bot.cli.logs import FILE

    logs = [each / FILE for each in (config.data_dir, config.data_dir / DEMO) if (each / FILE).exists()]
    return [*written(logs[0], goes_on=False)][-LOG_LINES:] if logs else [texts.NO_LINES_OF_LOG]
