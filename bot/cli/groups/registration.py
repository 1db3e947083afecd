"""`retinue groups add`, `remove`, `allow` and `deny`: register the group of a chat, and set whom it may ask."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from bot.cli.groups import texts
from bot.cli.groups.registry import GroupRegistry, group_command_error
from bot.config.groups.consistency import addresses_of_group
from bot.config.groups.file import GroupFile, address_forms, parse_group_address
from bot.config.groups.frontmatter_editor import FrontMatterEditor, quote_for_yaml
from bot.config.roles.file import NAME_PATTERN
from bot.core.messages import Address
from bot.core.program_names import retinue_command, script_command
from channels.registry import platforms


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupOptions:
    """The options of `retinue groups add`."""

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
            return parse_group_address(str(address))
        except ValueError as error:
            raise click.UsageError(f"--channel {self.channel} --chat {self.chat}: {error}") from None


def add_group(registry: GroupRegistry, wishes: GroupOptions) -> list[str]:
    """Make a group, or change or register the one that is there. Return what was done and what is still to do."""
    address = wishes.parse_address()
    with registry.lock():
        folder = registry.found_groups.find_folder(wishes.name)
        check_group_options(registry, folder, wishes, address)
        if folder is None or folder.is_empty:
            name = folder.name if folder else wishes.name
            instructions = texts.FIRST_INSTRUCTIONS(group=name)
            registry.make_group(name, f"---\n{format_group_keys(wishes, address)}---\n\n{instructions}")
            said = texts.GROUP_MADE(group=name, path=registry.loaded.config.swarm.groups_dir / name)
        else:
            name, said = folder.name, update_group_file(registry, folder, wishes, address)
        registry.found_groups = registry.read_all()
    steps = list(steps_to_finish_group(registry, registry.find_folder(name)))
    return [said, *([texts.TO_DO] if steps else []), *(f"  {step}" for step in steps)]


def check_group_options(
    registry: GroupRegistry, folder: GroupFile | None, wishes: GroupOptions, address: Address | None
) -> None:
    if not NAME_PATTERN.fullmatch(wishes.name):
        raise group_command_error(texts.NAME_NOT_VALID(name=repr(wishes.name)))
    if address is None and not wishes.is_main and not (folder and folder.is_registered):
        raise click.UsageError(texts.SAY_WHERE(channels=", ".join(address_forms())))
    main = registry.main
    if wishes.is_main and main and (folder is None or main.path != folder.path):
        raise group_command_error(texts.ONLY_ONE_MAIN(main=main.name, command=retinue_command("groups remove")))
    for other in registry.found_groups.folders:
        is_there = address in addresses_of_group(other, registry.owners_at)
        if address and is_there and (folder is None or other.path != folder.path):
            raise group_command_error(texts.ADDRESS_TAKEN(group=other.name, address=address.as_typed))


def format_group_keys(wishes: GroupOptions, address: Address | None) -> str:
    lines = [f"description: {quote_for_yaml(wishes.description)}"] if wishes.description else []
    lines += [f"address: {address.as_typed}"] if address else []
    lines += ["main: true"] if wishes.is_main else []
    return "".join(f"{line}\n" for line in lines)


def update_group_file(registry: GroupRegistry, folder: GroupFile, wishes: GroupOptions, address: Address | None) -> str:
    """Write the options into an existing file. Return what was done."""
    wanted: dict[str, tuple[Any, str]] = {}  # by key: the value, and its text in the file
    if wishes.description:
        description = " ".join(wishes.description.split())
        wanted["description"] = (description, quote_for_yaml(description))
    if address:
        wanted["address"] = (address, address.as_typed)
    if wishes.is_main:
        wanted["main"] = (True, "true")

    def edit(front: FrontMatterEditor) -> str:
        for key, (_, text) in wanted.items():
            front = FrontMatterEditor(front.with_value(key, text))
        return front.text

    if not registry.change_keys(folder, edit, **{key: value for key, (value, _) in wanted.items()}):
        return texts.GROUP_SO_ALREADY(group=folder.name, path=folder.path.parent)
    if folder.is_registered:
        return texts.GROUP_CHANGED(group=folder.name, path=folder.path.parent)
    return texts.GROUP_MADE(group=folder.name, path=folder.path.parent)


def unregister_group(registry: GroupRegistry, name: str) -> list[str]:
    """Remove the address and the main mark from a group's file.

    Return what was done, and a line for each group that still names this one.
    """
    with registry.lock():
        folder = registry.find_folder(name)
        if not folder.is_empty:
            registry.change_keys(
                folder,
                lambda front: FrontMatterEditor(front.without_key("address")).without_key("main"),
                address=None,
                main=False,
            )
    naming = [each.name for each in registry.found_groups.folders if folder.name.casefold() in names_it_may_ask(each)]
    if folder.is_registered:
        done = texts.GROUP_REMOVED(group=folder.name, path=folder.path.parent)
    else:
        done = texts.WAS_NO_GROUP(group=folder.name, path=folder.path.parent)
    deny = retinue_command("groups deny")
    return [done, *(texts.STILL_NAMED(naming=each, command=deny, group=folder.name) for each in naming)]


def names_it_may_ask(folder: GroupFile) -> set[str]:
    return {name.casefold() for name in folder.front.allow_delegation}


def steps_to_finish_group(registry: GroupRegistry, made: GroupFile) -> Iterator[str]:
    """Yield the steps that are left before people get answers in this group."""
    if made.fault:
        yield texts.MEND_THIS(fault=made.fault)
    if made.prompt == texts.FIRST_INSTRUCTIONS(group=made.name).strip():
        yield texts.WRITE_INSTRUCTIONS(path=made.path)
    if not made.front.description:
        yield texts.WRITE_DESCRIPTION
    if made.front.address:
        yield from steps_for_channel(registry, made.front.address)
    if registry.main is None:
        yield texts.NO_MAIN_YET(command=retinue_command("groups add"))
    elif made.is_main and not made.front.address and len(registry.owners_at) == 1:
        keys = " or ".join(f"channels.{name}.owner" for name in platforms())
        yield texts.SET_OWNER(keys=keys)
    if (kept := read_tenant_json(registry)) and '"kubernetes"' in kept:
        yield texts.RUN_ADD_TENANT(command=script_command("add-tenant"))


def steps_for_channel(registry: GroupRegistry, address: Address) -> Iterator[str]:
    """Yield the settings to change so that the bot hears people at this address."""
    if (platform := platforms().get(address.channel)) is None:  # the terminal, which is always heard
        return
    key, settings = f"channels.{platform.name}", registry.loaded.config.channels[platform.name]
    if not settings.enabled:
        yield texts.ENABLE_CHANNEL(key=key)
    if settings.allow_from == "*":
        return
    id = platform.id_to_allow(address.chat)
    if id is None:
        yield texts.ALLOW_SERVER(key=key)
    elif id not in (*settings.allow_from, settings.owner):
        yield texts.ALLOW_CHAT(id=id, key=key)


def read_tenant_json(registry: GroupRegistry) -> str:
    """Return the tenant.json that scripts/add-tenant wrote beside the config, or "" if there is none."""
    path = registry.loaded.path
    beside = path.with_name("tenant.json") if path else Path()
    try:
        return beside.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


ALLOW_KEY = "allow_delegation"


def allow_asking(registry: GroupRegistry, name: str, other: str) -> list[str]:
    """Let one group ask another. Return lines that say what is true now.

    Raise click's error if the groups are the same, `other` is main, or `name` has no file yet.
    """
    with registry.lock():
        asking, asked = registry.find_folder(name), registry.find_folder(other)
        if asking.path == asked.path:
            raise group_command_error(texts.MAY_ASK_ITSELF(group=asking.name))
        if asked.is_main:
            raise group_command_error(texts.NOBODY_ASKS_MAIN(group=asked.name))
        if asking.is_empty:
            raise group_command_error(
                texts.NOTHING_THERE(path=asking.path, command=retinue_command("groups add"), group=asking.name)
            )
        if asking.is_main:
            return [texts.MAIN_MAY_ASK(group=asking.name, other=asked.name)]
        names = registry.read_changeable_file(asking).front.allow_delegation
        if not has_group_name(names, asked.name):
            registry.change_keys(
                asking, lambda front: front.with_item(ALLOW_KEY, asked.name), allow_delegation=(*names, asked.name)
            )
    return [
        texts.MAY_ASK(group=asking.name, other=asked.name),
        *hint_if_unregistered(asking),
        *hint_if_unregistered(asked),
    ]


def deny_asking(registry: GroupRegistry, name: str, other: str) -> list[str]:
    with registry.lock():
        asking = registry.find_folder(name)
        if asking.is_main:
            raise group_command_error(texts.MAIN_MAY_ASK_ALL(group=asking.name))
        names = registry.read_changeable_file(asking).front.allow_delegation
        if not has_group_name(names, other):
            other = registry.find_folder(other).name
            if other == asking.name:
                raise group_command_error(texts.ALWAYS_ASKS_ITSELF(group=asking.name))
        left = tuple(each for each in names if each.casefold() != other.casefold())
        registry.change_keys(asking, lambda front: remove_from_allowed(front, other), allow_delegation=left)
    return [texts.MAY_NOT_ASK(group=asking.name, other=other)]


def has_group_name(names: tuple[str, ...], name: str) -> bool:
    return name.casefold() in {each.casefold() for each in names}


def remove_from_allowed(front: FrontMatterEditor, name: str) -> str:
    return front.without_items(ALLOW_KEY, [name])


def hint_if_unregistered(folder: GroupFile) -> list[str]:
    """Return a line that says how to register the folder, or no line if it is registered."""
    if folder.is_registered:
        return []
    return [texts.NOT_REGISTERED_YET(group=folder.name, command=retinue_command("groups add"))]
