"""The chat on a screen: messages scroll by and stay. Below them are the input line and the status of the work."""

import asyncio
import os
import re
import sys
import termios
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import History
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.shortcuts import CompleteStyle
from prompt_toolkit.styles import Style
from rich.console import Console, RenderableType
from rich.text import Text

from bot.core.channel import MessagePart, Publish
from bot.core.errors import NotDelivered
from bot.core.exit_status import ExitStatus
from bot.core.messages import Draft, OutboundKind, OutboundMessage
from channels.terminal import drawing, figures, operator_texts, people_texts
from channels.terminal.channel import strip_control_characters
from channels.terminal.growing_text import GrowingTexts
from channels.terminal.key_bindings import CommandCompleter, make_key_bindings, open_input_history
from channels.terminal.status import StatusLine
from channels.terminal.talk import QUESTION_KINDS, STOP, Talk

TWICE_SECONDS = 2.0
TICK_SECONDS = 0.5
LAST_SECONDS = 2.0  # for publishing what was typed last
ROWS_KEPT = 6  # of the screen, while a draft grows: for the input line, and what is above
STYLE = Style.from_dict(
    {"bottom-toolbar": "noreverse", "dim": "ansibrightblack", "prompt": "bold", "draft": "nobold italic"}
)


class InterruptKey(Exception):
    """Ctrl-C was pressed."""


