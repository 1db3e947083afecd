"""Who may speak, what each person may use the bot for, and whose commands are answered.

The settings decide who may speak. The owner may let in others in a chat.
"""

from datetime import datetime, timedelta

from bot.core.access import CLOSED_ACCESS
from bot.core.limits import DecisionTerms
from bot.core.messages import Address, InboundMessage, Sender
from bot.core.rights import EVERY_RIGHT, NO_RIGHTS, Rights
from bot.store import chats, group_starts, guests
from bot.store.connection import Connection

COMMAND_ANSWER_INTERVAL = timedelta(minutes=1)  # in a group chat, between two answers to the same command
COMMANDS_WITH_ARGUMENT = ("/log", "/stop", "/tell", "/retry", "/budget", "/model", "/effort", "/memory", "/mode")
MAX_COUNTED_ARGUMENT_CHARACTERS = 60


def rights_of_sender(
    db: Connection, address: Address, sender: Sender, group_chat: str | None, terms: DecisionTerms
) -> Rights:
    """Return a person's rights at this address; none if they may not speak. The settings about the person come first,
    then what the owner has set, then the settings about the group chat, then the owner's decision about it."""
    access, channel = terms.access_by_channel.get(address.channel, CLOSED_ACCESS), address.channel
    if access.is_owner(sender):
        return EVERY_RIGHT
    if sender.id in access.rights_by_id:
        return access.rights_by_id[sender.id]
    names = []  # the group chat's names in the settings: it may have moved since then
    if group_chat:
        names = [group_chat, *(former.chat for former in chats.list_former_addresses(db, address.whole_chat))]
    if not access.may_speak(sender, names):
        guest = guests.find_guest(db, channel, sender.id)
        if guest is None and not group_starts.is_open_to_everybody(db, channel, names):
            return NO_RIGHTS
        if guest and guest.is_revoked:
            return NO_RIGHTS
    if (found := guests.find_granted_rights(db, channel, sender.id)) is not None:
        return found
    return next((access.rights_by_id[each] for each in names if each in access.rights_by_id), access.others_rights)


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
