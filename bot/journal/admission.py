"""Who may speak, what each person may use the bot for, and whose commands are answered.

The settings decide who may speak. The owner may let in others in a chat.
"""

from collections.abc import Collection
from datetime import datetime, timedelta

from bot.core.access import CLOSED_ACCESS, Access
from bot.core.limits import DecisionTerms
from bot.core.messages import Address, InboundMessage, PersonId, Sender
from bot.core.rights import EVERY_RIGHT, NO_RIGHTS, Right, Rights
from bot.journal.people import is_account_of_owner, person_key
from bot.store import chats, group_starts, guests, server_roles
from bot.store.connection import Connection
from bot.store.people import OWNER_KEY, PersonKey, account_key, split_account_key

COMMAND_ANSWER_INTERVAL = timedelta(minutes=1)  # in a group chat, between two answers to the same command
COMMANDS_WITH_ARGUMENT = (
    "/log",
    "/stop",
    "/tell",
    "/retry",
    "/budget",
    "/model",
    "/effort",
    "/memory",
    "/link",
    "/schedules",
    "/timezone",
    "/language",
    "/mode",
    "/help",
)
MAX_COUNTED_ARGUMENT_CHARACTERS = 60


def rights_of_sender(
    db: Connection, address: Address, sender: Sender, group_chat: str | None, terms: DecisionTerms
) -> Rights:
    """Return a person's rights at this address; none if they may not speak. The settings about the person come first,
    then what the owner has set, then the settings about the group chat and the person's roles there, which add up. The
    owner may let everybody there talk."""
    access, channel = terms.access_by_channel.get(address.channel, CLOSED_ACCESS), address.channel
    if access.is_owner(sender):
        return EVERY_RIGHT
    if sender.id in access.rights_by_id:
        return access.rights_by_id[sender.id]
    names = list_names_of_group_chat(db, address, group_chat) if group_chat else []
    by_roles = access.rights_by_roles(list_server_roles(db, channel, sender, group_chat, access))
    is_let_in = access.may_speak(sender, names)
    if not is_let_in and (guest := guests.find_guest(db, channel, sender.id)):
        if guest.is_revoked:
            return by_roles
        is_let_in = True
    elif not is_let_in:
        is_let_in = group_starts.is_open_to_everybody(db, channel, names)
    granted, person = guests.find_granted_rights_and_person(db, channel, sender.id)
    if (is_let_in or by_roles) and granted is not None:
        return granted
    of_group_chat = next((access.rights_by_id[each] for each in names if each in access.rights_by_id), None)
    if person and person != account_key(channel, sender.id):
        of_person = rights_of_linked_person(db, person, of_group_chat, terms)
        if Right.TALK in of_person:
            return of_person | by_roles if granted is None else granted
    if not is_let_in:
        return by_roles
    return by_roles | (access.others_rights if of_group_chat is None else of_group_chat)


def list_server_roles(
    db: Connection, channel: str, sender: Sender, group_chat: str | None, access: Access
) -> Collection[str]:
    """Return a person's roles in a server: those that came with the message, else those that were last seen."""
    if not access.allowed_roles or group_chat is None:
        return ()
    if sender.server_roles is None:
        return server_roles.find_server_roles(db, channel, group_chat, sender.id)
    return [each.id for each in sender.server_roles]


def remember_server_roles(db: Connection, message: InboundMessage, access: Access) -> None:
    """Keep which of the roles in the settings a person has in a server, for what happens without a message of theirs. A
    role that was taken away counts until their next message, because the platform tells it no sooner."""
    told = message.sender.server_roles
    if access.allowed_roles and message.group_chat and told is not None:
        roles = access.allowed_roles.intersection(each.id for each in told)
        server_roles.save_server_roles(db, message.address.channel, message.group_chat, message.sender.id, roles)


def list_names_of_group_chat(db: Connection, address: Address, group_chat: str) -> list[str]:
    """Return the ids that the settings may use for a group chat: it may have moved since then."""
    return [group_chat, *(former.chat for former in chats.list_former_addresses(db, address.whole_chat))]


def is_owner(db: Connection, channel: str, account: PersonId, terms: DecisionTerms) -> bool:
    """Return True if an account counts as the owner: one that the settings name, or one that is linked with such an
    account and has every right. The owner may have left a linked account fewer."""
    if is_account_of_owner(channel, account, terms):
        return True
    if person_key(db, channel, account, terms) != OWNER_KEY:
        return False
    at, sender = Address(channel=channel, chat=account), Sender(id=account, name="")
    return rights_of_sender(db, at, sender, None, terms) == EVERY_RIGHT


def rights_of_linked_person(
    db: Connection, person: PersonKey, of_group_chat: Rights | None, terms: DecisionTerms
) -> Rights:
    """Return the rights of an account that is linked with this person, where the owner has not decided about the
    account itself: those of the person's first account, as they are now. If the owner has not decided about that one
    either, the settings about the group chat hold."""
    channel, account = split_account_key(person)
    access = terms.access_by_channel.get(channel, CLOSED_ACCESS)
    first = Sender(id=account, name="")
    if access.is_owner(first):
        return EVERY_RIGHT
    if account in access.rights_by_id:
        return access.rights_by_id[account]
    if not access.may_speak(first, ()):
        guest = guests.find_guest(db, channel, account)
        if guest is None or guest.is_revoked:
            return NO_RIGHTS
    granted = guests.find_granted_rights(db, channel, account)
    if granted is not None:
        return granted
    return access.others_rights if of_group_chat is None else of_group_chat


def claim_command_answer(db: Connection, message: InboundMessage, command: str, now: datetime) -> bool:
    """Return True if a command is answered, and note that it is. In a group chat the same command of the same person is
    answered at most once a minute, unless only that person sees the answer. Otherwise one person could fill the lane
    that carries everybody's answers."""
    if message.group_chat is None or message.is_answered_privately:
        return True
    chat, argument = message.address.whole_chat, ""
    if command in COMMANDS_WITH_ARGUMENT:
        argument = " ".join(message.text.casefold().split()[1:])[:MAX_COUNTED_ARGUMENT_CHARACTERS]
    asked = f"{command} {message.sender.id} {argument}"
    return chats.note_command_answered_unless_recent(db, chat, asked, now, unless_since=now - COMMAND_ANSWER_INTERVAL)
