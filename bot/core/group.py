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
    answers at the address of a group that is off: its people must not reach another agent with other files.

    `main_chats` are the chats that count as main where no group is main: the lead there may ask every group."""

    def __init__(
        self,
        groups: Iterable[Group] = (),
        broken: Mapping[Address, GroupName] = MappingProxyType({}),
        off: Iterable[GroupName] = (),
        main_chats: Iterable[Address] = (),
    ) -> None:
        self._by_name = {group.name.casefold(): group for group in groups}
        self._broken = dict(broken)
        self._off = {*broken.values(), *off}
        self.main_chats = frozenset(main_chats)
        self._at = {**{address: group.name for group in self for address in group.addresses}, **broken}

    def with_lost_addresses_from(self, before: "Groups") -> "Groups":
        """Return the same groups. A group that is off and has lost its address keeps the one that it had `before`."""
        lost = self._off - set(self._at.values())
        kept = {at: name for at, name in before._at.items() if name in lost and at not in self._at}
        return Groups(self, {**self._broken, **kept}, self._off, self.main_chats)

    def __iter__(self) -> Iterator[Group]:
        return iter(sorted(self._by_name.values(), key=lambda group: group.name))

    def may_ask_every_group(self, name: GroupName, at: Address | None = None) -> bool:
        """Return True for main, and, where no group is main, for the lead (NO_GROUP) in a chat that counts as main."""
        asking = self.find_working_group(name)
        if asking is None:
            return name == NO_GROUP and at is not None and at.whole_chat in self.main_chats
        return asking.is_main

    def may_ask_any_group(self, name: GroupName, at: Address) -> bool:
        """Return True if the agent at this address, of a working group or the lead, may use `delegate` with a group."""
        return self.find_working_group(name) is not None or self.may_ask_every_group(name, at)

    def may_ask_group_once_working(self, asking: GroupName, name: str) -> bool:
        """Return True if an agent that may ask groups may ask the one of that name as soon as it works. An agent that
        may ask every group may ask any that is off."""
        group, key = self.find_working_group(asking), name.strip().casefold()
        may = group.askable_group_names if group and not group.is_main else self.names_of_faulty_groups
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

    def groups_askable_by(self, name: GroupName, at: Address | None = None) -> list[Group]:
        """Return the working groups that a group's agent may ask, or the lead in the chat `at` if `name` is NO_GROUP.
        They do not include itself, nor main, which nobody may ask."""
        asking = self.find_working_group(name)
        listed = asking.askable_group_names if asking else frozenset()
        asks_all = self.may_ask_every_group(name, at)
        return [each for each in self if each is not asking and not each.is_main and (asks_all or each.name in listed)]


GetCurrentGroups = Callable[[], Groups]
NO_GROUPS = Groups()


def no_groups() -> Groups:
    return NO_GROUPS


def find_role_of_turn(turn: Turn, roles: Mapping[RoleName, Role], groups: Groups) -> Role | None:
    """Return the role in which a turn works now: its group's agent, or a role of the operator; None if there is none,
    as for a role that a model has made up."""
    group = groups.find_working_group(turn.group) if turn.group and not turn.depth_within_group else None
    return group.agent if group else roles.get(turn.role)
