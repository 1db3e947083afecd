"""Which texts a message is shown as: its blocks, packed into as few messages of Discord as they need."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from wcwidth import iter_graphemes

from bot.core.messages import OutboundKind, OutboundMessage
from channels.discord import people_texts
from channels.discord.blocks import Block, split_into_blocks
from channels.formatting import TextSpans, role_label
from channels.invisible_characters import strip_invisible

MAX_CODE_POINTS = 2_000  # code points of a message
EMPTY_MESSAGE = people_texts.NO_WORDS  # Discord takes no message without any
WORTH_FILLING = 300  # code points left, below which what does not fit begins a new message
CLOSING_LENGTH = len("\n```")

# What is not to be cut: a link, an address, a mention, code within a line, an escaped letter.
UNCUTTABLE = re.compile(
    r"\[(?:[^\[\]\\]|\\.)*\]\((?:[^()\s\\]|\\.|\([^()\s]*\))*(?:\s\"[^\"]*\")?\)"
    r"|<[^\s<>]+>"
    r"|https?://\S+"
    r"|(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)"
    r"|\\."
)
LINE_START = re.compile(r"```|#|>|[-*+] |-# |\d+[.)] ")  # these mean something at the start of a line only


def render_texts(message: OutboundMessage) -> Sequence[str]:
    """The texts that a message is shown as, each opening with its role's label, at most 2,000 code points long."""
    opening = strip_invisible(role_label(message))
    if message.kind is OutboundKind.BOARD:
        return (
            cut_within_room(opening + strip_invisible(message.text), MAX_CODE_POINTS) or EMPTY_MESSAGE,
        )  # one message, which is edited
    found = pack_into_messages(message.text, message.options, MAX_CODE_POINTS - len(opening) - 1) or (EMPTY_MESSAGE,)
    return [prepend_label(opening, text) for text in found]


def prepend_label(opening: str, text: str) -> str:
    return f"{opening}\n{text}" if opening and LINE_START.match(text) else opening + text


@lru_cache(maxsize=64)  # a message is asked for its parts at each of them
def pack_into_messages(markdown: str, options: tuple[str, ...], room: int) -> tuple[str, ...]:
    """The whole in texts of at most `room` code points, cut between blocks where that goes."""
    listed = tuple(f"{number}. {' '.join(strip_invisible(option).split())}" for number, option in enumerate(options, 1))
    found = [*split_into_blocks(markdown), *([Block(lines=listed, gap=1)] if listed else [])]
    packer = MessagePacker(room=room)
    for block, following in pairwise([*found, None]):
        assert block
        packer.add(block, following)
    return tuple(packer.finish())


@dataclass(slots=True)
class MessagePacker:
    room: int
    parts: list[str] = field(default_factory=list)
    text: str = ""  # of the part that is being filled

    def add(self, block: Block, following: Block | None) -> None:
        whole = str(block)
        needs = len(whole) + (min(WORTH_FILLING, len(str(following))) if block.is_heading else 0)  # never last
        if self.room_left(block.gap) < needs <= self.room:
            self.flush()
        if self.room_left(block.gap) >= len(whole):
            self.append(whole, block.gap)
            return
        if self.room_left(block.gap) < WORTH_FILLING:
            self.flush()
        for number, piece in enumerate(split_block(block, self.room_left(block.gap), self.room)):
            if number:
                self.flush()
            self.append(piece, block.gap)

    def room_left(self, gap: int) -> int:
        """Room for what follows, once it stands apart from what there is."""
        return self.room - len(self.text) - (gap + 1 if self.text else 0)

    def append(self, text: str, gap: int) -> None:
        self.text += "\n" * (gap + 1) * bool(self.text) + text

    def flush(self) -> None:
        if self.text.strip():
            self.parts.append(self.text.strip())  # Discord keeps no space around a message
        self.text = ""

    def finish(self) -> list[str]:
        self.flush()
        return self.parts


def split_block(block: Block, first: int, room: int) -> Iterator[str]:
    """A block in pieces: `first` code points for the first, `room` for the others; code is closed and opened again."""
    frame = len(block.fence) + 1 + CLOSING_LENGTH if block.fence else 0
    taken: list[str] = []
    left = first - frame
    for line in block.lines:
        while len(line) + bool(taken) > left:
            if taken and (len(line) <= room - frame or left < WORTH_FILLING):
                yield str(Block(lines=tuple(taken), fence=block.fence))
                taken, left = [], room - frame
                continue
            piece = cut_within_room(line, max(1, left - bool(taken)))
            yield str(Block(lines=(*taken, piece), fence=block.fence))
            taken, line, left = [], line[len(piece) :], room - frame
        taken.append(line)
        left -= len(line) + (len(taken) > 1)
    yield str(Block(lines=tuple(taken), fence=block.fence))


def cut_within_room(text: str, room: int) -> str:
    """As much of a line as there is room for: whole words and links if that leaves anything, else whole letters."""
    if len(text) <= room:
        return text
    wholes = TextSpans(found.span() for found in UNCUTTABLE.finditer(text, 0, 2 * room))
    ends = [0]
    for letter in iter_graphemes(text[: room + 64]):  # a letter may be many code points long
        if ends[-1] + len(letter) > room:
            break
        ends.append(ends[-1] + len(letter))
    good = [end for end in ends[1:] if not wholes.has_inside(end)]
    spaces = [end for end in good if text[end - 1].isspace()]
    if spaces and spaces[-1] > room // 2:
        return text[: spaces[-1]]
    best = good or ends[1:] or [room]
    return text[: best[-1]]
