"""What a tool may show at once of something long, and how to read on."""

from collections.abc import Iterable, Iterator, Sequence

from bot.errors import ToolError
from bot.prefix import CHARACTERS_PER_TOKEN

MOST_TOKENS = 8_000
MOST_CHARACTERS = MOST_TOKENS * CHARACTERS_PER_TOKEN - 200  # room for the hint
LARGEST_RESULT = 30_000  # characters of any tool's result: who shows pages stays below


def page(
    lines: Sequence[str], offset: int, limit: int, one: str = "line", many: str = "lines", *, is_all: bool = True
) -> str:
    """As many whole lines from the `offset`th (the first is 1) as fit; and unless that is all, a last line that says
    what was shown and how to read on. `is_all` False: there may be more than those that are given."""
    if offset < 1 or limit < 1:
        raise ToolError("'offset' and 'limit' count from 1")
    if offset > max(1, len(lines)):
        raise ToolError(f"there is no {one} {offset:,}: the last is {len(lines):,}")
    shown = list(fitting(lines[offset - 1 : offset - 1 + limit]))
    last = offset + len(shown) - 1
    text, hints = "".join(shown), []
    if len(text) > MOST_CHARACTERS:
        hints.append(
            f"{one} {last:,} is {len(text):,} characters long: this is its beginning, the rest cannot be shown"
        )
        text = text[:MOST_CHARACTERS]
    if len(shown) < len(lines):
        hints.append(f"{many} {offset:,} to {last:,} of {len(lines):,}{'' if is_all else ' or more'}")
    if last < len(lines):
        hints.append(f"read on with offset {last + 1}")
    end = "" if text.endswith("\n") else "\n"
    return f"{text}{end}({'; '.join(hints)})" if hints else text


def fitting(lines: Iterable[str]) -> Iterator[str]:
    """The first in any case."""
    size = 0
    for line in lines:
        if size and size + len(line) > MOST_CHARACTERS:
            return
        size += len(line)
        yield line


def cut(result: str) -> str:
    """Whatever a tool gives, the model's window is not filled with it."""
    if len(result) <= LARGEST_RESULT:
        return result
    return f"{result[:LARGEST_RESULT]}\n(cut off here, of {len(result):,} characters; call it so that it gives less)"
