"""To which other chats a turn may send something: chats in which its own person talks with the bot."""

from dataclasses import dataclass

from bot.core.clients import is_of_client
from bot.core.group import Groups
from bot.core.limits import DecisionTerms
from bot.core.messages import Address, GroupName, Sender
from bot.core.rights import Right
from bot.core.turn import Turn
from bot.journal import admission, people
from bot.journal.openings import find_group_at_address
from bot.store import chats
from bot.store.connection import Connection
from bot.store.people import split_account_key


@dataclass(frozen=True, slots=True)
class OtherChat:
    address: Address
    group: GroupName  # whose chat it is; NO_GROUP if the lead answers there


def list_other_chats(db: Connection, turn: Turn, groups: Groups, terms: DecisionTerms) -> list[OtherChat]:
    """Return the other chats to which a turn may send a text, by address. Its person has written there, with one of
    their accounts, and may still talk there. What others read there too stays within the walls of the turn's group: it
    is a chat of that group, or of one that the turn may ask. The threads of clients are none: nobody reads them."""
    within = {turn.group, *(each.name for each in groups.groups_askable_by(turn.group, turn.address))}
    found = set[OtherChat]()
    for key in people.list_account_keys(db, turn.address.channel, turn.person, terms):
        channel, account = split_account_key(key)
        for address, group_chat in chats.list_chats_written_in(db, channel, account):
            sender, group = Sender(id=account, name=""), find_group_at_address(db, address, groups)
            is_open = Right.TALK in admission.rights_of_sender(db, address, sender, group_chat, terms)
            is_elsewhere = address != turn.address and not is_of_client(address)
            if is_open and is_elsewhere and (group_chat is None or group in within):
                found.add(OtherChat(address, group))
    return sorted(found, key=lambda each: str(each.address))
