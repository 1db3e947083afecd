"""Find secrets in a text, however they are written there: encoded, spelled out with signs between, or in pieces.

Text and secrets are compared in a folded form: only letters and digits, in lower case, without accents, with letters of
other scripts as the Latin letters that they look like. So no space, dash, line break, Markdown or invisible character
between the characters hides anything, and base64 and its form for addresses are the same. Each spelling of a secret is
one **needle**. All stretches of four characters of all needles are in one table, which is made once. One pass over the
text looks up its own stretches there, so the time does not depend on how many secrets there are.
"""

import base64
import codecs
import html
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, log2
from urllib.parse import quote

from bot.core.speaker_labels import LATIN_BY_LOOKALIKE

MIN_SECRET_CHARACTERS = 8  # a shorter secret may stand in any text, so it is not searched
STRETCH_CHARACTERS = 4  # of a needle
STRIDE = 2  # only every second stretch of a text is looked up, so each piece of STRETCH_CHARACTERS + 1 is seen
# Pieces of a secret count if together they are this share of it, and so long that chance does not explain them.
MIN_SHARE_IN_PIECES = 0.3
MIN_BITS_BEYOND_CHANCE = 20.0
BITS_OF_RANDOM_CHARACTER, BITS_OF_HEX_DIGIT, BITS_OF_LETTER_IN_WORDS = 5.0, 4.0, 2.0
# The share of characters after which the kind changes: digit, capital or small letter. Words have fewer such changes.
MIN_KIND_CHANGES_IN_RANDOM = 0.2
MAX_CACHED_SIGNS = 10_000
ESCAPE_SIGNS = ("%", "&", "\\", "0x")
# A character written as %73, &#115;, &lbrack;, \x73, \u0073 or 0x73.
ESCAPE_PATTERN = re.compile(
    r"%(?P<percent>[0-9A-Fa-f]{2})|(?P<reference>&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});)"
    r"|(?:\\x|\b0x)(?P<hex>[0-9A-Fa-f]{2})(?![0-9A-Fa-f])|\\u(?P<unicode>[0-9A-Fa-f]{4})"
)


class FoldTable(dict[int, str | None]):
    """What `str.translate` makes of each character: its folded form, or None to drop it."""

    def __missing__(self, code: int) -> str | None:
        sign = chr(code)
        if sign.isascii():
            folded = sign.lower() if sign.isalnum() else ""
        else:
            plain = unicodedata.normalize("NFKD", sign).casefold()
            latin = (each if each.isascii() else each.translate(LATIN_BY_LOOKALIKE) for each in plain)
            folded = "".join(each for each in latin if each.isalnum())
        if len(self) < MAX_CACHED_SIGNS:
            self[code] = folded or None
        return folded or None


FOLD = FoldTable()


@dataclass(frozen=True, slots=True)
class FoundSecret:
    """Where a secret, or a piece of it, stands in a text."""

    begin: int
    end: int
    name: str  # of the setting that holds the secret
    is_unfinished: bool = False  # the text ends with it, and may go on with the rest


