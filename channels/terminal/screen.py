"""The chat on a screen: what is said scrolls by, and stays; below it the line one types in, and who is at work."""

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
from bot.core.messages import Draft, OutboundKind, OutboundMessage
from channels.terminal import drawing, figures, operator_texts, people_texts
from channels.terminal.channel import strip_control_characters
from channels.terminal.growing_text import GrowingTexts
from channels.terminal.keyboard import CommandCompleter, make_key_bindings, open_input_history
from channels.terminal.status import StatusLine
from channels.terminal.talk import QUESTION_KINDS, STOP, Talk

TWICE_SECONDS = 2.0
TICK_SECONDS = 0.5
LAST_SECONDS = 2.0  # for what was typed last to be taken in
ROWS_KEPT = 6  # of the screen, while a draft grows: for the line one types in, and what is above
STYLE = Style.from_dict(
    {"bottom-toolbar": "noreverse", "dim": "ansibrightblack", "prompt": "bold", "draft": "nobold italic"}
)


class InterruptKey(Exception):
    """Ctrl-C was pressed."""


class Screen:
    """`title` says who answers here; `is_free`, that it costs nothing."""

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
        self.status = 0
        self.completions = words
        # The screen itself: stdout is patched later.
        self.console = Console(file=sys.stdout, highlight=False, theme=drawing.THEME)
        self.session = self.make_prompt_session(open_input_history(history))
        self._flows = GrowingTexts()
        self._has_grown = asyncio.Event()
        self._replied: set[str] = set()  # the turns whose reply was shown: what comes late of them is nothing any more
        self._interrupted_at = -TWICE_SECONDS
        self._typed: asyncio.Queue[str] = asyncio.Queue()
        self._unsaid = 0  # of what was typed
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
        gone = suppress(termios.error)  # a terminal that was closed has no mode to be set back
        with gone, patch_stdout(raw=True), self.session.app.input.raw_mode():  # also between two lines
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
                with suppress(TimeoutError):  # where the disk takes nothing, it was told that it waits
                    async with asyncio.timeout(LAST_SECONDS):
                        await self._typed.join()
                for task in (saying, showing):
                    task.cancel()
        self.leave()

    async def read_input(self) -> bool:
        """Take in what is typed next; False if that was the last."""
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
        """Beside the line one types in: what is published waits for the disk, and one must be able to leave."""
        while True:
            await self.talk.say(await self._typed.get(), publish)
            self.status_line.is_asking = self.status_line.is_asking and bool(self.talk.look.open_questions())
            self._unsaid -= 1
            self._typed.task_done()

    async def stop_or_leave(self) -> bool:
        """Stop what is at work; at the second time running, leave."""
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
        """What Ctrl-C does, and who sends the signal from elsewhere."""
        if self.session.app.is_running and not self.session.app.is_done:
            self.session.app.erase_when_done = True  # or its line would stay, in the middle of an answer
            self.session.app.exit(exception=InterruptKey())
        else:
            self.leave()

    def close(self) -> None:
        """The terminal is gone, which is a way to leave: what is still to be shown is shown at the next run."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.console.file.fileno())  # so that the last flush does not fail
        self.leave()

    # What stays

    async def show_part(self, part: MessagePart) -> None:
        message = part.message
        is_open = message.kind in QUESTION_KINDS and message in self.talk.look.open_questions()
        self.status_line.is_asking |= is_open
        await self.write(lambda: self.renderables_for_part(part, is_open=is_open))
        if message.kind is OutboundKind.REPLY:
            await self.tell_cost(message)

    def renderables_for_part(self, part: MessagePart, *, is_open: bool) -> Iterator[RenderableType]:
        """What is to be written now of a message. Of the lead's, blocks may stand there already."""
        message, is_reply = part.message, part.message.kind is OutboundKind.REPLY
        if not (is_reply or (message.kind is OutboundKind.UPDATE and message.role is None)):
            yield from drawing.draw_message(part, is_open=is_open)
            return
        turn = root_turn_of(message)
        flow = self._flows.text_of_turn(turn)
        has_shown, rest = flow.has_shown, flow.finish_with(strip_control_characters(message.text))
        is_left_over = is_reply and self.talk.is_left_over(message)
        if is_reply:
            self.end_turn(turn)
        if message.replaces and not is_left_over:
            return  # it is the last update, which stands here already
        if is_left_over and not has_shown:
            yield Text(people_texts.LEFT_OVER, style="dim")
        if rest is None:
            yield Text(people_texts.AGAIN, style="dim")
        if rest is None or part.may_repeat or not has_shown:
            yield from drawing.draw_message(part)
        else:
            yield drawing.draw_markdown(rest) if rest.strip() else Text()

    async def show_blocks(self) -> None:
        """Show what is finished of a text that is being written."""
        while True:
            await self._has_grown.wait()
            self._has_grown.clear()
            with suppress(NotDelivered):
                await self.write(self.draw_finished_blocks)

    def draw_finished_blocks(self) -> Iterator[RenderableType]:
        if blocks := self._flows.take_finished_blocks():
            yield drawing.draw_markdown(blocks, is_whole=False)

    async def tell_cost(self, reply: OutboundMessage) -> None:
        if line := figures.format_cost_line(self.talk.look.cost_of(reply.id), is_free=self.is_free):
            await self.show_notice(Text(line, style="dim"))

    def end_turn(self, turn: str) -> None:
        """A turn is over: nothing of it is at work or being written any more, nor of those before it."""
        self._replied.add(turn)
        self._flows.end_turn(turn)
        self.status_line.end()

    async def show_notice(self, *shown: RenderableType) -> None:
        """Show something of the screen's own, if somebody is there."""
        with suppress(NotDelivered):
            await self.write(lambda: shown)

    async def write(self, drawn: Callable[[], Iterable[RenderableType]]) -> None:
        """Write above the line one types in, and come back when it is there; raises NotDelivered where nobody is. What
        is `drawn` is decided when it is written: all that was to be before it is there by then.

        prompt_toolkit's own way to do so (`in_terminal`) gives up the raw mode meanwhile, and a key that is pressed in
        that moment is lost, or does what it does in a shell.
        """
        async with self._writing:
            if self.session.app.is_running:  # an answer that came later would tell of the place before
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

    # What lasts while it is true

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
            self.status_line.is_asking = False  # it goes on, so nothing waits for an answer any more
            self._flows.text_of_turn(draft.turn).set_text(strip_control_characters(draft.text))
            self._has_grown.set()
        self.session.app.invalidate()

    def warn(self, text: str, *, is_over: bool) -> None:
        """Below the line, until it is over and something else is typed; where there is no line, for good."""
        self.status_line.warn(text, is_over=is_over)
        if self.session.app.is_running:
            self.session.app.invalidate()
        else:
            with suppress(OSError):  # a terminal that is gone: who types there next finds out
                self.print(Text(text, style="bold"))

    def prompt_text(self) -> StyleAndTextTuples:
        """The line's beginning; and before it, what is being written. That is not left behind when a line is done."""
        prompt: StyleAndTextTuples = [("class:prompt", people_texts.PROMPT)]
        live = self._flows.live
        if self.session.app.is_done or not live.strip():
            return prompt
        size = self.session.app.output.get_size()
        rows = size.rows - ROWS_KEPT - len(self.status_line.board)
        return [("class:draft", drawing.last_rows(live.lstrip("\n"), rows, size.columns)), ("", "\n\n"), *prompt]


def root_turn_of(message: OutboundMessage) -> str:
    """The root turn that a message of the lead's is of: `t7` of `t7:reply` and of `t7/2`."""
    return re.split("[:/]", message.id, maxsplit=1)[0]
