"""Everything that crosses the bus: messages in and out, with their addresses and people."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import NewType
from urllib.parse import quote, unquote

from bot.core.incoming_files import ArrivedFile, IncomingFile
from bot.core.outgoing_files import OutgoingFile
from bot.core.server_roles import ServerRole

MessageId = NewType("MessageId", str)  # of an inbound message; its channel makes it unique in the tenant
OutboundId = NewType("OutboundId", str)  # of an outbound message; made from ids that we own
PlatformId = NewType("PlatformId", str)  # a platform's id of one message that it shows
PersonId = NewType("PersonId", str)
QuestionId = NewType("QuestionId", str)  # the id of the call that asks
RoleName = NewType("RoleName", str)
GroupName = NewType("GroupName", str)  # the name of its folder
WAIT_NOTICE_ID_SUFFIX = ":wait"  # ends the id of a notice that says why a message waits
MAX_CACHED_ADDRESSES = 4_096  # whose texts are kept: each is written and read several times a turn
NO_GROUP = GroupName("")  # the lead answers in the chat


def role_display_name(role: str) -> str:
    """Return a role's name as people read it."""
    return role[:1].upper() + role[1:]


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A place to talk: one chat, or one thread of it, on one channel."""

    channel: str
    chat: str
    thread: str | None = None

    def __str__(self) -> str:
        return address_as_text(self)

    @property
    def as_typed(self) -> str:
        """Return the address as an operator writes it: without the escapes of `str`."""
        return ":".join(part for part in (self.channel, self.chat, self.thread) if part is not None)

    @property
    def whole_chat(self) -> "Address":
        """Return the address of the chat without a thread. All its threads share a budget."""
        return Address(channel=self.channel, chat=self.chat)

    @classmethod
    def parse(cls, text: str) -> "Address":
        return parse_address(text)


@lru_cache(MAX_CACHED_ADDRESSES)
def address_as_text(address: Address) -> str:
    parts = [address.channel, address.chat, *([] if address.thread is None else [address.thread])]
    return ":".join(quote(part, safe="") for part in parts)


@lru_cache(MAX_CACHED_ADDRESSES)
def parse_address(text: str) -> Address:
    channel, chat, *thread = map(unquote, text.split(":"))
    return Address(channel=channel, chat=chat, thread=thread[0] if thread else None)


class InboundOrigin(StrEnum):
    PERSON = "person"
    SCHEDULE = "schedule"
    DELEGATION = "delegation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    id: PersonId
    name: str
    origin: InboundOrigin = InboundOrigin.PERSON
    server_roles: tuple[ServerRole, ...] | None = None  # those of the group chat; None: not told with this message


class InboundKind(StrEnum):
    TEXT = "text"
    COMMAND = "command"
    ANSWER = "answer"  # a tap on a button; `question` names the question
    REPORT = "report"  # of a background delegation


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Another author's words that came with a message: what it replies to, what it forwards, or what people said in the
    group chat before it."""

    author: str
    text: str
    is_forwarded: bool = False
    is_earlier_talk: bool = False  # it was said in the group chat since the bot last spoke there
    only_names_files: bool = False  # its text says in words which files came with it, and nothing else