class Screen:
    """The face of a terminal with a screen. `title` says who answers here. `is_free` says that answers cost nothing."""

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
        self.status_line = StatusLine(title)
        self.is_free = is_free
        self.leave = leave
        self.status = ExitStatus.DONE
        self.completions = words
        # The screen itself: stdout is patched later.
        self.console = Console(file=sys.stdout, highlight=False, theme=drawing.THEME)
        self.session = self.make_prompt_session(open_input_history(history))
        self._flows = GrowingTexts()
        self._has_grown = asyncio.Event()
        self._replied: set[str] = set()  # the turns whose reply was shown: ignore what comes late from them
        self._interrupted_at = -TWICE_SECONDS
        self._typed: asyncio.Queue[str] = asyncio.Queue()
        self._unsaid = 0  # how many typed texts are not published yet
        self._writing = asyncio.Lock()

    def make_prompt_session(self, history: History) -> "PromptSession[str]":
        return PromptSession(
            message=self.prompt_text,
            bottom_toolbar=lambda: self.status_line.render_lines(self.session.app.output.get_size().columns),
            history=history,
            key_bindings=make_key_bindings(self.interrupt),
            style=STYLE,
            refresh_interval=TICK_SECONDS,
            reserve_space_for_menu=0,
            completer=CommandCompleter(self.completions),
            complete_style=CompleteStyle.READLINE_LIKE,
            complete_while_typing=False,
        )

    async def run(self, publish: Publish) -> None:
        gone = suppress(termios.error)  # a closed terminal has no mode to restore
        with gone, patch_stdout(raw=True), self.session.app.input.raw_mode():  # raw also between two lines
            if self.talk.earlier_exchange:
                await self.show_notice(drawing.draw_earlier_exchange(self.talk.earlier_exchange))
            await self.show_notice(Text(people_texts.HELP, style="dim"))
            for question in self.talk.look.open_questions():
                self.status_line.is_asking = True
                await self.show_notice(
                    Text(people_texts.STILL_OPEN, style="dim"), *drawing.draw_question(question, is_open=True)
                )
            async with asyncio.TaskGroup() as tasks:
                saying = tasks.create_task(self.publish_input(publish), name="say")
                showing = tasks.create_task(self.show_blocks(), name="blocks")
                while await self.read_input():
                    pass
                with suppress(TimeoutError):  # if the disk is full, a warning says so
                    async with asyncio.timeout(LAST_SECONDS):
                        await self._typed.join()
                for task in (saying, showing):
                    task.cancel()
        self.leave()

    async def read_input(self) -> bool:
        """Read the next input and queue it. Return False if it was the last."""
        try:
            self.session.app.erase_when_done = False
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
            self.queue_input(text)
        return True

    def queue_input(self, text: str) -> None:
        self.status_line.forget_warning()
        self._unsaid += 1
        self._typed.put_nowait(text)

    async def publish_input(self, publish: Publish) -> None:
        """Publish what was typed. This is a task of its own, because publishing waits for the disk, and the person must
        be able to leave meanwhile."""
        while True:
            await self.talk.say(await self._typed.get(), publish)
            self.status_line.is_asking = self.status_line.is_asking and bool(self.talk.look.open_questions())
            self._unsaid -= 1
            self._typed.task_done()

    async def stop_or_leave(self) -> bool:
        """Stop the work. Return False, to leave, at the second Ctrl-C within TWICE_SECONDS."""
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
            self.session.app.erase_when_done = True  # otherwise its line would stay in the middle of an answer
            self.session.app.exit(exception=InterruptKey())
        else:
            self.leave()

    def close(self) -> None:
        """Leave because the terminal is gone. The next run shows what was not shown."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.console.file.fileno())  # so that the last flush does not fail
        self.leave()

    # Messages that stay

    async def show_part(self, part: MessagePart) -> None:
        message = part.message
        is_open = message.kind in QUESTION_KINDS and message in self.talk.look.open_questions()
        self.status_line.is_asking |= is_open
        await self.write(lambda: self.renderables_for_part(part, is_open=is_open))
        if message.kind is OutboundKind.REPLY:
            cost = self.talk.look.cost_of(message.id)
            if line := figures.format_cost_line(cost, is_free=self.is_free):
                await self.show_notice(Text(line, style="dim"))

    def renderables_for_part(self, part: MessagePart, *, is_open: bool) -> Iterator[RenderableType]:
        """Yield what to write of a message. Blocks of the lead's messages may be on the screen already."""
        message, is_reply = part.message, part.message.kind is OutboundKind.REPLY
        if not (is_reply or (message.kind is OutboundKind.UPDATE and message.role is None)):
            yield from drawing.draw_message(part, is_open=is_open)
            return
        turn = re.split("[:/]", message.id, maxsplit=1)[0]  # the root turn: `t7` of `t7:reply` and of `t7/2`
        flow = self._flows.text_of_turn(turn)
        has_shown, rest = flow.has_shown, flow.finish_with(strip_control_characters(message.text))
        is_left_over = is_reply and message.reply_to in self.talk.left_open
        if is_reply:  # the turn is over: its texts and those of earlier turns are complete
            self._replied.add(turn)
            self._flows.end_turn(turn)
            self.status_line.end()
        if message.replaces and not is_left_over:
            return  # the last update had the same text and is on the screen
        if is_left_over and not has_shown:
            yield Text(people_texts.LEFT_OVER, style="dim")
        if rest is None:
            yield Text(people_texts.AGAIN, style="dim")
        if rest is None or part.may_repeat or not has_shown:
            yield from drawing.draw_message(part)
        else:
            yield drawing.draw_markdown(rest) if rest.strip() else Text()

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

    async def show_notice(self, *shown: RenderableType) -> None:
        """Show the screen's own words, if somebody is there."""
        with suppress(NotDelivered):
            await self.write(lambda: shown)

    async def write(self, drawn: Callable[[], Iterable[RenderableType]]) -> None:
        """Write above the input line, and return when the text is there. Raise NotDelivered if the terminal is gone.
        Call `drawn` only when its turn comes: by then all earlier texts are on the screen.

        prompt_toolkit's own way (`in_terminal`) leaves the raw mode meanwhile. A key that is pressed in that moment is
        lost, or does what it does in a shell.
        """
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
            return
        if app.is_running and not app.is_done:
            app.renderer.erase()
        for each in shown:
            self.console.print(each)
        self.console.file.flush()
        if app.is_running and not app.is_done:
            app.renderer.reset()
            app.renderer.request_absolute_cursor_position()
            app.invalidate()

    # States that last while they are true

    def show_board(self, board: OutboundMessage) -> None:
        if board.id.rpartition(":")[0] not in self._replied:
            self.status_line.board = board.board
            self.session.app.invalidate()

    def show_draft(self, draft: Draft) -> None:
        if draft.turn in self._replied:
            return
        self.status_line.begin()
        if draft.activity is not None:
            self.status_line.activity = draft.activity
        if draft.text:
            self.status_line.is_asking = False  # the turn goes on, so no question is open any more
            self._flows.text_of_turn(draft.turn).set_text(strip_control_characters(draft.text))
            self._has_grown.set()
        self.session.app.invalidate()

    def warn(self, text: str, *, is_over: bool) -> None:
        """Show a warning below the input line until it is over and the person types again. If there is no input line,
        print it."""
        self.status_line.warn(text, is_over=is_over)
        if self.session.app.is_running:
            self.session.app.invalidate()
        else:
            with suppress(OSError):  # the terminal is gone; the next read notices it
                self.print(Text(text, style="bold"))

    def prompt_text(self) -> StyleAndTextTuples:
        """Return the prompt, after the text that is being written. Return only the prompt when the line is done."""
        prompt: StyleAndTextTuples = [("class:prompt", people_texts.PROMPT)]
        live = self._flows.oldest.live
        if self.session.app.is_done or not live.strip():
            return prompt
        size = self.session.app.output.get_size()
        rows = size.rows - ROWS_KEPT - len(self.status_line.board)
        return [("class:draft", drawing.last_rows(live.lstrip("\n"), rows, size.columns)), ("", "\n\n"), *prompt]
