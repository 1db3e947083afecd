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

from bot.core.channel import MessagePart, PublishFunction
from bot.core.errors import NotDelivered
from bot.core.exit_status import ExitStatus
from bot.core.messages import BoardLine, Draft, OutboundKind, OutboundMessage
from channels.terminal import drawing, figures, operator_texts, people_texts
from channels.terminal.channel import make_terminal_safe
from channels.terminal.conversation import QUESTION_KINDS, STOP_COMMAND, TerminalConversation
from channels.terminal.growing_text import GrowingTextsByTurn

DOUBLE_INTERRUPT_SECONDS = 2.0
REFRESH_INTERVAL_SECONDS = 0.5
LAST_PUBLISH_TIMEOUT_SECONDS = 2.0  # for publishing what was typed last
ROWS_KEPT_FREE_BY_DRAFT = 6  # rows of the screen that a growing draft leaves for the input line and what is above
PROMPT_STYLE = Style.from_dict(
    {"bottom-toolbar": "noreverse", "dim": "ansibrightblack", "prompt": "bold", "draft": "nobold italic"}
)


class InterruptKeyPressed(Exception):
    """Ctrl-C was pressed."""


@dataclass
class CommandAndRoleCompleter(Completer):
    """Completes commands and role names on Tab."""

    get_words: Callable[[], Sequence[str]]

    def get_completions(self, document: Document, event: CompleteEvent) -> Iterator[Completion]:
        typed = document.get_word_before_cursor(WORD=True)
        if not typed:
            return
        for word in sorted(self.get_words()):
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


