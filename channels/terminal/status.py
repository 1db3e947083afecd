"""The status below the input line: who works, on what and for how long."""

from collections.abc import Sequence
from datetime import UTC, datetime

from prompt_toolkit.formatted_text import StyleAndTextTuples

from bot.core.messages import BoardLine
from channels.terminal import drawing, figures, people_texts
from channels.terminal.channel import strip_control_characters


class StatusLine:
    """The status of one screen. `title` says who answers here."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.is_asking = False  # a question waits for an answer
        self.activity = ""
        self.board: Sequence[BoardLine] = ()
        self._at_work_since: datetime | None = None
        self._warning = ""
        self._is_warning_over = False

    def begin(self) -> None:
        self._at_work_since = self._at_work_since or datetime.now(UTC)

    def end(self) -> None:
        """Clear what belongs to the turn, because the turn is over."""
        self._at_work_since, self.is_asking, self.activity, self.board = None, False, "", ()

    def warn(self, text: str, *, is_over: bool) -> None:
        """Show a warning until it is over and the person types again."""
        self._warning, self._is_warning_over = text, is_over

    def forget_warning(self) -> None:
        if self._is_warning_over:
            self._warning = ""

    def render_lines(self, columns: int) -> StyleAndTextTuples:
        now, status = datetime.now(UTC), self.title
        if self.is_asking:
            status += f" · {people_texts.WAITS_FOR_ANSWER}"
        elif self._at_work_since:
            time = figures.format_clock((now - self._at_work_since).total_seconds())
            status += f" · {people_texts.AT_WORK(time=time)}"
        activity = drawing.shorten(strip_control_characters(self.activity), columns - 3)
        drawn: StyleAndTextTuples = [*drawing.draw_board(self.board, now, columns)]
        drawn += [("class:dim", f"… {activity}\n")] if activity else []
        drawn += [("bold", drawing.shorten(self._warning, columns - 1) + "\n")] if self._warning else []
        return [*drawn, ("class:dim", drawing.shorten(status, columns - 1))]
