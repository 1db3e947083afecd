"""`retinue doctor`: find what is wrong and say how to fix it."""

import asyncio
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.cli.options import config_option
from bot.core.exit_status import ExitStatus
from bot.core.program_names import retinue_command

if TYPE_CHECKING:
    from bot.config import LoadedConfig
    from bot.core.findings import CheckFinding


@click.command()
@config_option
@click.option("--fix", "mends", is_flag=True, help="Mend rights and make folders, where that is all there is to it.")
def command(file: Path | None, mends: bool) -> ExitStatus:
    """Look for whatever is wrong, and say how to mend it."""
    from bot.core.findings import CheckState
    from bot.core.printable import escape_unprintable
    from bot.ops import logs  # here: pydantic is slow to import

    logs.silence_logs()
    is_wrong = False
    for finding in list_findings(file):
        if mends and finding.apply_fix:
            finding = fix_finding(finding)
        click.echo(escape_unprintable(str(finding)))
        is_wrong |= finding.state is CheckState.WRONG
    return ExitStatus.NOT_DONE if is_wrong else ExitStatus.DONE


def fix_finding(finding: "CheckFinding") -> "CheckFinding":
    """Apply the fix of a finding. Return an "ok" finding, or the same finding with the reason why the fix failed."""
    from bot.core.findings import ok
    from bot.ops.checks import texts

    assert finding.apply_fix
    try:
        finding.apply_fix()
    except OSError as error:
        return replace(finding, remedy=texts.NOT_MENDED(remedy=finding.remedy, reason=error.strerror))
    return ok(texts.MENDED(finding=finding.text))


def list_findings(file: Path | None, *, is_alone: bool = False) -> Iterator["CheckFinding"]:
    """Yield each finding as soon as it is found. Checks that ask other servers come last.

    `is_alone` is True if this process holds the data folder.
    """
    from bot.core.findings import ok
    from bot.ops.checks import live, machine, texts

    yield from machine.check_versions()
    loaded = yield from check_config(file)
    if not loaded:
        return
    yield ok(texts.CONFIG(path=loaded.path) if loaded.path else texts.NO_CONFIG_FILE)
    yield from check_installation(loaded, is_alone=is_alone)
    yield from asyncio.run(live.check_servers(loaded.config))


def check_config(file: Path | None) -> Generator["CheckFinding", None, "LoadedConfig | None"]:
    """Yield what is wrong with the settings. Return the settings, or None if they cannot be read.

    After the caller fixes an exposed secret, read the settings again.
    """
    from bot.config import load
    from bot.core.errors import ConfigError, SecretExposed
    from bot.core.findings import wrong
    from bot.ops.checks import machine, texts

    exposed = None
    while True:
        try:
            return load(file)
        except SecretExposed as error:
            if error.path == exposed:  # the caller has not fixed it
                return None
            exposed = error.path
            yield wrong(
                texts.SECRET_EXPOSED(fault=error.words), error.remedy, partial(machine.deny_access_to_others, exposed)
            )
        except ConfigError as error:
            yield from (wrong(texts.WRONG_CONFIG(fault=line), texts.MEND_THAT) for line in error.lines)
            return None


def check_installation(loaded: "LoadedConfig", *, is_alone: bool) -> Iterator["CheckFinding"]:
    """Yield the findings of all local checks. If a check fails with an OSError, yield that as a finding too."""
    from bot.core.findings import wrong
    from bot.ops.checks import machine, rows, texts

    config = loaded.config
    looks: dict[str, Callable[[], Iterator[CheckFinding]]] = {
        "secrets": lambda: machine.check_secret_files(loaded),
        "data folder": lambda: machine.check_data_folder(config.data_dir),
        "workspace": lambda: machine.check_workspace_folder(config.workspace),
        **({} if is_alone else {"process": lambda: machine.check_process(config.data_dir)}),
        "database": lambda: rows.check_database(config.data_dir, config.channels.list_enabled()),
        "roles": lambda: check_roles(loaded),
        "groups": lambda: check_groups(loaded),
        "workspace files": lambda: check_workspaces(loaded),
        "network": lambda: machine.check_encryption(config),
        "channels": lambda: check_enabled_channels(loaded, is_alone=is_alone),
        "file tools": machine.check_file_tools,
        "web": lambda: check_web(loaded),
    }
    for name, look in looks.items():
        try:
            yield from look()
        except OSError as error:
            yield wrong(
                texts.FOLDER_OR_FILE_FAILS(check=name, path=error.filename, reason=error.strerror), texts.MEND_RIGHTS
            )


