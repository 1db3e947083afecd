"""Format groups as text or JSON: their addresses, tools, limits and faults, and which group may ask which."""

import json
from collections.abc import Iterator, Sequence

from bot.cli.groups import texts
from bot.cli.groups.registration import GroupRegistry
from bot.cli.roles import format_limits
from bot.config.groups.consistency import addresses_of_group
from bot.config.groups.file import GroupFile
from bot.core.group import Group
from bot.core.program_names import retinue_command


def format_group_list(registry: GroupRegistry) -> Iterator[str]:
    for folder in group_files_main_first(registry):
        yield from (folder.name, *format_group_overview(registry, folder), "")
    place, add = registry.loaded.config.swarm.groups_dir, retinue_command("groups add")
    if not registry.found_groups.group_files:
        yield texts.NO_GROUPS(folder=place, command=add)
    else:
        yield texts.WHERE_GROUPS_LIE(folder=place) if registry.main_group_file else no_main_text()


def no_main_text() -> str:
    return texts.NO_MAIN(command=retinue_command("groups add"))


def group_files_main_first(registry: GroupRegistry) -> Sequence[GroupFile]:
    by_name = sorted(registry.found_groups.group_files, key=lambda folder: (folder.name.casefold(), folder.name))
    return sorted(by_name, key=lambda folder: (not folder.is_main, not folder.is_registered))


def format_group_overview(registry: GroupRegistry, folder: GroupFile) -> Iterator[str]:
    if folder.keys.description:
        yield f"  {' '.join(folder.keys.description.split())}"
    if not folder.is_registered:
        add = retinue_command("groups add")
        yield format_fact("off", texts.NOT_REGISTERED(command=add, group=folder.name))
        return
    if folder.is_main:
        yield format_fact("main", "yes")
    addresses = addresses_of_group(folder, registry.owner_chats)
    yield format_fact("at", ", ".join(address.as_typed for address in addresses) or texts.NOWHERE)
    if not (group := registry.find_group_of_file(folder)):
        yield format_fact("off", folder.fault)
        return
    asked = ", ".join(names_group_may_ask(registry, group)) or texts.NOBODY
    yield format_fact("asks", texts.MAIN_ASKS(groups=asked) if group.is_main else asked)
    of_lead = [] if registry.main_group_file else [texts.ASKED_BY_LEAD]
    yield format_fact("asked by", ", ".join([*names_that_may_ask_group(registry, group), *of_lead]) or texts.NOBODY)


def format_fact(name: str, value: str) -> str:
    return f"  {name + ':':<10}{value}"


def format_group_details(registry: GroupRegistry, name: str) -> Iterator[str]:
    folder = registry.require_group_file(name)
    yield folder.name
    yield from format_group_overview(registry, folder)
    yield format_fact("file", str(folder.path))
    yield format_fact("files in", str(folder.workspace))
    if group := registry.find_group_of_file(folder):
        yield format_fact("model", str(group.agent.model))
        yield format_fact("tools", ", ".join(sorted(group.agent.tools or ())) or texts.ALL_TOOLS)
        yield format_fact("limits", format_limits(group.limits))
        yield format_fact("as asked", format_limits(group.agent.limits))
    yield from ("", *folder.prompt.splitlines())


def format_group_faults(registry: GroupRegistry) -> Sequence[str]:
    names = [group.name for group in registry.found_groups.groups]
    in_order = texts.GROUPS_IN_ORDER(len(names), groups=", ".join(names)) if names else texts.NO_GROUPS_IN_ORDER
    of_main = [no_main_text()] if names and not registry.main_group_file else []
    return registry.found_groups.faults or [in_order, *of_main]


def groups_as_json(registry: GroupRegistry) -> list[str]:
    said = [group_as_json_object(registry, folder) for folder in group_files_main_first(registry)]
    return json.dumps(said, indent=2, ensure_ascii=False).splitlines()


def group_as_json_object(registry: GroupRegistry, folder: GroupFile) -> dict[str, object]:
    group = registry.find_group_of_file(folder)
    return {
        "name": folder.name,
        "description": folder.keys.description,
        "state": "on" if group else "off" if folder.is_registered else "not registered",
        "fault": folder.fault or None,
        "main": folder.is_main,
        "addresses": [str(address) for address in addresses_of_group(folder, registry.owner_chats)],
        "asks": names_group_may_ask(registry, group) if group else [],
        "asked_by": names_that_may_ask_group(registry, group) if group else [],
        "file": str(folder.path),
        "workspace": str(folder.workspace),
    }


def names_group_may_ask(registry: GroupRegistry, group: Group) -> list[str]:
    return [other.name for other in registry.found_groups.groups.groups_askable_by(group.name)]


def names_that_may_ask_group(registry: GroupRegistry, group: Group) -> list[str]:
    others = (other for other in registry.found_groups.groups if other.name != group.name)
    return [other.name for other in others if group.name in names_group_may_ask(registry, other)]
