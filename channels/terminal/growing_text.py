"""Show a text while it is being written: finished blocks are shown for good, and only the rest changes."""

from collections.abc import Iterator

from channels.terminal.markdown import parse_markdown

EAGER_CHARACTERS = 2_000  # up to this length we parse an unfinished block again at each new line


class GrowingText:
    """The text that one turn is writing, and how much of it is on the screen.

    The turn may start its text again. Then what is on the screen is no longer its beginning, and nothing more is shown
    for good before the text is complete.
    """

    def __init__(self) -> None:
        self._text = ""
        self._on_screen = ""  # the whole blocks that were shown
        self._said = ""  # the turn's last complete text: its drafts may come late
        self._looked_at = 0  # the end of the last line that was parsed
        self._looked_at_length = 0  # how long the unfinished block was then

    def set_text(self, text: str) -> None:
        """Set the text so far. Ignore a late draft of the last complete text."""
        if not self._said.startswith(text):
            self._said = ""
            self._text = text

    @property
    def live(self) -> str:
        """Return the text that is written and not on the screen."""
        return self._text.removeprefix(self._on_screen)

    @property
    def has_shown(self) -> bool:
        """Return True if a part of the text is on the screen."""
        return bool(self._on_screen)

    def take_finished_blocks(self) -> str:
        """Return the finished blocks that are not on the screen, and count them as shown."""
        lines = self._text.rfind("\n") + 1  # nobody knows the newest line before its end
        if lines == self._looked_at or not self._text.startswith(self._on_screen):
            return ""
        new = self._text[len(self._on_screen) : lines]
        if EAGER_CHARACTERS < len(new) < self._looked_at_length * 5 // 4:
            return ""  # otherwise a long block would be parsed once for each of its lines
        self._looked_at, self._looked_at_length = lines, len(new)
        *_, last = [0, *block_starts(new)]
        if last:
            self._looked_at_length = 0
        self._on_screen += new[:last]
        return new[:last]

    def finish_with(self, text: str) -> str | None:
        """Return the rest of a complete text after its blocks on the screen, all of it if there are none. Return None
        if the blocks are not its beginning, so that it must be shown whole. Then expect the next text."""
        shown, self._on_screen, self._text, self._said = self._on_screen, "", "", text
        self._looked_at = self._looked_at_length = 0
        if shown and (not text.startswith(shown) or has_loose_lines(text)):
            return None
        return text.removeprefix(shown)


class GrowingTexts:
    """The texts that the turns are writing. Only the oldest turn's text is shown: the next turn may begin to write
    before the oldest turn's answer is shown."""

    def __init__(self) -> None:
        self._flows: dict[str, GrowingText] = {}

    def text_of_turn(self, turn: str) -> GrowingText:
        return self._flows.setdefault(turn, GrowingText())

    @property
    def oldest(self) -> GrowingText:
        return next(iter(self._flows.values()), GrowingText())

    def end_turn(self, turn: str) -> None:
        """Forget the texts of a turn that is over, and of those before it."""
        while turn in self._flows:
            del self._flows[next(iter(self._flows))]


def block_starts(text: str) -> Iterator[int]:
    """Yield the offset where each block of a Markdown text begins."""
    places = [0]
    for line in text.split("\n"):
        places.append(places[-1] + len(line) + 1)
    for token in parse_markdown(text):
        if token.level == 0 and token.map and token.nesting >= 0:
            yield places[token.map[0]]


def has_loose_lines(text: str) -> bool:
    """Return True if a text has lines outside all blocks, for example link definitions. The blocks of such a text
    cannot be shown one by one."""
    held: set[int] = set()
    for token in parse_markdown(text):
        if token.level == 0 and token.map:
            held.update(range(*token.map))
    return any(line.strip() and number not in held for number, line in enumerate(text.split("\n")))
