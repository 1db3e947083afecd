"""The chat on a screen: messages scroll by and stay. Below them are the input line and the status of the work."""

import asyncio
import os
import re
import sys
import termios
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.shortcuts import CompleteStyle
from prompt_toolkit.styles import Style
from rich.console import Console, RenderableType
from rich.text import Text

from bot.core.channel import MessagePart, Publish
from bot.core.errors import NotDelivered
from bot.core.exit_status import ExitStatus
from bot.core.messages import Draft, OutboundKind
from channels.terminal import drawing, figures, operator_texts, people_texts
from channels.terminal.channel import strip_control_characters
from channels.terminal.growing_text import GrowingTexts
from channels.terminal.talk import QUESTION_KINDS, STOP, Talk

TWICE_SECONDS = 2.0
TICK_SECONDS = 0.5
LAST_SECONDS = 2.0  # for publishing what was typed last
ROWS_KEPT = 6  # rows of the screen that a growing draft leaves for the input line and what is above
STYLE = Style.from_dict(
    {"bottom-toolbar": "noreverse", "dim": "ansibrightblack", "prompt": "bold", "draft": "nobold italic"}
)


class InterruptKey(Exception):
    """Ctrl-C was pressed."""


@dataclass
class CommandCompleter(Completer):
    """Completes commands and role names on Tab."""

    words: Callable[[], Sequence[str]]

    def get_completions(self, document: Document, event: CompleteEvent) -> Iterator[Completion]:
        typed = document.get_word_before_cursor(WORD=True)
        if not typed:
            return
        for word in sorted(self.words()):
            is_first = document.text_before_cursor == typed
            if word.casefold().startswith(typed.casefold()) and (is_first or not word.startswith("/")):
                yield Completion(word, -len(typed))


class InputHistory(FileHistory):
    """What was typed, for the arrow keys. If its file cannot be read or written, the history ends with the run."""

    def load_history_strings(self) -> Iterable[str]:
        try:
            return super().load_history_strings()
        except OSError:
            return []

    def store_string(self, string: str) -> None:
        with suppress(OSError):
            super().store_string(string)