@dataclass(frozen=True, slots=True, kw_only=True)
class InboundMessage:
    """The only thing that starts a root turn. The platform's id is part of `id`, so an edit has the same `id`. In a
    group chat it is addressed to the bot; the rest of the talk comes as OverheardMessage."""

    id: MessageId
    address: Address
    sender: Sender
    text: str
    sent_at: datetime
    written: str | None = None  # the text without what its sender has not written: names in mentions; None: all of it
    kind: InboundKind = InboundKind.TEXT
    question: QuestionId | None = None
    reply_to: PlatformId | None = None
    group_chat: str | None = None  # the id of the group chat or server, as in `allow_from`; None in private
    quotes: tuple[Quote, ...] = ()
    attachments: tuple[str, ...] = ()  # what came along and cannot be fetched, in words: "a game"
    files: tuple[IncomingFile, ...] = ()  # what came along and its channel can fetch
    arrived_files: tuple[ArrivedFile, ...] = ()  # what became of them, once that is known
    album: str | None = None  # messages of one album have the same; they belong to one turn
    is_edit: bool = False  # it replaces the text while the message waits
    is_answered_privately: bool = False  # a command or tap whose answer only its sender sees
    is_unseen_by_others: bool = False  # a question by a command: the platform shows it to nobody else
    cursor: str | None = None  # where to continue in the chat's history after this message
    place: str | None = None  # what its channel needs besides the address to find the chat again
    kept_at: datetime | None = None  # when it was stored
    wants_summary: bool = False  # when its turn ends, one line of summary goes to where it was written
    patience: float | None = None  # seconds to wait for a model that is away; None: the default
    is_from_chat_admin: bool = False  # its sender administers the group chat; only looked up where a command needs it
    language: str = ""  # that its sender's app shows, as the platform tells it: a language tag, such as de-AT
    hears_whole_chat: bool = True  # False: the platform gives the bot only what is addressed to it

    @property
    def command(self) -> str:
        """Return the name of a command: `/stop` for `/Stop@our_bot researcher`; empty if there are no words."""
        return self.text.split(maxsplit=1)[0].partition("@")[0].casefold() if self.text.strip() else ""

    @property
    def written_text(self) -> str:
        """Return what of the text its sender has written."""
        return self.text if self.written is None else self.written

    @property
    def text_or_attachments(self) -> str:
        return self.text or ", ".join([*self.attachments, *(file.name or file.kind for file in self.arrived_files)])

    @property
    def seconds_until_stored(self) -> float:
        """Return the seconds between sending and storing it; 0 if it is not stored yet."""
        return max(0.0, (self.kept_at - self.sent_at).total_seconds()) if self.kept_at else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OverheardMessage:
    """What somebody said in a group chat and not to the bot. It stays in memory, unless the chat's mode, or a thread
    where the bot has answered, makes it a message for the bot."""

    message: InboundMessage
    is_between_people: bool = False  # it replies to somebody else or names somebody else


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageDeletedEvent:
    """Its writer has deleted a message. The words of a message that still waits are dropped."""

    message: MessageId
    address: Address


@dataclass(frozen=True, slots=True, kw_only=True)
class BotAddedEvent:
    """Somebody has added the bot to a group chat or server."""

    id: MessageId
    channel: str
    group_chat: str  # its id, as in `allow_from`
    title: str
    address: Address | None  # where the bot says hello; None: nowhere
    added_by: Sender | None  # None: the platform does not say
    hears_whole_chat: bool = True  # as in InboundMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class BotRemovedEvent:
    """The bot is no longer in a group chat or server."""

    id: MessageId
    channel: str
    group_chat: str


class NamelessKind(StrEnum):
    ANONYMOUS_ADMIN = "anonymous admin"
    AS_CHANNEL = "as channel"  # somebody writes in a group chat in the name of a channel
    CHANNEL_POST = "channel post"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamelessMessage:
    """A message that addresses the bot, and nobody can tell who wrote it. So nobody knows what its writer may do."""

    address: Address
    kind: NamelessKind


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableEvent:
    """An event of a platform that could not be parsed. It is stored as it came, so that it blocks no later event."""

    id: MessageId
    channel: str
    raw_event: str
    parse_error: str
    address: Address | None = None  # its chat, if that could be read; the chat is told
    sender: Sender | None = None
    group_chat: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMovedEvent:
    """The platform has given a chat a new id: `old` has become `new`."""

    id: MessageId
    channel: str
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryReadEvent:
    """All messages at an address up to this cursor are stored, or need no answer."""

    address: Address
    cursor: str
    place: str | None = None  # as in InboundMessage; None: as before


InboundEvent = (
    InboundMessage
    | OverheardMessage
    | MessageDeletedEvent
    | BotAddedEvent
    | BotRemovedEvent
    | NamelessMessage
    | UnreadableEvent
    | ChatMovedEvent
    | HistoryReadEvent
)


class OutboundKind(StrEnum):
    REPLY = "reply"
    UPDATE = "update"
    QUESTION = "question"
    APPROVAL = "approval"
    NOTICE = "notice"
    BOARD = "board"  # cosmetic, like a draft: other messages never wait for it
    DRAFT = "draft"

    @property
    def is_cosmetic(self) -> bool:
        return self in (OutboundKind.BOARD, OutboundKind.DRAFT)


