"""Turn what the person types into messages: choose the conversation, and whether a text answers a question."""

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
OWNER = PersonId("local")  # the owner is the person who may open the data folder
NEW, STOP = "/new", "/stop"
LEAVE_WORDS = frozenset({"exit", "quit", "/exit", "/quit", ":q"})
QUESTION_KINDS = (OutboundKind.QUESTION, OutboundKind.APPROVAL)
COMMAND_ALIASES = {"/clear": NEW, "/cost": "/usage"}  # other programs' names for these commands


class ConversationRows(Protocol):
    """What the store says about this chat now. The terminal itself remembers nothing."""

    def find_unanswered(self) -> Sequence[MessageId]:
        """Return the messages from here that wait or are being answered."""
        ...

    def open_questions(self) -> Sequence[OutboundMessage]:
        """Return the questions that are open here, oldest first."""
        ...

    def is_answered(self, message: MessageId) -> bool:
        """Return True if the turn that took this message ended with an answer, not with an excuse."""
        ...

    def last_exchange(self) -> LastExchange | None:
        """Return what was said last in the newest conversation here, or None if nothing was."""
        ...

    def cost_of(self, reply: OutboundId) -> TurnCost | None:
        """Return the cost of the turn that this reply has ended, or None if it is not such a reply."""
        ...


class Talk:
    """One run of the chat. It continues the newest conversation, or opens a new one together with its first message:
    opening it earlier could leave an empty conversation behind."""

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
        self.left_open: frozenset[MessageId] = frozenset()  # messages that an earlier run left unanswered
        self.opening: MessageId | None = None
        self.earlier_exchange: LastExchange | None = None  # in the conversation that this run continues
        self._is_open = goes_on

    def begin(self) -> None:
        """Read what the chat has already. The store must be open and checked by now."""
        self.left_open = frozenset(self.look.find_unanswered())
        self.earlier_exchange = self.look.last_exchange() if self._is_open else None

    def is_leaving(self, text: str) -> bool:
        """Return True if the text is a word for leaving. While a question is open, such a word is an answer."""
        return text.strip().casefold() in LEAVE_WORDS and not self.look.open_questions()

    async def say(self, text: str, publish: Publish) -> None:
        """Publish what was typed."""
        await publish(self.messages_for(text))

    def messages_for(self, text: str) -> list[InboundMessage]:
        """Return the messages to publish for a typed text. The text's own message is last, after one that opens a new
        conversation if none is open. It answers the oldest open question, if there is one, unless it is a command."""
        text = COMMAND_ALIASES.get(text.strip(), text)
        if text.startswith("/"):
            self._is_open |= text.split()[0] == NEW
            return [self.message(text)]
        if asked := self.look.open_questions():
            return [self.message(text, reply_to=PlatformId(asked[0].id))]
        if self._is_open:
            return [self.message(text)]
        self._is_open = True
        opening = self.message(NEW)
        self.opening = opening.id
        return [opening, self.message(text)]

    async def answer(self, question: OutboundMessage, text: str, publish: Publish) -> None:
        """Answer one question and no other."""
        await publish([self.message(text, kind=InboundKind.ANSWER, question=QuestionId(question.id))])

    def is_about_opening(self, message: OutboundMessage) -> bool:
        """Return True for a message about the opening. The person did not type it, so they need not see the answer."""
        return self.opening is not None and message.id.startswith(f"{self.opening}:")

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
            text=text.encode(errors="replace").decode(),  # a pipe may contain lone surrogates, which cannot be stored
            sent_at=now,
            cursor=str(int(now.timestamp() * 1000)),  # shows which conversation is the newest
            kind=kind,
            reply_to=reply_to,
            question=question,
            patience=self.patience,
        )


def answer_hint(question: OutboundMessage) -> str:
    return people_texts.CHOOSE if question.options else people_texts.WRITE
