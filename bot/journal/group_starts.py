"""How the bot starts in a group chat: it says how to address it, and its owner decides who may talk to it there. The
owner may decide again at any time, by `/people`. What the settings open is open as long as they say so, without a row.
"""

from collections.abc import Iterator

from bot.core.access import CLOSED_ACCESS, AccessByChannel
from bot.core.content_blocks import sanitize_and_shorten_name
from bot.core.languages import speaking
from bot.core.limits import DecisionTerms
from bot.core.messages import (
    Address,
    BotAddedEvent,
    BotRemovedEvent,
    InboundMessage,
    NamelessKind,
    NamelessMessage,
    OutboundId,
    OutboundKind,
    OutboundMessage,
    match_option,
)
from bot.core.phrases import list_rights
from bot.core.texts import Sentence, people, people_groups
from bot.journal import questions
from bot.journal.admission import is_owner, list_names_of_group_chat, rights_of_sender
from bot.journal.bus import post_notice
from bot.journal.languages import language_of_owner
from bot.store import chats, group_chats, inbox
from bot.store import group_starts as rows
from bot.store.connection import Connection
from bot.store.group_starts import GroupDecision, GroupStart
from bot.store.questions import ButtonQuestion, list_open_questions

GROUP_BUTTON_ACTION = "group"  # marks the questions about a group chat
DECISION_BY_OPTION: dict[Sentence, GroupDecision] = {
    people_groups.EVERYBODY_OPTION: GroupDecision.EVERYBODY,
    people_groups.OWNER_ONLY_OPTION: GroupDecision.OWNER_ONLY,
    people_groups.LEAVE_OPTION: GroupDecision.LEAVE,
}
NAMELESS_TEXTS = {
    NamelessKind.ANONYMOUS_ADMIN: people_groups.ANONYMOUS_ADMIN,
    NamelessKind.AS_CHANNEL: people_groups.AS_CHANNEL,
    NamelessKind.CHANNEL_POST: people_groups.CHANNEL_POST,
}


def greet_group_and_ask_owner(db: Connection, event: BotAddedEvent, terms: DecisionTerms) -> None:
    """Say hello in a new group chat, and ask the owner who may talk there, unless that is decided or asked. If the
    owner wanted to leave it before, leave it again, unless the owner has added the bot."""
    if not inbox.add_placeholder_inbox_row(db, event.id, event.channel, terms.now):
        return
    channel, group_chat = event.channel, event.group_chat
    former = rows.find_group_start(db, channel, group_chat)
    decision = former.decision if former else GroupDecision.NONE
    title = sanitize_and_shorten_name(event.title)
    adder = sanitize_and_shorten_name(event.added_by.name) if event.added_by else ""
    rows.add_group_start(db, channel, group_chat, event.address, title, terms.now)
    if decision is GroupDecision.LEAVE:
        if not (event.added_by and is_owner(db, channel, event.added_by.id, terms)):
            rows.save_group_decision(db, channel, group_chat, GroupDecision.LEAVE, terms.now)
            return
        decision = GroupDecision.NONE
        rows.save_group_decision(db, channel, group_chat, decision, terms.now)
    if is_open_in_settings(db, channel, group_chat, terms.access_by_channel):
        decision = GroupDecision.EVERYBODY
    if event.address:
        post_notice(db, f"{event.id}:hello", event.address, hello_text(event, decision, terms), terms.now)
    owner_at = terms.access_by_channel.get(channel, CLOSED_ACCESS).owner_address
    if owner_at and decision is GroupDecision.NONE and not is_asked_about(db, channel, group_chat):
        id = OutboundId(f"g{inbox.inbox_number_of_message(db, event.id)}")
        with speaking(language_of_owner(db, owner_at.channel, terms)):
            by = adder or people_groups.SOMEBODY()
            text = people_groups.WHO_MAY_TALK(person=by, title=title, channel=channel, chat=group_chat)
            ask_who_may_talk(db, id, owner_at, text, channel, group_chat, terms)


