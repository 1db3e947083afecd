"""Read the files of all groups and change one of them: `retinue groups add`, `remove`, `allow`, `deny`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

import click

from bot.cli.groups import texts
from bot.cli.options import CommandError
from bot.config import LoadedConfig
from bot.config.channel_access import owner_chats
from bot.config.groups import LoadedGroups, build_loaded_groups, changes, read_groups
from bot.config.groups import file as group_file
from bot.config.groups.changes import FrontMatterEdit
from bot.config.groups.consistency import addresses_of_group
from bot.config.groups.file import INSTRUCTIONS_FILE, GroupFile
from bot.config.groups.frontmatter_editor import FrontMatterEditor, one_line_yaml_text
from bot.config.roles import load_roles
from bot.config.roles.file import GROUP_NAME_PATTERN, nearest_name
from bot.core.errors import ConfigError
from bot.core.group import Group
from bot.core.messages import Address
from bot.core.program_names import retinue_command, script_command
from channels.registry import platforms

ALLOW_DELEGATION_KEY = "allow_delegation"


class GroupRegistry:
    """All groups of one bot. Raise ConfigError if the roles or the groups' folder cannot be read."""

    def __init__(self, loaded: LoadedConfig) -> None:
        self.loaded = loaded
        self.roles = load_roles(loaded.config, loaded.config_file_named_in_errors).keys()
        self.owner_chats = owner_chats(loaded.config)
        self.found_groups = self.read_all()

    def read_all(self) -> LoadedGroups:
        return read_groups(self.loaded, self.roles, self.owner_chats)

    @contextmanager
    def lock_and_reload(self) -> Iterator[None]:
        """Lock the groups against changes by other commands, and read them again. Raise ConfigError if that fails."""
        with changes.lock_groups(self.loaded):
            self.found_groups = self.read_all()
            yield

    def require_group_file(self, name: str) -> GroupFile:
        """Return the folder with this name, registered or not. Raise CommandError if there is none."""
        if found := self.found_groups.find_group_file(name):
            return found
        if names := [folder.name for folder in self.found_groups.group_files]:
            raise CommandError(texts.NO_SUCH_GROUP(group=repr(name), nearest=nearest_name(name, names)))
        raise CommandError(texts.NO_GROUP_YET(group=repr(name), command=retinue_command("groups add")))

    def find_group_of_file(self, folder: GroupFile) -> Group | None:
        if not folder.is_registered or folder.fault:
            return None
        return self.found_groups.groups.find_working_group(folder.name)

    @property
    def main_group_file(self) -> GroupFile | None:
        return next((folder for folder in self.found_groups.group_files if folder.is_main), None)

    def read_faultless_file(self, folder: GroupFile) -> GroupFile:
        """Read the file of a folder again, to change it. Raise ConfigError if the file has a fault."""
        file = group_file.read_group_file(folder.path)
        if file.fault:
            raise ConfigError(texts.MEND_FIRST(fault=file.fault))
        return file

    def check_and_change_group_keys(self, folder: GroupFile, edit: FrontMatterEdit, **keys: Any) -> bool:
        """Set keys in a file. Return True if that changed it. Raise ConfigError if that would cause a fault."""
        file = self.read_faultless_file(folder)
        self.reject_faulty_change(replace(file, keys=file.keys.model_copy(update=keys)))
        return changes.change_group_keys(file, edit, **keys)

    def reject_faulty_change(self, wanted: GroupFile) -> None:
        """Raise ConfigError if this file would cause a fault that is not there now."""
        others = [folder.path for folder in self.found_groups.group_files if folder.path != wanted.path]
        files = sorted([*map(group_file.read_group_file, others), wanted], key=lambda file: file.path)
        faults = build_loaded_groups(files, self.loaded, self.roles, self.owner_chats).faults
        if new := [line for line in faults if line not in self.found_groups.faults]:
            raise ConfigError(texts.WOULD_BE_A_FAULT(fault=new[0]))

    def make_group_folder(self, name: str, text: str) -> None:
        """Make the folder of a new group. Raise ConfigError if the new file would cause a fault."""
        path = self.loaded.config.swarm.groups_dir / name / INSTRUCTIONS_FILE
        self.reject_faulty_change(group_file.parse_group_file(path, name, text))
        changes.create_group_folder(group_file.read_group_file(path), text, self.loaded)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupOptions:
    name: str
    channel: str | None
    chat: str | None
    thread: str | None
    is_main: bool
    description: str | None

    def parse_address(self) -> Address | None:
        """Return the address, or None if no part of it was set. Raise click's UsageError if it is not valid."""
        if self.channel is None and self.chat is None and self.thread is None:
            return None
        if not self.channel or not self.chat:
            raise click.UsageError(texts.ADDRESS_TAKES_BOTH)
        address = Address(channel=self.channel.lower(), chat=self.chat.strip(), thread=self.thread)
        try:
            return group_file.parse_group_address(str(address))
        except ValueError as error:
            raise click.UsageError(f"--channel {self.channel} --chat {self.chat}: {error}") from None

    def front_matter_values_by_key(self, address: Address | None) -> dict[str, tuple[Any, str]]:
        """Return the front matter of these options, by key: the value, and its text in the file."""
        keys: dict[str, tuple[Any, str]] = {}
        if self.description:
            description = " ".join(self.description.split())
            keys["description"] = (description, one_line_yaml_text(description))
        if address:
            keys["address"] = (address, address.as_typed)
        if self.is_main:
            keys["main"] = (True, "true")
        return keys