@dataclass(frozen=True, slots=True)
class Needle:
    """One spelling of a secret."""

    name: str
    folded: str
    bits: float  # how much one of its characters tells


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch that the folded text and a needle share, and that cannot be extended."""

    at: int  # in the folded text
    first: int  # in the needle
    length: int


class SecretIndex:
    """All spellings of some secrets, ready to be searched. Making it takes milliseconds, so it is made once."""

    def __init__(self, secrets: Mapping[str, Iterable[str]]) -> None:
        """`secrets` are the values of each setting."""
        self.names = values = {value: name for name, each in secrets.items() for value in each if is_long_enough(value)}
        self._needles = list(iterate_needles(values))
        self._stretches: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, needle in enumerate(self._needles):
            places: dict[str, int] = {}  # the first of each: a needle of repeated characters takes no longer
            for first in range(len(needle.folded) - STRETCH_CHARACTERS + 1):
                places.setdefault(needle.folded[first : first + STRETCH_CHARACTERS], first)
            for stretch, first in places.items():
                self._stretches[stretch].append((number, first))
        self._exact = [(value, name) for value, name in values.items() if len(fold(value)) < MIN_SECRET_CHARACTERS]

    def find(self, text: str) -> list[FoundSecret]:
        """Return where secrets stand in the text, in order, without overlaps."""
        if not self.names or not text:
            return []
        found = [
            FoundSecret(each.start(), each.end(), name)
            for value, name in self._exact
            for each in re.finditer(re.escape(value), text)
        ]
        found += self._find_folded(text, lambda place: (place, place + 1))
        if any(sign in text for sign in ESCAPE_SIGNS) and ESCAPE_PATTERN.search(text):
            decoded, spans = decode_escapes(text)
            found += self._find_folded(decoded, lambda place: spans[place])
        return merge_overlaps(found)

    def search_bytes(self) -> "ByteSearch":
        """Return a new search for the exact bytes of the secrets."""
        return ByteSearch(self.names)

    def _find_folded(self, text: str, span_of: Callable[[int], tuple[int, int]]) -> Iterator[FoundSecret]:
        """Yield what stands in the text. `span_of` returns where one of its characters stands in the whole text."""
        folded = text.translate(FOLD)
        by_needle = self._find_pieces(folded)
        if not by_needle:
            return
        places: Sequence[int] | None = None
        for number, pieces in by_needle.items():
            needle = self._needles[number]
            for piece, is_unfinished in choose_telling_pieces(needle, pieces, len(folded)):
                places = places or [at for at, sign in enumerate(text) for _ in FOLD[ord(sign)] or ""]
                begin, _ = span_of(places[piece.at])
                _, end = span_of(places[piece.at + piece.length - 1])
                yield FoundSecret(begin, end, needle.name, is_unfinished)

    def _find_pieces(self, folded: str) -> Mapping[int, list[Piece]]:
        """Return the pieces of each needle, by its number."""
        stretches, size = self._stretches, STRETCH_CHARACTERS
        by_needle: dict[int, list[Piece]] = defaultdict(list)
        ends: dict[tuple[int, int], int] = {}  # of the newest piece of a needle, by the needle and its offset
        starts = range(0, len(folded) - size + 1, STRIDE)
        for at in [at for at in starts if folded[at : at + size] in stretches]:
            for number, first in stretches[folded[at : at + size]]:
                if ends.get((number, at - first), 0) > at:
                    continue
                piece = extend_piece(folded, self._needles[number].folded, at, first)
                ends[number, at - first] = piece.at + piece.length
                by_needle[number].append(piece)
        return by_needle


class ByteSearch:
    """Search the chunks of a file for the exact bytes of secrets."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = {value.encode("utf-8", "surrogatepass"): name for value, name in names.items()}
        self._overlap = max(map(len, self._names), default=1) - 1
        self._tail = b""  # of the chunk before: a secret may go on in the next
        self.found: set[str] = set()  # the names of the settings whose secrets were seen

    def look_at(self, chunk: bytes) -> None:
        if self._names:
            window = self._tail + chunk
            self.found |= {name for value, name in self._names.items() if value in window}
            self._tail = window[-self._overlap :] if self._overlap else b""


def is_long_enough(secret: str) -> bool:
    return len(secret) >= MIN_SECRET_CHARACTERS


def fold(text: str) -> str:
    return text.translate(FOLD)


def iterate_needles(values: Mapping[str, str]) -> Iterator[Needle]:
    """Yield the spellings of each secret, once each. `values` maps secrets to their names."""
    for value, name in values.items():
        plain = fold(value)
        if len(plain) < MIN_SECRET_CHARACTERS:
            continue
        all_bits = len(plain) * estimate_bits_per_character(value)
        for spelling in dict.fromkeys(map(fold, iterate_spellings(value))):
            if len(spelling) >= MIN_SECRET_CHARACTERS:
                yield Needle(name, spelling, all_bits / max(len(spelling), len(plain)))


