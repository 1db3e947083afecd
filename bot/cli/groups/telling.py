"""The groups in words: where each is, who may ask whom, what one has, and what is wrong."""

import json
from collections.abc import Iterator, Sequence

from bot.cli.groups import texts
from bot.cli.groups.registry import Registry
from bot.cli.roster import in_words
from bot.group import Group
from bot.groupfiles.address import written
from bot.groupfiles.checking import addresses_of
from bot.groupfiles.file import GroupFile
from bot.messages import Address
from bot.program import command


def listed(registry: Registry) -> list[str]:
    lines = [line for folder in ordered(registry) for line in (folder.name, *told(registry, folder), "")]
    folder = registry.loaded.config.swarm.groups_dir
    if not registry.found.folders:
        lines.append(texts.NO_GROUPS(folder=folder, command=command("groups add")))
    elif registry.main is None:
        lines.append(texts.NO_MAIN(command=command("groups add")))
    else:
        lines.append(texts.WHERE_GROUPS_LIE(folder=folder))
    return lines


def ordered(registry: Registry) -> Sequence[GroupFile]:
    """Main first, and what is no group last."""
    return sorted(
        registry.found.folders,
        key=lambda folder: (not folder.is_main, not folder.is_registered, folder.name.casefold(), folder.name),
    )


def told(registry: Registry, folder: GroupFile) -> Iterator[str]:
    """What the list says of one, below its name."""
    if folder.front.description:
        yield f"  {' '.join(folder.front.description.split())}"
    group = group_of(registry, folder)
    for name, value in facts(registry, folder, group):
        yield f"  {name + ':':<10}{value}"


def facts(registry: Registry, folder: GroupFile, group: Group | None) -> Iterator[tuple[str, str]]:
    if not folder.is_registered:
        yield "off", texts.NOT_REGISTERED(command=command("groups add"), group=folder.name)
        return
    if folder.is_main:
        yield "main", "yes"
    yield "at", places(addresses(registry, folder)) or texts.NOWHERE
    if group is None:
        yield "off", folder.fault
        return
    asked = ", ".join(asked_by(registry, group)) or texts.NOBODY
    yield "asks", texts.MAIN_ASKS(groups=asked) if group.is_main else asked
    yield "asked by", ", ".join(asking(registry, group)) or texts.NOBODY


def shown(registry: Registry, name: str) -> list[str]:
    folder = registry.folder(name)
    lines = [folder.name, *told(registry, folder)]
    more = {"file": str(folder.path), "files in": str(folder.workspace)}
    if group := group_of(registry, folder):
        more["model"] = group.agent.model
        more["tools"] = ", ".join(sorted(group.agent.tools or ())) or texts.ALL_TOOLS
        more["limits"] = in_words(group.limits)
        more["as asked"] = in_words(group.agent.limits)
    lines += [f"  {key + ':':<10}{value}" for key, value in more.items()]
    return [*lines, "", *folder.prompt.splitlines()]


def checked(registry: Registry) -> list[str]:
    """A line for each fault; else one that says how many are in order."""
    if registry.found.faults:
        return list(registry.found.faults)
    names = [group.name for group in registry.found.groups]
    return [texts.GROUPS_IN_ORDER(len(names), groups=", ".join(names)) if names else texts.NO_GROUPS_IN_ORDER]


def as_json(registry: Registry) -> list[str]:
    said = [record(registry, folder) for folder in ordered(registry)]
    return json.dumps(said, indent=2, ensure_ascii=False).splitlines()


def record(registry: Registry, folder: GroupFile) -> dict[str, object]:
    group = group_of(registry, folder)
    state = "on" if group else "off" if folder.is_registered else "not registered"
    return {
        "name": folder.name,
        "description": folder.front.description,
        "state": state,
        "fault": folder.fault or None,
        "main": folder.is_main,
        "addresses": [str(address) for address in addresses(registry, folder)],
        "asks": asked_by(registry, group) if group else [],
        "asked_by": asking(registry, group) if group else [],
        "file": str(folder.path),
        "workspace": str(folder.workspace),
    }


def group_of(registry: Registry, folder: GroupFile) -> Group | None:
    """The group of a folder, if it is in order."""
    return registry.found.groups.named(folder.name) if folder.is_registered and not folder.fault else None


def addresses(registry: Registry, folder: GroupFile) -> tuple[Address, ...]:
    return addresses_of(folder, registry.owners_at)


def places(found: Sequence[Address]) -> str:
    return ", ".join(map(written, found))


def asked_by(registry: Registry, group: Group) -> list[str]:
    return [other.name for other in registry.found.groups.asked_by(group.name)]


def asking(registry: Registry, group: Group) -> list[str]:
    others = (other for other in registry.found.groups if other.name != group.name)
    return [other.name for other in others if group.name in asked_by(registry, other)]
