"""`retinue doctor` finds problems and says how to fix them; `retinue migrate` migrates the database before that."""

import asyncio
import stat
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from bot.assembly import demo_config
from bot.cli import roles
from bot.cli import texts as cli_texts
from bot.cli.options import config_option, print_findings_and_get_status
from bot.config import Config, LoadedConfig, load
from bot.config.channel_access import accesses_of_channels, owner_chats
from bot.config.groups import read_groups
from bot.config.own_tools import unused_packages
from bot.config.paths import DEMO_FOLDER_NAME
from bot.config.resolved_settings import reason_for_no_shell
from bot.config.roles import describe_ignored_parts, load_roles, own_tools
from bot.config.skills import load_skills
from bot.config.web_tools import reason_for_no_search, reason_for_no_web, web_tools_here
from bot.core.errors import ConfigError, SecretExposed, StoreDamaged
from bot.core.exit_status import ExitStatus
from bot.core.findings import CheckFinding, ok_finding, warning_finding, wrong_finding
from bot.core.program_names import retinue_command
from bot.core.sandbox import BASE_ENVIRONMENT, has_proc_in_sandbox
from bot.core.sandbox.listener import listener_fault
from bot.mcp_client.sandboxing import BUBBLEWRAP
from bot.ops import logs
from bot.ops.audit.check_list import audit
from bot.ops.audit.subject import AuditedBot
from bot.ops.checks import languages, machine, mcp_servers, rows, servers, texts
from bot.ops.folder_holder import find_folder_holder, find_folder_of_running_bot
from bot.store import folder_lock
from bot.store.chat_reader import migrate_database
from bot.tools.web import WEB_TOOL_NAMES
from channels.registry import platforms


@click.command()
@config_option
@click.option("--fix", "mends", is_flag=True, help="Fix permissions and create folders, where nothing else is needed.")
@click.option("--audit", "audits", is_flag=True, help="Look for what would help an attacker instead. Ask no server.")
def doctor(file: Path | None, mends: bool, audits: bool) -> ExitStatus:
    """Look for problems, and say how to fix them."""
    logs.silence_logs()
    findings = run_audit(file) if audits else run_all_checks(file)
    return print_findings_and_get_status(map(fix_finding, findings) if mends else findings)


def run_audit(file: Path | None) -> Iterator[CheckFinding]:
    """Yield the findings of the audit; only the faults of the settings if they cannot be read."""
    loaded = yield from check_and_load_config(file)
    if loaded:
        yield from audit(AuditedBot(loaded=loaded))


def fix_finding(finding: CheckFinding) -> CheckFinding:
    """Apply the fix of a finding, if it has one. Return an "ok" finding, or the same finding with the failure."""
    if not finding.apply_fix:
        return finding
    try:
        finding.apply_fix()
    except OSError as error:
        return replace(finding, remedy=texts.NOT_MENDED(remedy=finding.remedy, reason=error.strerror))
    return ok_finding(texts.MENDED(finding=finding.text))


@click.command()
@config_option
def migrate(file: Path | None) -> ExitStatus:
    """Bring the rows up to this version, and look whether it would run.

    The exit status is 1 if it would not.
    """
    logs.silence_logs()
    return print_findings_and_get_status(migrate_and_run_checks(file))


def migrate_and_run_checks(file: Path | None) -> Iterator[CheckFinding]:
    """Migrate the database, then yield `doctor`'s findings. This process holds the folder: do not report it."""
    try:
        data = load(file).config.data_dir
        folder_lock.make_data_folder(data)
        with folder_lock.lock_data_folder_without_trace(data):
            if (data / "bot.db").exists():
                was, now = migrate_database(data / "bot.db")
                migrated = cli_texts.ROWS_MIGRATED(before=was, step=now)
                yield ok_finding(cli_texts.ROWS_UP_TO_DATE(step=now) if was == now else migrated)
            else:
                yield ok_finding(cli_texts.NO_ROWS_YET)
            yield from run_all_checks(file, is_alone=True)
    except (ConfigError, StoreDamaged) as error:
        yield wrong_finding(cli_texts.NOT_MIGRATED(reason=error), cli_texts.MEND_FIRST)
    except OSError as error:
        yield wrong_finding(cli_texts.NOT_MIGRATED(reason=f"{error.filename}: {error.strerror}"), cli_texts.MEND_RIGHTS)


def run_all_checks(file: Path | None, *, is_alone: bool = False) -> Iterator[CheckFinding]:
    """Yield each finding at once, those of other servers last. `is_alone`: this process holds the data folder."""
    yield from machine.check_python_and_sqlite()
    loaded = yield from check_and_load_config(file)
    if not loaded:
        return
    yield ok_finding(texts.CONFIG(path=loaded.path) if loaded.path else texts.NO_CONFIG_FILE)
    demo = None if is_alone else find_config_of_running_demo(loaded.config)
    yield from run_local_checks(loaded, demo, is_alone=is_alone)
    yield from asyncio.run(servers.check_model_and_channels(loaded.config, is_demo=demo is not None))