class Screen:
    """The face of a terminal with a screen. `title` says who answers. `words` are what Tab completes."""

    def __init__(
        self,
        talk: Talk,
        title: str,
        history: Path,
        leave: Callable[[], None],
        words: Callable[[], Sequence[str]],
        *,
        is_free: bool = False,
    ) -> None:
        self.talk = talk
        self.status_line = drawing.StatusLine(title)
        self.is_free = is_free
        self.leave = leave
        self.status = ExitStatus.DONE
        # The screen itself: stdout is patched later.
        self.console = Console(file=sys.stdout, highlight=False, theme=drawing.THEME)
        self._flows = GrowingTexts()
        self._has_grown = asyncio.Event()
        self._held: list[RenderableType] = []  # what was typed, and notices: shown live below an answer that grows
        self._replied: set[str] = set()  # turns whose reply was shown: late messages of these are ignored
        self._interrupted_at = -TWICE_SECONDS
        self._typed: asyncio.Queue[str] = asyncio.Queue()
        self._unsaid = 0  # how many typed texts are not published yet
        self._writing = asyncio.Lock()
        with suppress(OSError):
            history.touch(mode=0o600)  # only its owner can read it
        keys = KeyBindings()  # beside Enter, which sends; a paste keeps its lines
        keys.add("c-c")(lambda event: self.interrupt())
        keys.add("escape", "enter")(lambda event: event.current_buffer.insert_text("\n"))
        self.session: PromptSession[str] = PromptSession(
            message=self.prompt_text,
            bottom_toolbar=lambda: self.status_line.render_lines(self.session.app.output.get_size().columns),
            history=InputHistory(history),
            key_bindings=keys,
            style=STYLE,
            refresh_interval=TICK_SECONDS,
            reserve_space_for_menu=0,
            completer=CommandCompleter(words),
            complete_style=CompleteStyle.READLINE_LIKE,
            complete_while_typing=False,
            erase_when_done=True,  # it could stay in the middle of an answer: `read_input` shows it where it belongs
        )

    async def run(self, publish: Publish) -> None:
        self.talk.begin()
        gone = suppress(termios.error)  # a closed terminal has no mode to restore
        with gone, patch_stdout(raw=True), self.session.app.input.raw_mode():  # raw also between two lines
            if exchange := self.talk.earlier_exchange:
                said = Text(people_texts.PROMPT + strip_control_characters(exchange.said), style="dim")
                said.stylize("bold", 0, len(people_texts.PROMPT))
                answers = [drawing.draw_markdown(strip_control_characters(each), "dim") for each in exchange.answers]
                end = Text(f"{people_texts.END_OF_EARLIER}\n", style="dim")
                await self.show_notice(Text(people_texts.EARLIER, style="dim"), said, *answers, end)
            await self.show_notice(Text(people_texts.HELP, style="dim"))
            for question in self.talk.look.open_questions():
                self.status_line.is_asking = True
                asked = drawing.draw_question(question, is_open=True)
                await self.show_notice(Text(people_texts.STILL_OPEN, style="dim"), *asked)
            try:
                async with asyncio.TaskGroup() as tasks:
                    saying = tasks.create_task(self.publish_typed_messages(publish), name="say")
                    showing = tasks.create_task(self.show_blocks(), name="blocks")
                    while await self.read_input():
                        pass
                    with suppress(TimeoutError):  # if the disk is full, a warning says so
                        async with asyncio.timeout(LAST_SECONDS):
                            await self._typed.join()
                    for task in (saying, showing):
                        task.cancel()
            finally:
                with suppress(OSError):  # the terminal is gone
                    self.print(*self._held)
        self.leave()

    async def read_input(self) -> bool:
        """Read the next input and queue it. Return False if it was the last."""
        try:
            text = await self.session.prompt_async(handle_sigint=False)
        except InterruptKey:
            return await self.stop_or_leave()
        except EOFError:
            return False
        except OSError:
            self.close()
            return False
        text = text.strip()
        if self.talk.is_leaving(text):
            return False
        if text:
            await self.show_notice(Text.assemble((people_texts.PROMPT, "bold"), strip_control_characters(text)))
            self.queue_input(text)
        return True

    def queue_input(self, text: str) -> None:
        if self.status_line.is_warning_over:
            self.status_line.warning = ""
        self._unsaid += 1
        self._typed.put_nowait(text)

    async def publish_typed_messages(self, publish: Publish) -> None:
        """Publish what was typed. This is a task: publishing waits for the disk, and the person may leave meanwhile."""
        while True:
            await publish(self.talk.messages_for(await self._typed.get()))
            self.status_line.is_asking = self.status_line.is_asking and bool(self.talk.look.open_questions())
            self._unsaid -= 1
            self._typed.task_done()

    async def stop_or_leave(self) -> bool:
        """Stop the work. At the second Ctrl-C within TWICE_SECONDS, return False, which means to leave."""
        now, before = asyncio.get_running_loop().time(), self._interrupted_at
        self._interrupted_at = now
        if now - before < TWICE_SECONDS:
            return False
        if self._unsaid or self.talk.look.find_unanswered():
            self.queue_input(STOP)
        else:
            await self.show_notice(Text(people_texts.NOTHING_AT_WORK, style="dim"))
        return True

    def interrupt(self) -> None:
        """Handle Ctrl-C, and the same signal from another process."""
        if self.session.app.is_running and not self.session.app.is_done:
            self.session.app.exit(exception=InterruptKey())
        else:
            self.leave()

    def close(self) -> None:
        """Leave because the terminal is gone. The next run shows what was not shown."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.console.file.fileno())  # so that the last flush does not fail
        self.leave()

    async def show(self, part: MessagePart) -> None:
        message = part.message
        if message.kind is OutboundKind.BOARD and message.id.rpartition(":")[0] not in self._replied:
            self.status_line.board = message.board
            self.session.app.invalidate()
        if message.kind is OutboundKind.BOARD or self.talk.is_about_opening(message):
            return
        if message.kind is OutboundKind.NOTICE and message.reply_to:  # a command's answer; other notices cannot wait
            self._held += drawing.draw_message(part)
            return await self.write(self.take_held)
        is_open = message.kind in QUESTION_KINDS and message in self.talk.look.open_questions()
        self.status_line.is_asking |= is_open
        await self.write(lambda: self.renderables_for_part(part, is_open=is_open))
        await self.show_notice()

    def renderables_for_part(self, part: MessagePart, *, is_open: bool) -> Iterator[RenderableType]:
        """Yield what to write for a message. Blocks of the lead's messages may be on the screen already."""
        message, is_reply = part.message, part.message.kind is OutboundKind.REPLY
        if not (is_reply or (message.kind is OutboundKind.UPDATE and message.role is None)):
            yield from drawing.draw_message(part, is_open=is_open)
            return
        turn = re.split("[:/]", message.id, maxsplit=1)[0]  # the root turn: `t7` of `t7:reply` and of `t7/2`
        flow = self._flows.text_of_turn(turn)
        has_shown, rest = bool(flow.on_screen), flow.take_unshown_rest(strip_control_characters(message.text))
        is_left_over = is_reply and message.reply_to in self.talk.left_open
        if is_reply:  # the turn is over: its texts and those of earlier turns are complete
            self._replied.add(turn)
            self._flows.end_turn(turn)
            status = self.status_line
            status.at_work_since, status.is_asking, status.activity, status.board = None, False, "", ()
        if not message.replaces or is_left_over:  # else the last update had the same text and is on the screen
            if is_left_over and not has_shown:
                yield Text(people_texts.LEFT_OVER, style="dim")
            if rest is None:
                yield Text(people_texts.AGAIN, style="dim")
            if rest is None or part.may_repeat or not has_shown:
                yield from drawing.draw_message(part)
            else:
                yield drawing.draw_markdown(rest) if rest.strip() else Text()
        cost = self.talk.look.cost_of(message.id) if is_reply else None
        if line := figures.format_cost_line(cost, is_free=self.is_free):
            yield Text(line, style="dim")

    async def show_blocks(self) -> None:
        """Show the finished blocks of a text while it is being written."""
        while True:
            await self._has_grown.wait()
            self._has_grown.clear()
            with suppress(NotDelivered):
                await self.write(self.draw_finished_blocks)

    def draw_finished_blocks(self) -> Iterator[RenderableType]:
        if blocks := self._flows.oldest.take_finished_blocks():
            yield drawing.draw_markdown(blocks, is_whole=False)

    def take_held(self) -> list[RenderableType]:
        """Return everything held, and hold it no longer. Return nothing while an answer is partly on the screen: it
        would be split."""
        held = [] if self._flows.oldest.on_screen else self._held
        self._held = self._held[len(held) :]
        return held

    async def show_notice(self, *shown: RenderableType) -> None:
        """Show the screen's own words after everything held. Ignore that the terminal is gone."""
        self._held += shown
        with suppress(NotDelivered):
            await self.write(self.take_held)

    async def write(self, drawn: Callable[[], Iterable[RenderableType]]) -> None:
        """Write above the input line, and return when the text is there. Raise NotDelivered if the terminal is gone.
        Call `drawn` only when all earlier texts are on the screen. prompt_toolkit's own way (`in_terminal`) leaves the
        raw mode. Then a pressed key is lost, or does what it does in a shell."""
        async with self._writing:
            if self.session.app.is_running:  # a later answer would have the old cursor position
                await self.session.app.renderer.wait_for_cpr_responses()
            try:
                self.print(*drawn())
            except OSError:
                self.close()
                raise NotDelivered(operator_texts.NOBODY_READS) from None

    def print(self, *shown: RenderableType) -> None:
        app = self.session.app
        if not shown:
            return app.invalidate()
        if app.is_running and not app.is_done:
            app.renderer.erase()
        for each in shown:
            self.console.print(each)
        self.console.file.flush()
        if app.is_running and not app.is_done:
            app.renderer.reset()
            app.renderer.request_absolute_cursor_position()
            app.invalidate()

    def show_draft(self, draft: Draft) -> None:
        if draft.turn in self._replied:
            return
        self.status_line.at_work_since = self.status_line.at_work_since or datetime.now(UTC)
        if draft.activity is not None:
            self.status_line.activity = draft.activity
        if draft.text:
            self.status_line.is_asking = False  # the turn goes on, so no question is open any more
            self._flows.text_of_turn(draft.turn).set_text(strip_control_characters(draft.text))
            self._has_grown.set()
        self.session.app.invalidate()

    def warn(self, text: str, *, is_over: bool) -> None:
        """Show a warning until it is over and the person types again. Without an input line, print it."""
        self.status_line.warning, self.status_line.is_warning_over = text, is_over
        if self.session.app.is_running:
            self.session.app.invalidate()
        else:
            with suppress(OSError):  # the terminal is gone; the next read notices it
                self.print(Text(text, style="bold"))

    def prompt_text(self) -> StyleAndTextTuples:
        """Return the prompt. Before it are the text that is being written, and the texts that wait for its end."""
        prompt: StyleAndTextTuples = [("class:prompt", people_texts.PROMPT)]
        live = "\n\n".join(filter(str.strip, [self._flows.oldest.live, *map(str, self._held)]))
        if not live:
            return prompt
        size = self.session.app.output.get_size()
        rows = size.rows - ROWS_KEPT - len(self.status_line.board)
        return [("class:draft", drawing.last_rows(live.lstrip("\n"), rows, size.columns)), ("", "\n\n"), *prompt]
