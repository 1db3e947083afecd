"""The chat without a screen: each line is a message, answered in order. Answers go to stdout, all else to stderr."""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from typing import TextIO

from bot.core.channel import MessagePart, PublishFunction
from bot.core.errors import NotDelivered
from bot.core.exit_status import ExitStatus
from bot.core.messages import WAIT_NOTICE_ID_SUFFIX, Draft, MessageId, OutboundId, OutboundKind, OutboundMessage
from bot.core.texts.model import NOBODY_ANSWERS
from channels.formatting import text_marked_if_possibly_repeated
from channels.terminal import figures, operator_texts, people_texts
from channels.terminal.channel import make_terminal_safe
from channels.terminal.conversation import QUESTION_KINDS, STOP_COMMAND, TerminalConversation

REASSURE_AFTER_SECONDS = 20.0
STORE_CHECK_INTERVAL_SECONDS = 0.3  # a message that answers a question is closed without a word
MAX_LINES_READ_AHEAD = 100  # lines that we read ahead


@dataclass
class LineInterface:
    """The interface of a terminal without a screen. `typed_texts` are the person's texts. `is_single_message`: there is
    one text, and the exit status says whether it was answered. `is_interactive`: a person types, so stderr also has the
    earlier exchange, how to leave, a prompt, and what an answer costs unless it `is_free`. If `prints_answers` is
    False, the caller prints the answers."""

    conversation: TerminalConversation
    typed_texts: AsyncIterator[str]
    end_bot: Callable[[], None]
    _: KW_ONLY
    is_single_message: bool = False
    is_interactive: bool = False
    is_free: bool = False
    prints_answers: bool = True
    reassure_after_seconds: float = REASSURE_AFTER_SECONDS  # without output; then the person reads that work goes on
    newest_message_id: MessageId | None = None  # the last message that was published
    is_newest_a_command: bool = False  # whether the last message is a command
    _current: tuple[MessageId, ...] = ()  # the line that is being answered, and those typed since because a role asks
    _said: set[OutboundId] = field(default_factory=set)  # what was shown about the current messages
    _tasks: asyncio.TaskGroup = field(default_factory=asyncio.TaskGroup)  # of `run`
    _reading: asyncio.Task[str | None] | None = None  # the next line, if it is waited for already
    _has_left: bool = False  # a word for leaving was typed
    _shown: asyncio.Queue[OutboundMessage] = field(default_factory=asyncio.Queue)
    _interruption: asyncio.Event = field(default_factory=asyncio.Event)
    _is_prompted: bool = False  # the terminal's line has a prompt, and the person types there
    _shown_at: float = 0.0  # by the loop's clock

    def __post_init__(self) -> None:
        self.status = ExitStatus.NOT_DONE if self.is_single_message else ExitStatus.DONE

    async def run(self, publish: PublishFunction) -> None:
        """Run the chat. First wait until the bot has finished what an earlier run left open, and answer its questions
        with NOBODY_ANSWERS."""
        self.conversation.load_earlier_state()
        if self.is_interactive and (exchange := self.conversation.earlier_exchange):
            said = [
                people_texts.EARLIER(),
                f"> {exchange.person_text}",
                *exchange.answers,
                people_texts.END_OF_EARLIER(),
            ]
            with suppress(NotDelivered):  # if stderr is closed, stdout may still work
                self.print_or_leave("\n".join(map(make_terminal_safe, said)), sys.stderr)
        if self.is_interactive:
            write_to_stderr(f"{people_texts.HELP_OF_LINES()}\n")
        async with asyncio.TaskGroup() as self._tasks:
            helpers = (self.publish_stop_on_interruption(publish), self.reassure_during_silence())
            beside = [self._tasks.create_task(each, name="beside the conversation") for each in helpers]
            while self.conversation.rows.list_unanswered_message_ids():
                for question in self.conversation.rows.list_open_question_messages():
                    await self.conversation.answer_question(question, NOBODY_ANSWERS, publish)
                await self._shown.get()
            try:
                while (text := await self.begin_reading()) is not None:
                    self._reading = None
                    await self.publish_and_wait_for_answer(text, publish)
            finally:
                for task in beside:
                    task.cancel()
                if self._reading:
                    self._reading.cancel()
        self.end_bot()

    def begin_reading(self) -> "asyncio.Task[str | None]":
        """Return the next line, which may be waited for already. Who takes it sets `_reading` to None."""
        if self._reading is None:
            self._reading = self._tasks.create_task(self.read_nonempty_line(), name="reading a line")
        return self._reading

    async def read_nonempty_line(self) -> str | None:
        """Return the next line that is not empty, or None if there is none, or if it is a word for leaving."""
        text: str | None = None if self._has_left else ""
        while text is not None and not text.strip():
            self.show_prompt_if_interactive()
            text = await anext(self.typed_texts, None)
            if text is None:
                self.end_prompt_line()
            self._is_prompted = False
        self._has_left |= text is not None and not self.is_single_message and self.conversation.is_leave_word(text)
        return None if self._has_left else text

    def show_prompt_if_interactive(self) -> None:
        """Show the prompt to a person who types."""
        self._is_prompted = self.is_interactive
        if self.is_interactive:
            write_to_stderr(people_texts.PROMPT())

    def end_prompt_line(self) -> None:
        """End the prompt's line, so that the next output begins on its own line."""
        if self._is_prompted:
            write_to_stderr("\n")

    async def publish_and_wait_for_answer(self, text: str, publish: PublishFunction) -> None:
        """Publish a text and wait for its answer. Meanwhile the next lines answer questions."""
        self.is_newest_a_command = self.conversation.is_command(text)
        self._shown_at = asyncio.get_running_loop().time()
        self._current, self._said = (), set()
        self.newest_message_id = await self.publish_as_current(text, publish)
        asked: list[OutboundMessage] = []
        while not self.is_over(*self._current):
            asked += await self.wait_for_shown_messages()
            still_open = self.conversation.rows.list_open_question_messages()
            asked = sorted((each for each in asked if each in still_open), key=lambda each: each.role is not None)
            if asked and asked[0].role is None:
                await self.answer_question_of_lead(asked[0], publish)
            elif asked:
                await self.take_line_while_role_asks(asked[0], publish)
        if self.is_single_message and not self._said and not self._interruption.is_set():
            self.status = ExitStatus.DONE  # it has answered a question
        self._current = ()
        if self._interruption.is_set():
            self.end_bot()

    async def publish_as_current(self, text: str, publish: PublishFunction) -> MessageId:
        """Publish a text as one that is being answered. Return the id of its message."""
        said = self.conversation.make_messages_for_text(text)
        id = said[-1].id
        self._current += (id,)  # before publishing, because the answer may come before `publish` returns
        await publish(said)
        return id

    def is_over(self, *messages: MessageId) -> bool:
        return all(self.conversation.rows.is_over(each, self._said) for each in messages)

    async def wait_for_shown_messages(self) -> Sequence[OutboundMessage]:
        """Return the next message that was shown; nothing after some time without one."""
        with suppress(TimeoutError):
            async with asyncio.timeout(STORE_CHECK_INTERVAL_SECONDS):
                return [await self._shown.get()]
        return []

    async def answer_question_of_lead(self, question: OutboundMessage, publish: PublishFunction) -> None:
        """Answer a question of the lead with the next line, or with NOBODY_ANSWERS."""
        while question in self.conversation.rows.list_open_question_messages():
            words, self._reading = await self.begin_reading() or NOBODY_ANSWERS, None
            if self.conversation.is_command(words):  # a command may end the question: the store says so at once
                await publish(self.conversation.make_messages_for_text(words))
            else:
                await self.conversation.answer_question(question, words, publish)

    async def take_line_while_role_asks(self, question: OutboundMessage, publish: PublishFunction) -> None:
        """If the next line is there, publish it: it may answer the role, or else the lead reads it. At the end of the
        lines, answer with NOBODY_ANSWERS. From a pipe, a line is read only if the role holds up the line before it."""
        asker = self.conversation.rows.find_asker(question.id)
        is_held_up = asker is not None and not asker.is_in_background
        is_in_order = is_held_up and (len(self._current) == 1 or self.is_over(self._current[-1]))
        if not (self.is_interactive or is_in_order):
            return
        reading = self.begin_reading()
        await asyncio.wait({reading}, timeout=STORE_CHECK_INTERVAL_SECONDS)
        if not reading.done():
            return
        self._reading = None
        if (words := reading.result()) is not None:
            await self.publish_as_current(words, publish)
        elif is_held_up:
            await self.conversation.answer_question(question, NOBODY_ANSWERS, publish)

    def is_about_current_message(self, message: OutboundMessage) -> bool:
        """Return True for the reply to a current message, and for words about it: a command's answer, a refusal. That
        the message waits is neither. A role that works again replies once to all that it has read."""
        if message.id.endswith(WAIT_NOTICE_ID_SUFFIX):
            return False
        return any(
            message.reply_to == each or message.id.startswith(f"{each}:") or message.id == self.find_reply_of_role(each)
            for each in self._current
        )

    def find_reply_of_role(self, message: MessageId) -> OutboundId | None:
        return self.conversation.rows.find_reply_of_direct_turn(message)

    def on_interrupt(self) -> None:
        """Stop the current answer, and then leave. Leave at once if there is none, or at the second call."""
        self.status = ExitStatus.INTERRUPTED
        self.end_prompt_line()
        if not self._current or self._interruption.is_set():
            self.end_bot()
        else:
            self._interruption.set()

    async def publish_stop_on_interruption(self, publish: PublishFunction) -> None:
        await self._interruption.wait()
        await publish([self.conversation.make_message(STOP_COMMAND)])

    async def reassure_during_silence(self) -> None:
        """If nothing is shown for `reassure_after_seconds`, say that the work goes on. Repeat after twice the time."""
        due = self.reassure_after_seconds
        while True:
            await asyncio.sleep(self.reassure_after_seconds / 10)
            quiet = asyncio.get_running_loop().time() - self._shown_at
            if not self._current or quiet < self.reassure_after_seconds:
                due = self.reassure_after_seconds
            elif quiet >= due:
                self.warn(people_texts.STILL_AT_WORK(seconds=quiet), is_over=False)
                due *= 2

    async def show(self, part: MessagePart) -> None:
        message = part.message
        if message.kind is OutboundKind.BOARD or self.conversation.is_about_opening_message(message):
            return
        self._shown_at = asyncio.get_running_loop().time()
        if self.is_about_current_message(message):
            self._said.add(message.id)
        is_answer, is_reply = self.is_answer_to_current_message(message), message.kind is OutboundKind.REPLY
        is_update_of_lead = message.kind is OutboundKind.UPDATE and not message.role and bool(self._current)
        is_of_lead = is_answer or is_update_of_lead
        is_said = is_answer and message.replaces is not None  # the last update had the same text and is on stdout
        if not is_said and (self.prints_answers or not is_of_lead):
            options = [f"  {at}. {make_terminal_safe(option)}" for at, option in enumerate(message.options, 1)]
            lines = [text_marked_if_possibly_repeated(part), *options]
            # Nobody can answer a question of a single message.
            can_answer = message.kind in QUESTION_KINDS and not self.is_single_message
            if can_answer and message in self.conversation.rows.list_open_question_messages():
                lines.append(self.conversation.describe_how_to_answer(message))
            self.print_or_leave("\n".join(lines), sys.stdout if is_of_lead else sys.stderr)
        cost = self.conversation.rows.find_turn_cost_of_reply(message.id) if self.is_interactive and is_reply else None
        if line := figures.format_cost_line(cost, is_free=self.is_free):
            with suppress(NotDelivered):
                self.print_or_leave(line, sys.stderr)
        if is_answer and self.is_single_message:
            self.status = ExitStatus.DONE
        self._shown.put_nowait(message)

    def is_answer_to_current_message(self, message: OutboundMessage) -> bool:
        """Return True for an answer to the current message: a reply that is no excuse, or a single command's words.
        That a role which had ended now works on the message is no answer: the reply of that role is."""
        if not self.is_about_current_message(message):
            return False
        if message.kind is OutboundKind.REPLY and message.reply_to:
            return self.conversation.rows.is_answered(message.reply_to)
        is_for_role = any(map(self.find_reply_of_role, self._current))
        return self.is_single_message and self.is_newest_a_command and not is_for_role

    def print_or_leave(self, text: str, stream: TextIO) -> None:
        """Print a text at once. If nobody reads any more, leave and raise NotDelivered: the next run shows the text."""
        self.end_prompt_line()
        try:
            print(text, file=stream, flush=True)
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # so that the last flush does not fail
            self.end_bot()
            if not isinstance(error, BrokenPipeError):  # for example a full disk: then the exit status is an error
                self.status = ExitStatus.NOT_DONE
                if stream is not sys.stderr:
                    self.print_or_leave(operator_texts.CANNOT_WRITE(why=error.strerror), sys.stderr)
            raise NotDelivered(operator_texts.NOBODY_READS) from None
        if self._is_prompted:
            self.show_prompt_if_interactive()

    def show_draft(self, draft: Draft) -> None:
        """Do nothing: there is no screen for a draft."""

    def warn(self, text: str, *, is_over: bool) -> None:
        """Write a warning to stderr, as one line. On a full disk, a stderr file gets the line when there is room."""
        self.end_prompt_line()
        write_to_stderr(f"retinue: {text}\n")
        if self._is_prompted:
            self.show_prompt_if_interactive()


