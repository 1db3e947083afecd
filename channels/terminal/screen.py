"""The chat on a screen: what is said scrolls by, and stays; below it the line one types in, and who is at work."""

import asyncio
import os
import sys
import termios
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import FileHistory, History
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.shortcuts import CompleteStyle
from prompt_toolkit.styles import Style
from rich.console import Console, RenderableType
from rich.text import Text

from bot.channel import Part, Publish
from bot.errors import NotDelivered
from bot.messages import BoardLine, Draft, OutboundKind, OutboundMessage
from channels.terminal import drawing
from channels.terminal.talk import STOP, Talk

TWICE_SECONDS = 2.0
TICK_SECONDS = 0.5
LAST_SECONDS = 2.0  # for what was typed last to be taken in
ROWS_KEPT = 6  # of the screen, while a draft grows: for the line one types in, and what is above
HELP = "Alt-Enter: a new line · /help, Tab: the commands · Ctrl-C: stop, and twice: leave · exit: leave"
STYLE = Style.from_dict({"bottom-toolbar": "noreverse", "dim": "ansibrightblack", "prompt": "bold", "draft": "italic"})


LEAVING = frozenset({"exit", "quit", "/exit", "/quit", ":q"})
MEANT = {"/clear": "/new", "/cost": "/usage"}  # what other programs call it


class Interrupted(Exception):
    """Ctrl-C was pressed."""