def add_group(registry: GroupRegistry, wishes: GroupOptions) -> list[str]:
    """Make a group, or change or register an existing folder. Return lines: what was done, what is left to do."""
    address = wishes.parse_address()
    keys = wishes.front_matter_values_by_key(address)
    with registry.lock_and_reload():
        folder = registry.found_groups.find_group_file(wishes.name)
        reject_invalid_group_options(registry, folder, wishes, address)
        name = folder.name if folder else wishes.name
        path = registry.loaded.config.swarm.groups_dir / name
        said = texts.GROUP_MADE(group=name, path=path)
        if folder is None or folder.is_empty:
            front = "".join(f"{key}: {text}\n" for key, (_, text) in keys.items())
            registry.make_group_folder(name, f"---\n{front}---\n\n{texts.FIRST_INSTRUCTIONS(group=name)}")
        else:

            def edit(front: FrontMatterEditor) -> str:
                for key, (_, text) in keys.items():
                    front = FrontMatterEditor(front.text_with_value(key, text))
                return front.text

            if not registry.check_and_change_group_keys(folder, edit, **{key: new for key, (new, _) in keys.items()}):
                said = texts.GROUP_SO_ALREADY(group=name, path=path)
            elif folder.is_registered:
                said = texts.GROUP_CHANGED(group=name, path=path)
        registry.found_groups = registry.read_all()
    steps = [f"  {step}" for step in steps_to_finish_group(registry, registry.require_group_file(name))]
    return [said, *([texts.TO_DO] if steps else []), *steps]


def reject_invalid_group_options(
    registry: GroupRegistry, folder: GroupFile | None, wishes: GroupOptions, address: Address | None
) -> None:
    if not GROUP_NAME_PATTERN.fullmatch(wishes.name):
        raise CommandError(texts.NAME_NOT_VALID(name=repr(wishes.name)))
    if address is None and not wishes.is_main and not (folder and folder.is_registered):
        raise click.UsageError(texts.SAY_WHERE(channels=", ".join(group_file.address_forms_by_channel())))
    main = registry.main_group_file
    if wishes.is_main and main and (folder is None or main.path != folder.path):
        raise CommandError(texts.ONLY_ONE_MAIN(main=main.name, command=retinue_command("groups remove")))
    for other in registry.found_groups.group_files:
        is_there = address in addresses_of_group(other, registry.owner_chats)
        if address and is_there and (folder is None or other.path != folder.path):
            raise CommandError(texts.ADDRESS_TAKEN(group=other.name, address=address.as_typed))


def unregister_group(registry: GroupRegistry, name: str) -> list[str]:
    """Remove the address and the main mark from a group's file. Return a line that says what was done, and a line for
    each group that still names this one."""

    def edit(front: FrontMatterEditor) -> str:
        return FrontMatterEditor(front.text_without_key("address")).text_without_key("main")

    with registry.lock_and_reload():
        folder = registry.require_group_file(name)
        if not folder.is_empty:
            registry.check_and_change_group_keys(folder, edit, address=None, main=False)
    path, deny, folders = folder.path.parent, retinue_command("groups deny"), registry.found_groups.group_files
    was_none = texts.WAS_NO_GROUP(group=folder.name, path=path)
    done = texts.GROUP_REMOVED(group=folder.name, path=path) if folder.is_registered else was_none
    naming = [each.name for each in folders if contains_name_ignoring_case(each.keys.allow_delegation, folder.name)]
    return [done, *(texts.STILL_NAMED(naming=each, command=deny, group=folder.name) for each in naming)]


