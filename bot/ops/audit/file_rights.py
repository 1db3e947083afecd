"""Who may read and change the files of the bot: settings, secrets, data, roles, and the program itself."""

import shlex
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from bot.config import exposure
from bot.ops.audit import texts
from bot.ops.audit.ownership import (
    ANY,
    READ,
    WRITE,
    find_opening,
    may_be_mended,
    may_others_replace_below,
    name_of_user,
    set_mode,
)
from bot.ops.audit.subject import AuditedBot, Fault, plain_files, walk_folder
from bot.ops.logs import LOG_FILE_NAME

PROGRAM_PACKAGES = ("bot", "channels", "roles")
ENVIRONMENT_FILE = ".env"
PREFIXES_OF_FILES_WITH_WORDS = ("bot.db", LOG_FILE_NAME)


def find_open_paths(bot: AuditedBot, what: str, paths: Iterable[Path], wanted: int) -> Iterator[Fault]:
    """Yield a fault for each path with which others may do what is `wanted`."""
    for path in dict.fromkeys(paths):
        opening = find_opening(path, bot.trusted_users, wanted)
        if opening is None:
            continue
        text = texts.CAN_READ(what=what, path=path, who=opening.who)
        if wanted == WRITE:
            text = texts.CAN_CHANGE(what=what, path=path, who=opening.who)
        mode, quoted = opening.mended_mode, shlex.quote(str(path))
        if mode is None:
            yield Fault(text=text, remedy=texts.CHANGE_OWNER(user=name_of_user(bot.bot_user), path=quoted))
        elif not may_be_mended(path, opening.seen):
            yield Fault(text=text, remedy=texts.LOOK_AT_LINK(mode=mode, path=shlex.quote(str(path.resolve()))))
        else:
            mend = partial(set_mode, path, mode, opening.seen)
            yield Fault(text=text, remedy=texts.CHANGE_MODE(mode=mode, path=quoted), apply_fix=mend)


def find_changeable_config(bot: AuditedBot) -> Iterator[Fault]:
    yield from find_open_paths(bot, texts.CONFIG_FILE, [bot.loaded.path] if bot.loaded.path else [], WRITE)


def find_readable_config_with_secret(bot: AuditedBot) -> Iterator[Fault]:
    if bot.loaded.path and exposure.has_secret_in_config_file(bot.loaded):
        yield from find_open_paths(bot, texts.CONFIG_FILE_WITH_SECRET, [bot.loaded.path], READ)


def find_secret_in_config(bot: AuditedBot) -> Iterator[Fault]:
    if bot.loaded.path and exposure.has_secret_in_config_file(bot.loaded):
        yield Fault(text=texts.SECRET_IN_CONFIG(path=bot.loaded.path), remedy=texts.MOVE_TO_SECRET_FILE)


def find_open_secret_files(bot: AuditedBot) -> Iterator[Fault]:
    yield from find_open_paths(bot, texts.SECRETS_FOLDER, bot.secret_folders, WRITE)
    yield from find_open_paths(bot, texts.SECRET_FILE, plain_files(bot.secret_folders), READ | WRITE)


def find_open_environment_file(bot: AuditedBot) -> Iterator[Fault]:
    yield from find_open_paths(bot, texts.ENVIRONMENT_FILE, [bot.folder / ENVIRONMENT_FILE], READ | WRITE)


def find_open_data_folder(bot: AuditedBot) -> Iterator[Fault]:
    yield from find_open_paths(bot, texts.DATA_FOLDER, [bot.config.data_dir], ANY)


def find_open_data_files(bot: AuditedBot) -> Iterator[Fault]:
    """Yield a fault for each open file with people's words. The lock, beside them, has only a number."""
    paths = (path for path in plain_files([bot.config.data_dir]) if path.name.startswith(PREFIXES_OF_FILES_WITH_WORDS))
    yield from find_open_paths(bot, texts.DATA_FILE, paths, READ | WRITE)


def find_changeable_workspaces(bot: AuditedBot) -> Iterator[Fault]:
    for name, folder in bot.workspaces.items():
        yield from find_open_paths(bot, name, [folder], WRITE)


def find_changeable_operator_files(bot: AuditedBot) -> Iterator[Fault]:
    """Roles, groups' instructions, languages and skills: who changes them says what the bot does."""
    swarm, skills = bot.config.swarm, bot.config.skills_dir
    folders = [swarm.roles_dir, *bot.language_folders]
    paths = [*folders, *plain_files(folders), swarm.groups_dir, skills]
    paths += [Path(entry.path) for entry in walk_folder(skills)]
    for file in bot.groups.group_files if bot.groups else ():
        paths += [file.path.parent, file.path]
    yield from find_open_paths(bot, texts.OPERATOR_FILE, paths, WRITE)


def find_changeable_parents(bot: AuditedBot) -> Iterator[Fault]:
    """Yield a fault for each folder above a guarded path in which others may rename that path and put their own in
    its place."""
    covered = [bot.config.data_dir, *bot.secret_folders, *bot.operator_folders.values(), *bot.workspaces.values()]
    groups = [file.path.parent for file in (bot.groups.group_files if bot.groups else ())]
    known = {path.resolve() for path in (*covered, *groups)}  # other checks look at these
    above: dict[Path, Path] = {}
    for path in [*([bot.loaded.path] if bot.loaded.path else []), *covered]:
        for folder in set(path.resolve().parents) - known:
            above.setdefault(folder, path)
    for folder, path in sorted(above.items()):
        if folder.is_dir() and may_others_replace_below(folder, bot.trusted_users):
            yield Fault(text=texts.PARENT_OPEN(folder=folder, path=path), remedy=texts.CLOSE_PARENT(folder=folder))


def find_changeable_program(bot: AuditedBot) -> Iterator[Fault]:
    """The program, and the operator's own tools: who changes them runs code as the bot."""
    folders = [bot.program_folder / name for name in PROGRAM_PACKAGES]
    below = [Path(entry.path) for folder in folders for entry in walk_folder(folder)]
    for fault in find_open_paths(bot, texts.PROGRAM, [*folders, *below], WRITE):
        if fault.apply_fix:  # the owner of a checkout may be somebody else, who may change it
            yield fault
    if tools := bot.config.tools_dir:
        below = [Path(entry.path) for entry in walk_folder(tools)]
        yield from find_open_paths(bot, texts.OWN_TOOL, [tools, *below], WRITE)


def find_root(bot: AuditedBot) -> Iterator[Fault]:
    if bot.bot_user == 0:
        yield Fault(text=texts.RUNS_AS_ROOT, remedy=texts.USE_OWN_USER)
