"""Groups: chats with an agent of their own. Which exist, where each answers, and which may ask which. A turn's row has
the name of its group (`Turn.group`). The group is looked up here at each call: the operator may change it meanwhile."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from bot.core.limits import Limits
from bot.core.messages import NO_GROUP, Address, GroupName, RoleName
from bot.core.role import Role
from bot.core.turn import Turn

FindFormerAddresses = Callable[[], Iterable[Address]]  # returns the chat's addresses before it moved


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    name: GroupName
    agent: Role  # with the same name; its limits apply when another group asks it
    limits: Limits  # for a turn in its own chat
    addresses: tuple[Address, ...]  # chats or threads; main usually has each owner's private chat
    askable_group_names: frozenset[GroupName]
    workspace: Path
    is_main: bool = False


class Groups:
    """The working groups, the addresses of all groups, and the groups that are `off` because they have a fault. Nobody
    answers at the address of a group that is off: its people must not reach another agent with other files."""

    def __init__(
        self,
        groups: Iterable[Group] = (),
        broken: Mapping[Address, GroupName] = MappingProxyType({}),
        off: Iterable[GroupName] = (),
    ) -> None:
        self._by_name = {group.name.casefold(): group for group in groups}
        self._broken = dict(broken)
        self._off = {*broken.values(), *off}
        self._at = {**{address: group.name for group in self for address in group.addresses}, **broken}

    def with_lost_addresses_from(self, before: "Groups") -> "Groups":
        """Return the same groups. A group that is off and has lost its address keeps the one that it had `before`."""
        lost = self._off - set(self._at.values())
        kept = {at: name for at, name in before._at.items() if name in lost and at not in self._at}
        return Groups(self, {**self._broken, **kept}, self._off)

    def __iter__(self) -> Iterator[Group]:
        return iter(sorted(self._by_name.values(), key=lambda group: group.name))

    def may_ask_group_once_working(self, asking: Group, name: str) -> bool:
        """Return True if `asking` may ask the group of that name as soon as it works; main may ask any that is off."""
        key = name.strip().casefold()
        may = self.names_of_faulty_groups if asking.is_main else asking.askable_group_names
        return key in (each.casefold() for each in may)

    def has_group_named(self, name: str) -> bool:
        """Return True if a group, working or off, has that name. Case does not matter."""
        return name.strip().casefold() in {*self._by_name, *(each.casefold() for each in self._off)}

    @property
    def names_of_faulty_groups(self) -> list[GroupName]:
        return sorted(name for name in self._off if self.find_working_group(name) is None)

    def find_working_group(self, name: str) -> Group | None:
        """Return the working group of that name; None if there is none. Case does not matter."""
        return self._by_name.get(name.strip().casefold())

    def group_name_at(self, address: Address, former: FindFormerAddresses = lambda: ()) -> GroupName:
        """Return the group of an address: its thread's, or else its chat's; NO_GROUP if the lead answers there."""
        if not self._at:
            return NO_GROUP
        places = [address, address.whole_chat]
        if not any(each in self._at for each in places):  # the group's file may have the chat's old address
            places = [each for old in former() for each in (replace(old, thread=address.thread), old)]
        return next((self._at[each] for each in places if each in self._at), NO_GROUP)

    def groups_askable_by(self, name: GroupName) -> list[Group]:
        """Return the working groups that a group may ask, without itself and without main, which nobody may ask."""
        asking = self.find_working_group(name)
        if asking is None:
            return []
        others = (group for group in self if group.name != asking.name and not group.is_main)
        return [group for group in others if asking.is_main or group.name in asking.askable_group_names]


GetCurrentGroups = Callable[[], Groups]
NO_GROUPS = Groups()


def no_groups() -> Groups:
    return NO_GROUPS


def find_role_of_turn(turn: Turn, roles: Mapping[RoleName, Role], groups: Groups) -> Role | None:
    """Return the role in which a turn works now: its group's agent, or a role of the operator; None if there is none,
    as for a role that a model has made up."""
    group = groups.find_working_group(turn.group) if turn.group and not turn.depth_within_group else None
    return group.agent if group else roles.get(turn.role)