class Reaction(StrEnum):
    """An emoji below a person's message. Telegram accepts only some emoji, these among them."""

    READS_NEXT = "👀"  # the role that the message is for reads it before its next step
    TAKES_UP = "✍"  # the role that the message is for had ended, and works again


class MessageMark(StrEnum):
    """What became of a person's message, as a channel shows it below the message. It replaces the mark before."""

    RECEIVED = "received"
    DONE = "done"
    FAILED = "failed"
    NONE = "none"

    @property
    def is_final(self) -> bool:
        return self is not MessageMark.RECEIVED


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardLine:
    """The state of one delegation. While it works, its time counts from `since`; at the end `seconds` is the total."""

    number: int  # its number for /stop
    role: RoleName
    task: str  # its first words
    depth: int
    state: str  # waiting | working | asking, or its final status
    since: datetime
    seconds: float | None
    cost: int  # millionths of a dollar, so far
    activity: str = ""  # what it does now: "reading README.md"; empty if no tool runs

    @property
    def is_open(self) -> bool:
        return self.seconds is None


class BoardAction(StrEnum):
    """What a button of a board does with the delegation whose number follows: `stop.2`. STOP_ALL has no number."""

    STOP = "stop"
    STOP_ALL = "stop-all"
    DETAILS = "details"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboundMessage:
    """The only thing a person reads. A question's `options` are its buttons, and its `id` is the question's id."""

    id: OutboundId
    address: Address
    kind: OutboundKind
    text: str
    role: RoleName | None = None  # None: the lead, which speaks without a label
    speaker_number: int | None = None  # of the delegation that speaks, if its role works several times at once
    reply_to: MessageId | None = None
    options: tuple[str, ...] = ()
    asked_person: PersonId | None = None  # who is to answer a question, or who asked what a reply answers
    is_quiet: bool = False  # it makes no sound anywhere
    is_folded: bool = False  # people see its beginning, and unfold the rest, where the platform can fold
    is_summary: bool = False  # of an ended turn, shown where the message that it replies to was written
    reaction: Reaction | None = None  # says the same as the text, in whose place it is shown where a platform can
    replaces: OutboundId | None = None  # deleted when this is shown: a draft, or an update with the same text
    board: tuple[BoardLine, ...] = ()
    files: tuple[OutgoingFile, ...] = ()  # shown together; the text is their caption
    max_parts: int | None = None  # of more parts only the first is shown, and the whole text follows as a file
    revision: int = 0  # of the text; a later revision is shown as an edit
    language: str = ""  # of what its channel adds in words

    @property
    def is_cosmetic(self) -> bool:
        """Return True if nothing is lost when it is not shown. A question has a revision only to remove its buttons."""
        is_over = self.kind in (OutboundKind.QUESTION, OutboundKind.APPROVAL) and self.revision > 0
        return self.kind.is_cosmetic or is_over or self.is_withdrawn

    @property
    def is_withdrawn(self) -> bool:
        return not (self.text or self.files) and self.kind in (OutboundKind.DRAFT, OutboundKind.UPDATE)

    @property
    def may_ring(self) -> bool:
        """Return True if its first part may make a sound. Later parts and edits never do."""
        return not (self.is_quiet or self.kind.is_cosmetic)


def match_option(options: Sequence[str], text: str, *, may_number: bool = True) -> str:
    """Return the option that the text names, by its words or, unless `may_number` is false, by its number; empty if the
    text names none."""
    text = text.strip()
    if may_number and text.isdecimal() and 0 < int(text) <= len(options):
        return options[int(text) - 1]
    return next((option for option in options if option.casefold() == text.casefold()), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The whole text that the model has written so far. It replaces the draft before. Empty text means: at work."""

    turn: str
    address: Address
    text: str
    request: int = 0  # the request that it answers; 0 if there is no text yet
    activity: str | None = None  # what the turn does: "reading README.md"; empty: nothing; None: as before


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """A delegation that asks a person something."""

    number: int  # its number for /tell
    is_in_background: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LastExchange:
    """A person's last message in a conversation, and the answers to it."""

    person_text: str
    answers: tuple[str, ...]  # several if reports of background delegations were answered too


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnCost:
    """What a turn and all turns below it used."""

    cost_micros: int  # millionths of a dollar
    tokens: int
    seconds: float  # from its beginning to its end
    is_upper_bound: bool = False  # an upper bound: some requests have an unknown cost, and count at their worst
