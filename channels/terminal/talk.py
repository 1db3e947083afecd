"""What the person here says: in which conversation it goes, and whether it answers a question."""

import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Protocol

from bot.core.channel import Publish
from bot.core.messages import (
    Address,
    InboundKind,
    InboundMessage,
    LastExchange,
    MessageId,
    OutboundId,
    OutboundKind,
    OutboundMessage,
    PersonId,
    PlatformId,
    QuestionId,
    Sender,
    TurnCost,
)
from channels.terminal import people_texts

CHANNEL = "terminal"
LOCAL_ADDRESS = Address(channel=CHANNEL, chat="local")
OWNER = PersonId("local")  # whoever may open the data folder
NEW, STOP = "/new", "/stop"
LEAVE_WORDS = frozenset({"exit", "quit", "/exit", "/quit", ":q"})
QUESTION_KINDS = (OutboundKind.QUESTION, OutboundKind.APPROVAL)
COMMAND_ALIASES = {"/clear": NEW, "/cost": "/usage"}  # what other programs call it


class ConversationRows(Protocol):
    """What the rows say about this chat at this moment. The terminal itself remembers nothing."""

    def find_unanswered(self) -> Sequence[MessageId]:
        """What was written here and is at work or waits."""
        ...

    def open_questions(self) -> Sequence[OutboundMessage]:
        """The questions that are open here, oldest first."""
        ...

    def is_answered(self, message: MessageId) -> bool:
        """Whether the turn that took this message has come to its own end: with an answer, and no excuse for one."""
        ...

    def last_exchange(self) -> LastExchange | None:
        """What was said last in the newest conversation here; None if nothing was."""
        ...

    def cost_of(self, reply: OutboundId) -> TurnCost | None:
        """What a turn came to that this reply has ended; None if it is no such reply."""
        ...


class Talk:
    """One run of the chat. It goes on with the newest conversation, or opens a new one with its first message: an
    opening that nothing follows would leave an empty conversation behind."""

    def __init__(
        self,
        look: ConversationRows,
        name: str,
        *,
        goes_on: bool,
        address: Address = LOCAL_ADDRESS,
        patience: float | None = None,
    ) -> None:
        self.look = look
        self.address = address
        self.patience = patience  # seconds to wait for a model that is away
        self.sender = Sender(id=OWNER, name=name)
        self.left_open: frozenset[MessageId] = frozenset()  # what an earlier run left open
        self.opening: MessageId | None = None
        self.earlier_exchange: LastExchange | None = (
            None  # what was said last in the conversation that this goes on with
        )
        self._is_open = goes_on

    def begin(self) -> None:
        """Look at what is there already. The rows must be open by now, and found whole."""
        self.left_open = frozenset(self.look.find_unanswered())
        self.earlier_exchange = self.look.last_exchange() if self._is_open else None

    def is_leaving(self, text: str) -> bool:
        """Return True if this is a word to leave by. While a question is open it is an answer."""
        return text.strip().casefold() in LEAVE_WORDS and not self.look.open_questions()

    async def say(self, text: str, publish: Publish) -> None:
        """Publish what was typed."""
        await publish(self.messages_for(text))

    def messages_for(self, text: str) -> list[InboundMessage]:
        """What is to be published for what was typed, its message last: an answer where a question is open, the oldest
        first; else a message or command."""
        text = COMMAND_ALIASES.get(text.strip(), text)
        if text.startswith("/"):
            self._is_open |= text.split()[0] == NEW
            return [self.message(text)]
        if asked := self.look.open_questions():
            return [self.message(text, reply_to=PlatformId(asked[0].id))]
        return [*self.opening_messages(), self.message(text)]

    async def answer(self, question: OutboundMessage, text: str, publish: Publish) -> None:
        """Answer one question and no other."""
        await publish([self.message(text, kind=InboundKind.ANSWER, question=QuestionId(question.id))])

    def opening_messages(self) -> list[InboundMessage]:
        """What opens a new conversation, once."""
        if self._is_open:
            return []
        self._is_open = True
        opening = self.message(NEW)
        self.opening = opening.id
        return [opening]

    def is_about_opening(self, message: OutboundMessage) -> bool:
        """The person has asked for no new conversation in words, and needs none about it."""
        return self.opening is not None and message.id.startswith(f"{self.opening}:")

    def is_left_over(self, message: OutboundMessage) -> bool:
        return message.reply_to in self.left_open

    def message(
        self,
        text: str,
        *,
        kind: InboundKind = InboundKind.TEXT,
        reply_to: PlatformId | None = None,
        question: QuestionId | None = None,
    ) -> InboundMessage:
        now = datetime.now(UTC)
        return InboundMessage(
            id=MessageId(f"{CHANNEL}-{secrets.token_hex(8)}"),
            address=self.address,
            sender=self.sender,
            text=text.encode(errors="replace").decode(),  # half a character, as a pipe may give it, cannot be stored
            sent_at=now,
            cursor=str(int(now.timestamp() * 1000)),  # so that it is known which conversation is the newest
            kind=kind,
            reply_to=reply_to,
            question=question,
            patience=self.patience,
        )


def answer_hint(question: OutboundMessage) -> str:
    return people_texts.CHOOSE if question.options else people_texts.WRITE
