"""How the bot starts in a group chat: it says how to address it, and its owner decides who may talk to it there."""

from bot.core.access import CLOSED_ACCESS
from bot.core.content_blocks import sanitize_and_shorten_name
from bot.core.languages import speaking
from bot.core.limits import DecisionTerms
from bot.core.messages import (
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
from bot.core.rights import format_rights
from bot.core.texts import Sentence, people, people_groups
from bot.journal import questions
from bot.journal.admission import rights_of_sender
from bot.journal.bus import post_notice
from bot.journal.languages import language_of_owner
from bot.store import group_chats, inbox
from bot.store import group_starts as rows
from bot.store.connection import Connection
from bot.store.group_starts import GroupDecision
from bot.store.questions import ButtonQuestion

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
    """Say hello in a new group chat, and ask the owner who may talk there: once for each chat. If the owner wanted to
    leave it before, leave it again, unless the owner has added the bot."""
    if not inbox.add_placeholder_inbox_row(db, event.id, event.channel, terms.now):
        return
    access = terms.access_by_channel.get(event.channel, CLOSED_ACCESS)
    former = rows.find_group_start(db, event.channel, event.group_chat)
    title = sanitize_and_shorten_name(event.title)
    adder = sanitize_and_shorten_name(event.added_by.name) if event.added_by else ""
    is_by_owner = event.added_by is not None and access.is_owner(event.added_by)
    rows.add_group_start(db, event.channel, event.group_chat, event.address, title, adder, terms.now)
    if former and former.decision is GroupDecision.LEAVE:
        back_to = GroupDecision.NONE if is_by_owner else GroupDecision.LEAVE
        rows.save_group_decision(db, event.channel, event.group_chat, back_to, terms.now)
        if not is_by_owner:
            return
    is_open = access.is_public or event.group_chat in access.allowed_ids or event.group_chat in access.rights_by_id
    if is_open:
        rows.save_group_decision(db, event.channel, event.group_chat, GroupDecision.EVERYBODY, terms.now)
    was_asked = former is not None and former.decision is not GroupDecision.LEAVE
    is_open = is_open or (former is not None and former.decision is GroupDecision.EVERYBODY)
    if event.address:
        post_notice(db, f"{event.id}:hello", event.address, hello_text(event, terms, is_open=is_open), terms.now)
    if not (is_open or was_asked) and access.owner_address:
        about = {"does": GROUP_BUTTON_ACTION, "channel": event.channel, "group_chat": event.group_chat}
        with speaking(language_of_owner(db, access.owner_address.channel, terms)):
            by = adder or people_groups.SOMEBODY()
            question = OutboundMessage(
                id=OutboundId(f"g{inbox.inbox_number_of_message(db, event.id)}"),
                address=access.owner_address,
                kind=OutboundKind.QUESTION,
                text=people_groups.WHO_MAY_TALK(person=by, title=title, channel=event.channel, chat=event.group_chat),
                options=tuple(option() for option in DECISION_BY_OPTION),
            )
            questions.ask_harness_question(db, question, about, terms.now)


def hello_text(event: BotAddedEvent, terms: DecisionTerms, *, is_open: bool) -> str:
    settings = terms.settings.group_chats
    if not event.hears_whole_chat:
        hears: str = people_groups.HEARS_OWN()
    elif settings.keep_talk_hours and settings.talk_messages:
        hears = people_groups.KEEPS_TALK(hours=settings.keep_talk_hours)
    else:
        hears = people_groups.HEARS_ALL(settings.talk_messages) if settings.talk_messages else ""
    return " ".join(filter(None, [people_groups.HELLO(), hears, "" if is_open else people_groups.OWNER_DECIDES()]))


def apply_owner_decision(db: Connection, button: ButtonQuestion, message: InboundMessage, terms: DecisionTerms) -> str:
    """Write the owner's decision about a group chat. Return what to answer."""
    channel, group_chat = button.arguments["channel"], button.arguments["group_chat"]
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
    rights = rights_of_sender(db, address, message.sender, group_chat, terms)
    return "\n".join([*lines, people_groups.RIGHTS_LINE(rights=format_rights(rights))])
