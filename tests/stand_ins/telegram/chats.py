"""One chat: its people, its messages, and what bots may do there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum, auto

from telegram.constants import ReactionEmoji

from tests.stand_ins.telegram.errors import Json, bad, forbidden
from tests.stand_ins.telegram.messages import Message
from tests.stand_ins.telegram.people import BOT_ID, Person

GENERAL = 1  # the topic that every forum has: messages go there without its number
BOT_REACTIONS = frozenset(str(each) for each in ReactionEmoji)  # the only emoji with which bots may react
NO_TEXT_RIGHT = "not enough rights to send text messages to the chat"


class Kind(StrEnum):
    PRIVATE = auto()
    GROUP = auto()
    SUPERGROUP = auto()


class Standing(StrEnum):
    """A bot's status in a chat, in the platform's words."""

    MEMBER = auto()
    ADMINISTRATOR = auto()
    RESTRICTED = auto()
    LEFT = auto()
    KICKED = auto()


@dataclass(eq=False)
class Topic:
    id: int
    name: str
    service: Message
    is_closed: bool = False


@dataclass(frozen=True, slots=True)
class Action:
    """An action that the bot showed, for example typing. `at` is seconds by the server's clock."""

    action: str
    thread: int
    at: float


@dataclass(frozen=True, slots=True)
class ShownDraft:
    """A text that the bot is still writing, as the person sees it: for half a minute, or until the next message."""

    number: int
    text: str
    entities: list[Json]
    thread: int
    at: float
    can_stop: bool = False


@dataclass(eq=False, kw_only=True)
class Chat:
    """The state of one chat. People act on it through a Room."""

    id: int
    kind: Kind
    numbers: Iterator[int]  # the numbers of its messages
    title: str = ""
    username: str = ""
    people: dict[int, Person] = field(default_factory=dict)
    admins: set[int] = field(default_factory=set)
    is_forum: bool = False
    is_started: bool = True  # whether the person of a private chat has ever written to the bot
    standings: dict[int, Standing] = field(default_factory=lambda: {BOT_ID: Standing.MEMBER})  # by the bot's id
    reactions: frozenset[str] = BOT_REACTIONS  # that its admins permit
    refusal: str = ""  # why the bot may not write, if it may not
    migrated_to: Chat | None = None
    messages: dict[int, Message] = field(default_factory=dict)  # with deleted ones
    topics: dict[int, Topic] = field(default_factory=dict)
    actions: list[Action] = field(default_factory=list)
    drafts: list[ShownDraft] = field(default_factory=list)  # all that the bot has shown

    @property
    def is_group(self) -> bool:
        return self.kind is not Kind.PRIVATE

    @property
    def standing(self) -> Standing:
        """The standing of the bot that tests are about."""
        return self.standings[BOT_ID]

    @property
    def person(self) -> Person:
        """Return the person of a private chat."""
        return next(iter(self.people.values()))

    def as_json(self) -> Json:
        whole: Json = {"id": self.id, "type": self.kind.value}
        if not self.is_group:
            whole["first_name"] = self.person.name
            return {**whole, "username": self.person.username} if self.person.username else whole
        whole["title"] = self.title
        if self.username:
            whole["username"] = self.username
        return {**whole, "is_forum": True} if self.is_forum else whole

    def seen(
        self, thread: int | None = None, *, where: Callable[[Message], bool] = lambda message: True
    ) -> list[Message]:
        """Return what a person sees now in the chat or in one topic, oldest first."""
        there = [message for message in self.messages.values() if message.deleted_at is None and where(message)]
        return [message for message in there if thread is None or message.thread == thread]

    def texts(self, thread: int | None = None) -> list[str]:
        return [message.text for message in self.seen(thread)]

    def check_known(self, bot: int) -> None:
        """Raise Refusal unless the bot may see the chat. A bot without a standing has never met it."""
        if bot not in self.standings:
            raise bad("chat not found")
        if self.migrated_to:
            raise bad("group chat was upgraded to a supergroup chat", migrate_to_chat_id=self.migrated_to.id)
        where = f"{self.kind} chat"
        match self.standings[bot]:
            case Standing.KICKED if not self.is_group:
                raise forbidden("bot was blocked by the user")
            case Standing.KICKED:
                raise forbidden(f"bot was kicked from the {where}")
            case Standing.LEFT:
                raise forbidden(f"bot is not a member of the {where}")
        if not self.is_group and self.person.is_deactivated:
            raise forbidden("user is deactivated")
        if not self.is_started:
            raise forbidden("bot can't initiate conversation with a user")

    def check_writable(self, bot: int) -> None:
        """Raise Refusal unless the bot may write in the chat."""
        self.check_known(bot)
        if self.standings[bot] is Standing.RESTRICTED:
            raise bad(self.refusal or NO_TEXT_RIGHT)

    def check_thread(self, thread: int, bot: int, *, for_typing: bool = False) -> None:
        """Raise Refusal unless the bot may write in this topic. 0 means no topic."""
        if not thread or (for_typing and self.is_forum and thread == GENERAL):
            return
        topic = self.topics.get(thread)
        if topic is None:
            raise bad("message thread not found")
        if topic.is_closed and self.standings[bot] is not Standing.ADMINISTRATOR:
            raise bad("TOPIC_CLOSED")

    def find(self, number: int) -> Message | None:
        """Return a message that exists now, or None."""
        message = self.messages.get(number)
        return message if message and message.deleted_at is None else None

    def placed(self, reply_to: Message | None, thread: int) -> tuple[Message | None, int]:
        """Return the message that a new message is shown to answer, and its thread, as the platform fills them in.

        In a topic, a message that answers nothing answers the topic's first message. In a supergroup without topics,
        the thread of an answer is the number of the first message of that chain of answers. It is no topic.
        """
        if self.is_forum:
            thread = thread or (reply_to.thread if reply_to else 0)
            topic = self.topics.get(thread)
            return reply_to or (topic.service if topic else None), thread
        if self.kind is Kind.SUPERGROUP and reply_to:
            return reply_to, reply_to.thread or reply_to.id
        return reply_to, 0

    def keep(self, message: Message) -> Message:
        self.messages[message.id] = message
        return message