def iterate_spellings(secret: str) -> Iterator[str]:
    """Yield a secret as it is and as it is encoded. base64 and base32 depend on what stands before the secret, so
    yield what they have in common for each length of that. Hexadecimal is also a full URL encoding."""
    raw = secret.encode("utf-8", "surrogatepass")
    yield from (secret, secret[::-1], codecs.encode(secret, "rot13"), raw.hex(), quote(raw, safe=""))
    for encode, bits, lengths in ((base64.b64encode, 6, 3), (base64.b32encode, 5, 5)):
        for before in range(lengths):
            written = encode(b"\0" * before + raw).decode()
            yield written[ceil(8 * before / bits) : 8 * (before + len(raw)) // bits]


def estimate_bits_per_character(secret: str) -> float:
    """Return how much one letter or digit of a secret tells. A secret that is made of words tells little: its words may
    stand in any text."""
    signs = [sign for sign in secret if sign.isalnum()]
    kinds = [sign.isdigit() + 2 * sign.isupper() for sign in signs]
    if sum(one != other for one, other in pairwise(kinds)) < MIN_KIND_CHANGES_IN_RANDOM * len(signs):
        return BITS_OF_LETTER_IN_WORDS
    is_hex = all(sign in "0123456789abcdefABCDEF" for sign in signs)
    return BITS_OF_HEX_DIGIT if is_hex else BITS_OF_RANDOM_CHARACTER


def extend_piece(folded: str, needle: str, at: int, first: int) -> Piece:
    """Return the longest piece round a stretch that stands at `at` in the text and at `first` in the needle."""
    begin, end, offset = at, at + STRETCH_CHARACTERS, at - first
    while begin > max(0, offset) and folded[begin - 1] == needle[begin - 1 - offset]:
        begin -= 1
    most = min(len(folded), offset + len(needle))
    while end < most and folded[end] == needle[end - offset]:
        end += 1
    return Piece(at=begin, first=begin - offset, length=end - begin)


def choose_telling_pieces(needle: Needle, pieces: Sequence[Piece], text_length: int) -> Iterator[tuple[Piece, bool]]:
    """Yield the pieces that show a secret, and whether each is an unfinished one at the end of the text. Those are the
    whole secret, and pieces that together are enough of it and are too long to stand there by chance."""
    whole = len(needle.folded)
    chance = log2(text_length * whole)  # a piece may stand anywhere in the text, and anywhere in the secret
    telling = [each for each in pieces if each.length == whole or each.length * needle.bits > chance]
    covered, bits = bytearray(whole), 0.0
    for piece in sorted(telling, key=lambda piece: -piece.length):
        end = piece.first + piece.length
        more = covered.count(0, piece.first, end) * needle.bits - chance
        if more > 0:
            covered[piece.first : end] = b"\1" * piece.length
            bits += more
    has_enough = sum(covered) >= MIN_SHARE_IN_PIECES * whole and bits >= MIN_BITS_BEYOND_CHANCE
    for piece in pieces:
        is_whole = piece.length == whole
        if is_whole or (has_enough and piece.length * needle.bits > chance):
            yield piece, False
        elif not piece.first and piece.at + piece.length == text_length:
            yield piece, True


def decode_escapes(text: str) -> tuple[str, Sequence[tuple[int, int]]]:
    """Return the text with its escapes decoded, and for each character where it stands in the text."""
    decoded, spans, at = list[str](), list[tuple[int, int]](), 0
    for found in ESCAPE_PATTERN.finditer(text):
        begin, end = found.span()
        decoded.append(text[at:begin])
        spans += zip(range(at, begin), range(at + 1, begin + 1), strict=True)
        code = found["percent"] or found["hex"] or found["unicode"]
        signs = chr(int(code, 16)) if code else html.unescape(found["reference"])
        decoded.append(signs)
        spans += [(begin, end)] * len(signs)
        at = end
    decoded.append(text[at:])
    spans += zip(range(at, len(text)), range(at + 1, len(text) + 1), strict=True)
    return "".join(decoded), spans


def merge_overlaps(found: Iterable[FoundSecret]) -> list[FoundSecret]:
    """Return the places in order. Those that overlap count as one; a finished one wins over an unfinished one."""
    merged: list[FoundSecret] = []
    for each in sorted(found, key=lambda each: (each.begin, -each.end)):
        if not merged or each.begin >= merged[-1].end:
            merged.append(each)
            continue
        last = merged.pop()
        name = last.name if each.is_unfinished or not last.is_unfinished else each.name
        is_unfinished = last.is_unfinished and each.is_unfinished
        merged.append(FoundSecret(last.begin, max(last.end, each.end), name, is_unfinished))
    return merged


NO_SECRETS = SecretIndex({})
