"""A text that is being written, block by block: what is finished is shown for good, and only the rest is live."""

from collections.abc import Iterator

from channels.terminal.markdown import parse_markdown

EAGER_CHARACTERS = 2_000  # characters of a block that are read anew for each line


class GrowingText:
    """What one turn is writing, and how much of it stands on the screen. It may be written anew: then what stands there
    is no longer its beginning, and nothing more of it is shown for good before it is said."""

    def __init__(self) -> None:
        self._text = ""
        self._on_screen = ""  # what stands there: whole blocks
        self._said = ""  # what the turn has said last: drafts of that may come late
        self._looked_at = 0  # the end of the last line that was looked at
        self._looked_at_length = 0  # how long the unfinished block was then

    def set_text(self, text: str) -> None:
        """Take what is written by now."""
        if not self._said.startswith(text):
            self._said = ""
            self._text = text

    @property
    def live(self) -> str:
        """What is written and does not stand there yet."""
        return self._text.removeprefix(self._on_screen)

    @property
    def has_shown(self) -> bool:
        """Whether something of it stands there."""
        return bool(self._on_screen)

    def take_finished_blocks(self) -> str:
        """Return the blocks that are finished and do not stand there yet: they do from now on."""
        lines = self._text.rfind("\n") + 1  # what the newest line will be nobody knows before its end
        if lines == self._looked_at or not self._text.startswith(self._on_screen):
            return ""
        new = self._text[len(self._on_screen) : lines]
        if (
            EAGER_CHARACTERS < len(new) < self._looked_at_length * 5 // 4
        ):  # or a long block would be read once for each of its lines
            return ""
        self._looked_at, self._looked_at_length = lines, len(new)
        *_, last = [0, *block_starts(new)]
        if last:
            self._looked_at_length = 0
        self._on_screen += new[:last]
        return new[:last]

    def finish_with(self, text: str) -> str | None:
        """Return how a text that is said now goes on after what stands there: all of it, where nothing does; None if it
        does not go on there, and is to be shown whole. From now on the next text is written."""
        shown, self._on_screen, self._text, self._said = self._on_screen, "", "", text
        self._looked_at = self._looked_at_length = 0
        if shown and (not text.startswith(shown) or has_loose_lines(text)):
            return None
        return text.removeprefix(shown)


class GrowingTexts:
    """What each turn is writing. Only of the oldest something is shown: the next may begin before its answer is."""

    def __init__(self) -> None:
        self._flows: dict[str, GrowingText] = {}

    def text_of_turn(self, turn: str) -> GrowingText:
        return self._flows.setdefault(turn, GrowingText())

    @property
    def live(self) -> str:
        return self._oldest.live if self._flows else ""

    def take_finished_blocks(self) -> str:
        return self._oldest.take_finished_blocks() if self._flows else ""

    @property
    def _oldest(self) -> GrowingText:
        return next(iter(self._flows.values()))

    def end_turn(self, turn: str) -> None:
        """A turn is over, and so are those before it."""
        while turn in self._flows:
            del self._flows[next(iter(self._flows))]


def block_starts(text: str) -> Iterator[int]:
    """Where each block of a Markdown text begins."""
    places = [0]
    for line in text.split("\n"):
        places.append(places[-1] + len(line) + 1)
    for token in parse_markdown(text):
        if token.level == 0 and token.map and token.nesting >= 0:
            yield places[token.map[0]]


def has_loose_lines(text: str) -> bool:
    """Whether a text has lines that no block holds, as where a link's address stands apart from it: its blocks cannot
    be shown one by one."""
    held: set[int] = set()
    for token in parse_markdown(text):
        if token.level == 0 and token.map:
            held.update(range(*token.map))
    return any(line.strip() and number not in held for number, line in enumerate(text.split("\n")))