def write_to_stderr(text: str) -> None:
    """Write to stderr. Ignore it if stderr is closed or full."""
    with suppress(OSError):
        sys.stderr.write(text)
        sys.stderr.flush()


async def iterate_single_text(text: str) -> AsyncIterator[str]:
    yield text


async def read_lines_from_descriptor(descriptor: int) -> AsyncIterator[str]:
    """Yield the lines of a file, a pipe or a terminal as they come. Only a thread can wait for all of these. The thread
    still waits when the program ends, so it holds no lock that the interpreter needs to exit."""
    lines: asyncio.Queue[str | None] = asyncio.Queue()
    room = threading.Semaphore(MAX_LINES_READ_AHEAD)
    loop = asyncio.get_running_loop()

    def put(line: str | None) -> None:
        room.acquire()
        loop.call_soon_threadsafe(lines.put_nowait, line)

    def read() -> None:
        rest = b""
        with suppress(RuntimeError):  # the loop is closed: nobody waits for more
            while more := os.read(descriptor, 65536):
                *whole, rest = (rest + more).split(b"\n")
                for line in whole:
                    put(line.decode(errors="replace").rstrip("\r"))
            if rest:
                put(rest.decode(errors="replace"))
            put(None)

    threading.Thread(target=read, name="stdin", daemon=True).start()
    while (line := await lines.get()) is not None:
        room.release()
        yield line
