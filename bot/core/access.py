"""Who may speak on a channel, according to the operator's settings. Rows hold the people who were let in later."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from bot.core.messages import Address, PersonId, Sender
from bot.core.rights import GUEST_RIGHTS, NO_RIGHTS, Right, Rights


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Who may speak on one channel; nobody else is heard. The owner is told of faults at `owner_address`."""

    owner_id: PersonId | None = None
    allowed_ids: frozenset[str] = frozenset()  # of people, and of the group chats or servers where everybody may speak
    allowed_roles: frozenset[str] = frozenset()  # ids of roles: who has one may speak in the server that it is of
    is_public: bool = False
    rights_by_id: Mapping[str, Rights] = field(default_factory=dict)  # the exact rights of some people, by the same ids
    others_rights: Rights = GUEST_RIGHTS  # the rights of people who may speak and have no entry of their own
    owner_address: Address | None = None
    may_strangers_pair: bool = False  # whether strangers get a code, by which they can be let in

    def is_owner(self, sender: Sender) -> bool:
        return sender.id == self.owner_id

    def may_speak(self, sender: Sender, group_chats: Iterable[str]) -> bool:
        if self.is_public or self.is_owner(sender) or sender.id in self.allowed_ids:
            return True
        return any(chat in self.allowed_ids or chat in self.rights_by_id for chat in group_chats)

    def rights_by_roles(self, roles: Iterable[str]) -> Rights:
        """Return what somebody may do in a server by their roles there, by all of them together."""
        allowed = (self.rights_by_id.get(each, self.others_rights) for each in roles if each in self.allowed_roles)
        return NO_RIGHTS.union(*allowed)

    @property
    def may_others_speak(self) -> bool:
        """Return True if the settings let others than the owner speak. An id may be that of a group chat."""
        talking = {id for id, rights in self.rights_by_id.items() if Right.TALK in rights}
        return self.is_public or bool((self.allowed_ids | self.allowed_roles | talking) - {self.owner_id})


CLOSED_ACCESS = Access()
AccessByChannel = Mapping[str, Access]  # by channel


def owner_addresses(accesses: AccessByChannel, first: str) -> list[Address]:
    """Return the addresses where owners are told of faults. The address on channel `first` is the first."""
    ordered = sorted(accesses, key=lambda name: name != first)
    return [at for name in ordered if (at := accesses[name].owner_address)]
