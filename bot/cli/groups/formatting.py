"""Format groups as text or JSON: their addresses, which may ask which, their tools and limits, and their faults."""

import json
from collections.abc import Iterator, Sequence

from bot.cli.groups import texts
from bot.cli.groups.registry import GroupRegistry
from bot.cli.roles import format_limits
from bot.config.groups.consistency import addresses_of_group
from bot.config.groups.file import GroupFile
from bot.core.group import Group
from bot.core.messages import Address
from bot.core.program_names import retinue_command


def format_group_list(registry: GroupRegistry) -> list[str]:
    lines = [
        line
        for folder in sort_group_folders(registry)
        for line in (folder.name, *describe_group_folder(registry, folder), "")
    ]
    folder = registry.loaded.config.swarm.groups_dir
    if not registry.found_groups.folders:
        lines.append(texts.NO_GROUPS(folder=folder, command=retinue_command("groups add")))
    elif registry.main is None:
        lines.append(texts.NO_MAIN(command=retinue_command("groups add")))
    else:
        lines.append(texts.WHERE_GROUPS_LIE(folder=folder))
    return lines


def sort_group_folders(registry: GroupRegistry) -> Sequence[GroupFile]:
    """Return the folders sorted by name: the main group first, folders that are not registered last."""
    return sorted(
        registry.found_groups.folders,
        key=lambda folder: (not folder.is_main, not folder.is_registered, folder.name.casefold(), folder.name),
    )


def describe_group_folder(registry: GroupRegistry, folder: GroupFile) -> Iterator[str]:
    """Yield the lines that the list shows below the name of a group."""
    if folder.front.description:
        yield f"  {' '.join(folder.front.description.split())}"
    group = group_of_folder(registry, folder)
    for name, value in list_group_facts(registry, folder, group):
        yield f"  {name + ':':<10}{value}"


def list_group_facts(registry: GroupRegistry, folder: GroupFile, group: Group | None) -> Iterator[tuple[str, str]]:
    if not folder.is_registered:
        yield "off", texts.NOT_REGISTERED(command=retinue_command("groups add"), group=folder.name)
        return
    if folder.is_main:
        yield "main", "yes"
    yield "at", format_addresses(addresses_of_folder(registry, folder)) or texts.NOWHERE
    if group is None:
        yield "off", folder.fault
        return
    asked = ", ".join(names_asked_by_group(registry, group)) or texts.NOBODY
    yield "asks", texts.MAIN_ASKS(groups=asked) if group.is_main else asked
    yield "asked by", ", ".join(names_asking_group(registry, group)) or texts.NOBODY


def format_group_details(registry: GroupRegistry, name: str) -> list[str]:
    folder = registry.find_folder(name)
    lines = [folder.name, *describe_group_folder(registry, folder)]
    more = {"file": str(folder.path), "files in": str(folder.workspace)}
    if group := group_of_folder(registry, folder):
        more["model"] = group.agent.model
        more["tools"] = ", ".join(sorted(group.agent.tools or ())) or texts.ALL_TOOLS
        more["limits"] = format_limits(group.limits)
        more["as asked"] = format_limits(group.agent.limits)
    lines += [f"  {key + ':':<10}{value}" for key, value in more.items()]
    return [*lines, "", *folder.prompt.splitlines()]


def format_group_faults(registry: GroupRegistry) -> list[str]:
    """Return a line for each fault. If there is none, return one line that counts and names the groups."""
    if registry.found_groups.faults:
        return list(registry.found_groups.faults)
    names = [group.name for group in registry.found_groups.groups]
    return [texts.GROUPS_IN_ORDER(len(names), groups=", ".join(names)) if names else texts.NO_GROUPS_IN_ORDER]


def groups_as_json(registry: GroupRegistry) -> list[str]:
    said = [group_record(registry, folder) for folder in sort_group_folders(registry)]
    return json.dumps(said, indent=2, ensure_ascii=False).splitlines()


def group_record(registry: GroupRegistry, folder: GroupFile) -> dict[str, object]:
    group = group_of_folder(registry, folder)
    state = "on" if group else "off" if folder.is_registered else "not registered"
    return {
        "name": folder.name,
        "description": folder.front.description,
        "state": state,
        "fault": folder.fault or None,
        "main": folder.is_main,
        "addresses": [str(address) for address in addresses_of_folder(registry, folder)],
        "asks": names_asked_by_group(registry, group) if group else [],
        "asked_by": names_asking_group(registry, group) if group else [],
        "file": str(folder.path),
        "workspace": str(folder.workspace),
    }


def group_of_folder(registry: GroupRegistry, folder: GroupFile) -> Group | None:
    """Return the group of a folder, or None if the folder is not registered or has a fault."""
    return registry.found_groups.groups.find_group(folder.name) if folder.is_registered and not folder.fault else None


def addresses_of_folder(registry: GroupRegistry, folder: GroupFile) -> tuple[Address, ...]:
    return addresses_of_group(folder, registry.owners_at)


def format_addresses(found: Sequence[Address]) -> str:
    return ", ".join(address.as_typed for address in found)


def names_asked_by_group(registry: GroupRegistry, group: Group) -> list[str]:
    return [other.name for other in registry.found_groups.groups.groups_askable_by(group.name)]


def names_asking_group(registry: GroupRegistry, group: Group) -> list[str]:
    others = (other for other in registry.found_groups.groups if other.name != group.name)
    return [other.name for other in others if group.name in names_asked_by_group(registry, other)]
