"""Render a message for Discord: split its Markdown into blocks, and pack these into few Discord messages."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from wcwidth import iter_graphemes

from bot.core.messages import OutboundKind, OutboundMessage, PersonId
from channels.discord import people_texts
from channels.discord.ids import parse_interaction_id
from channels.discord.locations import is_private_chat
from channels.formatting import TextSpans, repeat_mark, role_label
from channels.links import misleading_link_note
from channels.tables import format_table_lines, strip_list_and_quote_marks

FENCE_BREAKER = "\u200b"  # a zero-width space between backticks keeps them from being a fence
FENCE_PATTERN = re.compile(r"`{3,}")
LANGUAGE_PATTERN = re.compile(r"[\w+.#-]+")
LINK_OR_CODE_PATTERN = re.compile(
    r"(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)|\\."
    r"|\[(?P<words>(?:[^\[\]\\]|\\.)*)\]"
    r"\(\s*<?(?P<target>(?:[^()\s\\<>]|\\.|\([^()\s]*\))*)>?(?:\s+\"[^\"]*\")?\s*\)",
    re.DOTALL,
)
TASK_BOX_PATTERN = re.compile(r"^(\s*(?:>\s?)*\s*(?:[-*+]|\d+[.)])\s+)\[([ xX])\](?=\s)")
HORIZONTAL_RULE_PATTERN = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*")
IMAGE_MARK_OR_CODE_PATTERN = re.compile(r"(`+).+?\1|!(?=\[[^\[\]]*\]\()")
UNTICKED_BOX, TICKED_BOX = "\N{BALLOT BOX}", "\N{BALLOT BOX WITH CHECK}"
HORIZONTAL_RULE_TEXT = "\N{HORIZONTAL BAR}" * 10
SURROGATE_PATTERN = re.compile(r"[\ud800-\udfff]")
PARSE_CHUNK_LINES = 200
BLOCK_PARSER = MarkdownIt("commonmark").enable("table").disable("inline")  # Discord itself reads marks within a line
MAX_TABLE_COLUMNS = 44  # in code on a phone
MAX_HEADING_LEVEL = 3  # Discord has three levels of headings
MAX_MESSAGE_CODE_POINTS = 2_000  # of a message
MIN_CODE_POINTS_LEFT_TO_FILL = 300  # if less room is left, a block that does not fit begins a new message
CLOSING_FENCE_LENGTH = len("\n```")
# We do not cut these: a link, an address, a mention, code within a line, an escaped letter.
UNCUTTABLE_PATTERN = re.compile(
    r"\[(?:[^\[\]\\]|\\.)*\]\((?:[^()\s\\]|\\.|\([^()\s]*\))*(?:\s\"[^\"]*\")?\)"
    r"|<[^\s<>]+>"
    r"|https?://\S+"
    r"|(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)"
    r"|\\."
)
PLAIN_KINDS = (
    OutboundKind.NOTICE,
    OutboundKind.BOARD,
    OutboundKind.APPROVAL,
)  # what the bot itself says: it has no Markdown
MARK_PATTERN = re.compile(
    r"(?P<address>https?://\S+)|[\\*_~|`]|\[(?=.*\]\()|^(?:>|#{1,3} )|<(?=[@#:/at])", re.MULTILINE
)
LINE_START_MARK_PATTERN = re.compile(r"```|#|>|[-*+] |-# |\d+[.)] ")  # these have a meaning only at the start of a line


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Lines that belong together. `opening_fence` opens their code block; it is empty if the lines are text."""

    lines: tuple[str, ...]
    opening_fence: str = ""
    blank_lines_before: int = 0  # empty lines before it
    is_heading: bool = False

    def __str__(self) -> str:
        text = "\n".join(self.lines)
        return f"{self.opening_fence}\n{text}\n```" if self.opening_fence else text


