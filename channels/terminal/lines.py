"""The chat without a screen: each line is a message, answered in order. Answers go to stdout, all else to stderr."""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from typing import TextIO

from bot.core.channel import MessagePart, Publish
from bot.core.errors import NotDelivered
from bot.core.exit_status import ExitStatus
from bot.core.messages import Draft, MessageId, OutboundKind, OutboundMessage
from bot.core.texts.model import NOBODY_ANSWERS
from channels.formatting import text_with_repeat_mark
from channels.terminal import figures, operator_texts, people_texts
from channels.terminal.channel import strip_control_characters
from channels.terminal.talk import QUESTION_KINDS, STOP, Talk

SILENT_SECONDS = 20.0
MAX_LINES_AHEAD = 100  # lines that we read ahead


@dataclass
class LineFace:
    """The face of a terminal without a screen. `messages` are the person's texts. `is_single`: there is one text, and
    the exit status says whether it was answered. `is_typed`: a person types, so stderr also has the earlier exchange,
    how to leave, a prompt, and what an answer costs unless it `is_free`. If `tells` is False, the caller prints the
    answers."""

    talk: Talk
    messages: AsyncIterator[str]
    leave: Callable[[], None]
    _: KW_ONLY
    is_single: bool = False
    is_typed: bool = False
    is_free: bool = False
    tells: bool = True
    silent_seconds: float = SILENT_SECONDS  # after this time without output, the person reads that the work goes on
    newest: MessageId | None = None  # the last message that was published
    is_command: bool = False  # whether the last message is a command
    _current: MessageId | None = None  # the message that is being answered
    _shown: asyncio.Queue[OutboundMessage] = field(default_factory=asyncio.Queue)
    _interruption: asyncio.Event = field(default_factory=asyncio.Event)
    _is_prompted: bool = False  # the terminal's line has a prompt, and the person types there
    _shown_at: float = 0.0  # by the loop's clock

    def __post_init__(self) -> None:
        self.status = ExitStatus.NOT_DONE if self.is_single else ExitStatus.DONE

    async def run(self, publish: Publish) -> None:
        """Run the chat. First wait until the bot has finished what an earlier run left open, and answer its questions
        with NOBODY_ANSWERS."""
        self.talk.begin()
        if self.is_typed and (exchange := self.talk.earlier_exchange):
            said = [people_texts.EARLIER, f"> {exchange.said}", *exchange.answers, people_texts.END_OF_EARLIER]
            with suppress(NotDelivered):  # if stderr is closed, stdout may still work
                self.print("\n".join(map(strip_control_characters, said)), sys.stderr)
        if self.is_typed:
            write_to_stderr(f"{people_texts.HELP_OF_LINES}\n")
        async with asyncio.TaskGroup() as tasks:
            helpers = (self.stop_on_interruption(publish), self.reassure())
            beside = [tasks.create_task(each, name="beside the talk") for each in helpers]
            while self.talk.look.find_unanswered():
                for question in self.talk.look.open_questions():
                    await self.talk.answer(question, NOBODY_ANSWERS, publish)
                await self._shown.get()
            while (text := await self.next_line()) is not None:
                if not self.is_single and self.talk.is_leaving(text):
                    break
                await self.say_and_wait(text, publish)
            for task in beside:
                task.cancel()
        self.leave()

    async def next_line(self) -> str | None:
        """Return the next line that is not empty, or None if there is none."""
        text: str | None = ""
        while text is not None and not text.strip():
            self.show_prompt()
            text = await anext(self.messages, None)
            if text is None:
                self.end_line()
            self._is_prompted = False
        return text

    def show_prompt(self) -> None:
        """Show the prompt to a person who types."""
        self._is_prompted = self.is_typed
        if self.is_typed:
            write_to_stderr(people_texts.PROMPT)

    def end_line(self) -> None:
        """End the prompt's line, so that the next output begins on its own line."""
        if self._is_prompted:
            write_to_stderr("\n")

    async def say_and_wait(self, text: str, publish: Publish) -> None:
        """Publish a text and wait for its answer. Answer questions with the next lines, or with NOBODY_ANSWERS."""
        self.is_command = text.startswith("/")
        self._shown_at = asyncio.get_running_loop().time()
        said = self.talk.messages_for(text)
        # Set these before publishing, because the answer may come before `publish` returns.
        self._current = self.newest = said[-1].id
        await publish(said)
        is_over = False
        while not is_over:
            message = await self._shown.get()
            while message in self.talk.look.open_questions():
                words = await self.next_line() or NOBODY_ANSWERS
                if words.startswith("/"):  # a command may end the question: the store says so at once
                    await publish(self.talk.messages_for(words))
                else:
                    await self.talk.answer(message, words, publish)
            is_over = self.is_about_now(message)
        self._current = None
        if self._interruption.is_set():
            self.leave()

    def is_about_now(self, message: OutboundMessage) -> bool:
        """Return True for the reply to the current message, and for words about it: a command's answer, a refusal."""
        now = self._current
        return now is not None and (message.reply_to == now or message.id.startswith(f"{now}:"))

    def interrupt(self) -> None:
        """Stop the current answer, and then leave. Leave at once if there is none, or at the second call."""
        self.status = ExitStatus.INTERRUPTED
        self.end_line()
        if self._current is None or self._interruption.is_set():
            self.leave()
        else:
            self._interruption.set()

    async def stop_on_interruption(self, publish: Publish) -> None:
        await self._interruption.wait()
        await publish([self.talk.message(STOP)])

    async def reassure(self) -> None:
        """If nothing is shown for `silent_seconds`, say that the work goes on, and again after twice the time."""
        due = self.silent_seconds
        while True:
            await asyncio.sleep(self.silent_seconds / 10)
            quiet = asyncio.get_running_loop().time() - self._shown_at
            if self._current is None or quiet < self.silent_seconds:
                due = self.silent_seconds
            elif quiet >= due:
                self.warn(people_texts.STILL_AT_WORK(seconds=quiet), is_over=False)
                due *= 2

    async def show(self, part: MessagePart) -> None:
        message = part.message
        if message.kind is OutboundKind.BOARD or self.talk.is_about_opening(message):
            return
        self._shown_at = asyncio.get_running_loop().time()
        is_answer, is_reply = self.is_answer(message), message.kind is OutboundKind.REPLY
        is_update_of_lead = message.kind is OutboundKind.UPDATE and not message.role and self._current is not None
        is_of_lead = is_answer or is_update_of_lead
        is_said = is_answer and message.replaces is not None  # the last update had the same text and is on stdout
        if not is_said and (self.tells or not is_of_lead):
            options = [f"  {at}. {strip_control_characters(option)}" for at, option in enumerate(message.options, 1)]
            lines = [text_with_repeat_mark(part), *options]
            # Nobody can answer a question of a single message.
            can_answer = message.kind in QUESTION_KINDS and not self.is_single
            if can_answer and message in self.talk.look.open_questions():
                lines.append(people_texts.CHOOSE if message.options else people_texts.WRITE)
            self.print("\n".join(lines), sys.stdout if is_of_lead else sys.stderr)
        cost = self.talk.look.cost_of(message.id) if self.is_typed and is_reply else None
        if line := figures.format_cost_line(cost, is_free=self.is_free):
            with suppress(NotDelivered):
                self.print(line, sys.stderr)
        if is_answer and self.is_single:
            self.status = ExitStatus.DONE
        self._shown.put_nowait(message)

    def is_answer(self, message: OutboundMessage) -> bool:
        """Return True for an answer to the current message: a reply that is no excuse, or a single command's words."""
        if not self.is_about_now(message) or self._current is None:
            return False
        if message.kind is OutboundKind.REPLY:
            return self.talk.look.is_answered(self._current)
        return self.is_single and self.is_command

    def print(self, text: str, stream: TextIO) -> None:
        """Print a text at once. If nobody reads any more, leave and raise NotDelivered: the next run shows the text."""
        self.end_line()
        try:
            print(text, file=stream, flush=True)
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # so that the last flush does not fail
            self.leave()
            if not isinstance(error, BrokenPipeError):  # for example a full disk: then the exit status is an error
                self.status = ExitStatus.NOT_DONE
                if stream is not sys.stderr:
                    self.print(operator_texts.CANNOT_WRITE(why=error.strerror), sys.stderr)
            raise NotDelivered(operator_texts.NOBODY_READS) from None
        if self._is_prompted:
            self.show_prompt()

    def show_draft(self, draft: Draft) -> None:
        """Do nothing: there is no screen for a draft."""

    def warn(self, text: str, *, is_over: bool) -> None:
        """Write a warning to stderr, as one line. On a full disk, a stderr file gets the line when there is room."""
        self.end_line()
        write_to_stderr(f"retinue: {text}\n")
        if self._is_prompted:
            self.show_prompt()


def write_to_stderr(text: str) -> None:
    """Write to stderr. Ignore it if stderr is closed or full."""
    with suppress(OSError):
        sys.stderr.write(text)
        sys.stderr.flush()


async def single_message(text: str) -> AsyncIterator[str]:
    yield text


async def read_lines_from(descriptor: int) -> AsyncIterator[str]:
    """Yield the lines of a file, a pipe or a terminal as they come. Only a thread can wait for all of these. The thread
    still waits when the program ends, so it holds no lock that the interpreter needs to exit."""
    lines: asyncio.Queue[str | None] = asyncio.Queue()
    room = threading.Semaphore(MAX_LINES_AHEAD)
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
