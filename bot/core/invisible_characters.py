"""Remove invisible characters from texts: they can make a text look different from what it says.

Those that scripts and emoji need stay: joiners between the letters of some scripts and within emoji, word breaks in
scripts without spaces, one variation selector, the flags of England, Scotland and Wales.
"""

import re
import unicodedata
from itertools import pairwise

# Bidi embeddings, overrides and isolates; joiners and zero-width spaces; fillers; marks that only programs read;
# variation selectors; tags.
INVISIBLE_PATTERN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
UK_NATION_CODES = ("gbeng", "gbsct", "gbwls")
NATION_TAG_SEQUENCES = ("".join(chr(0xE0000 + ord(letter)) for letter in nation) for nation in UK_NATION_CODES)
NATION_FLAG_TAGS_PATTERN = re.compile("(?<=\U0001f3f4)(?:" + "|".join(NATION_TAG_SEQUENCES) + ")\U000e007f")
RIGHT_TO_LEFT_PATTERN = re.compile(
    "[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
DIRECTION_MARKS = "\u061c\u200e\u200f"  # they set the direction of characters that have none
ZERO_WIDTH_NON_JOINER, ZERO_WIDTH_JOINER, ZERO_WIDTH_SPACE = "\u200c", "\u200d", "\u200b"
JOINING_SCRIPT_RANGES = (
    (0x600, 0xDFF),
    (0x1000, 0x109F),
    (0x1780, 0x18AF),
    (0x1A00, 0x1CFF),
    (0xA800, 0xABFF),
    (0x10A00, 0x11FFF),
)
UNSPACED_SCRIPT_RANGES = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x1980, 0x1AAF))
IDEOGRAPH_RANGES = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))
MONGOLIAN_RANGES = ((0x1820, 0x18AA),)
SKIN_TONE_RANGES = ((0x1F3FB, 0x1F3FF),)
KEYCAP_BASES = "#*0123456789"
EMOJI_STYLE_PATTERN = re.compile("(\\S)[\ufe0e\ufe0f](?![\ufe00-\ufe0f])")  # many editors write it behind any sign


def strip_invisible(text: str) -> str:
    dropped = find_invisible(text)
    if not dropped:
        return text
    ends = [*dropped, len(text)]
    return text[: ends[0]] + "".join(text[at + 1 : end] for at, end in pairwise(ends))


def find_invisible(text: str) -> list[int]:
    """Return the places of the invisible characters that scripts and emoji do not need, in order."""
    if text.isascii():
        return []
    kept = {at for found in NATION_FLAG_TAGS_PATTERN.finditer(text) for at in range(*found.span())}
    is_both_ways = bool(RIGHT_TO_LEFT_PATTERN.search(text))

    def is_needed(sign: str, at: int) -> bool:
        if at in kept or (is_both_ways and sign in DIRECTION_MARKS):
            return True
        return is_needed_in_context(sign, text[at - 1 : at] if at else "", text[at + 1 : at + 2])

    found = ((each[0], each.start()) for each in INVISIBLE_PATTERN.finditer(text))
    return [at for sign, at in found if not is_needed(sign, at)]


def find_hidden(text: str, allowed: str = "") -> tuple[int, str] | None:
    """Return the line and the code point of the first character that hides something from who reads a file; None if
    there is none. A mark at the beginning, and the style that editors give to signs, hide nothing."""
    plain = EMOJI_STYLE_PATTERN.sub(r"\1", text.removeprefix("\ufeff"))
    at = next((at for at in find_invisible(plain) if plain[at] not in allowed), None)
    return None if at is None else (plain.count("\n", 0, at) + 1, f"U+{ord(plain[at]):04X}")


def is_needed_in_context(sign: str, before: str, after: str) -> bool:
    if not before:
        return False
    ends_emoji = may_be_emoji_base(before) or before == "\ufe0f" or is_in_ranges(before, SKIN_TONE_RANGES)
    if sign == ZERO_WIDTH_JOINER and ends_emoji and may_be_emoji_base(after):
        return True
    if sign in (ZERO_WIDTH_JOINER, ZERO_WIDTH_NON_JOINER):
        return is_in_ranges(before, JOINING_SCRIPT_RANGES) and not INVISIBLE_PATTERN.match(before)
    if sign == ZERO_WIDTH_SPACE:
        return is_in_ranges(before, UNSPACED_SCRIPT_RANGES) and is_in_ranges(after, UNSPACED_SCRIPT_RANGES)
    if sign in "\ufe0e\ufe0f":
        return may_be_emoji_base(before) or before in KEYCAP_BASES
    if "\u180b" <= sign <= "\u180f":
        return is_in_ranges(before, MONGOLIAN_RANGES)
    if "\ufe00" <= sign <= "\ufe0d":
        return is_in_ranges(before, IDEOGRAPH_RANGES) or unicodedata.category(before) == "Sm"
    return "\U000e0100" <= sign <= "\U000e01ef" and is_in_ranges(before, IDEOGRAPH_RANGES)


def may_be_emoji_base(letter: str) -> bool:
    return bool(letter) and unicodedata.category(letter) in ("So", "Sm", "Po") and not letter.isascii()


def is_in_ranges(letter: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    return bool(letter) and any(first <= ord(letter) <= last for first, last in ranges)
