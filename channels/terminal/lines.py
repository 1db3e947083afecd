"""The chat without a screen: a line is a message, answered in order; answers go to stdout, all else to stderr."""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from typing import TextIO

from bot.core.channel import NOBODY_ANSWERS, MessagePart, Publish
from bot.core.errors import NotDelivered
from bot.core.messages import Draft, LastExchange, MessageId, OutboundKind, OutboundMessage
from channels.formatting import mark_possible_repeat
from channels.terminal import figures, operator_texts, people_texts
from channels.terminal.channel import strip_control_characters
from channels.terminal.talk import QUESTION_KINDS, STOP, Talk, answer_hint

INTERRUPTED = 130  # 128 and SIGINT's number, as shells have it
NO_ANSWER = 1
SILENT_SECONDS = 20.0
MAX_LINES_AHEAD = 100  # lines that are read before it is their turn


class LineFace:
    """`messages` is what the person says; of one alone the exit status tells whether it was answered. Where it
    `is_typed`, somebody sits there, and is also told on stderr what was said before, how to leave, when a line is
    awaited, and what an answer costs, unless it `is_free`. Unless it `tells` the answers, they are not printed:
    somebody else does."""

    def __init__(
        self,
        talk: Talk,
        messages: AsyncIterator[str],
        leave: Callable[[], None],
        *,
        is_single: bool = False,
        is_typed: bool = False,
        is_free: bool = False,
        tells: bool = True,
        silent_seconds: float = SILENT_SECONDS,
    ) -> None:
        self.talk = talk
        self.messages = messages
        self.leave = leave
        self.is_single = is_single
        self.is_typed = is_typed
        self.is_free = is_free
        self.tells = tells
        self.silent_seconds = silent_seconds  # until somebody who waits is told that it goes on
        self.newest: MessageId | None = None  # what was said last
        self.is_command = False  # what is being answered
        self.status = NO_ANSWER if is_single else 0
        self._current: MessageId | None = None  # what is being answered
        self._shown: asyncio.Queue[OutboundMessage] = asyncio.Queue()
        self._interruption = asyncio.Event()
        self._is_prompted = False  # the line on the terminal is somebody's, who types in it
        self._shown_at = 0.0  # by the loop's clock

    async def run(self, publish: Publish) -> None:
        """What an earlier run left open is finished before anything is said, and its questions are nobody's."""
        if self.is_typed and self.talk.earlier_exchange:
            with suppress(NotDelivered):  # who reads no stderr may read the answer
                for line in format_earlier_exchange(self.talk.earlier_exchange):
                    self.print(line, sys.stderr)
        if self.is_typed:
            write_to_stderr(f"{people_texts.HELP_OF_LINES}\n")
        async with asyncio.TaskGroup() as tasks:
            beside = [
                tasks.create_task(each, name="beside the talk")
                for each in (self.stop_on_interruption(publish), self.reassure())
            ]
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
        """Return the next line that is not empty; None if there is none."""
        while True:
            self.show_prompt()
            text = await anext(self.messages, None)
            if text is None:
                self.end_line()
            self._is_prompted = False
            if text is None or text.strip():
                return text

    def show_prompt(self) -> None:
        """Show who types that a line is awaited."""
        self._is_prompted = self.is_typed
        if self.is_typed:
            write_to_stderr(people_texts.PROMPT)

    def end_line(self) -> None:
        """What is shown next begins on a line of its own."""
        if self._is_prompted:
            write_to_stderr("\n")

    async def say_and_wait(self, text: str, publish: Publish) -> None:
        """Say something, and wait until it is answered."""
        self.is_command = text.startswith("/")
        self._shown_at = asyncio.get_running_loop().time()
        said = self.talk.messages_for(text)
        self._current = self.newest = said[
            -1
        ].id  # before it is published: it may be answered before that is known here
        await publish(said)
        while not self.is_about_now(await self.next_shown(publish)):
            pass
        self._current = None
        if self._interruption.is_set():
            self.leave()

    async def next_shown(self, publish: Publish) -> OutboundMessage:
        """The next thing shown. A question is answered by the next line that is no command, if there is one."""
        message = await self._shown.get()
        while message in self.talk.look.open_questions():
            text = await self.next_line() or NOBODY_ANSWERS
            if text.startswith("/"):  # which may end the question: the rows say so at once
                await self.talk.say(text, publish)
            else:
                await self.talk.answer(message, text, publish)
        return message

    def is_about_now(self, message: OutboundMessage) -> bool:
        """The reply to what was said, or a word about it: a command's, or a refusal."""
        return self._current is not None and (
            message.reply_to == self._current or message.id.startswith(f"{self._current}:")
        )

    def interrupt(self) -> None:
        """Stop what is being answered, and then leave; at once, if it is nothing, or asked for twice."""
        self.status = INTERRUPTED
        self.end_line()
        if self._current is None or self._interruption.is_set():
            self.leave()
        else:
            self._interruption.set()

    async def stop_on_interruption(self, publish: Publish) -> None:
        await self._interruption.wait()
        await publish([self.talk.message(STOP)])

    async def reassure(self) -> None:
        """Where nothing has been shown for long, say so, and again after twice the time: whoever waits shall not take
        it for dead."""
        due = self.silent_seconds
        while True:
            await asyncio.sleep(self.silent_seconds / 10)
            quiet = asyncio.get_running_loop().time() - self._shown_at
            if self._current is None or quiet < self.silent_seconds:
                due = self.silent_seconds
            elif quiet >= due:
                self.warn(people_texts.STILL_AT_WORK(seconds=quiet), is_over=False)
                due *= 2

    async def show_part(self, part: MessagePart) -> None:
        self._shown_at = asyncio.get_running_loop().time()
        message, is_answer = part.message, self.is_answer(part.message)
        is_of_lead = is_answer or (
            message.kind is OutboundKind.UPDATE and not message.role and self._current is not None
        )
        is_said = is_answer and message.replaces is not None  # the last update, which is on stdout already
        if not is_said and (self.tells or not is_of_lead):
            self.print(
                "\n".join([mark_possible_repeat(part), *self.lines_below(message)]),
                sys.stdout if is_of_lead else sys.stderr,
            )
        if self.is_typed and message.kind is OutboundKind.REPLY:
            self.tell_cost(message)
        if is_answer and self.is_single:
            self.status = 0
        self._shown.put_nowait(part.message)

    def tell_cost(self, reply: OutboundMessage) -> None:
        if line := figures.format_cost_line(self.talk.look.cost_of(reply.id), is_free=self.is_free):
            with suppress(NotDelivered):
                self.print(line, sys.stderr)

    def lines_below(self, question: OutboundMessage) -> Iterator[str]:
        """A question's options, and how it is answered where it can be: whoever says one thing alone says no more."""
        for number, option in enumerate(question.options, 1):
            yield f"  {number}. {strip_control_characters(option)}"
        if question.kind in QUESTION_KINDS and not self.is_single and question in self.talk.look.open_questions():
            yield answer_hint(question)

    def is_answer(self, message: OutboundMessage) -> bool:
        """Whether this is what was asked for. A single command is answered by what it says; a message never so."""
        if not self.is_about_now(message) or self._current is None:
            return False
        if message.kind is OutboundKind.REPLY:
            return self.talk.look.is_answered(self._current)
        return self.is_single and self.is_command

    def print(self, text: str, stream: TextIO) -> None:
        """Show a text, now. Where nobody reads any more there is nothing to stay for; it is shown at the next run."""
        self.end_line()
        try:
            print(text, file=stream, flush=True)
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # what is flushed at the end fails no more
            self.leave()
            if not isinstance(error, BrokenPipeError):  # a full disk, say: that is no way to end well
                self.status = NO_ANSWER
                if stream is not sys.stderr:
                    self.print(operator_texts.CANNOT_WRITE(why=error.strerror), sys.stderr)
            raise NotDelivered(operator_texts.NOBODY_READS) from None
        if self._is_prompted:
            self.show_prompt()

    def show_board(self, board: OutboundMessage) -> None:
        """Without a screen nothing is drawn."""

    def show_draft(self, draft: Draft) -> None:
        """Nor is what is not finished."""

    def warn(self, text: str, *, is_over: bool) -> None:
        """A line each. Where stderr is a file on that disk, the line is there when there is room."""
        self.end_line()
        write_to_stderr(f"retinue: {text}\n")
        if self._is_prompted:
            self.show_prompt()


def write_to_stderr(text: str) -> None:
    """Write to stderr, if it takes anything."""
    with suppress(OSError):
        sys.stderr.write(text)
        sys.stderr.flush()


def format_earlier_exchange(exchange: LastExchange) -> Iterator[str]:
    yield people_texts.EARLIER
    yield f"> {strip_control_characters(exchange.said)}"
    yield from map(strip_control_characters, exchange.answers)
    yield people_texts.END_OF_EARLIER


async def single_message(text: str) -> AsyncIterator[str]:
    yield text


async def read_lines_from(descriptor: int) -> AsyncIterator[str]:
    """The lines of a file, a pipe or whatever stdin may be, as they come.

    Only a thread can wait for all of these. It is left behind where it waits, and holds no lock that an interpreter
    on its way out would ask for.
    """
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