def is_open_in_settings(db: Connection, channel: str, group_chat: str, accesses: AccessByChannel) -> bool:
    """Return True if the settings let everybody in a group chat talk, so that there is nothing to decide."""
    access = accesses.get(channel, CLOSED_ACCESS)
    names = list_names_of_group_chat(db, Address(channel=channel, chat=group_chat), group_chat)
    return access.is_public or any(name in access.allowed_ids or name in access.rights_by_id for name in names)


def is_asked_about(db: Connection, channel: str, group_chat: str) -> bool:
    """Return True if the owner was asked about a group chat and has not answered."""
    asked = (each.arguments for each in list_open_questions(db, ButtonQuestion))
    of_groups = [each for each in asked if each["does"] == GROUP_BUTTON_ACTION and each["channel"] == channel]
    return group_chat in (chats.find_current_chat(db, channel, each["group_chat"]) for each in of_groups)


def ask_who_may_talk(
    db: Connection, id: OutboundId, at: Address, text: str, channel: str, group_chat: str, terms: DecisionTerms
) -> None:
    options = tuple(option() for option in DECISION_BY_OPTION)
    question = OutboundMessage(id=id, address=at, kind=OutboundKind.QUESTION, text=text, options=options)
    about = {"does": GROUP_BUTTON_ACTION, "channel": channel, "group_chat": group_chat}
    questions.ask_harness_question(db, question, about, terms.now)


def hello_text(event: BotAddedEvent, decision: GroupDecision, terms: DecisionTerms) -> str:
    settings = terms.settings.group_chats
    if not event.hears_whole_chat:
        hears: str = people_groups.HEARS_OWN()
    elif settings.keep_talk_hours and settings.talk_messages:
        hears = people_groups.KEEPS_TALK(hours=settings.keep_talk_hours)
    else:
        hears = people_groups.HEARS_ALL(settings.talk_messages) if settings.talk_messages else ""
    who = {
        GroupDecision.NONE: people_groups.OWNER_DECIDES(),
        GroupDecision.OWNER_ONLY: people_groups.OWNER_HAS_DECIDED(),
    }
    return " ".join(filter(None, [people_groups.HELLO(), hears, who.get(decision, "")]))


def apply_owner_decision(db: Connection, button: ButtonQuestion, message: InboundMessage, terms: DecisionTerms) -> str:
    """Write the owner's decision about a group chat. Return what to answer."""
    channel = button.arguments["channel"]
    group_chat = chats.find_current_chat(db, channel, button.arguments["group_chat"])
    option = match_option(button.options, message.text)
    found = rows.find_group_start(db, channel, group_chat)
    if not option or not button.is_open or found is None:
        return people.QUESTION_CLOSED()
    decision = tuple(DECISION_BY_OPTION.values())[button.options.index(option)]
    rows.save_group_decision(db, channel, group_chat, decision, terms.now)
    told = {
        GroupDecision.EVERYBODY: people_groups.EVERYBODY_MAY_TALK(title=found.title),
        GroupDecision.OWNER_ONLY: people_groups.OWNER_ONLY(title=found.title),
        GroupDecision.LEAVE: people_groups.LEAVING(title=found.title),
    }[decision]
    questions.close_question_and_remove_buttons(db, button.id, "answered", message.text, f"✅ {option}")
    return told


def close_group_chats(db: Connection, group_chat: str, terms: DecisionTerms) -> list[GroupStart]:
    """Let nobody talk in the group chats with this id only because they are there. Return those that were open."""
    found = [each for each in rows.list_group_starts(db) if each.group_chat == group_chat]
    closed = [each for each in found if each.decision is GroupDecision.EVERYBODY]
    for each in closed:
        rows.save_group_decision(db, each.channel, group_chat, GroupDecision.OWNER_ONLY, terms.now)
    return closed


