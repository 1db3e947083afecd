"""Turn what the person types into messages: choose the conversation, and whether a text answers a question."""

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Protocol

from bot.core import messages
from bot.core.channel import PublishFunction
from bot.core.incoming_files import IncomingFile
from channels.terminal import people_texts
from channels.terminal.attachments import split_attached_files

CHANNEL_NAME = "terminal"
LOCAL_ADDRESS = messages.Address(channel=CHANNEL_NAME, chat="local")
OWNER_ID = messages.PersonId("local")  # the owner is the person who may open the data folder
NEW_COMMAND, STOP_COMMAND = "/new", "/stop"
LEAVE_WORDS = frozenset({"exit", "quit", "/exit", "/quit", ":q"})
QUESTION_KINDS = (messages.OutboundKind.QUESTION, messages.OutboundKind.APPROVAL)
COMMAND_ALIASES = {"/clear": NEW_COMMAND, "/cost": "/usage"}  # other programs' names for these commands


class ConversationRows(Protocol):
    """What the store says about this chat now. The terminal itself remembers nothing."""

    def list_unanswered_message_ids(self) -> Sequence[messages.MessageId]:
        """Return the messages from here that wait or are being answered."""

    def list_open_question_messages(self) -> Sequence[messages.OutboundMessage]:
        """Return the questions that are open here, oldest first."""

    def find_asker(self, question: messages.OutboundId) -> messages.Asker | None:
        """Return the role's work that asks a question; None if the lead does."""

    def is_over(self, message: messages.MessageId, shown: Collection[messages.OutboundId]) -> bool:
        """Return True if a message is closed, or a role at work has it, and all that is said about it is shown. If a
        role that had ended works again and has it, it is over when that work is. `shown` are messages that have just
        been shown: the store may not say so yet."""

    def is_answered(self, message: messages.MessageId) -> bool:
        """Return True if the turn that took this message ended with an answer and not with an excuse."""

    def find_reply_of_direct_turn(self, message: messages.MessageId) -> messages.OutboundId | None:
        """Return the id of the answer that a role which had ended will give when its new work on this message is over;
        None if no such role has the message."""

    def last_exchange(self) -> messages.LastExchange | None:
        """Return what was said last in the newest conversation here, or None if nothing was."""

    def find_turn_cost_of_reply(self, reply: messages.OutboundId) -> messages.TurnCost | None:
        """Return the cost of the turn that this reply has ended, or None if it is not such a reply."""


@dataclass(kw_only=True)
class TerminalConversation:
    """One run of the chat. It continues the newest conversation, or opens a new one together with its first message:
    opening it earlier could leave an empty conversation behind."""

    rows: ConversationRows = field(kw_only=False)
    person_name: str = field(kw_only=False)
    is_continuing: bool  # from now on, messages continue the newest conversation
    address: messages.Address = LOCAL_ADDRESS
    patience_seconds: float | None = None  # seconds to wait for a model that is away
    left_unanswered: frozenset[messages.MessageId] = frozenset()  # messages that an earlier run left unanswered
    is_typed: bool = False  # a person types, and may attach files by their paths
    files_to_send: tuple[IncomingFile, ...] = ()  # with the first message
    opening_message_id: messages.MessageId | None = None
    earlier_exchange: messages.LastExchange | None = None  # in the conversation that this run continues

    def load_earlier_state(self) -> None:
        """Read what the chat has already. The store must be open and checked by now."""
        self.left_unanswered = frozenset(self.rows.list_unanswered_message_ids())
        self.earlier_exchange = self.rows.last_exchange() if self.is_continuing else None

    def is_leave_word(self, text: str) -> bool:
        """Return True if the text is a word for leaving, and not an answer to a question that is open."""
        word = text.strip().casefold()
        return word in LEAVE_WORDS and not any(
            asked.role is None or messages.match_option(asked.options, word)
            for asked in self.rows.list_open_question_messages()
        )

    def is_command(self, text: str) -> bool:
        return self.split_files(text)[0].startswith("/")

    def split_files(self, text: str) -> tuple[str, list[IncomingFile]]:
        """Return the words of a text, and the files that it attaches."""
        return split_attached_files(text) if self.is_typed else (text, [])

    def make_messages_for_text(self, text: str) -> list[messages.InboundMessage]:
        """Return the messages to publish for a typed text, as `make_messages_for_words` does, with the files that it
        attaches. Files that were given before come with the first message."""
        words, files = self.split_files(text)
        *before, own = self.make_messages_for_words(words)
        given, self.files_to_send = self.files_to_send, ()
        return [*before, replace(own, files=(*given, *files))]

    def make_messages_for_words(self, text: str) -> list[messages.InboundMessage]:
        """Return the messages to publish for a typed text. The text's own message is last. If no conversation is open,
        a message that opens one is before it. A text that is no command answers the lead's oldest open question, if
        there is one. What a role asks is answered by an option's words or number, or by /tell: all else is said to the
        lead."""
        text = COMMAND_ALIASES.get(text.strip(), text)
        if text.startswith("/"):
            self.is_continuing |= text.split()[0] == NEW_COMMAND
            return [self.make_message(text)]
        asked = self.rows.list_open_question_messages()
        of_lead = [each for each in asked if each.role is None]
        if answered := of_lead or [each for each in asked if messages.match_option(each.options, text)]:
            return [replace(self.make_message(text), reply_to=messages.PlatformId(answered[0].id))]
        if self.is_continuing:
            return [self.make_message(text)]
        self.is_continuing = True
        opening = self.make_message(NEW_COMMAND)
        self.opening_message_id = opening.id
        return [opening, self.make_message(text)]

    async def answer_question(self, question: messages.OutboundMessage, text: str, publish: PublishFunction) -> None:
        """Answer one question and no other."""
        id, kind = messages.QuestionId(question.id), messages.InboundKind.ANSWER
        await publish([replace(self.make_message(text), kind=kind, question=id)])

    def describe_how_to_answer(self, question: messages.OutboundMessage) -> str:
        """Return what a person types to answer an open question."""
        if asker := self.rows.find_asker(question.id):
            if question.options:
                return people_texts.CHOOSE_FOR_ROLE(number=asker.number)
            return people_texts.WRITE_FOR_ROLE(number=asker.number)
        return people_texts.CHOOSE() if question.options else people_texts.WRITE()

    def is_about_opening_message(self, message: messages.OutboundMessage) -> bool:
        """Return True for a message about the opening. The person did not type it, so they need not see the answer."""
        return self.opening_message_id is not None and message.id.startswith(f"{self.opening_message_id}:")

    def make_message(self, text: str) -> messages.InboundMessage:
        now = datetime.now(UTC)
        return messages.InboundMessage(
            id=messages.MessageId(f"{CHANNEL_NAME}-{secrets.token_hex(8)}"),
            address=self.address,
            sender=messages.Sender(id=OWNER_ID, name=self.person_name),
            text=text.encode(errors="replace").decode(),  # a pipe may contain lone surrogates, which cannot be stored
            sent_at=now,
            cursor=str(int(now.timestamp() * 1000)),  # shows which conversation is the newest
            patience=self.patience_seconds,
        )
