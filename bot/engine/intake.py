"""Take in events: check who may speak, and find commands and answers. Afterwards the events are durable."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from bot.core import phrases
from bot.core.access import CLOSED_ACCESS, owner_addresses
from bot.core.content_blocks import LATE_MESSAGE_SECONDS
from bot.core.group import Groups
from bot.core.languages import speaking
from bot.core.languages.said_again import say_again
from bot.core.limits import DecisionTerms, GetCurrentTerms
from bot.core.messages import (
    WAIT_NOTICE_ID_SUFFIX,
    Address,
    BotAddedEvent,
    BotRemovedEvent,
    ChatMovedEvent,
    HistoryReadEvent,
    InboundEvent,
    InboundKind,
    InboundMessage,
    MessageDeletedEvent,
    MessageMark,
    NamelessMessage,
    OverheardMessage,
    PersonId,
    Sender,
    UnreadableEvent,
    role_display_name,
)
from bot.core.rights import NO_RIGHTS, Right, Rights
from bot.core.texts import logs, people
from bot.engine import board_buttons, commands, delegation_retry, delegation_steering, edits, long_messages
from bot.engine.asked_aloud import show_question_in_chat
from bot.engine.file_intake import end_mark_of_receipt, files_to_take_in, take_in_files
from bot.engine.group_talk import GroupTalk, split_after_private_taps
from bot.engine.people_commands import answer_tap_of_owner
from bot.journal import (
    admission,
    background,
    forgetting,
    group_modes,
    group_starts,
    invitations,
    marks,
    memory_command,
    memory_confirmation,
    openings,
    pairing,
    questions,
    schedule_commands,
    steering,
)
from bot.journal import people_rights as people_command
from bot.journal.bus import Urgency, post_notice
from bot.journal.clock import time_on_clock_of_sender
from bot.journal.languages import language_of_chat, language_of_owner, language_of_sender, remember_told_language
from bot.store import Store, chats, inbox, turns
from bot.store.connection import Connection
from bot.store.questions import ButtonQuestion, Question, list_open_questions

MAX_AGE_OF_UNKNOWN_EDIT = timedelta(hours=48)  # later edits that first address us are ignored
MaxDownloadBytes = Mapping[str, int | None]  # by channel: the largest file that its platform gives; None: any
UNREADABLE_SENDER = Sender(id=PersonId(""), name="")  # if it is unreadable; may speak only where everybody may

# The channel reports how far it has read again; the others are only talk, or about a message that was deleted.
EVENTS_NOT_SET_ASIDE = (HistoryReadEvent, OverheardMessage, MessageDeletedEvent, NamelessMessage)

log = logging.getLogger(__name__)


class Intake:
    def __init__(
        self,
        store: Store,
        resolver: openings.RoleResolver,
        terms: GetCurrentTerms,
        max_download_bytes: MaxDownloadBytes | None = None,
    ) -> None:
        self.store = store
        self.resolver = resolver
        self.terms = terms
        self.talk = GroupTalk(store, terms)
        self.max_download_bytes = max_download_bytes or {}

    async def take_in_batch_or_single_events(self, batch: Sequence[InboundEvent]) -> None:
        """Take in one batch. If that fails, take its events one by one, and set aside those that fail."""
        for part in split_after_private_taps(batch):
            await self.take_in_part_or_single_events(part)

    async def take_in_part_or_single_events(self, part: Sequence[InboundEvent]) -> None:
        try:
            await self.classify_and_store_batch(part)
        except Exception:  # one event is at fault: the others must not be lost with it
            log.exception(logs.BATCH_ONE_BY_ONE, len(part))
            for event in part:
                try:
                    await self.classify_and_store_batch([event])
                except Exception as error:  # keep this event as it came, so it delays nothing behind it
                    log.exception(logs.EVENT_SET_ASIDE)
                    if not isinstance(event, EVENTS_NOT_SET_ASIDE):
                        aside = to_unreadable_event(event, type(error).__name__)  # its text may quote a message
                        await self.store.write(store_events_and_open_turns, [aside], self.resolver, self.terms(), {})

    async def classify_and_store_batch(self, batch: Sequence[InboundEvent]) -> None:
        terms = self.terms()
        found, talk = await self.talk.split_batch(batch)
        if not found:
            return
        try:
            events = [await self.mark_command_or_save_long_text(event, terms) for event in found]
            most = self.max_download_bytes
            await self.store.write(store_events_and_open_turns, events, self.resolver, terms, most)
        except Exception:  # the events are taken in again, one by one, and the talk has to come along then
            self.talk.restore_lines(talk)
            raise

    async def mark_command_or_save_long_text(self, event: InboundEvent, terms: DecisionTerms) -> InboundEvent:
        """Mark commands as commands. Save a text that is too long for a prompt as a file, also one for a role."""
        if not isinstance(event, InboundMessage) or event.kind not in (InboundKind.TEXT, InboundKind.COMMAND):
            return event
        if event.text.startswith("/") and event.text[1:].strip():
            command, words = delegation_steering.split_words_from_tell(event.text)
            kept = await self.save_long_text(replace(event, text=words), terms)
            return replace(kept, kind=InboundKind.COMMAND, text=command + kept.text)
        return await self.save_long_text(event, terms)

    async def save_long_text(self, message: InboundMessage, terms: DecisionTerms) -> InboundMessage:
        if len(message.text) <= long_messages.MAX_MESSAGE_CHARACTERS_IN_PROMPT:
            return message
        groups = self.resolver.last_loaded_groups()
        folder = await self.store.write(long_messages.note_long_text, message, groups, terms)
        return long_messages.replace_long_text_with_file(message, folder) if folder else message


def to_unreadable_event(
    event: InboundMessage | UnreadableEvent | ChatMovedEvent | BotAddedEvent | BotRemovedEvent, why: str
) -> UnreadableEvent:
    """Return the event in the form that is set aside, without its address if the database cannot store that."""
    raw = ascii(event)
    if not isinstance(event, InboundMessage):
        return UnreadableEvent(id=event.id, channel=event.channel, raw_event=raw, parse_error=why)
    address: Address | None = event.address
    try:
        str(address)
    except UnicodeEncodeError:
        address = None
    kept = UnreadableEvent(id=event.id, channel=event.address.channel, raw_event=raw, parse_error=why, address=address)
    return replace(kept, sender=event.sender, group_chat=event.group_chat)


def rights_of_writer(db: Connection, event: InboundMessage | UnreadableEvent, terms: DecisionTerms) -> Rights:
    if event.address is None:
        return NO_RIGHTS
    return admission.rights_of_sender(db, event.address, event.sender or UNREADABLE_SENDER, event.group_chat, terms)


def store_events_and_open_turns(
    db: Connection,
    batch: Sequence[InboundEvent],
    resolver: openings.RoleResolver,
    terms: DecisionTerms,
    max_download_bytes: MaxDownloadBytes,
) -> None:
    """Keep a batch, run its commands, and open root turns where none is open, all in one transaction."""
    addresses = set()
    for event in batch:
        match event:
            case UnreadableEvent():
                store_and_report_unreadable_event(db, event, terms)
            case ChatMovedEvent():
                if inbox.add_placeholder_inbox_row(db, event.id, event.channel, terms.now):
                    chats.move_chat(db, event.channel, event.old, event.new)
            case BotAddedEvent():
                group_starts.greet_group_and_ask_owner(db, event, terms)
            case BotRemovedEvent():
                group_starts.note_removal(db, event, terms)
            case NamelessMessage():
                group_starts.tell_nameless_writer(db, event, terms)
            case MessageDeletedEvent():
                inbox.drop_waiting_message(db, event.message)
            case HistoryReadEvent():
                chats.save_history_cursor(db, event.address, event.cursor, event.place)
            case InboundMessage():
                most = max_download_bytes.get(event.address.channel)
                with speaking(language_of_sender(db, event, terms)):
                    addresses |= take_in_message_and_return_addresses(db, event, resolver, terms, most)
    openings.open_root_turns(db, resolver, terms, addresses)


def take_in_message_and_return_addresses(
    db: Connection,
    message: InboundMessage,
    resolver: openings.RoleResolver,
    terms: DecisionTerms,
    max_download_bytes: int | None,
) -> set[str]:
    """Take in one message. Return the addresses where a turn may be opened for it."""
    if message.cursor:
        chats.save_history_cursor(db, message.address, message.cursor, message.place)
    access = terms.access_by_channel.get(message.address.channel, CLOSED_ACCESS)
    admission.remember_server_roles(db, message, access)
    if Right.TALK not in rights_of_writer(db, message, terms) and not group_modes.is_command_of_chat_admin(message):
        is_new = inbox.add_placeholder_inbox_row(db, message.id, message.address.channel, terms.now)
        is_private = message.group_chat is None
        is_done = is_new and is_private and invitations.answer_code_of_stranger(db, message, terms)
        may_ask = access.may_strangers_pair and message.kind is not InboundKind.ANSWER
        if is_new and is_private and may_ask and not is_done:
            pairing.request_pairing(db, message, access, terms)
        return set()
    if message.is_edit:
        is_kept = edits.follow_edit(db, message, max_download_bytes, terms)
        if is_kept or terms.now - message.sent_at > MAX_AGE_OF_UNKNOWN_EDIT:
            return set()
        message = replace(message, sent_at=terms.now)  # the message is new to us, so it is not late
    message = replace(message, files=files_to_take_in(message))
    added = inbox.add_message_of_person(db, message, terms.now)
    if added is None:
        return set()
    remember_told_language(db, message)
    if message.is_unseen_by_others:
        show_question_in_chat(db, message, terms)
    if message.kind is InboundKind.TEXT and terms.now - message.sent_at > timedelta(seconds=LATE_MESSAGE_SECONDS):
        once = f"late:{message.address}:{terms.now:%Y-%m-%dT%H}"  # once for many messages written while we were away
        said = people.WAS_AWAY(time=time_on_clock_of_sender(db, message, terms))
        post_notice(db, once, message.address, said, terms.now, urgency=Urgency.ANSWER)  # before the answer
    if message.files:
        arrived = take_in_files(db, message, max_download_bytes, terms, is_behind=added.is_behind_files)
        if arrived is None:
            return set()
        message = arrived
    if request := delegation_retry.rewrite_retry_as_request(db, message, terms, resolver):
        let_message_wait(db, request, terms, resolver.last_loaded_groups(), is_behind_files=added.is_behind_files)
    elif not handle_if_owner_request(db, message, terms, resolver.last_loaded_groups()):
        route_message(db, message, resolver, terms, is_behind_files=added.is_behind_files)
    if message.arrived_files:
        end_mark_of_receipt(db, message)
    return {str(message.address)}


def handle_if_owner_request(db: Connection, message: InboundMessage, terms: DecisionTerms, groups: Groups) -> bool:
    """Handle an owner's message about pairing, rights or groups. Return False if it is about something else, or from
    somebody else."""
    if message.kind is InboundKind.TEXT and not message.reply_to:
        return False
    if not admission.is_owner(db, message.address.channel, message.sender.id, terms):
        return False
    name = message.command if message.kind is InboundKind.COMMAND else ""
    private = name if message.group_chat is None else ""  # the command, if nobody else reads its answer
    if asked := pairing.find_pairing_answered_by_message(db, message):
        close_message_with_notice(db, message, pairing.apply_pairing_answer(db, asked, message, terms), terms)
    elif name == invitations.PAIR_COMMAND or (name and invitations.code_of_command(message)):
        close_message_with_notice(db, message, invitations.answer_pair_command(db, message, terms), terms)
    elif private == "/groups":
        close_message_with_notice(db, message, commands.describe_groups(groups), terms)
    elif private == "/people":
        close_message_with_notice(db, message, people_command.answer_people_command(db, message, terms), terms)
    elif (answer := answer_tap_of_owner(db, message, terms)) is not None:
        close_message_with_notice(db, message, answer, terms)
    else:
        return False
    return True


def find_tapped_button_by_action(db: Connection, message: InboundMessage, does: str) -> ButtonQuestion | None:
    """Return the button that the message taps, if that button does what `does` names; otherwise None."""
    button = questions.find_question_named_by_message(db, ButtonQuestion, message)
    return button if button and button.arguments["does"] == does else None


def store_and_report_unreadable_event(db: Connection, event: UnreadableEvent, terms: DecisionTerms) -> None:
    if not inbox.add_placeholder_inbox_row(
        db, event.id, event.channel, terms.now, text=event.raw_event, state="aside", why=event.parse_error
    ):
        return
    if event.address and Right.TALK in rights_of_writer(db, event, terms):
        writer = event.sender.id if event.sender and event.group_chat is None else None
        with speaking(language_of_chat(db, event.address, writer, terms)):
            post_notice(db, f"{event.id}:sorry", event.address, people.UNREADABLE(), terms.now)
    for owner_at in owner_addresses(terms.access_by_channel, event.channel)[:1]:
        once = f"aside:{event.channel}:{terms.today}"  # once a day: people who send garbage must not flood the owner
        with speaking(language_of_owner(db, owner_at.channel, terms)):
            said = people.SET_ASIDE(channel=event.channel, reason=say_again(event.parse_error))
            post_notice(db, once, owner_at, said, terms.now, rings=True)


def route_message(
    db: Connection,
    message: InboundMessage,
    resolver: openings.RoleResolver,
    terms: DecisionTerms,
    *,
    is_behind_files: bool = False,
    written_as: int | None = None,
) -> None:
    """Do what a message is for: settle memories, run a command, answer a question, or wait for a turn. If it is behind
    the files of an earlier message of its sender, it must not overtake that. `written_as` is its number if it has come
    to its turn only now: then it does not answer what was asked after it was written, unless it replies to that."""
    if button := find_tapped_button_by_action(db, message, memory_confirmation.MEMORY_BUTTON_ACTION):
        said = memory_confirmation.apply_tapped_memory_choice(db, button, message, terms)
        close_message_with_notice(db, message, said, terms)
    elif button := find_tapped_button_by_action(db, message, forgetting.FORGET_BUTTON_ACTION):
        close_message_with_notice(db, message, forgetting.apply_tapped_forgetting(db, button, message, terms), terms)
    elif button := find_tapped_button_by_action(db, message, schedule_commands.SCHEDULE_BUTTON_ACTION):
        said = schedule_commands.apply_tapped_change(db, button, message, terms)
        close_message_with_notice(db, message, said, terms)
    elif board_buttons.is_board_tap(message):
        said = board_buttons.carry_out_board_tap(db, message, terms)
        is_folded = board_buttons.asks_for_details(message)
        close_message_with_notice(db, message, said, terms, is_folded=is_folded)
    elif message.kind is InboundKind.COMMAND:
        if message.command == "/memory":
            group = openings.find_group_at_address(db, message.address, resolver.last_loaded_groups())
            said = memory_command.answer_memory_command(db, message, group, terms)
            may_answer = admission.claim_command_answer(db, message, "/memory", terms.now)
            close_message_with_notice(db, message, said if may_answer else "", terms)
        elif not commands.run_command_unless_it_waits(db, message, terms, resolver):
            let_message_wait(db, message, terms, resolver.last_loaded_groups(), is_behind_files=is_behind_files)
    elif commands.is_typed_stop_word(message) and (command := commands.stop_command_meant_by(db, message, terms)):
        commands.run_command_unless_it_waits(db, replace(message, text=command), terms, resolver)
    elif commands.is_typed_stop_word(message) and (ended := commands.find_ended_role_told_to_stop(db, message, terms)):
        said = people.ROLE_NOT_AT_WORK(role=role_display_name(ended.role))
        close_message_with_notice(db, message, said, terms)
    elif question := questions.find_question_answered_by_message(db, message, written_as):
        if not questions.is_question_for_sender(db, question, message, terms):
            close_message_with_notice(db, message, people.QUESTION_FOR_ANOTHER(), terms)
        elif not question.is_open:
            close_message_with_notice(db, message, people.QUESTION_CLOSED(), terms)
        else:
            answer_open_question(db, question, message, terms)
    elif message.kind is InboundKind.ANSWER:
        close_message_with_notice(db, message, people.NO_SUCH_QUESTION(), terms)
    elif is_behind_files:
        inbox.hold_message_until_files_arrive(db, message.id)
    elif (delegation := steering.find_delegation_replied_to(db, message, terms)) and delegation_steering.can_take_words(
        db, message, delegation, terms, resolver
    ):
        delegation_steering.give_words(db, message, delegation, terms, resolver)
    else:
        let_message_wait(db, message, terms, resolver.last_loaded_groups())


def answer_open_question(db: Connection, question: Question, message: InboundMessage, terms: DecisionTerms) -> None:
    """Answer a question with a message. If that is no answer to a question about cost, the question stays open, and
    the person reads what to write. Other words to a question whether a call may run say no, and why."""
    answer = delegation_steering.answer_in_words(question, message.text_or_attachments)
    if question.held_calls and not question.is_approval and not answer:
        close_message_with_notice(db, message, people.COST_QUESTION_IS_OPEN(), terms)
        return
    answer = answer or message.text_or_attachments
    inbox.mark_message_done(db, message.id)
    questions.answer_question(db, question, answer, message, terms)


def close_message_with_notice(
    db: Connection, message: InboundMessage, what: str, terms: DecisionTerms, *, is_folded: bool = False
) -> None:
    """Close a message that needs nothing more, and send the notice if there is one."""
    inbox.mark_message_done(db, message.id)
    if what:
        id, at, most = f"{message.id}:told", message.address, terms.settings.long_answer_parts
        post_notice(db, id, at, what, terms.now, reply_to=message.id, is_folded=is_folded, max_parts=most)


def let_message_wait(
    db: Connection, message: InboundMessage, terms: DecisionTerms, groups: Groups, *, is_behind_files: bool = False
) -> None:
    """Let a message wait in the queue. If the turn there only waits for roles, they go on in the background. It must
    not wait forever behind a question: if its writer is the turn's person, the question ends now; otherwise it gets a
    deadline. If it must wait for another person's turn or for delegations, say why: one notice per turn and person."""
    marks.mark_messages(db, message.address, [message.id], MessageMark.RECEIVED)
    if is_behind_files:
        inbox.hold_message_until_files_arrive(db, message.id)
        return
    root = turns.find_open_root_turn(db, message.address)
    if root is None:
        return
    wait = terms.timings.question_seconds_if_others_wait
    is_own, seconds = message.sender.id == root.person, None
    if is_own:
        questions.withdraw_approvals(db, list_open_questions(db, Question, root=root.id), message)
        questions.end_questions_overtaken_by_message(db, root.id, terms)
    elif questions.shorten_question_deadlines(db, root.id, terms.now + timedelta(seconds=wait), terms):
        seconds = wait
    if background.detach_roles_if_message_waits(db, root.id, terms, groups):
        return
    at_work = background.list_roles_without_room(db, root)
    may_join = is_own and terms.settings.busy == "steer" and message.kind is InboundKind.TEXT
    joins = may_join and not inbox.has_waiting_messages_of_others(db, root.address, root.person)
    if joins and not at_work:
        return
    waiting = {each.sender.id for each in inbox.list_waiting_messages(db, root.address)}
    before = len(waiting - {message.sender.id, root.person})
    said = phrases.why_message_waits(root, at_work if joins else [], is_own=is_own, seconds=seconds, before=before)
    about = message.id if message.kind is InboundKind.COMMAND else f"{root.id}:{message.sender.id}"
    post_notice(db, f"{about}{WAIT_NOTICE_ID_SUFFIX}", root.address, said, terms.now, reply_to=message.id)