class Screen:
    """`title` says who answers here."""

    def __init__(
        self, talk: Talk, title: str, history: Path, leave: Callable[[], None], words: Callable[[], Sequence[str]]
    ) -> None:
        self.talk = talk
        self.title = title
        self.leave = leave
        self.status = 0
        self.words = words
        # The screen itself: stdout is patched later.
        self.console = Console(file=sys.stdout, highlight=False, theme=drawing.THEME)
        self.session = self.prompt(kept(history))
        self._draft: Draft | None = None
        self._at_work_since: datetime | None = None
        self._board: Sequence[BoardLine] = ()
        self._replied: set[str] = set()  # the turns whose reply was shown: what comes late of them is nothing any more
        self._warning = ""
        self._is_warning_over = False
        self._interrupted_at = -TWICE_SECONDS
        self._typed: asyncio.Queue[str] = asyncio.Queue()
        self._unsaid = 0  # of what was typed
        self._writing = asyncio.Lock()

    def prompt(self, history: History) -> "PromptSession[str]":
        return PromptSession(
            message=self.above,
            bottom_toolbar=self.below,
            history=history,
            key_bindings=keys(),
            style=STYLE,
            refresh_interval=TICK_SECONDS,
            reserve_space_for_menu=0,
            completer=Words(self.words),
            complete_style=CompleteStyle.READLINE_LIKE,
            complete_while_typing=False,
            interrupt_exception=Interrupted,
        )

    async def run(self, publish: Publish) -> None:
        gone = suppress(termios.error)  # a terminal that was closed has no mode to be set back
        with gone, patch_stdout(raw=True), self.session.app.input.raw_mode():  # also between two lines
            await self.tell(Text(HELP, style="dim"))
            for question in self.talk.look.asked():
                await self.tell(Text("Still open, from an earlier run:", style="dim"), drawing.asked(question))
            async with asyncio.TaskGroup() as tasks:
                saying = tasks.create_task(self.say_what_is_typed(publish), name="say")
                while await self.hear():
                    pass
                with suppress(TimeoutError):  # where the disk takes nothing, it was told that it waits
                    async with asyncio.timeout(LAST_SECONDS):
                        await self._typed.join()
                saying.cancel()
        self.leave()

    async def hear(self) -> bool:
        """Take in what is typed next; False if that was the last."""
        try:
            text = await self.session.prompt_async(handle_sigint=False)
        except Interrupted:
            return await self.interrupted()
        except EOFError:
            return False
        except OSError:
            self.close()
            return False
        text = text.strip()
        if text.casefold() in LEAVING and not self.talk.look.asked():
            return False
        if text:
            self.typed(MEANT.get(text, text))
        return True

    def typed(self, text: str) -> None:
        if self._is_warning_over:
            self._warning = ""
        self._unsaid += 1
        self._typed.put_nowait(text)

    async def say_what_is_typed(self, publish: Publish) -> None:
        """Beside the line one types in: what is published waits for the disk, and one must be able to leave."""
        while True:
            await self.talk.say(await self._typed.get(), publish)
            self._unsaid -= 1
            self._typed.task_done()

    async def interrupted(self) -> bool:
        """Stop what is at work; at the second time running, leave."""
        now, before = asyncio.get_running_loop().time(), self._interrupted_at
        self._interrupted_at = now
        if now - before < TWICE_SECONDS:
            return False
        if self._unsaid or self.talk.look.unanswered():
            self.typed(STOP)
        else:
            await self.tell(Text("Nothing is at work. Once more leaves.", style="dim"))
        return True

    def interrupt(self) -> None:
        """As Ctrl-C does, for who sends the signal from elsewhere."""
        if self.session.app.is_running and not self.session.app.is_done:
            self.session.app.exit(exception=Interrupted())
        else:
            self.leave()

    def close(self) -> None:
        """The terminal is gone, which is a way to leave: what is still to be shown is shown at the next run."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.console.file.fileno())  # so that the last flush does not fail
        self.leave()

    # What stays

    async def say(self, part: Part) -> None:
        message = part.message
        if message.kind is OutboundKind.REPLY:
            self.forget(message)
        elif message.kind is OutboundKind.UPDATE and message.role is None:
            self._draft = None  # it is said now
        is_left_over = message.kind is OutboundKind.REPLY and self.talk.is_left_over(message)
        if message.replaces and not is_left_over:
            return  # it is the last update, which stands here already
        if is_left_over:
            await self.put(Text("From an earlier run:", style="dim"))
        await self.put(drawing.drawing(part))

    def forget(self, reply: OutboundMessage) -> None:
        """A turn is over: nothing of it is at work or being written any more."""
        self._replied.add(reply.id.rpartition(":")[0])
        self._draft, self._board, self._at_work_since = None, (), None

    async def tell(self, *shown: RenderableType) -> None:
        """Show something of the screen's own, if somebody is there."""
        with suppress(NotDelivered):
            await self.put(*shown)

    async def put(self, *shown: RenderableType) -> None:
        """Write above the line one types in, and come back when it is there; raises NotDelivered where nobody is.

        prompt_toolkit's own way to do so (`in_terminal`) gives up the raw mode meanwhile, and a key that is pressed in
        that moment is lost, or does what it does in a shell.
        """
        async with self._writing:
            if self.session.app.is_running:  # an answer that came later would tell of the place before
                await self.session.app.renderer.wait_for_cpr_responses()
            try:
                self.print(*shown)
            except OSError:
                self.close()
                raise NotDelivered("nobody reads any more") from None

    def print(self, *shown: RenderableType) -> None:
        app = self.session.app
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

    def draw(self, board: OutboundMessage) -> None:
        if board.id.rpartition(":")[0] not in self._replied:
            self._board = board.board
            self.session.app.invalidate()

    def sketch(self, draft: Draft) -> None:
        if draft.turn in self._replied:
            return
        self._at_work_since = self._at_work_since or datetime.now(UTC)
        if draft.text or self._draft is None:
            self._draft = draft
        self.session.app.invalidate()

    def warn(self, text: str, *, is_over: bool) -> None:
        """Below the line, until it is over and something else is typed; where there is no line, for good."""
        self._warning, self._is_warning_over = text, is_over
        if self.session.app.is_running:
            self.session.app.invalidate()
        else:
            with suppress(OSError):  # a terminal that is gone: who types there next finds out
                self.print(Text(text, style="bold"))

    def above(self) -> StyleAndTextTuples:
        """The line's beginning; and before it, what is being written. That is not left behind when a line is done."""
        prompt: StyleAndTextTuples = [("class:prompt", "> ")]
        if self.session.app.is_done or self._draft is None or not self._draft.text:
            return prompt
        size = self.session.app.output.get_size()
        rows = size.rows - ROWS_KEPT - len(self._board)
        return [("class:draft", drawing.tail(self._draft.text, rows, size.columns)), ("", "\n\n"), *prompt]

    def below(self) -> StyleAndTextTuples:
        """Who is at work, and for how long."""
        now, columns = datetime.now(UTC), self.session.app.output.get_size().columns
        status = self.title
        if self._at_work_since:
            status += f" · at work {drawing.clock((now - self._at_work_since).total_seconds())} · Ctrl-C stops"
        warning = [("bold", drawing.shortened(self._warning, columns - 1) + "\n")] if self._warning else []
        state = [("class:dim", drawing.shortened(status, columns - 1))]
        return [*drawing.board(self._board, now, columns), *warning, *state]


class Words(Completer):
    """Completes commands, and names of roles, on Tab."""

    def __init__(self, words: Callable[[], Sequence[str]]) -> None:
        self.words = words

    def get_completions(self, document: Document, event: CompleteEvent) -> Iterator[Completion]:
        begun = document.get_word_before_cursor(WORD=True)
        if not begun:
            return
        for word in sorted(self.words()):
            is_first = document.text_before_cursor == begun
            if word.casefold().startswith(begun.casefold()) and (is_first or not word.startswith("/")):
                yield Completion(word, -len(begun))


class Typed(FileHistory):
    """What was typed, for the arrow keys. Where the file cannot be read or written, it lasts as long as the run."""

    def load_history_strings(self) -> Iterable[str]:
        try:
            return super().load_history_strings()
        except OSError:
            return []

    def store_string(self, string: str) -> None:
        with suppress(OSError):
            super().store_string(string)


def kept(path: Path) -> History:
    """The history that lies there, for nobody else to read."""
    with suppress(OSError):
        path.touch(mode=0o600)
    return Typed(path)


def keys() -> KeyBindings:
    """Enter sends; Alt-Enter begins a new line. (What is pasted keeps its lines as it is.)"""
    bindings = KeyBindings()

    @bindings.add("escape", "enter")
    def new_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    return bindings