def steps_to_finish_group(registry: GroupRegistry, made: GroupFile) -> Iterator[str]:
    """Yield what the operator must still do before people get answers in this group."""
    if made.fault:
        yield texts.MEND_THIS(fault=made.fault)
    defaults = (texts.FIRST_INSTRUCTIONS(group=made.name), texts.FORMER_FIRST_INSTRUCTIONS(group=made.name))
    if made.prompt in [text.strip() for text in defaults]:
        yield texts.WRITE_INSTRUCTIONS(path=made.path)
    if not made.keys.description:
        yield texts.WRITE_DESCRIPTION
    if made.keys.address:
        yield from settings_steps_for_address(registry, made.keys.address)
    if made.is_main and not made.keys.address and len(registry.owner_chats) == 1:
        yield texts.SET_OWNER(keys=" or ".join(f"channels.{name}.owner" for name in platforms()))
    if path := registry.loaded.path:
        with suppress(OSError, UnicodeDecodeError):  # only scripts/add-tenant writes that file
            if '"kubernetes"' in path.with_name("tenant.json").read_text(encoding="utf-8"):
                yield texts.RUN_ADD_TENANT(command=script_command("add-tenant"))


def settings_steps_for_address(registry: GroupRegistry, address: Address) -> Iterator[str]:
    """Yield the settings to change so that the bot hears people at this address."""
    if (platform := platforms().get(address.channel)) is None:  # the terminal, which is always heard
        return
    key, settings = f"channels.{platform.name}", registry.loaded.config.channels[platform.name]
    if not settings.enabled:
        yield texts.ENABLE_CHANNEL(key=key)
    if settings.allow_from == "*":
        return
    id = platform.allow_from_id_of_chat(address.chat)
    if id is None:
        yield texts.ALLOW_SERVER(key=key)
    elif id not in (*settings.allow_from, settings.owner):
        yield texts.ALLOW_CHAT(id=id, key=key)


def allow_group_to_ask(registry: GroupRegistry, name: str, other: str) -> list[str]:
    """Let one group ask another. Return lines that say who may ask. Raise CommandError if it cannot be allowed."""
    add = retinue_command("groups add")
    with registry.lock_and_reload():
        asking, asked = registry.require_group_file(name), registry.require_group_file(other)
        if asking.path == asked.path:
            raise CommandError(texts.MAY_ASK_ITSELF(group=asking.name))
        if asked.is_main:
            raise CommandError(texts.NOBODY_ASKS_MAIN(group=asked.name))
        if asking.is_empty:
            raise CommandError(texts.NOTHING_THERE(path=asking.path, command=add, group=asking.name))
        if asking.is_main:
            return [texts.MAIN_MAY_ASK(group=asking.name, other=asked.name)]
        names = registry.read_faultless_file(asking).keys.allow_delegation
        if not contains_name_ignoring_case(names, asked.name):
            new = (*names, asked.name)
            registry.check_and_change_group_keys(
                asking, lambda front: front.text_with_list_item(ALLOW_DELEGATION_KEY, asked.name), allow_delegation=new
            )
    unregistered = [folder for folder in (asking, asked) if not folder.is_registered]
    hints = [texts.NOT_REGISTERED_YET(group=folder.name, command=add) for folder in unregistered]
    return [texts.MAY_ASK(group=asking.name, other=asked.name), *hints]


def deny_group_to_ask(registry: GroupRegistry, name: str, other: str) -> list[str]:
    with registry.lock_and_reload():
        asking = registry.require_group_file(name)
        if asking.is_main:
            raise CommandError(texts.MAIN_MAY_ASK_ALL(group=asking.name))
        names = registry.read_faultless_file(asking).keys.allow_delegation
        if not contains_name_ignoring_case(names, other):
            other = registry.require_group_file(other).name
            if other == asking.name:
                raise CommandError(texts.ALWAYS_ASKS_ITSELF(group=asking.name))
        left = tuple(each for each in names if each.casefold() != other.casefold())
        registry.check_and_change_group_keys(
            asking, lambda front: front.text_without_list_items(ALLOW_DELEGATION_KEY, [other]), allow_delegation=left
        )
    return [texts.MAY_NOT_ASK(group=asking.name, other=other)]


def contains_name_ignoring_case(names: tuple[str, ...], name: str) -> bool:
    return name.casefold() in {each.casefold() for each in names}
