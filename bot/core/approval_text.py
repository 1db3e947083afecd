"""A call as people see it before they approve it: the tool's name, and each argument on a line of its own.

What stands there is exact. Nothing in a value can look like another argument, hide in it, or push it out of sight:
characters that show nothing are named, lines within a value are indented, and of a long value the beginning and the end
are shown. What letters can feign, a warning below says.
"""

# ruff: noqa: RUF001  # the sign for "so many times" is meant

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping

from bot.core.invisible_characters import find_invisible
from bot.core.speaker_labels import LATIN_BY_LOOKALIKE, SCRIPT_FAMILIES
from bot.core.texts import people_approvals as texts

MAX_VALUE_CHARACTERS = 700  # a longer value is shown by its beginning and its end
BEGINNING_CHARACTERS, END_CHARACTERS = 400, 200
MAX_VALUE_LINES = 24
BEGINNING_LINES, END_LINES = 14, 6
MAX_WARNINGS = 6
LINE_MARK, GAP_MARK = "  │ ", "  ┆ "
SPACES_PATTERN = re.compile(r" {12,}")
# A text that could be taken for a number, a list or another value
LITERAL_PATTERN = re.compile(r"-?\d[\d.eE+-]*|true|false|null|[\[{\"].*", re.S)
WORD_PATTERN = re.compile(r"[\w@.\-]*[^\W\d_][\w@.\-]*")
ENCODED_HOST_PATTERN = re.compile(r"(?:[\w-]+\.)*xn--[a-z0-9-]+(?:\.[\w-]+)*", re.IGNORECASE)
SEPARATED_SCRIPTS = frozenset(
    ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "GEORGIAN", "DESERET", "LISU")
)
OTHER_ALPHABETS = ("FULLWIDTH", "MATHEMATICAL", "CIRCLED", "PARENTHESIZED", "SQUARED", "MODIFIER")
MIN_LOOKALIKE_LETTERS = 3
# Small letters that look like Latin ones. Of capitals more do: \u041d, but not \u043d.
SMALL_LOOKALIKES = frozenset(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u04cf\u03bf\u03bd"
)
TURNING_DIRECTION = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def describe_call(tool_name: str, arguments: Mapping[str, object]) -> str:
    """Return the call as text of several lines. Post it as plain text, or through `in_code_block`."""
    lines = [show_name(tool_name), *argument_lines(arguments, is_whole=False), *warning_lines(tool_name, arguments)]
    return "\n".join(lines)


def full_text_of_call(tool_name: str, arguments: Mapping[str, object]) -> str | None:
    """Return the whole call if `describe_call` leaves something out of it, otherwise None. It is to be sent beside it
    as a file."""
    whole = [*argument_lines(arguments, is_whole=True)]
    if whole == [*argument_lines(arguments, is_whole=False)]:
        return None
    return "\n".join([show_name(tool_name), *whole, *warning_lines(tool_name, arguments)])


def in_code_block(text: str) -> str:
    """Return the text as a code block of Markdown: nothing in it is read as a mark."""
    fence = "`" * (max((len(each) for each in re.findall("`+", text)), default=2) + 1)
    fence = max(fence, "```", key=len)
    return f"{fence}\n{text}\n{fence}"


def argument_lines(arguments: Mapping[str, object], *, is_whole: bool) -> Iterator[str]:
    if not arguments:
        yield texts.NO_ARGUMENTS()
    for name, value in arguments.items():
        first, *others = show_value(value, is_whole=is_whole)
        yield f"{show_name(name)}: {first}".rstrip(" ")
        yield from others


def show_name(name: str) -> str:
    """Return the name of a tool or an argument. One that is no plain name is shown as a quotation."""
    is_plain = re.fullmatch(r"[\w.\-/]+", name) is not None
    return name_unseen(name if is_plain else quote(name))


def show_value(value: object, *, is_whole: bool) -> list[str]:
    """Return the first line of a value, and its other lines, which are marked."""
    if not isinstance(value, str):
        written = json.dumps(value, ensure_ascii=False, default=str)
    elif "\n" in value:
        return ["", *block_lines(value, is_whole=is_whole)]
    elif value != value.strip() or not value or LITERAL_PATTERN.fullmatch(value):
        written = quote(value)
    else:
        written = value
    if is_whole or len(written) <= MAX_VALUE_CHARACTERS:
        return [name_unseen(written)]
    return ["", *block_lines(written, is_whole=False)]


def quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def block_lines(value: str, *, is_whole: bool) -> list[str]:
    lines = value.split("\n")
    if is_whole or (len(value) <= MAX_VALUE_CHARACTERS and len(lines) <= MAX_VALUE_LINES):
        return [LINE_MARK + name_unseen(line) for line in lines]
    beginning = "\n".join(lines[:BEGINNING_LINES])[:BEGINNING_CHARACTERS]
    end = "\n".join(lines[-END_LINES:])[-END_CHARACTERS:]
    left_out = texts.CHARACTERS_LEFT_OUT(len(value) - len(beginning) - len(end))
    shown = [LINE_MARK + name_unseen(line) for line in beginning.split("\n")]
    return [*shown, f"{GAP_MARK}… {left_out} …", *(LINE_MARK + name_unseen(line) for line in end.split("\n"))]


def name_unseen(text: str) -> str:
    """Return the text with a name for each character that shows nothing, and for many spaces in a row."""
    hidden = {*find_invisible(text)}
    shown = (name_of(sign) if at in hidden or is_unseen(sign) else sign for at, sign in enumerate(text))
    return SPACES_PATTERN.sub(lambda found: f"⟨U+0020 ×{len(found[0])}⟩", "".join(shown))


def name_of(sign: str) -> str:
    return f"⟨U+{ord(sign):04X}⟩"


def is_unseen(sign: str) -> bool:
    """Return True for controls, unknown characters, all that turns the direction of a text, and spaces and line breaks
    that are not the usual ones. Other characters of formatting are judged by where they stand: `find_invisible` does
    it."""
    category = unicodedata.category(sign)
    if sign in TURNING_DIRECTION:
        return True
    return category in ("Cc", "Cn", "Co", "Cs", "Zl", "Zp") or (category == "Zs" and sign != " ") or sign == "\u2800"


def warning_lines(tool_name: str, arguments: Mapping[str, object]) -> list[str]:
    """Return a line for each word that could be taken for another one."""
    shown = [tool_name, *strings_in(arguments)]
    words = list(dict.fromkeys(word for text in shown for word in WORD_PATTERN.findall(text) if not word.isascii()))
    hosts = list(dict.fromkeys(host for text in shown for host in ENCODED_HOST_PATTERN.findall(text)))
    warnings = [*filter(None, map(warn_of_word, words)), *filter(None, map(warn_of_host, hosts))]
    unseen = next((sign for text in shown for at, sign in enumerate(text) if at in {*find_invisible(text)}), None)
    lines = [texts.INVISIBLE_CHARACTERS(example=name_of(unseen))] if unseen else []
    lines += warnings[:MAX_WARNINGS]
    return [*lines, texts.MORE_WARNINGS(len(warnings) - MAX_WARNINGS)] if len(warnings) > MAX_WARNINGS else lines


def strings_in(value: object) -> Iterator[str]:
    """Yield the texts in a value, and the names in it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from (str(name), *strings_in(inner))
    elif isinstance(value, Iterable):
        for inner in value:
            yield from strings_in(inner)


def warn_of_word(word: str) -> str:
    """Return a warning if the word mixes alphabets, or if all its letters look like Latin ones; otherwise nothing."""
    scripts = {sign: script for sign in word if sign.isalpha() and (script := script_of(sign))}
    found = {*scripts.values()}
    shown = name_unseen(word)
    if len(found) > 1:
        foreign = dict.fromkeys(sign for sign, script in scripts.items() if script != "LATIN")
        letters = ", ".join(f"{sign} = {unicodedata.name(sign, name_of(sign))}" for sign in list(foreign)[:3])
        return texts.MIXED_LETTERS(word=shown, letters=letters)
    latin = word.lower().translate(LATIN_BY_LOOKALIKE)
    looks_latin = latin.isascii() and all(sign.isupper() or sign in SMALL_LOOKALIKES for sign in scripts)
    if found and found != {"LATIN"} and len(scripts) >= MIN_LOOKALIKE_LETTERS and looks_latin:
        return texts.LOOKALIKE_LETTERS(word=shown, latin=latin)
    return ""


def script_of(sign: str) -> str:
    """Return the alphabet of a letter; nothing if its alphabet may be mixed with others."""
    script = unicodedata.name(sign, "").split(" ")[0].split("-")[0]
    script = SCRIPT_FAMILIES.get(script, script)
    return script if script in SEPARATED_SCRIPTS or script in OTHER_ALPHABETS else ""


def warn_of_host(host: str) -> str:
    """Return a warning that shows what an address of encoded letters looks like."""
    labels = []
    for label in host.split("."):
        try:
            is_encoded = label.lower().startswith("xn--")
            labels.append(label[4:].encode("ascii").decode("punycode") if is_encoded else label)
        except (UnicodeError, ValueError):
            labels.append(label)
    decoded = ".".join(labels)
    return texts.ENCODED_HOST(host=host, decoded=name_unseen(decoded)) if decoded != host else ""
