"""Render a message for Discord: pack its blocks into as few Discord messages as they need."""

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

MAX_CODE_POINTS = 2_000  # of a message
EMPTY_MESSAGE = people_texts.NO_WORDS  # Discord takes no empty message
WORTH_FILLING = 300  # code points: if less room is left, a block that does not fit begins a new message
CLOSING_LENGTH = len("\n```")

# We do not cut these: a link, an address, a mention, code within a line, an escaped letter.
UNCUTTABLE = re.compile(
    r"\[(?:[^\[\]\\]|\\.)*\]\((?:[^()\s\\]|\\.|\([^()\s]*\))*(?:\s\"[^\"]*\")?\)"
    r"|<[^\s<>]+>"
    r"|https?://\S+"
    r"|(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)"
    r"|\\."
)
LINE_START = re.compile(r"```|#|>|[-*+] |-# |\d+[.)] ")  # these mean something at the start of a line only


def render_texts(message: OutboundMessage) -> Sequence[str]:
    """Return the texts that show a message. Each begins with the role's label and has at most 2,000 code points."""
    opening = strip_invisible(role_label(message))
    if message.kind is OutboundKind.BOARD:
        text = opening + strip_invisible(message.text)
        return (cut_within_room(text, MAX_CODE_POINTS) or EMPTY_MESSAGE,)  # a board is one message that we edit
    found = pack_into_messages(message.text, message.options, MAX_CODE_POINTS - len(opening) - 1) or (EMPTY_MESSAGE,)
    return [f"{opening}\n{text}" if opening and LINE_START.match(text) else opening + text for text in found]


@lru_cache(maxsize=64)  # each part of a message asks for all parts again
def pack_into_messages(markdown: str, options: tuple[str, ...], room: int) -> tuple[str, ...]:
    """Return the message in texts of at most `room` code points, cut between blocks where possible."""
    listed = tuple(f"{number}. {' '.join(strip_invisible(option).split())}" for number, option in enumerate(options, 1))
    found = [*split_into_blocks(markdown), *([Block(lines=listed, gap=1)] if listed else [])]
    packer = MessagePacker(room=room)
    for block, following in pairwise([*found, None]):
        assert block
        packer.add(block, following)
    packer.flush()
    return tuple(packer.parts)


@dataclass(slots=True)
class MessagePacker:
    room: int
    parts: list[str] = field(default_factory=list)
    text: str = ""  # the part that is being filled

    def add(self, block: Block, following: Block | None) -> None:
        whole = str(block)
        needs = len(whole) + (min(WORTH_FILLING, len(str(following))) if block.is_heading else 0)  # never the last
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
        """Return the room left in this part after the line breaks before the next block."""
        return self.room - len(self.text) - (gap + 1 if self.text else 0)

    def append(self, text: str, gap: int) -> None:
        self.text += "\n" * (gap + 1) * bool(self.text) + text

    def flush(self) -> None:
        if self.text.strip():
            self.parts.append(self.text.strip())  # Discord keeps no space around a message
        self.text = ""


def split_block(block: Block, first: int, room: int) -> Iterator[str]:
    """Yield a block in pieces, at most `first` code points for the first and `room` for the others. Each piece of a
    code block has its own fences."""
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
    """Return as much of a line as there is room for. Cut between words if that fills more than half of the room. Else
    cut between letters, within a link only if nothing else fits."""
    if len(text) <= room:
        return text
    wholes = TextSpans(found.span() for found in UNCUTTABLE.finditer(text, 0, 2 * room))
    ends = [0]
    for letter in iter_graphemes(text[: room + 64]):  # a letter may have many code points
        if ends[-1] + len(letter) > room:
            break
        ends.append(ends[-1] + len(letter))
    good = [end for end in ends[1:] if not wholes.has_inside(end)]
    spaces = [end for end in good if text[end - 1].isspace()]
    if spaces and spaces[-1] > room // 2:
        return text[: spaces[-1]]
    best = good or ends[1:] or [room]
    return text[: best[-1]]
