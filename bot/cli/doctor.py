"""`retinue doctor`: look for whatever is wrong, and say how to mend it."""

import asyncio
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.cli.options import config_file
from bot.program import command as command_named

if TYPE_CHECKING:
    from bot.cli.checks import Finding
    from bot.config import Loaded

SOMETHING_IS_WRONG = 1


@click.command()
@config_file
@click.option("--fix", "mends", is_flag=True, help="Mend rights and make folders, where that is all there is to it.")
def command(file: Path | None, mends: bool) -> int:
    """Look for whatever is wrong, and say how to mend it."""
    from bot.cli import logs, one_line  # here, since pydantic takes its time
    from bot.cli.checks import State

    logs.to_nobody()
    is_wrong = False
    for finding in findings(file):
        if mends and finding.mend:
            finding = mended(finding)
        click.echo(one_line(str(finding)))
        is_wrong |= finding.state is State.WRONG
    return SOMETHING_IS_WRONG if is_wrong else 0


def mended(finding: "Finding") -> "Finding":
    """Do what mends it; the same finding, with the reason, where that cannot be done."""
    from bot.cli.checks import ok, texts

    assert finding.mend
    try:
        finding.mend()
    except OSError as error:
        return replace(finding, remedy=texts.NOT_MENDED(remedy=finding.remedy, reason=error.strerror))
    return ok(texts.MENDED(finding=finding.text))


def findings(file: Path | None, *, is_alone: bool = False) -> Iterator["Finding"]:
    """Each as it is found: what is asked of others comes last. `is_alone`: this process holds the data folder."""
    from bot.cli.checks import live, machine, ok, texts

    yield from machine.versions()
    loaded = yield from of_config(file)
    if not loaded:
        return
    yield ok(texts.CONFIG(path=loaded.path) if loaded.path else texts.NO_CONFIG_FILE)
    yield from of_place(loaded, is_alone=is_alone)
    yield from asyncio.run(live.all_of(loaded.config))


def of_config(file: Path | None) -> Generator["Finding", None, "Loaded | None"]:
    """What is wrong with the settings. Return them, or None where they cannot be read, even after what was mended."""
    from bot.cli.checks import machine, texts, wrong
    from bot.config import load
    from bot.errors import ConfigError, SecretExposed

    exposed = None
    while True:
        try:
            return load(file)
        except SecretExposed as error:
            if error.path == exposed:  # nobody has mended it
                return None
            exposed = error.path
            yield wrong(
                texts.SECRET_EXPOSED(fault=error.words), error.remedy, partial(machine.shut_others_out, exposed)
            )
        except ConfigError as error:
            yield from (wrong(texts.WRONG_CONFIG(fault=line), texts.MEND_THAT) for line in error.lines)
            return None


def of_place(loaded: "Loaded", *, is_alone: bool) -> Iterator["Finding"]:
    """Whatever a folder or a file does to us is a finding too."""
    from bot.cli.checks import machine, rows, texts, wrong
    from bot.cli.condition import enabled

    config = loaded.config
    looks: dict[str, Callable[[], Iterator[Finding]]] = {
        "secrets": lambda: machine.secrets(loaded),
        "data folder": lambda: machine.data_folder(config.data_dir),
        "workspace": lambda: machine.workspace(config.workspace),
        **({} if is_alone else {"process": lambda: machine.holder(config.data_dir)}),
        "database": lambda: rows.of_store(config.data_dir, enabled(config)),
        "roles": lambda: of_roles(loaded),
        "groups": lambda: of_groups(loaded),
        "workspace files": lambda: of_workspaces(loaded),
        "network": lambda: machine.addresses(config),
        "channels": lambda: of_channels(loaded, is_alone=is_alone),
        "file tools": machine.file_tools,
        "web": lambda: of_web(loaded),
    }
    for name, look in looks.items():
        try:
            yield from look()
        except OSError as error:
            yield wrong(
                texts.FOLDER_OR_FILE_FAILS(check=name, path=error.filename, reason=error.strerror), texts.MEND_RIGHTS
            )


