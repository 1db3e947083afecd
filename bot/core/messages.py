"""What crosses the bus, and where it goes: addresses, people, and the messages in and out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NewType
from urllib.parse import quote, unquote

from bot.core.speaker_labels import without_false_labels, without_label

MessageId = NewType("MessageId", str)  # of an inbound message: unique in the tenant, which its channel sees to
OutboundId = NewType("OutboundId", str)  # of an outbound message: made of ids that we own
PlatformId = NewType("PlatformId", str)  # what a platform calls one message that it shows
PersonId = NewType("PersonId", str)
QuestionId = NewType("QuestionId", str)  # the id of the call that asks
RoleName = NewType("RoleName", str)
GroupName = NewType("GroupName", str)  # its folder's
NO_GROUP = GroupName("")  # of a chat that the lead answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A place to talk: one chat, or one thread of it, on one channel."""

    channel: str
    chat: str
    thread: str | None = None

    def __str__(self) -> str:
        parts = [self.channel, self.chat, *([] if self.thread is None else [self.thread])]
        return ":".join(quote(part, safe="") for part in parts)

    @property
    def as_typed(self) -> str:
        """As an operator writes it: without the escapes of its text form."""
        return ":".join(part for part in (self.channel, self.chat, self.thread) if part is not None)

    @property
    def whole_chat(self) -> Address:
        """The chat with all its threads, which share a budget."""
        return Address(channel=self.channel, chat=self.chat)

    @classmethod
    def parse(cls, text: str) -> Address:
        channel, chat, *thread = map(unquote, text.split(":"))
        return cls(channel=channel, chat=chat, thread=thread[0] if thread else None)


class Origin(StrEnum):
    """Who or what wrote an inbound message."""

    PERSON = "person"
    SCHEDULE = "schedule"
    DELEGATION = "delegation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    id: PersonId
    name: str
    origin: Origin = Origin.PERSON


class InboundKind(StrEnum):
    TEXT = "text"
    COMMAND = "command"
    ANSWER = "answer"  # a tap: it names its question
    REPORT = "report"  # what a background delegation found


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Words that came along with a message and are not its sender's: what it replies to, or what it forwards."""

    author: str
    text: str
    is_forwarded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class InboundMessage:
    """The only thing that starts a root turn.

    Its id is made of what the platform calls the message, so that an edit of it has the same. In a group chat, channels
    publish only what is addressed to the bot.
    """

    id: MessageId
    address: Address
    sender: Sender
    text: str
    sent_at: datetime
    kind: InboundKind = InboundKind.TEXT
    question: QuestionId | None = None
    reply_to: PlatformId | None = None
    group_chat: str | None = None  # the group chat or server it was written in, as `allow_from` has it; None in private
    quotes: tuple[Quote, ...] = ()
    attachments: tuple[str, ...] = ()  # what nobody here can read yet, in words: "a photo", "the file report.pdf"
    is_edit: bool = False  # it replaces the text while the message waits
    cursor: str | None = None  # where to go on in the chat's history, once this message is taken in
    place: str | None = None  # what its channel must know to find this address again, where the address does not say it
    kept_at: datetime | None = None  # when it was taken in
    patience: float | None = None  # seconds to wait for a model that is away; None: as the settings say

    @property
    def gist(self) -> str:
        """What it says, or else what it brings."""
        return self.text or ", ".join(self.attachments)

    @property
    def late_seconds(self) -> float:
        """How long it was under way, if it was taken in."""
        return max(0.0, (self.kept_at - self.sent_at).total_seconds()) if self.kept_at else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableEvent:
    """What a platform sent and nobody could parse: kept as it came, so that it blocks nothing behind it."""

    id: MessageId
    channel: str
    raw: str
    why: str
    address: Address | None = None  # where it came from, if that much was read: it is told there
    sender: Sender | None = None
    group_chat: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMoved:
    """A chat goes on under another name, because its platform has given it one."""

    id: MessageId
    channel: str
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRead:
    """Whatever was written at an address up to this cursor is taken in, or needs no answer."""

    address: Address
    cursor: str


Event = InboundMessage | UnreadableEvent | ChatMoved | HistoryRead


class OutboundKind(StrEnum):
    REPLY = "reply"
    UPDATE = "update"
    QUESTION = "question"
    APPROVAL = "approval"
    NOTICE = "notice"
    BOARD = "board"  # cosmetic, as is a draft: neither costs the others their place
    DRAFT = "draft"

    @property
    def is_cosmetic(self) -> bool:
        return self in (OutboundKind.BOARD, OutboundKind.DRAFT)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardLine:
    """How one delegation is doing. While it works, its time runs on from `since`; then `seconds` is all it took."""

    number: int  # what /stop calls it
    role: RoleName
    task: str  # its first words
    depth: int
    state: str  # waiting | working | asking, or the status it ended with
    since: datetime
    seconds: float | None
    cost: int  # millionths of a dollar, so far


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboundMessage:
    """The only thing a person reads. A question's options are its buttons, its id is the question's."""

    id: OutboundId
    address: Address
    kind: OutboundKind
    text: str
    role: RoleName | None = None  # None: the lead, which speaks without a label
    reply_to: MessageId | None = None
    options: tuple[str, ...] = ()
    is_quiet: bool = False  # it makes no sound anywhere
    replaces: OutboundId | None = None  # what is deleted once this is shown: a draft, or an update with the same text
    board: tuple[BoardLine, ...] = ()
    revision: int = 0  # of the text: showing a later one is an edit

    @property
    def is_cosmetic(self) -> bool:
        """Whether nothing is lost if it is never shown. A question is revised only when it is over: its buttons go."""
        is_over = self.kind is OutboundKind.QUESTION and self.revision > 0
        return self.kind.is_cosmetic or is_over or self.is_withdrawn

    @property
    def is_withdrawn(self) -> bool:
        """Whether nothing of it is to be seen any more."""
        return not self.text and self.kind in (OutboundKind.DRAFT, OutboundKind.UPDATE)

    @property
    def may_ring(self) -> bool:
        """Whether its first part may make a sound. No later part does, and no edit."""
        return not (self.is_quiet or self.kind.is_cosmetic)

    @property
    def text_without_labels(self) -> str:
        """The text as it is kept: channels put the label on, and nothing in it looks like one."""
        return without_false_labels(without_label(self.text, self.role) if self.role else self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The whole text that the model has written so far; it replaces the one before. An empty one means: at work."""

    turn: str
    address: Address
    text: str
    request: int = 0  # whose reply it is; 0 where there is no text yet
    activity: str | None = None  # what is being done: "reading README.md"; empty for nothing. None: as before


@dataclass(frozen=True, slots=True, kw_only=True)
class LastExchange:
    """What a person wrote last in a conversation, and what was answered to it."""

    said: str
    answers: tuple[str, ...]  # more than one if a report from the background was answered after it


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnCost:
    """What a turn came to, with all below it."""

    cost: int  # millionths of a dollar
    tokens: int
    seconds: float  # from its beginning to its end
    is_most: bool = False  # of some requests nobody knows what they came to: they count at their worst