class ScreenInterface:
    """The interface of a terminal with a screen. `title` says who answers. `words` are what Tab completes."""

    def __init__(
        self,
        conversation: TerminalConversation,
        title: str,
        history: Path,
        end_bot: Callable[[], None],
        words: Callable[[], Sequence[str]],
        *,
        is_free: bool = False,
    ) -> None:
        self.conversation = conversation
        self.status_area = drawing.StatusArea(title)
        self.is_free = is_free
        self.end_bot = end_bot
        self.status = ExitStatus.DONE
        # The screen itself: stdout is patched later.
        self.console = Console(file=sys.stdout, highlight=False, theme=drawing.MARKDOWN_THEME)
        self._flows = GrowingTextsByTurn()
        self._has_grown = asyncio.Event()
        self._held: list[RenderableType] = []  # what was typed, and notices: shown live below an answer that grows
        self._ends_blank = False  # the last row that was printed is empty
        self._replied: set[str] = set()  # turns whose reply was shown: late drafts of these are ignored
        self._boards: dict[str, Sequence[BoardLine]] = {}  # by root turn
        self._interrupted_at = -DOUBLE_INTERRUPT_SECONDS
        self._typed: asyncio.Queue[str] = asyncio.Queue()
        self._unsaid = 0  # how many typed texts are not published yet
        self._writing = asyncio.Lock()
        with suppress(OSError):
            history.touch(mode=0o600)  # only its owner can read it
        keys = KeyBindings()  # beside Enter, which sends; a paste keeps its lines
        keys.add("c-c")(lambda event: self.on_interrupt())
        keys.add("escape", "enter")(lambda event: event.current_buffer.insert_text("\n"))
        self.session: PromptSession[str] = PromptSession(
            message=self.draft_and_prompt_text,
            bottom_toolbar=lambda: self.status_area.render_lines(self.session.app.output.get_size().columns),
            history=InputHistory(history),
            key_bindings=keys,
            style=PROMPT_STYLE,
            refresh_interval=REFRESH_INTERVAL_SECONDS,
            reserve_space_for_menu=0,
            completer=CommandAndRoleCompleter(words),
            complete_style=CompleteStyle.READLINE_LIKE,
            complete_while_typing=False,
            erase_when_done=True,  # else it could stay within an answer; `read_and_queue_input` shows it
        )

    async def run(self, publish: PublishFunction) -> None:
        self.conversation.load_earlier_state()
        gone = suppress(termios.error)  # a closed terminal has no mode to restore
        with gone, patch_stdout(raw=True), self.session.app.input.raw_mode():  # raw also between two lines
            if exchange := self.conversation.earlier_exchange:
                said = Text(people_texts.PROMPT() + make_terminal_safe(exchange.person_text), style="dim")
                said.stylize("bold", 0, len(people_texts.PROMPT()))
                answers = [drawing.draw_markdown(make_terminal_safe(each), "dim") for each in exchange.answers]
                end = Text(f"{people_texts.END_OF_EARLIER()}\n", style="dim")
                await self.show_or_hold_own_texts(Text(people_texts.EARLIER(), style="dim"), said, *answers, end)
            await self.show_or_hold_own_texts(Text(people_texts.HELP(), style="dim"))
            for question in self.conversation.rows.list_open_question_messages():
                self.status_area.is_question_open = True
                asked = drawing.draw_question(question, hint=self.conversation.describe_how_to_answer(question))
                await self.show_or_hold_own_texts(Text(people_texts.STILL_OPEN(), style="dim"), *asked)
            try:
                async with asyncio.TaskGroup() as tasks:
                    saying = tasks.create_task(self.publish_queued_inputs(publish), name="say")
                    showing = tasks.create_task(self.show_finished_blocks(), name="blocks")
                    while await self.read_and_queue_input():
                        pass
                    with suppress(TimeoutError):  # if the disk is full, a warning says so
                        async with asyncio.timeout(LAST_PUBLISH_TIMEOUT_SECONDS):
                            await self._typed.join()
                    for task in (saying, showing):
                        task.cancel()
            finally:
                with suppress(OSError):  # the terminal is gone
                    self.print_above_input(*self._held)
        self.end_bot()

    async def read_and_queue_input(self) -> bool:
        """Read the next input and queue it. Return False if it was the last."""
        try:
            text = await self.session.prompt_async(handle_sigint=False)
        except InterruptKeyPressed:
            return await self.queue_stop_unless_second_interrupt()
        except EOFError:
            return False
        except OSError:
            self.leave_closed_terminal()
            return False
        text = text.strip()
        if self.conversation.is_leave_word(text):
            return False
        if text:
            await self.show_or_hold_own_texts(Text.assemble((people_texts.PROMPT(), "bold"), make_terminal_safe(text)))
            self.queue_input(text)
        return True

    def queue_input(self, text: str) -> None:
        if self.status_area.is_warning_over:
            self.status_area.warning = ""
        self._unsaid += 1
        self._typed.put_nowait(text)

    async def publish_queued_inputs(self, publish: PublishFunction) -> None:
        """Publish what was typed. This is a task: publishing waits for the disk, and the person may leave meanwhile."""
        while True:
            await publish(self.conversation.make_messages_for_text(await self._typed.get()))
            status, rows = self.status_area, self.conversation.rows
            status.is_question_open = status.is_question_open and bool(rows.list_open_question_messages())
            self._unsaid -= 1
            self._typed.task_done()

    async def queue_stop_unless_second_interrupt(self) -> bool:
        """Stop the work. At the second Ctrl-C within DOUBLE_INTERRUPT_SECONDS, return False, which means to leave."""
        now, before = asyncio.get_running_loop().time(), self._interrupted_at
        self._interrupted_at = now
        if now - before < DOUBLE_INTERRUPT_SECONDS:
            return False
        if self._unsaid or self.conversation.rows.list_unanswered_message_ids():
            self.queue_input(STOP_COMMAND)
        else:
            await self.show_or_hold_own_texts(Text(people_texts.NOTHING_AT_WORK(), style="dim"))
        return True

    def on_interrupt(self) -> None:
        """Handle Ctrl-C, and the same signal from another process."""
        if self.session.app.is_running and not self.session.app.is_done:
            self.session.app.exit(exception=InterruptKeyPressed())
        else:
            self.end_bot()

    def leave_closed_terminal(self) -> None:
        """Leave because the terminal is gone. The next run shows what was not shown."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.console.file.fileno())  # so that the last flush does not fail
        self.end_bot()

    async def show(self, part: MessagePart) -> None:
        message = part.message
        if message.kind is OutboundKind.BOARD:
            self._boards[message.id.rpartition(":")[0]] = message.board
            self.update_board_lines()
            self.session.app.invalidate()
        if message.kind is OutboundKind.BOARD or self.conversation.is_about_opening_message(message):
            return
        if message.kind is OutboundKind.NOTICE and message.reply_to:  # a command's answer; other notices cannot wait
            self._held += drawing.draw_message(part)
            return await self.write_above_input(self.take_held_renderables)
        is_open = message.kind in QUESTION_KINDS and message in self.conversation.rows.list_open_question_messages()
        self.status_area.is_question_open |= is_open
        hint = self.conversation.describe_how_to_answer(message) if is_open else ""
        await self.write_above_input(lambda: self.draw_part_and_update_status(part, hint))
        await self.show_or_hold_own_texts()

    def update_board_lines(self) -> None:
        """Show the boards below the input line. A board whose roles have all ended stays until the answer."""
        is_answer_due = self.status_area.working_since is not None
        self._boards = {
            turn: lines for turn, lines in self._boards.items() if is_answer_due or any(line.is_open for line in lines)
        }
        self.status_area.board_lines = [line for lines in self._boards.values() for line in lines]

    def draw_part_and_update_status(self, part: MessagePart, hint: str) -> Iterator[RenderableType]:
        """Yield what to write for a message. Blocks of the lead's messages may be on the screen already."""
        message, is_reply = part.message, part.message.kind is OutboundKind.REPLY
        if message.role is not None or message.files or not (is_reply or message.kind is OutboundKind.UPDATE):
            yield from drawing.draw_message(part, hint=hint)
            if is_reply:  # of a role that worked again: the lead may still be at work
                self.status_area.is_question_open &= bool(self.conversation.rows.list_open_question_messages())
                yield from self.draw_cost(message)
            return
        turn = re.split("[:/]", message.id, maxsplit=1)[0]  # the root turn: `t7` of `t7:reply` and of `t7/2`
        flow = self._flows.find_or_add_text_of_turn(turn)
        has_shown, rest = bool(flow.shown_blocks), flow.take_rest_of_complete_text(make_terminal_safe(message.text))
        is_left_over = is_reply and message.reply_to in self.conversation.left_unanswered
        if is_reply:  # the turn is over: its texts and those of earlier turns are complete
            self._replied.add(turn)
            self._flows.forget_turns_up_to(turn)
            status = self.status_area
            status.working_since, status.is_question_open, status.activity = None, False, ""
            self.update_board_lines()
        if not message.replaces or is_left_over:  # else the last update had the same text and is on the screen
            if is_left_over and not has_shown:
                yield Text(people_texts.LEFT_OVER(), style="dim")
            if rest is None:
                yield Text(people_texts.AGAIN(), style="dim")
            if rest is None or part.may_be_shown_already or not has_shown:
                yield from drawing.draw_message(part)
            else:
                yield drawing.draw_markdown(rest) if rest.strip() else Text()
        if is_reply:
            yield from self.draw_cost(message)

    def draw_cost(self, reply: OutboundMessage) -> Iterator[RenderableType]:
        """Yield the line with the cost of the turn that a reply has ended, if there is one to show."""
        cost = self.conversation.rows.find_turn_cost_of_reply(reply.id)
        if line := figures.format_cost_line(cost, is_free=self.is_free):
            yield Text(line, style="dim")

    async def show_finished_blocks(self) -> None:
        """Show the finished blocks of a text while it is being written."""
        while True:
            await self._has_grown.wait()
            self._has_grown.clear()
            with suppress(NotDelivered):
                await self.write_above_input(self.take_finished_block_renderables)

    def take_finished_block_renderables(self) -> Iterator[RenderableType]:
        if blocks := self._flows.oldest_text.take_finished_blocks():
            yield drawing.draw_markdown(blocks, is_whole=False)

    def take_held_renderables(self) -> list[RenderableType]:
        """Return everything held, and hold it no longer. Return nothing while an answer is partly on the screen: it
        would be split."""
        held = [] if self._flows.oldest_text.shown_blocks else self._held
        self._held = self._held[len(held) :]
        return held

    async def show_or_hold_own_texts(self, *shown: RenderableType) -> None:
        """Show the screen's own words after everything held. Ignore that the terminal is gone."""
        self._held += shown
        with suppress(NotDelivered):
            await self.write_above_input(self.take_held_renderables)

    async def write_above_input(self, drawn: Callable[[], Iterable[RenderableType]]) -> None:
        """Write above the input line, and return when the text is there. Raise NotDelivered if the terminal is gone.
        Call `drawn` only when all earlier texts are on the screen. prompt_toolkit's own way (`in_terminal`) leaves the
        raw mode. Then a pressed key is lost, or does what it does in a shell."""
        async with self._writing:
            if self.session.app.is_running:  # a later answer would have the old cursor position
                await self.session.app.renderer.wait_for_cpr_responses()
            try:
                self.print_above_input(*drawn())
            except OSError:
                self.leave_closed_terminal()
                raise NotDelivered(operator_texts.NOBODY_READS) from None

    def print_above_input(self, *shown: RenderableType) -> None:
        app = self.session.app
        if not shown:
            return app.invalidate()
        if app.is_running and not app.is_done:
            app.renderer.erase()
        for each in shown:
            self.console.print(drawing.without_blank_line_above(each) if self._ends_blank else each)
            self._ends_blank = drawing.ends_with_blank_line(each)
        self.console.file.flush()
        if app.is_running and not app.is_done:
            app.renderer.reset()
            app.renderer.request_absolute_cursor_position()
            app.invalidate()

    def show_draft(self, draft: Draft) -> None:
        if draft.turn in self._replied:
            return
        self.status_area.working_since = self.status_area.working_since or datetime.now(UTC)
        if draft.activity is not None:
            self.status_area.activity = draft.activity
        if draft.text:
            self.status_area.is_question_open = False  # the turn goes on, so no question is open any more
            self._flows.find_or_add_text_of_turn(draft.turn).set_draft_text(make_terminal_safe(draft.text))
            self._has_grown.set()
        self.session.app.invalidate()

    def warn(self, text: str, *, is_over: bool) -> None:
        """Show a warning until it is over and the person types again. Without an input line, print it."""
        self.status_area.warning, self.status_area.is_warning_over = text, is_over
        if self.session.app.is_running:
            self.session.app.invalidate()
        else:
            with suppress(OSError):  # the terminal is gone; the next read notices it
                self.print_above_input(Text(text, style="bold"))

    def draft_and_prompt_text(self) -> StyleAndTextTuples:
        """Return the prompt. Before it are the text that is being written, and the texts that wait for its end."""
        prompt: StyleAndTextTuples = [("class:prompt", people_texts.PROMPT())]
        live = "\n\n".join(filter(str.strip, [self._flows.oldest_text.unshown_text, *map(str, self._held)]))
        if not live:
            return prompt
        size = self.session.app.output.get_size()
        rows = size.rows - ROWS_KEPT_FREE_BY_DRAFT - len(self.status_area.board_lines)
        draft = drawing.last_wrapped_rows(live.lstrip("\n"), rows, size.columns)
        return [("class:draft", draft), ("", "\n\n"), *prompt]
