"""What of a message its person wrote, and what of that is only dictated or pasted."""

# ruff: noqa: RUF001  # quotation marks of several languages

import re

FENCE_PATTERN = re.compile(r"^[ \t]*(`{3,}|~{3,})")
QUOTED_LINE_PATTERN = re.compile(r"^\s*>")
QUOTED_REST = ">>>"  # on some platforms all that follows is quoted
# Quotation marks, in pairs. An apostrophe within a word is none.
QUOTATION_PATTERN = re.compile(
    r"(?<!\w)'[^'\n]{1,4000}?'(?!\w)"
    r"|(?<!\w)\"(?=\S)[^\"]{1,4000}?\"(?!\w)"
    r"|[“„][^“”„]{1,4000}?[”“]"
    r"|»[^«»]{1,4000}?«|«[^«»]{1,4000}?»"
    r"|‘[^‘’\n]{1,4000}?’(?!\w)|‚[^‘’‚\n]{1,4000}?[‘’]"
    r"|`[^`]{1,4000}?`"
)
MAX_TYPED_CHARACTERS = 4_000  # of a message: one that is longer is pasted
MIN_DICTATED_WORDS = 4  # a shorter quotation is a name


def own_words(text: str, *, is_task: bool = False) -> str:
    """Return what of a message counts as written by its person: not the lines behind “>”, no fenced code, and nothing
    of a message that is too long to be typed. A task that a program hands over may be long."""
    if len(text) > MAX_TYPED_CHARACTERS and not is_task:
        return ""
    kept, fence = list[str](), ""
    for line in text.replace("\r\n", "\n").split("\n"):
        found = FENCE_PATTERN.match(line)
        if fence:
            if found and found[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif found:
            fence = found[1]
        elif line.lstrip().startswith(QUOTED_REST):
            break
        elif not QUOTED_LINE_PATTERN.match(line):
            kept.append(line)
    return "\n".join(kept)


def has_pasted_words(text: str, *, is_task: bool = False) -> bool:
    """Return True if not all of a message counts as written by its person."""
    return own_words(text, is_task=is_task) != text.replace("\r\n", "\n")


def without_dictation(words: str) -> str:
    """Return the words without quotations of several words: those are what somebody is to read, and ask for nothing."""

    def shorten(found: re.Match[str]) -> str:
        return found[0] if len(found[0].split()) < MIN_DICTATED_WORDS else "…"

    return QUOTATION_PATTERN.sub(shorten, words)