def find_config_of_running_demo(config: Config) -> Config | None:
    """Return the config of the demo that runs as `retinue run --demo` in this data folder, or None if none does."""
    with suppress(OSError):  # check_running_process reports this error
        if find_folder_of_running_bot(config.data_dir) == config.data_dir / DEMO_FOLDER_NAME:
            holder = find_folder_holder(config.data_dir / DEMO_FOLDER_NAME)
            return demo_config(config, is_public=True) if holder and not holder.is_chat_command else None
    return None


def check_and_load_config(file: Path | None) -> Generator[CheckFinding, None, LoadedConfig | None]:
    """Yield the faults of the settings. Return the settings, or None if they cannot be read. If the caller fixes an
    exposed secret, read the settings again."""
    exposed = None
    while True:
        try:
            return load(file)
        except SecretExposed as error:
            if error.path == exposed:  # the caller has not fixed it
                return None
            exposed = error.path
            fix = partial(exposed.chmod, exposed.stat().st_mode & ~stat.S_IRWXO)
            yield wrong_finding(texts.SECRET_EXPOSED(fault=error.words), error.remedy, fix)
        except ConfigError as error:
            yield from (wrong_finding(texts.WRONG_CONFIG(fault=line), texts.MEND_THAT) for line in error.lines)
            return None


def run_local_checks(loaded: LoadedConfig, demo: Config | None, *, is_alone: bool) -> Iterator[CheckFinding]:
    """Yield the findings of all local checks. If a check fails with an OSError, yield that as a finding too. `demo` is
    the config of the demo if that runs: its workspace and its database are checked."""
    config, running = loaded.config, demo or loaded.config
    looks: dict[str, Callable[[], Iterator[CheckFinding]]] = {
        "secrets": lambda: machine.check_secret_file_permissions(loaded),
        "data folder": lambda: machine.check_data_folder(config.data_dir),
        "workspace": lambda: machine.check_workspace_folder(running.workspace),
        **({} if is_alone else {"process": lambda: machine.check_running_process(config.data_dir)}),
        "database": lambda: rows.check_database(
            running.data_dir, config.channels.list_enabled_channels(), accesses_of_channels(config)
        ),
        "languages": lambda: languages.check_languages(config),
        "roles": lambda: check_roles(loaded),
        "own tools": lambda: check_own_tools(config),
        "skills": lambda: check_skills(config),
        "groups": lambda: check_groups(loaded),
        "workspace files": lambda: check_all_workspaces_for_secrets(loaded),
        "network": lambda: machine.check_addresses_are_encrypted(config),
        "channels": lambda: check_any_channel_is_enabled(loaded, is_alone=is_alone),
        "file tools": machine.check_which_file_tools_are_used,
        "web": lambda: check_web_tools(loaded),
        "shell": lambda: check_shell(loaded),
        "MCP servers": lambda: mcp_servers.check_mcp_servers(running, BUBBLEWRAP.find_fault),
    }
    for name, look in looks.items():
        try:
            yield from look()
        except OSError as error:
            fault = texts.FOLDER_OR_FILE_FAILS(check=name, path=error.filename, reason=error.strerror)
            yield wrong_finding(fault, texts.MEND_RIGHTS)


def check_roles(loaded: LoadedConfig) -> Iterator[CheckFinding]:
    """Yield the error if the roles cannot be read, or else their ignored keys, their names and their missing tools."""
    try:
        rules, unread = roles.load_delegation_rules(loaded), describe_ignored_parts(loaded.config)
    except ConfigError as error:
        yield wrong_finding(texts.WRONG_ROLES(fault=error), texts.DOES_NOT_START)
        return
    for line in unread:
        yield warning_finding(texts.IGNORED_IN_ROLE(ignored=line), texts.LEAVE_OR_TAKE_OUT)
    names = ", ".join(sorted(role.name for role in rules.roles_by_name.values()))
    off_by_role = roles.switched_off_tools_by_role(rules).items()
    off = "; ".join(texts.ROLE_WITHOUT(role=name, tools=", ".join(tools)) for name, tools in off_by_role)
    yield ok_finding(texts.ROLES_PARTLY_OFF(roles=names, missing=off) if off else texts.ROLES(roles=names))


def check_own_tools(config: Config) -> Iterator[CheckFinding]:
    """Yield the operator's own tools, what could not be loaded, and packages that nobody has allowed; nothing if there
    is none of these."""
    own = own_tools(config)
    remedy = texts.DOES_NOT_START if config.tools_must_load else texts.OWN_TOOL_IS_OFF
    for fault in own.faults:
        yield wrong_finding(texts.OWN_TOOL_FAULT(fault=fault), remedy)
    if own.tools:
        names = [f"{tool.name} ({Path(where).name})" for tool, where in zip(own.tools, own.origins, strict=True)]
        yield ok_finding(texts.OWN_TOOLS(tools=", ".join(sorted(names))))
    for name in unused_packages(config.tool_packages):
        yield ok_finding(texts.PACKAGE_NOT_USED(name=name))


