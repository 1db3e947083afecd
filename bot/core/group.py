"""Groups: chats with an agent of their own. Which there are, where each answers, and who may ask whom.

Within whose walls a turn works stands in its row (`Turn.group`); what that group is and may do is looked up here, at
each call, since the operator may change it meanwhile.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from bot.core.limits import Limits
from bot.core.messages import NO_GROUP, Address, GroupName
from bot.core.role import Role

FormerAddresses = Callable[[], Iterable[Address]]  # looks up what a chat was called before it moved


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    name: GroupName
    agent: Role  # of the same name; its limits are those of a question that it is asked
    limits: Limits  # of a turn in its own chat
    addresses: tuple[Address, ...]  # a chat or one thread of it; of main, as a rule, each owner's private chat
    may_ask: frozenset[GroupName]
    workspace: Path
    is_main: bool = False


class Groups:
    """The groups that are in order, the addresses of all as far as they are known, and which are `off`, which is not in
    order. It never changes: the operator's changes make a new one.

    At the address of a group that is not in order nobody answers: else its people would talk to another agent, with
    other files, without a word.
    """

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

    def carry_over_addresses(self, before: "Groups") -> "Groups":
        """The same, but that one which is off, and says no more where it lives, is still where it was before: nobody
        else is to answer there because of a slip in its file."""
        lost = self._off - set(self._at.values())
        kept = {at: name for at, name in before._at.items() if name in lost and at not in self._at}
        return Groups(self, {**self._broken, **kept}, self._off)

    def __iter__(self) -> Iterator[Group]:
        return iter(sorted(self._by_name.values(), key=lambda group: group.name))

    def is_asking_allowed(self, asking: Group, name: str) -> bool:
        """Whether a group may ask one of that name, once it is there and in order."""
        key = name.strip().casefold()
        may = self.names_out_of_order if asking.is_main else asking.may_ask
        return key in (each.casefold() for each in may)

    def has_name(self, name: str) -> bool:
        """Whether a group is called so, in any case, be it in order or not."""
        return bool(self.find_group(name)) or name.strip().casefold() in (
            each.casefold() for each in self.names_out_of_order
        )

    @property
    def names_out_of_order(self) -> list[GroupName]:
        """Those that nobody answers for, whether or not their file still says where they live."""
        return sorted(name for name in self._off if self.find_group(name) is None)

    def find_group(self, name: str) -> Group | None:
        """In any case; None for one that is not there, or not in order."""
        return self._by_name.get(name.strip().casefold())

    def name_at(self, address: Address, former: FormerAddresses = lambda: ()) -> GroupName:
        """Whose chat an address is: its thread's group, or its chat's; NO_GROUP where the lead answers."""
        if not self._at:
            return NO_GROUP
        here = (address, address.whole_chat)
        found = next((self._at[each] for each in here if each in self._at), None)
        if found is None:  # the file still says what the chat was called when it was written
            there = [each for old in former() for each in (replace(old, thread=address.thread), old)]
            found = next((self._at[each] for each in there if each in self._at), NO_GROUP)
        return found

    def groups_askable_by(self, name: GroupName) -> list[Group]:
        """Whom a group may ask, in an order that is always the same: itself is not named, though it may; and main is
        asked by nobody."""
        asking = self.find_group(name)
        if asking is None:
            return []
        others = (group for group in self if group.name != asking.name and not group.is_main)
        return [group for group in others if asking.is_main or group.name in asking.may_ask]


GroupsNow = Callable[[], Groups]
NO_GROUPS = Groups()


def no_groups() -> Groups:
    return NO_GROUPS