def split_and_render_blocks(markdown: str, stretch: int = PARSE_CHUNK_LINES) -> list[Block]:
    """Return the blocks to show, in order. None is longer than its source, except for the frames of tables and code."""
    text = SURROGATE_PATTERN.sub("\ufffd", markdown.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd"))
    lines = text.split("\n")
    code, headings, starts = dict[int, tuple[int, Block]](), dict[int, tuple[int, str]](), set[int]()
    for tokens in parse_in_chunks(lines, stretch):
        code.update(find_code_or_table_blocks(tokens, lines))
        headings.update(find_headings(tokens))
        starts |= {token.map[0] for token in tokens if token.map and not token.level}
    found: list[Block] = []
    at = gap = 0
    while at < len(lines):
        if not lines[at].strip():
            gap, at = gap + 1, at + 1
            continue
        if at in code:
            end, block = code[at]
        elif at in headings:
            end, heading = headings[at]
            block = Block(lines=(add_hosts_to_misleading_links(heading or lines[at].strip()),), is_heading=True)
        else:
            end = at + 1
            while end < len(lines) and not (end in starts or end in code):
                end += 1
            while not lines[end - 1].strip():
                end -= 1
            shown = add_hosts_to_misleading_links("\n".join(lines[at:end])).split("\n")
            block = Block(lines=tuple(map(replace_unsupported_marks, shown)))
        found.append(replace(block, blank_lines_before=gap))
        gap, at = 0, end
    return found


def parse_in_chunks(lines: Sequence[str], size: int) -> Iterator[list[Token]]:
    """Yield the tokens stretch by stretch. Garbage collection of all tokens at once would take long and stop the bot.
    The last block of a stretch may continue, so the next stretch begins with it again."""
    at, count, is_inside = 0, size, False
    while at < len(lines):
        tokens = BLOCK_PARSER.parse("\n".join(lines[at : at + count]))
        cut, last = find_token_and_line_of_last_block(tokens) if at + count < len(lines) else (len(tokens), count)
        if not last:  # the whole stretch is one block
            count *= 2
            continue
        goes_on = cut < len(tokens) and tokens[cut].level > 0
        for token in tokens[:cut]:
            token.map = [line + at for line in token.map] if token.map else None
        yield tokens[is_inside:cut]  # without the token that the previous stretch began
        at, count, is_inside = at + last, size, goes_on


def find_token_and_line_of_last_block(tokens: Sequence[Token]) -> tuple[int, int]:
    """Return the number and the line of the token that begins the last top-level block. If everything is one list or
    quote, take the last block within it. Return (0, 0) if no block begins after the first line."""
    is_quote = bool(tokens) and tokens[0].type == "blockquote_open"
    for level in (0, 1):
        for number in range(len(tokens) - 1, 0, -1):
            token = tokens[number]
            # Within a list or quote, the block's line must begin with the sign of the list or quote.
            has_sign = level == 0 or is_quote or token.type == "list_item_open"
            if token.map and token.map[0] and token.level == level and has_sign:
                return number, token.map[0]
    return 0, 0


def find_code_or_table_blocks(tokens: Sequence[Token], lines: Sequence[str]) -> Iterator[tuple[int, tuple[int, Block]]]:
    """Yield each code block or table: its first line, then the line where it ends and the block to show."""
    for token in tokens:
        if not token.map:
            continue
        begin, end = token.map
        if token.type in ("fence", "code_block"):
            words = token.info.split()
            language = words[0] if words and LANGUAGE_PATTERN.fullmatch(words[0]) else ""
            code = token.content.removesuffix("\n").split("\n")
            yield begin, (end, Block(lines=tuple(map(break_code_fences, code)), opening_fence=f"```{language}"))
        elif token.type == "table_open":
            rows = lines[begin:end] if not token.level else map(strip_list_and_quote_marks, lines[begin:end])
            table = tuple(map(break_code_fences, format_table_lines(list(rows), MAX_TABLE_COLUMNS)))
            yield begin, (end, Block(lines=table, opening_fence="```"))


def find_headings(tokens: Sequence[Token]) -> Iterator[tuple[int, tuple[int, str]]]:
    """Yield each heading: its line, then the line where it ends and the text to show (empty: show it as it is)."""
    for token, content in pairwise(tokens):
        if token.type != "heading_open" or token.level or not token.map:
            continue
        level, text = int(token.tag[1:]), " ".join(content.content.split())
        shown = f"**{text}**" if level > MAX_HEADING_LEVEL and text else ""
        if not token.markup.startswith("#"):
            shown = f"{'#' * level} {text}"
        yield token.map[0], (token.map[1], shown)


def add_hosts_to_misleading_links(text: str) -> str:
    """Return the text with the host behind each link whose words look like another address. Code stays as it is."""
    return LINK_OR_CODE_PATTERN.sub(
        lambda link: link[0] + (misleading_link_note(link["words"], link["target"]) if link["target"] else ""), text
    )


def break_code_fences(line: str) -> str:
    """Return a line of code with its fences broken, so that none of them ends the code block."""
    return FENCE_PATTERN.sub(lambda found: FENCE_BREAKER.join(found[0]), line)


def replace_unsupported_marks(line: str) -> str:
    """Replace marks that Discord would show as they are typed: boxes of a task list, a rule, an image."""
    if HORIZONTAL_RULE_PATTERN.fullmatch(line):
        return HORIZONTAL_RULE_TEXT
    line = TASK_BOX_PATTERN.sub(lambda found: found[1] + (UNTICKED_BOX if found[2] == " " else TICKED_BOX), line)
    line = IMAGE_MARK_OR_CODE_PATTERN.sub(lambda found: found[0] if found[1] else "", line)
    fences = list(FENCE_PATTERN.finditer(line))
    if len(fences) % 2:  # the last one has no partner and would begin a code block
        last = fences[-1]
        line = line[: last.start()] + FENCE_BREAKER.join(last[0]) + line[last.end() :]
    return line


def render_message_texts(message: OutboundMessage) -> Sequence[str]:
    """Return the texts that show a message. Each begins with the role's label and has at most 2,000 code points."""
    opening = label = role_label(message)
    is_plain = message.kind in PLAIN_KINDS and not message.is_summary  # a summary is a line of an answer
    said = escape_marks(message.text) if is_plain else message.text
    if message.kind is OutboundKind.BOARD:
        text = opening + said
        # A board is one message that we edit. Discord refuses empty messages.
        return (prefix_that_fits(text, MAX_MESSAGE_CODE_POINTS) or people_texts.NO_WORDS(),)
    if person := person_to_mention(message):
        opening = f"{label}<@{person}> "
    room = MAX_MESSAGE_CODE_POINTS - len(opening) - 1
    if message.kind is OutboundKind.NOTICE:  # an answer to a tap or a slash command may get this mark
        room -= len(repeat_mark())
    first, *others = pack_into_message_texts(said, message.options, room) or (people_texts.NO_WORDS(),)
    return [put_before_text(opening, first), *(put_before_text(label, text) for text in others)]


def person_to_mention(message: OutboundMessage) -> PersonId | None:
    """Return the person whose name a message carries, so that they are notified: the one who is to answer a question in
    a server, and the one who has asked by a slash command. A reply to a message notifies by itself; nothing can reply
    to a command."""
    can_reply = message.reply_to and not parse_interaction_id(message.reply_to)
    is_for_reader = not (can_reply or message.is_quiet or is_private_chat(message.address))
    return message.asked_person if is_for_reader else None


def put_before_text(opening: str, text: str) -> str:
    return f"{opening}\n{text}" if opening and LINE_START_MARK_PATTERN.match(text) else opening + text


def escape_marks(text: str) -> str:
    """Return plain text with its marks escaped, so that Discord shows each character. Lists and addresses stay."""
    return MARK_PATTERN.sub(lambda found: found[0] if found["address"] else f"\\{found[0]}", text)


@lru_cache(maxsize=64)  # each part of a message asks for all parts again
def pack_into_message_texts(markdown: str, options: tuple[str, ...], room: int) -> tuple[str, ...]:
    """Return the message in texts of at most `room` code points, cut between blocks where possible."""
    listed = tuple(f"{number}. {' '.join(option.split())}" for number, option in enumerate(options, 1))
    found = [*split_and_render_blocks(markdown), *([Block(lines=listed, blank_lines_before=1)] if listed else [])]
    packer = MessagePacker(room_per_text=room)
    for block, following in pairwise([*found, None]):
        assert block
        packer.add_block(block, following)
    packer.finish_current_text()
    return tuple(packer.finished_texts)


@dataclass(slots=True)
class MessagePacker:
    room_per_text: int
    finished_texts: list[str] = field(default_factory=list)
    current_text: str = ""  # the part that is being filled

    def add_block(self, block: Block, following: Block | None) -> None:
        whole = str(block)
        # A heading is never the last
        reserve = min(MIN_CODE_POINTS_LEFT_TO_FILL, len(str(following))) if block.is_heading else 0
        needs = len(whole) + reserve
        if self.room_left(block.blank_lines_before) < needs <= self.room_per_text:
            self.finish_current_text()
        if self.room_left(block.blank_lines_before) >= len(whole):
            self.append_to_current_text(whole, block.blank_lines_before)
            return
        if self.room_left(block.blank_lines_before) < MIN_CODE_POINTS_LEFT_TO_FILL:
            self.finish_current_text()
        pieces = split_block(block, self.room_left(block.blank_lines_before), self.room_per_text)
        for number, piece in enumerate(pieces):
            if number:
                self.finish_current_text()
            self.append_to_current_text(piece, block.blank_lines_before)

    def room_left(self, gap: int) -> int:
        """Return the room left in this part after the line breaks before the next block."""
        return self.room_per_text - len(self.current_text) - (gap + 1 if self.current_text else 0)

    def append_to_current_text(self, text: str, gap: int) -> None:
        self.current_text += "\n" * (gap + 1) * bool(self.current_text) + text

    def finish_current_text(self) -> None:
        if self.current_text.strip():
            self.finished_texts.append(self.current_text.strip())  # Discord keeps no space around a message
        self.current_text = ""


def split_block(block: Block, first: int, room: int) -> Iterator[str]:
    """Yield pieces: the first of at most `first` code points, the others of `room`. Each piece of code has own
    fences."""
    frame = len(block.opening_fence) + 1 + CLOSING_FENCE_LENGTH if block.opening_fence else 0
    taken: list[str] = []
    left = first - frame
    for line in block.lines:
        while len(line) + bool(taken) > left:
            if taken and (len(line) <= room - frame or left < MIN_CODE_POINTS_LEFT_TO_FILL):
                yield str(Block(lines=tuple(taken), opening_fence=block.opening_fence))
                taken, left = [], room - frame
                continue
            piece = prefix_that_fits(line, max(1, left - bool(taken)))
            yield str(Block(lines=(*taken, piece), opening_fence=block.opening_fence))
            taken, line, left = [], line[len(piece) :], room - frame
        taken.append(line)
        left -= len(line) + (len(taken) > 1)
    yield str(Block(lines=tuple(taken), opening_fence=block.opening_fence))


def prefix_that_fits(text: str, room: int) -> str:
    """Return as much of a line as there is room for. Cut between words if that fills more than half of the room. Else
    cut between letters, within a link only if nothing else fits."""
    if len(text) <= room:
        return text
    wholes = TextSpans(found.span() for found in UNCUTTABLE_PATTERN.finditer(text, 0, 2 * room))
    ends = [0]
    for letter in iter_graphemes(text[: room + 64]):  # a letter may have many code points
        if ends[-1] + len(letter) > room:
            break
        ends.append(ends[-1] + len(letter))
    good = [end for end in ends[1:] if not wholes.has_span_across(end)]
    spaces = [end for end in good if text[end - 1].isspace()]
    if spaces and spaces[-1] > room // 2:
        return text[: spaces[-1]]
    return text[: (good or ends[1:] or [room])[-1]]