def of_roles(loaded: "Loaded") -> Iterator["Finding"]:
    """Whether each can be read, and what of it has no effect here."""
    from bot.cli import roster
    from bot.cli.checks import ok, texts, warning, wrong
    from bot.errors import ConfigError
    from bot.rolefiles import ignored

    try:
        rules, unread = roster.rules_for(loaded), ignored(loaded.config)
    except ConfigError as error:
        yield wrong(texts.WRONG_ROLES(fault=error), texts.DOES_NOT_START)
        return
    for line in unread:
        yield warning(texts.IGNORED_IN_ROLE(ignored=line), texts.LEAVE_OR_TAKE_OUT)
    names = ", ".join(sorted(role.name for role in rules.roles.values()))
    off = [texts.ROLE_WITHOUT(role=name, tools=", ".join(tools)) for name, tools in roster.off(rules).items()]
    yield ok(texts.ROLES_PARTLY_OFF(roles=names, missing="; ".join(off)) if off else texts.ROLES(roles=names))


def of_groups(loaded: "Loaded") -> Iterator["Finding"]:
    """Whether each is in order; the bot runs with those that are."""
    from bot.cli.checks import ok, texts, wrong
    from bot.config.people import owners_at
    from bot.errors import ConfigError
    from bot.groupfiles import read
    from bot.rolefiles import all_roles

    try:
        roles = all_roles(loaded.config, loaded.origin)
    except ConfigError:
        return  # which the look at the roles has told
    try:
        found = read(loaded, roles, owners_at(loaded.config))
    except ConfigError as error:
        yield wrong(texts.WRONG_GROUPS(fault=error), texts.DOES_NOT_START)
        return
    for line in found.faults:
        yield wrong(texts.WRONG_GROUPS(fault=line), texts.GROUP_IS_OFF)
    names = [texts.MAIN_GROUP(group=group.name) if group.is_main else group.name for group in found.groups]
    if names:
        yield ok(texts.GROUPS(groups=", ".join(names)))
    elif not found.faults:
        yield ok(texts.NO_GROUPS)


def of_workspaces(loaded: "Loaded") -> Iterator["Finding"]:
    from bot.cli.checks import machine, texts
    from bot.config.people import owners_at
    from bot.errors import ConfigError
    from bot.groupfiles import read
    from bot.rolefiles import all_roles

    folders = {"workspace": loaded.config.workspace}
    with suppress(ConfigError):  # which the look at the groups has told
        groups = read(loaded, all_roles(loaded.config, loaded.origin), owners_at(loaded.config)).groups
        folders |= {texts.WORKSPACE_OF_GROUP(group=group.name): group.workspace for group in groups}
    yield from machine.workspaces(folders)


def of_channels(loaded: "Loaded", *, is_alone: bool) -> Iterator["Finding"]:
    from bot.cli.checks import ok, texts, wrong
    from bot.cli.condition import enabled

    if names := enabled(loaded.config):
        yield ok(texts.CHANNELS(channels=", ".join(names)))
    elif is_alone:
        yield wrong(texts.NO_CHANNEL, texts.ENABLE_ONE(command=command_named("setup")))
    else:
        yield ok(texts.TERMINAL_ALONE(chat=command_named("chat"), setup=command_named("setup")))


def of_web(loaded: "Loaded") -> Iterator["Finding"]:
    """Nothing is wrong where it is off; roles that name its tools go without them."""
    from bot.cli import roster
    from bot.cli.checks import ok, texts
    from bot.config.engine_settings import no_web
    from bot.errors import ConfigError
    from bot.tools.web import NAMES

    try:
        rules = roster.rules_for(loaded)
    except ConfigError:
        return  # which the look at the roles has told
    naming = sorted(role.name for role in rules.roles.values() if role.tools and role.tools & NAMES)
    if why := no_web(loaded.config):
        wanting = ", ".join(naming)
        yield ok(texts.WEB_OFF_AND_WANTED(reason=why, roles=wanting) if naming else texts.WEB_OFF(reason=why))
        return
    models = roster.without_web(rules)
    having = {*naming, *(role.name for role in rules.roles.values() if not role.tools)}
    without = [f"{name} ({models[name]})" for name in sorted(having & models.keys())]
    yield ok(texts.WEB_NOT_BY_ALL(roles=", ".join(without)) if without else texts.WEB)
