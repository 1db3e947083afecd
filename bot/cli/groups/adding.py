"""`retinue groups add` and `remove`: which folders are groups, and where each lives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from bot.cli.groups.registry import Registry, refused
from bot.config.people import settings_of
from bot.groupfiles.address import CHATS, read_address, written
from bot.groupfiles.checking import addresses_of
from bot.groupfiles.editing import Front, as_yaml
from bot.groupfiles.file import GroupFile
from bot.messages import Address
from bot.program import command, script
from bot.rolefiles.file import NAME, NAME_RULE

TEXT = """\
You are the agent of the group {name}.

- Answer from the files of your workspace and from what you are told here. Where you do not know, say so.
- Be brief: what matters first, and where it stands.
- Change a file only if you were asked to.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """The options, by their names."""

    name: str
    channel: str | None
    chat: str | None
    thread: str | None
    is_main: bool
    description: str | None

    def address(self) -> Address | None:
        """Raises click's error where it cannot be one."""
        if self.channel is None and self.chat is None and self.thread is None:
            return None
        if not self.channel or not self.chat:
            raise click.UsageError("an address takes both: --channel C --chat ID")
        address = Address(channel=self.channel.lower(), chat=self.chat.strip(), thread=self.thread)
        try:
            return read_address(str(address))
        except ValueError as error:
            raise click.UsageError(f"--channel {self.channel} --chat {self.chat}: {error}") from None


def add(registry: Registry, wishes: Wishes) -> list[str]:
    """Gives what was done, and what is still to do."""
    address = wishes.address()
    with registry.held():
        folder = registry.found.named(wishes.name)
        check(registry, folder, wishes, address)
        if folder is None or folder.is_empty:
            name = folder.name if folder else wishes.name
            registry.make(name, f"---\n{keys_of(wishes, address)}---\n\n{TEXT.format(name=name)}")
            said = f"{name} is a group now"
        else:
            name, said = folder.name, registered(registry, folder, wishes, address)
        registry.found = registry.read()
    made = registry.folder(name)
    steps = list(to_do(registry, made))
    return [f"{said}: {made.path.parent}", *(["To do:"] if steps else []), *(f"  {step}" for step in steps)]


def check(registry: Registry, folder: GroupFile | None, wishes: Wishes, address: Address | None) -> None:
    if not NAME.fullmatch(wishes.name):
        raise refused(f"the name of a group {NAME_RULE}; {wishes.name!r} cannot be one")
    if address is None and not wishes.is_main and not (folder and folder.is_registered):
        raise click.UsageError(f"say where it is: --channel C --chat ID (C is {', '.join(CHATS)}), or --main")
    main = registry.main
    if wishes.is_main and main and (folder is None or main.path != folder.path):
        raise refused(f"{main.name} is main, and only one can be; {command('groups remove')} {main.name} makes room")
    for other in registry.found.folders:
        is_there = address in addresses_of(other, registry.owners_at)
        if address and is_there and (folder is None or other.path != folder.path):
            raise refused(f"{other.name} is at {written(address)}, and one chat has one group; take another chat")


def keys_of(wishes: Wishes, address: Address | None) -> str:
    lines = [f"description: {as_yaml(wishes.description)}"] if wishes.description else []
    lines += [f"address: {written(address)}"] if address else []
    lines += ["main: true"] if wishes.is_main else []
    return "".join(f"{line}\n" for line in lines)


def registered(registry: Registry, folder: GroupFile, wishes: Wishes, address: Address | None) -> str:
    """Write into a file that is there what is wished; gives a word on what was done."""
    wanted: dict[str, tuple[Any, str]] = {}  # by key: its value, and how that is written
    if wishes.description:
        description = " ".join(wishes.description.split())
        wanted["description"] = (description, as_yaml(description))
    if address:
        wanted["address"] = (address, written(address))
    if wishes.is_main:
        wanted["main"] = (True, "true")

    def edit(front: Front) -> str:
        for key, (_, text) in wanted.items():
            front = Front(front.with_value(key, text))
        return front.text

    if not registry.change(folder, edit, **{key: value for key, (value, _) in wanted.items()}):
        return f"{folder.name} is so already"
    return f"{folder.name} is changed" if folder.is_registered else f"{folder.name} is a group now"


def remove(registry: Registry, name: str) -> list[str]:
    """Gives what was done; who still names it is told."""
    with registry.held():
        folder = registry.folder(name)
        if not folder.is_empty:
            registry.change(
                folder, lambda front: Front(front.without("address")).without("main"), address=None, main=False
            )
    naming = [each.name for each in registry.found.folders if folder.name.casefold() in leave_of(each)]
    done = "is no group any more" if folder.is_registered else "is no group"
    lines = [f"{folder.name} {done}; its folder is kept: {folder.path.parent}"]
    return lines + [f"{each} still names it: {command('groups deny')} {each} {folder.name}" for each in naming]


def leave_of(folder: GroupFile) -> set[str]:
    return {name.casefold() for name in folder.front.allow_delegation}


def to_do(registry: Registry, made: GroupFile) -> Iterator[str]:
    """What a group needs besides, before people get answers in it."""
    if made.fault:
        yield f"mend this: {made.fault}"
    if made.prompt == TEXT.format(name=made.name).strip():
        yield f"write what it is for into {made.path}"
    if not made.front.description:
        yield "give it a line `description: …` there: by that the others know what to ask it for"
    if made.front.address:
        yield from of_channel(registry, made.front.address)
    if registry.main is None:
        yield f"no group is main yet, and main may ask every other: {command('groups add')} NAME --main"
    elif made.is_main and not made.front.address and len(registry.owners_at) == 1:
        yield "set channels.telegram.owner or channels.discord.owner: main lives in the owner's private chat"
    if (kept := record(registry)) and '"kubernetes"' in kept:
        yield f"run {script('add-tenant')} for this tenant again, and apply what it writes"


def of_channel(registry: Registry, address: Address) -> Iterator[str]:
    """Whether anybody is heard there."""
    if address.channel == "terminal":
        return
    name, key = address.channel, f"channels.{address.channel}"
    settings = settings_of(registry.loaded.config, name)
    if not settings.enabled:
        yield f"set {key}.enabled to true, with its token"
    allowed = () if settings.allow_from == "*" else settings.allow_from
    if settings.allow_from == "*":
        return
    if name == "discord" and not address.chat.startswith("@"):
        yield f"the id of its server must stand in {key}.allow_from, or those of its people, to be heard there"
    elif (id := int(address.chat.removeprefix("@"))) not in (*allowed, settings.owner):
        yield f"put {id} into {key}.allow_from: else only whom you have let in is heard there"


def record(registry: Registry) -> str:
    """What scripts/add-tenant has written of a tenant whose groups these are; empty if they are no tenant's."""
    path = registry.loaded.path
    beside = path.with_name("tenant.json") if path else Path()
    try:
        return beside.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
