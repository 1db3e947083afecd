"""Who may talk with the bot and what it may do for them, by the settings and by what the owner has decided in chats."""

from collections.abc import Iterator

from bot.config.channel_access import accesses_of_channels
from bot.core.access import Access
from bot.core.group_chats import ChatMode
from bot.core.messages import Address, PersonId
from bot.core.program_names import retinue_command
from bot.core.rights import GUEST_RIGHTS, Right, Rights
from bot.ops.audit import texts
from bot.ops.audit.subject import AuditedBot, Fault
from bot.store import group_chats, group_starts, guests
from bot.store.connection import Connection
from bot.store.group_starts import GroupDecision

WEB_AND_FILES = frozenset({Right.WEB, Right.READ_FILES})


def enabled_accesses(bot: AuditedBot) -> dict[str, Access]:
    names = bot.config.channels.list_enabled_channels()
    return {name: access for name, access in accesses_of_channels(bot.config).items() if name in names}


def find_channels_open_to_everybody(bot: AuditedBot) -> Iterator[Fault]:
    for name, access in enabled_accesses(bot).items():
        if access.is_public:
            yield Fault(text=texts.OPEN_TO_EVERYBODY(channel=name), remedy=texts.LIST_PEOPLE(channel=name))


def find_channels_without_owner(bot: AuditedBot) -> Iterator[Fault]:
    for name, access in enabled_accesses(bot).items():
        if access.owner_id is None:
            command = retinue_command("setup")
            yield Fault(text=texts.NO_OWNER(channel=name), remedy=texts.SET_OWNER(channel=name, command=command))


def find_rights_of_everybody(bot: AuditedBot) -> Iterator[Fault]:
    for name, access in enabled_accesses(bot).items():
        if more := access.others_rights - GUEST_RIGHTS:
            text = texts.OTHERS_HAVE_MORE(channel=name, rights=list_rights(more))
            yield Fault(text=text, remedy=texts.NAME_PEOPLE(channel=name))


def find_web_and_files(bot: AuditedBot) -> Iterator[Fault]:
    for name, id, rights in list_named_people(bot):
        if rights >= WEB_AND_FILES:
            text = texts.WEB_AND_FILES(channel=name, id=id)
            yield Fault(text=text, remedy=texts.TAKE_ONE_RIGHT(channel=name, id=id))


def find_open_gate(bot: AuditedBot) -> Iterator[Fault]:
    if not bot.config.approvals.enabled:
        yield Fault(text=texts.GATE_IS_OPEN, remedy=texts.CLOSE_GATE)


def find_shell(bot: AuditedBot) -> Iterator[Fault]:
    for name, id, rights in list_named_people(bot):
        if Right.SHELL in rights:
            yield Fault(text=texts.HAS_SHELL(channel=name, id=id), remedy=texts.TAKE_SHELL(channel=name, id=id))


def find_trusted_clients_with_much(bot: AuditedBot) -> Iterator[Fault]:
    """Yield a fault for each client that could do much harm if a page had fooled it: its tasks count as a person's."""
    for name, client in bot.config.clients.items():
        if client.trust_tasks and (Right.SHELL in client.rights or client.rights >= WEB_AND_FILES):
            text = texts.CLIENT_HAS_MUCH(client=name, rights=list_rights(client.rights))
            yield Fault(text=text, remedy=texts.LIMIT_CLIENT(client=name))


def list_named_people(bot: AuditedBot) -> Iterator[tuple[str, str, Rights]]:
    """Yield the channel, the id and the rights of everybody that the settings name, except owners."""
    for name, access in enabled_accesses(bot).items():
        for id, rights in access.rights_by_id.items():
            if id != access.owner_id:
                yield name, id, rights


def find_rights_given_in_chats(bot: AuditedBot) -> Iterator[Fault]:
    """Yield a fault for each guest or group chat with more rights than guests have, as the owner decided in a chat."""
    nothing: list[tuple[str, PersonId, Rights]] = []
    for channel, id, rights in bot.read_rows(list_rights_given_in_chats, nothing):
        if more := rights - GUEST_RIGHTS:
            text = texts.GUEST_HAS_MORE(channel=channel, id=id, rights=list_rights(more))
            yield Fault(text=text, remedy=texts.CHANGE_GUEST(channel=channel, id=id))


def list_rights_given_in_chats(db: Connection) -> list[tuple[str, PersonId, Rights]]:
    known = [(each.channel, each.person) for each in guests.list_guests(db) if not each.is_revoked]
    known += [(each.channel, PersonId(each.group_chat)) for each in group_starts.list_group_starts(db)]
    found = ((*each, guests.find_granted_rights(db, *each)) for each in dict.fromkeys(known))
    return [(channel, id, rights) for channel, id, rights in found if rights]


def find_chats_that_hear_everything(bot: AuditedBot) -> Iterator[Fault]:
    """Yield a fault for each group chat where everybody may talk and each message begins a turn."""
    accesses, nothing = enabled_accesses(bot), list[tuple[Address, str]]()
    for address, title in bot.read_rows(lambda db: list_open_chats(db, accesses), nothing):
        yield Fault(text=texts.ALWAYS_ANSWERS(chat=address, title=title), remedy=texts.ANSWER_IF_MENTIONED)


def list_open_chats(db: Connection, accesses: dict[str, Access]) -> list[tuple[Address, str]]:
    """Return the group chats where everybody may talk, and the bot answers everything; with their titles."""
    found = []
    for start in group_starts.list_group_starts(db):
        access = accesses.get(start.channel)
        if access is None or start.address is None:
            continue
        named = start.group_chat in access.allowed_ids or start.group_chat in access.rights_by_id
        is_open = access.is_public or named or start.decision is GroupDecision.EVERYBODY
        if is_open and group_chats.load_chat_mode(db, start.address.whole_chat) is ChatMode.ALWAYS:
            found.append((start.address, start.title))
    return found


def list_rights(rights: Rights) -> str:
    return ", ".join(sorted(rights))