def check_skills(config: Config) -> Iterator[CheckFinding]:
    """Yield the skills, and what is wrong with others; nothing if there are none."""
    found = load_skills(config)
    for fault in found.faults:
        yield wrong_finding(texts.SKILL_FAULT(fault=fault), texts.SKILL_IS_OFF)
    if found.skills:
        skills = ", ".join(skill.name for skill in found.skills)
        others = ", ".join(skill.name for skill in found.skills if not skill.is_trusted)
        yield ok_finding(
            texts.SKILLS_OF_OTHERS(skills=skills, others=others) if others else texts.SKILLS(skills=skills)
        )


def check_groups(loaded: LoadedConfig) -> Iterator[CheckFinding]:
    """Yield the faults of the groups, then the names of the groups without faults. The bot runs with these."""
    try:
        known = load_roles(loaded.config, loaded.config_file_named_in_errors)
    except ConfigError:
        return  # check_roles reports this error
    try:
        found = read_groups(loaded, known, owner_chats(loaded.config))
    except ConfigError as error:
        yield wrong_finding(texts.WRONG_GROUPS(fault=error), texts.DOES_NOT_START)
        return
    for line in found.faults:
        yield wrong_finding(texts.WRONG_GROUPS(fault=line), texts.GROUP_IS_OFF)
    names = [texts.MAIN_GROUP(group=group.name) if group.is_main else group.name for group in found.groups]
    if names:
        has_main, listed = any(file.is_main for file in found.group_files), ", ".join(names)
        yield ok_finding(texts.GROUPS(groups=listed) if has_main else texts.GROUPS_WITHOUT_MAIN(groups=listed))
    elif not found.faults:
        yield ok_finding(texts.NO_GROUPS)


def check_all_workspaces_for_secrets(loaded: LoadedConfig) -> Iterator[CheckFinding]:
    folders = {"workspace": loaded.config.workspace}
    with suppress(ConfigError):  # check_roles or check_groups reports this error
        roles = load_roles(loaded.config, loaded.config_file_named_in_errors)
        groups = read_groups(loaded, roles, owner_chats(loaded.config)).groups
        folders |= {texts.WORKSPACE_OF_GROUP(group=group.name): group.workspace for group in groups}
    yield from machine.check_workspaces_for_secrets(folders)


def check_any_channel_is_enabled(loaded: LoadedConfig, *, is_alone: bool) -> Iterator[CheckFinding]:
    chat, setup = retinue_command("chat"), retinue_command("setup")
    if names := loaded.config.channels.list_enabled_channels():
        yield ok_finding(texts.CHANNELS(channels=", ".join(names)))
    elif is_alone:
        yield wrong_finding(texts.NO_CHANNEL, texts.ENABLE_ONE(command=setup))
    else:
        titles = " or ".join(platform.title for platform in platforms().values())
        yield ok_finding(texts.TERMINAL_ALONE(chat=chat, setup=setup, platforms=titles))


def check_shell(loaded: LoadedConfig) -> Iterator[CheckFinding]:
    """Yield whether roles can run commands, and if not, why."""
    why = reason_for_no_shell(loaded.config)
    if not why and loaded.config.shell.hosts and (fault := listener_fault(BASE_ENVIRONMENT["PATH"])):
        yield warning_finding(texts.SHELL_WITHOUT_HOSTS(reason=fault), texts.MEND_HOSTS)
    elif not why:
        yield ok_finding(texts.SHELL if has_proc_in_sandbox() else texts.SHELL_WITHOUT_PROC)
    elif loaded.config.shell.enabled:
        yield warning_finding(texts.SHELL_WANTED(reason=why), texts.MEND_SANDBOX)
    else:
        yield ok_finding(texts.SHELL_OFF(reason=why))


def check_web_tools(loaded: LoadedConfig) -> Iterator[CheckFinding]:
    """Yield whether the web is on. If it is off, that is not a fault: roles that name its tools run without them."""
    try:
        rules = roles.load_delegation_rules(loaded)
    except ConfigError:
        return  # check_roles reports this error
    naming = sorted(role.name for role in rules.roles_by_name.values() if role.tools and role.tools & WEB_TOOL_NAMES)
    if why := reason_for_no_web(loaded.config):
        wanting = ", ".join(naming)
        yield ok_finding(texts.WEB_OFF_AND_WANTED(reason=why, roles=wanting) if naming else texts.WEB_OFF(reason=why))
        return
    if web_tools_here(loaded.config):
        if why := reason_for_no_search(loaded.config):
            yield ok_finding(texts.WEB_WITHOUT_SEARCH(reason=why))
        else:
            yield ok_finding(texts.WEB_HERE(provider=loaded.config.web.provider))
        return
    models = roles.models_without_web_by_role(rules)
    having = {*naming, *(role.name for role in rules.roles_by_name.values() if not role.tools)}
    without = [f"{name} ({models[name]})" for name in sorted(having & models.keys())]
    yield ok_finding(texts.WEB_NOT_BY_ALL(roles=", ".join(without)) if without else texts.WEB)
