"""The bus: the one door both ways between the channels and everything else in this process.

**In.** A channel publishes what has come in. When `publish` returns, the batch is durable, and the platform may forget
it. The dispatcher subscribes: it wakes, opens a turn where a message waits, and runs it.

**Out.** What is said is posted in the transaction that says it: `post(db, message, now)`. So a role's update is
durable with the reply that made it, and an answer with the end of its turn. Nothing else adds a row to the outbox.
Each channel's courier subscribes: it wakes after the commit, and carries the message to the platform.

A wake-up carries names and no message: its reader reads the rows. So nothing is lost if the process dies in between.
Only drafts and what running calls report live in memory, the newest of each turn, and any of them may be lost.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from enum import IntEnum

from bot.core.call_progress import CallProgress, ProgressByTurn
from bot.core.channel import KnownChat
from bot.core.command_choices import ChoiceRequest, CommandChoice
from bot.core.exits import clean_choice, clean_message, clean_outgoing, current_exit_rules
from bot.core.messages import (
    Address,
    Draft,
    InboundEvent,
    MessageId,
    OutboundId,
    OutboundKind,
    OutboundMessage,
    Reaction,
)
from bot.core.turn import CallId, Turn, TurnId
from bot.store import Store, chats, delivery, outbox
from bot.store.connection import MESSAGES_WAITING_TOPIC, Connection, outbox_topic
from bot.store.signals import Topic, WakeUpSignal

TakeInBatch = Callable[[Sequence[InboundEvent]], Awaitable[None]]
ListCommandChoices = Callable[[ChoiceRequest], Awaitable[Sequence[CommandChoice]]]


async def offer_no_choices(request: ChoiceRequest) -> Sequence[CommandChoice]:
    return ()


class Urgency(IntEnum):
    """What is sent first in a lane. Messages of one root turn and of all turns below it still keep their order."""

    ACKNOWLEDGEMENT = 0  # the reply to a command, a tap or a stop
    ANSWER = 1  # the reply that ends a turn, or a question
    USUAL = 2

    @classmethod
    def for_message(cls, message: OutboundMessage) -> Urgency:
        match message.kind:
            case OutboundKind.NOTICE if message.reply_to:
                return cls.ACKNOWLEDGEMENT
            case OutboundKind.REPLY | OutboundKind.QUESTION | OutboundKind.APPROVAL:
                return cls.ANSWER
        return cls.USUAL


def post(
    db: Connection,
    message: OutboundMessage,
    now: datetime,
    *,
    turn: TurnId | None = None,
    about: str | None = None,
    urgency: Urgency | None = None,
) -> bool:
    """Post a message: it is in the outbox when this transaction commits, cleaned by the rules for all that goes out.
    Return False if its id was posted before.
    `turn` is the turn that is writing a draft. `about` is the id of the failed message that a notice reports."""
    if urgency is None:
        urgency = Urgency.for_message(message)
    return outbox.add_outbound_message(
        db, clean_and_report_message(message), now, urgency=urgency, turn=turn, about=about
    )


def clean_and_report_message(message: OutboundMessage) -> OutboundMessage:
    """Return a message as people may read it. If it has held a secret of the settings, the operator is told."""
    rules = current_exit_rules()
    cleaned, removed = clean_message(message, rules)
    if removed:
        rules.on_secrets_kept_back(message.id, removed)
    return cleaned


def revise_board(db: Connection, board: OutboundMessage) -> OutboundMessage:
    """Replace what a board says in this revision. Return the board as people may read it."""
    cleaned = clean_and_report_message(board)
    outbox.rewrite_board(db, cleaned)
    return cleaned


def replace_shown_options(db: Connection, id: OutboundId, text: str) -> None:
    """Edit a sent message: its options go, and `text` is added to what it says."""
    rules = current_exit_rules()
    cleaned, removed = clean_outgoing(text, rules)
    if removed:
        rules.on_secrets_kept_back(id, removed)
    outbox.replace_shown_options_with_text(db, id, cleaned)


def post_notice(
    db: Connection,
    id: str,
    address: Address,
    text: str,
    now: datetime,
    *,
    rings: bool = False,
    reply_to: MessageId | None = None,
    urgency: Urgency | None = None,
    is_folded: bool = False,
    reaction: Reaction | None = None,
    max_parts: int | None = None,
) -> bool:
    """Post the harness's own words. Return False if the id was posted before. A notice in reply to a tap or a command
    acknowledges it. A notice rings only if a fault waits for its reader. A `reaction` says the same as the text.
    If it has more than `max_parts`, the whole follows as a file."""
    message = OutboundMessage(
        id=OutboundId(id),
        address=address,
        kind=OutboundKind.NOTICE,
        text=text,
        is_quiet=not rings,
        is_folded=is_folded,
        reaction=reaction,
        reply_to=reply_to,
        max_parts=max_parts,
    )
    return post(db, message, now, urgency=urgency)


def withdraw(db: Connection, id: OutboundId) -> None:
    """Withdraw a message in any state. What is shown of it is deleted, and nothing is lost if that happens late."""
    sent = delivery.find_delivery(db, id)
    if sent is None:
        return
    if sent.unknown_since and not sent.platform_ids:  # it may or may not be there: not worth a search
        delivery.discard_message_untold(db, id)
    else:
        outbox.blank_message_for_deletion(db, sent.message)


class Bus:
    """Publish what comes in, subscribe to either half, and show drafts. (To post, a transaction calls `post`.)"""

    def __init__(self, rows: Store, take_in: TakeInBatch, list_choices: ListCommandChoices = offer_no_choices) -> None:
        self._rows = rows
        self._take_in = take_in
        self._list_choices = list_choices
        self._drafts: dict[str, dict[str, Draft]] = defaultdict(dict)
        self._typing: dict[str, dict[str, Draft]] = defaultdict(dict)
        self._progress: dict[TurnId, CallProgress] = {}
        self._new_progress: dict[str, dict[TurnId, CallProgress]] = defaultdict(dict)  # by channel: not taken yet

    # In

    async def publish(self, batch: Sequence[InboundEvent]) -> None:
        """Take in one batch. When this returns, the platform may forget it."""
        await self._take_in(batch)

    async def list_known_chats(self, channel: str) -> Sequence[KnownChat]:
        """Return the chats that are known on a channel, and how far it has read each history, the furthest first."""
        return await self._rows.read(chats.list_known_chats, channel)

    async def list_command_choices(self, request: ChoiceRequest) -> Sequence[CommandChoice]:
        """Return what may follow the command that somebody types."""
        rules = current_exit_rules()
        return [clean_choice(choice, rules) for choice in await self._list_choices(request)]

    def subscribe_inbound(self, *also: Topic) -> AbstractContextManager[WakeUpSignal]:
        """Subscribe to messages that wait for a turn, and to these topics. The signal's names are addresses."""
        return self.subscribe(MESSAGES_WAITING_TOPIC, *also)

    # Out

    def subscribe_outbound(self, channel: str) -> AbstractContextManager[WakeUpSignal]:
        """Subscribe to what is posted to a channel, or revised there. The signal's names are addresses."""
        return self.subscribe(outbox_topic(channel))

    def wake_outbound_subscriber(self, channel: str, addresses: Iterable[Address] = ()) -> None:
        """Wake the subscriber of a channel's outbound messages, to look at these addresses again."""
        self._rows.signals.wake({outbox_topic(channel): set(map(str, addresses))})

    # Other topics

    def subscribe(self, *topics: Topic) -> AbstractContextManager[WakeUpSignal]:
        """Return the signal of these topics. Clear it before reading the rows, and wait for it afterwards."""
        return self._rows.signals.listen(*topics)

    def wake_subscriber(self, topic: Topic, name: str = "") -> None:
        self._rows.signals.wake({topic: {name}})

    # Drafts

    def subscribe_drafts(self, channel: str) -> AbstractContextManager[WakeUpSignal]:
        return self.subscribe(drafts_topic(channel))

    def wake_draft_subscriber(self, channel: str) -> None:
        """Wake the subscriber of a channel's drafts: a draft that stayed here may be taken now."""
        self.wake_subscriber(drafts_topic(channel))

    def hand_draft_to_courier(self, draft: Draft) -> None:
        """Show a turn's draft in place of the one before. A draft without text says that the turn is at work, and
        on what, if the activity is known."""
        channel = draft.address.channel
        drafts, typing = self._drafts[channel], self._typing[channel]
        before = typing.get(draft.turn)
        if draft.text:
            is_waiting, drafts[draft.turn] = draft.turn in drafts, draft
            if is_waiting:  # the subscriber was woken for the earlier one, and will take this one
                return
        elif draft.activity is not None and draft.turn in drafts:
            drafts[draft.turn] = replace(drafts[draft.turn], activity=draft.activity)
        elif draft.activity is not None or before is None:
            typing[draft.turn] = draft
        self.wake_draft_subscriber(channel)

    def take_drafts_without_text(self, channel: str) -> list[Draft]:
        """Return the drafts without text since the last call, of turns that have not written any text since."""
        typing = self._typing.pop(channel, {})
        return [draft for draft in typing.values() if draft.turn not in self._drafts[channel]]

    def take_drafts(self, channel: str, besides: Collection[str] = ()) -> list[Draft]:
        """Return the drafts since the last call, one per turn. Drafts of the turns in `besides` stay here."""
        drafts = self._drafts[channel]
        return [drafts.pop(turn) for turn in list(drafts) if turn not in besides]

    def has_draft_waiting(self, shown: Draft) -> bool:
        """Return True if the turn has a newer draft than the shown one."""
        return shown.turn in self._drafts[shown.address.channel]

    def forget_draft(self, channel: str, turn: TurnId) -> None:
        """Do not show a draft that waits: its reply is whole or has failed, so other text follows."""
        self._drafts[channel].pop(turn, None)

    def take_newer_draft_or_given(self, draft: Draft) -> Draft:
        return self._drafts[draft.address.channel].pop(draft.turn, draft)

    # Progress of calls

    def report_progress(self, progress: CallProgress) -> None:
        """Show what a call reports, in place of what its turn's calls have reported before."""
        channel, turn = progress.turn.address.channel, progress.turn.id
        is_waiting = turn in self._new_progress[channel]
        self._progress[turn] = self._new_progress[channel][turn] = progress
        if not is_waiting:
            self.wake_draft_subscriber(channel)

    def take_progress(self, channel: str, besides: Collection[TurnId] = ()) -> list[CallProgress]:
        """Return the progress since the last call, one per turn. That of the turns in `besides` stays here."""
        new = self._new_progress[channel]
        return [new.pop(turn) for turn in list(new) if turn not in besides]

    def progress_by_turn(self) -> ProgressByTurn:
        """Return the newest line that the running calls of each turn have reported."""
        return {turn: progress.line for turn, progress in self._progress.items()}

    def forget_progress(self, turn: Turn, call: CallId) -> None:
        """Show no more of what a call has reported: it is over."""
        told = self._progress.get(turn.id)
        if told is None or told.call != call:
            return
        del self._progress[turn.id]
        self._new_progress[turn.address.channel].pop(turn.id, None)
        if turn.is_root:
            self.hand_draft_to_courier(Draft(turn=turn.id, address=turn.address, text="", activity=told.activity))


def drafts_topic(channel: str) -> Topic:
    return Topic(f"drafts:{channel}")
