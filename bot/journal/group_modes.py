"""Which messages of a group chat are for the bot: the chat's mode, and who may change it by `/mode`."""

from collections.abc import Sequence
from enum import StrEnum

from bot.core.group_chats import ChatMode
from bot.core.limits import DecisionTerms
from bot.core.messages import Address, InboundKind, InboundMessage, MessageId, OverheardMessage
from bot.core.rights import Right
from bot.core.texts import people_groups as people
from bot.journal.admission import is_owner, rights_of_sender
from bot.store import group_chats, inbox
from bot.store.connection import Connection

ADMIN_COMMANDS = ("/mode", "/whereami")  # an admin of a chat may give these without any right


class Verdict(StrEnum):
    """What is done with a message of a group chat."""

    ANSWER = "answer"  # it is for the bot, and gets what was said before it
    STORE = "store"  # it goes on as it is: an edit of a message that is kept
    STORE_AND_HEAR = "store and hear"  # its sender may not use the bot, so it is only talk
    HEAR = "hear"  # it is talk
    DROP = "drop"


def judge_group_messages(
    db: Connection, messages: Sequence[InboundMessage | OverheardMessage], terms: DecisionTerms
) -> dict[MessageId, Verdict]:
    modes: dict[Address, ChatMode] = {}
    verdicts: dict[MessageId, Verdict] = {}
    for event in messages:
        message = event.message if isinstance(event, OverheardMessage) else event
        chat = message.address.whole_chat
        if chat not in modes:
            modes[chat] = group_chats.load_chat_mode(db, chat)
        verdicts[message.id] = judge_group_message(db, event, modes[chat], verdicts.get(message.id), terms)
    return verdicts


def judge_group_message(
    db: Connection,
    event: InboundMessage | OverheardMessage,
    mode: ChatMode,
    before: Verdict | None,
    terms: DecisionTerms,
) -> Verdict:
    """Return what is done with a message. `before` is the verdict about an earlier event of the batch with the same
    message: one of both is its edit."""
    message = event.message if isinstance(event, OverheardMessage) else event
    if before in (Verdict.ANSWER, Verdict.STORE, Verdict.STORE_AND_HEAR):
        return before
    if message.is_edit and inbox.is_message_kept(db, message.id):
        return Verdict.STORE  # also if it is not for the bot any more: what waits must not keep the old words
    if mode is ChatMode.OFF and not message.is_unseen_by_others:  # that is a command
        return Verdict.DROP
    if isinstance(event, OverheardMessage) and not is_overheard_for_bot(db, event, mode, terms):
        return Verdict.HEAR
    if inbox.is_message_kept(db, message.id):
        return Verdict.STORE
    if may_talk(db, message, terms):
        return Verdict.ANSWER
    return Verdict.STORE if message.is_unseen_by_others else Verdict.STORE_AND_HEAR  # a command is no talk


def is_overheard_for_bot(db: Connection, event: OverheardMessage, mode: ChatMode, terms: DecisionTerms) -> bool:
    """Return True if a message that does not address the bot is for it all the same."""
    message = event.message
    if event.is_between_people:
        return False
    has_follow_ups = terms.settings.group_chats.follow_ups and message.address.thread is not None
    is_wanted = mode is ChatMode.ALWAYS or (has_follow_ups and group_chats.has_answered_at(db, message.address))
    return is_wanted and may_talk(db, message, terms)


def may_talk(db: Connection, message: InboundMessage, terms: DecisionTerms) -> bool:
    return Right.TALK in rights_of_sender(db, message.address, message.sender, message.group_chat, terms)


def is_command_of_chat_admin(message: InboundMessage) -> bool:
    """Return True for a command that an admin of the group chat may give, no matter who else may use the bot there."""
    return message.is_from_chat_admin and message.kind is InboundKind.COMMAND and message.command in ADMIN_COMMANDS


def answer_mode_command(db: Connection, message: InboundMessage, terms: DecisionTerms) -> str:
    """Show or set the mode of a group chat. Return what to answer."""
    if message.group_chat is None:
        return people.MODE_IN_PRIVATE()
    chat, wanted = message.address.whole_chat, " ".join(message.text.split()[1:]).casefold()
    if not wanted:
        return people.MODE_IS(mode=people.MODES[group_chats.load_chat_mode(db, chat)]())
    if wanted not in list(ChatMode):
        return people.NO_SUCH_MODE(mode=wanted[:20])
    mode = ChatMode(wanted)
    is_by_owner = is_owner(db, message.address.channel, message.sender.id, terms)
    if mode is ChatMode.ALWAYS and not is_by_owner:
        return people.MODE_OF_OWNER()
    if not (is_by_owner or message.is_from_chat_admin):
        return people.MODE_OF_ADMINS()
    group_chats.save_chat_mode(db, chat, mode, terms.now)
    return people.MODE_IS(mode=people.MODES[mode]())
