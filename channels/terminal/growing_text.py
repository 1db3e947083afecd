"""Show a text while it is being written: finished blocks are shown for good, and only the rest changes."""

from dataclasses import dataclass, field

from channels.terminal.drawing import parse_markdown

MAX_EAGERLY_PARSED_CHARACTERS = 2_000  # up to this length we parse an unfinished block again at each new line


@dataclass
class GrowingText:
    """The text that one turn is writing. If the turn starts its text again, the blocks on the screen are no longer its
    beginning. Then nothing more is shown for good before the text is complete."""

    _text: str = ""
    shown_blocks: str = ""  # the whole blocks that were shown
    _said: str = ""  # the turn's last complete text: its drafts may come late
    _looked_at: int = 0  # the end of the last line that was parsed
    _looked_at_length: int = 0  # how long the unfinished block was then

    def set_draft_text(self, text: str) -> None:
        """Set the text so far. Ignore a late draft of the last complete text."""
        if not self._said.startswith(text):
            self._said = ""
            self._text = text

    @property
    def unshown_text(self) -> str:
        return self._text.removeprefix(self.shown_blocks)

    def take_finished_blocks(self) -> str:
        """Return the finished blocks that are not on the screen, and count them as shown."""
        lines = self._text.rfind("\n") + 1  # the newest line may still grow
        if lines == self._looked_at or not self._text.startswith(self.shown_blocks):
            return ""
        new = self._text[len(self.shown_blocks) : lines]
        if MAX_EAGERLY_PARSED_CHARACTERS < len(new) < self._looked_at_length * 5 // 4:
            return ""  # otherwise a long block would be parsed once for each of its lines
        self._looked_at, self._looked_at_length = lines, len(new)
        blocks = block_line_ranges(new)
        unfinished = blocks[-1].start if blocks else 0  # the first line of the last block, which may go on
        finished = "".join(f"{line}\n" for line in new.split("\n")[:unfinished])
        if finished:
            self._looked_at_length = 0
        self.shown_blocks += finished
        return finished

    def take_rest_of_complete_text(self, text: str) -> str | None:
        """Return the rest of a complete text after its blocks on the screen, or all of it if there are none. Return
        None if the blocks are not its beginning, so that it must be shown whole. Then expect the next text."""
        shown, self.shown_blocks, self._text, self._said = self.shown_blocks, "", "", text
        self._looked_at = self._looked_at_length = 0
        held = set[int]().union(*block_line_ranges(text)) if shown else set[int]()
        # Lines outside all blocks are for example link definitions: such a text cannot be shown block by block.
        has_loose_lines = any(line.strip() and number not in held for number, line in enumerate(text.split("\n")))
        if shown and (has_loose_lines or not text.startswith(shown)):
            return None
        return text.removeprefix(shown)


@dataclass
class GrowingTextsByTurn:
    """The texts that turns write. Only the oldest turn's text is shown, because the next turn may begin before that
    turn's answer is shown."""

    _flows: dict[str, GrowingText] = field(default_factory=dict)

    def find_or_add_text_of_turn(self, turn: str) -> GrowingText:
        return self._flows.setdefault(turn, GrowingText())

    @property
    def oldest_text(self) -> GrowingText:
        return next(iter(self._flows.values()), GrowingText())

    def forget_turns_up_to(self, turn: str) -> None:
        """Forget the texts of a turn that is over, and of those before it."""
        while turn in self._flows:
            del self._flows[next(iter(self._flows))]


def block_line_ranges(text: str) -> list[range]:
    """Return the numbers of the lines of each block of a Markdown text."""
    return [range(*token.map) for token in parse_markdown(text) if token.level == 0 and token.map]