def check_roles(loaded: "LoadedConfig") -> Iterator["CheckFinding"]:
    """Yield whether the roles can be read, which of their keys have no effect, and which of their tools are off."""
    from bot.cli import roles
    from bot.config.roles import describe_ignored_keys
    from bot.core.errors import ConfigError
    from bot.core.findings import ok, warning, wrong
    from bot.ops.checks import texts

    try:
        rules, unread = roles.load_rules(loaded), describe_ignored_keys(loaded.config)
    except ConfigError as error:
        yield wrong(texts.WRONG_ROLES(fault=error), texts.DOES_NOT_START)
        return
    for line in unread:
        yield warning(texts.IGNORED_IN_ROLE(ignored=line), texts.LEAVE_OR_TAKE_OUT)
    names = ", ".join(sorted(role.name for role in rules.roles.values()))
    off = [
        texts.ROLE_WITHOUT(role=name, tools=", ".join(tools))
        for name, tools in roles.find_switched_off_tools(rules).items()
    ]
    yield ok(texts.ROLES_PARTLY_OFF(roles=names, missing="; ".join(off)) if off else texts.ROLES(roles=names))


def check_groups(loaded: "LoadedConfig") -> Iterator["CheckFinding"]:
    """Yield the faults of the groups, then the groups without faults. The bot runs with those."""
    from bot.config.channel_access import owner_chats
    from bot.config.groups import read_groups
    from bot.config.roles import load_roles
    from bot.core.errors import ConfigError
    from bot.core.findings import ok, wrong
    from bot.ops.checks import texts

    try:
        roles = load_roles(loaded.config, loaded.origin)
    except ConfigError:
        return  # check_roles reports this error
    try:
        found = read_groups(loaded, roles, owner_chats(loaded.config))
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


def check_workspaces(loaded: "LoadedConfig") -> Iterator["CheckFinding"]:
    from bot.config.channel_access import owner_chats
    from bot.config.groups import read_groups
    from bot.config.roles import load_roles
    from bot.core.errors import ConfigError
    from bot.ops.checks import machine, texts

    folders = {"workspace": loaded.config.workspace}
    with suppress(ConfigError):  # check_roles or check_groups reports this error
        groups = read_groups(loaded, load_roles(loaded.config, loaded.origin), owner_chats(loaded.config)).groups
        folders |= {texts.WORKSPACE_OF_GROUP(group=group.name): group.workspace for group in groups}
    yield from machine.check_workspace_contents(folders)


def check_enabled_channels(loaded: "LoadedConfig", *, is_alone: bool) -> Iterator["CheckFinding"]:
    from bot.core.findings import ok, wrong
    from bot.ops.checks import texts
    from channels.registry import platforms

    if names := loaded.config.channels.list_enabled():
        yield ok(texts.CHANNELS(channels=", ".join(names)))
    elif is_alone:
        yield wrong(texts.NO_CHANNEL, texts.ENABLE_ONE(command=retinue_command("setup")))
    else:
        titles = " or ".join(platform.title for platform in platforms().values())
        yield ok(texts.TERMINAL_ALONE(chat=retinue_command("chat"), setup=retinue_command("setup"), platforms=titles))


def check_web(loaded: "LoadedConfig") -> Iterator["CheckFinding"]:
    """Yield whether the web is on. If it is off, that is no fault: roles that name its tools run without them."""
    from bot.cli import roles
    from bot.config.resolved_settings import why_no_web
    from bot.core.errors import ConfigError
    from bot.core.findings import ok
    from bot.ops.checks import texts
    from bot.tools.web import NAMES

    try:
        rules = roles.load_rules(loaded)
    except ConfigError:
        return  # check_roles reports this error
    naming = sorted(role.name for role in rules.roles.values() if role.tools and role.tools & NAMES)
    if why := why_no_web(loaded.config):
        wanting = ", ".join(naming)
        yield ok(texts.WEB_OFF_AND_WANTED(reason=why, roles=wanting) if naming else texts.WEB_OFF(reason=why))
        return
    models = roles.roles_without_web(rules)
    having = {*naming, *(role.name for role in rules.roles.values() if not role.tools)}
    without = [f"{name} ({models[name]})" for name in sorted(having & models.keys())]
    yield ok(texts.WEB_NOT_BY_ALL(roles=", ".join(without)) if without else texts.WEB)
