"""How much of a long result a tool shows at once, and how the model reads on."""

from collections.abc import Sequence

from bot.core.errors import ToolError
from bot.core.prompt_prefix import CHARACTERS_PER_TOKEN
from bot.tools import texts

MAX_PAGE_TOKENS = 8_000
MAX_PAGE_CHARACTERS = MAX_PAGE_TOKENS * CHARACTERS_PER_TOKEN - 200  # room for the hint


def make_result_page(lines: Sequence[str], offset: int, limit: int, of: str = "line", *, is_all: bool = True) -> str:
    """Return as many whole lines as fit, from line `offset` on (the first is 1). Unless these are all, a last line says
    what was shown and how to read on. `of` is what a line is: line, entry, file or match. `is_all` is False if there
    may be more lines than `lines`. Raise ToolError if `offset` or `limit` is below 1, or `offset` beyond the end."""
    if offset < 1 or limit < 1:
        raise ToolError(texts.COUNTS_FROM_ONE)
    if offset > max(1, len(lines)):
        raise ToolError(texts.NO_SUCH_OFFSET[of](offset=offset, last=len(lines)))
    shown, size = list[str](), 0
    for line in lines[offset - 1 : offset - 1 + limit]:
        size += len(line)
        if shown and size > MAX_PAGE_CHARACTERS:
            break
        shown.append(line)
    last = offset + len(shown) - 1
    text, hints = "".join(shown), []
    if len(text) > MAX_PAGE_CHARACTERS:
        hints.append(texts.TOO_LONG_TO_SHOW[of](number=last, characters=len(text)))
        text = text[:MAX_PAGE_CHARACTERS]
    if len(shown) < len(lines):
        of_all = texts.SHOWN[of](first=offset, last=last, total=len(lines))
        hints.append(of_all if is_all else texts.SHOWN_OF_MORE[of](first=offset, last=last, total=len(lines)))
    if last < len(lines):
        hints.append(texts.READ_ON(offset=last + 1))
    end = "" if text.endswith("\n") else "\n"
    return f"{text}{end}({'; '.join(hints)})" if hints else text