def ask_again_who_may_talk(db: Connection, found: GroupStart, message: InboundMessage, terms: DecisionTerms) -> str:
    """Ask the owner who may talk in a group chat from now on. Return why not, if the settings decide that."""
    channel, group_chat = found.channel, found.group_chat
    if is_open_in_settings(db, channel, group_chat, terms.access_by_channel):
        return people_groups.OPEN_IN_SETTINGS(title=found.title, channel=channel)
    id = OutboundId(f"b{inbox.inbox_number_of_message(db, message.id)}")
    text = people_groups.WHO_MAY_TALK_NOW(line=group_line(db, found, terms.access_by_channel))
    ask_who_may_talk(db, id, message.address, text, channel, group_chat, terms)
    return ""


def group_lines(db: Connection, accesses: AccessByChannel) -> Iterator[str]:
    """Yield who may talk in each group chat that the bot was added to."""
    for each in rows.list_group_starts(db):
        yield group_line(db, each, accesses)


def group_line(db: Connection, group: GroupStart, accesses: AccessByChannel) -> str:
    is_open = is_open_in_settings(db, group.channel, group.group_chat, accesses)
    who = people_groups.OPEN_BY_SETTINGS() if is_open else people_groups.DECISIONS[group.decision]()
    return people_groups.GROUP_LINE(channel=group.channel, chat=group.group_chat, title=group.title, who=who)


def list_undecided_groups(db: Connection, accesses: AccessByChannel) -> list[GroupStart]:
    """Return the group chats that the bot is in and where nobody may talk yet, because nobody has decided that."""
    undecided = [each for each in rows.list_group_starts(db) if each.decision is GroupDecision.NONE]
    return [each for each in undecided if not is_open_in_settings(db, each.channel, each.group_chat, accesses)]


def note_removal(db: Connection, event: BotRemovedEvent, terms: DecisionTerms) -> None:
    if inbox.add_placeholder_inbox_row(db, event.id, event.channel, terms.now):
        rows.mark_group_left(db, event.channel, event.group_chat, terms.now)


def tell_nameless_writer(db: Connection, event: NamelessMessage, terms: DecisionTerms) -> None:
    """Say what to do, once for each chat and hour."""
    once = f"nameless:{event.kind}:{event.address.whole_chat}:{terms.now:%Y-%m-%dT%H}"
    post_notice(db, once, event.address, NAMELESS_TEXTS[event.kind](), terms.now)


def describe_place(db: Connection, message: InboundMessage, terms: DecisionTerms) -> str:
    """Return the ids of a chat and of a person, the chat's mode, and what the person may use the bot for."""
    address, group_chat = message.address, message.group_chat
    lines: list[str] = [people_groups.CHAT_ID(channel=address.channel, chat=address.chat)]
    if address.thread:
        lines.append(people_groups.THREAD_ID(thread=address.thread))
    if group_chat and group_chat != address.chat:
        lines.append(people_groups.SERVER_ID(server=group_chat))
    lines.append(people_groups.PERSON_ID(person=message.sender.id))
    if group_chat:
        mode = group_chats.load_chat_mode(db, address.whole_chat)
        lines.append(people_groups.MODE_LINE(mode=people_groups.MODES[mode]()))
        lines += [] if message.hears_whole_chat else [people_groups.PRIVACY_MODE_ON()]
    allowed = terms.access_by_channel.get(address.channel, CLOSED_ACCESS).allowed_roles
    for role in message.sender.server_roles or ():
        known_as = f"{sanitize_and_shorten_name(role.name)} {role.id}" if role.name else role.id
        if role.id in allowed:
            lines.append(people_groups.ALLOWED_ROLE_LINE(role=known_as))
        else:
            lines.append(people_groups.ROLE_LINE(role=known_as))
    rights = rights_of_sender(db, address, message.sender, group_chat, terms)
    return "\n".join([*lines, people_groups.RIGHTS_LINE(rights=list_rights(rights))])
