"""Texts in any encoding: which one it is, and what it says. Many texts name no encoding, and then it is a guess."""

from itertools import chain

from bot.documents.encoding_guess import decode_or_none, guess_encodings, is_japanese_mail

MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
MAX_CONTROL_SHARE = 0.01  # of the characters: a text has hardly any
CONTROL_CHARACTERS = frozenset(range(32)) - {*b"\t\n\r\f\x1b"}
AMOUNT_LOOKED_AT = 2**16  # of bytes, or of characters
MIN_ZERO_SHARE = 0.5  # of the bytes on one side of a text in UTF-16: its spaces, digits and Latin letters


def decode_any_text(content: bytes, *, is_whole: bool = True) -> tuple[str, str] | None:
    """Return a text and the name of its encoding; None if the content is no text. If it is not the whole content, its
    last character may be cut in two, and is left out."""
    marked = next((encoding for mark, encoding in MARKS if content.startswith(mark)), None)
    if marked:
        return decode_words(content, marked, is_whole)
    if (wide := guess_utf_16(content)) and (decoded := decode_words(content, wide, is_whole)):
        return decoded
    if b"\0" in content:
        return None
    if is_japanese_mail(content) and (decoded := decode_words(content, "iso2022_jp", is_whole)):
        return decoded
    if (utf_8 := decode_or_none(content, "utf-8", is_whole)) is not None:
        return utf_8, "utf-8"
    guesses = chain(guess_encodings(content, is_whole=is_whole), ["latin-1"])
    return next(filter(None, (decode_words(content, guess, is_whole) for guess in guesses)), None)


def guess_utf_16(content: bytes) -> str:
    """Return the encoding of a text in UTF-16 without a mark: nearly all its spaces and Latin letters have a zero byte
    on the same side. Return an empty text if it does not look like one."""
    sample = content[:AMOUNT_LOOKED_AT]
    high, low = sample[::2].count(0), sample[1::2].count(0)
    if min(high, low) or max(high, low) < len(sample) / 2 * MIN_ZERO_SHARE or len(sample) < 4:
        return ""
    return "utf-16-be" if high else "utf-16-le"


def decode_words(content: bytes, encoding: str, is_whole: bool) -> tuple[str, str] | None:
    """Return the text and its encoding; None if it is none, or has more control characters than texts have."""
    text = decode_or_none(content, encoding, is_whole)
    if text is None:
        return None
    sample = text[:AMOUNT_LOOKED_AT]
    if sum(ord(letter) in CONTROL_CHARACTERS for letter in sample) > len(sample) * MAX_CONTROL_SHARE:
        return None
    return text, encoding.removesuffix("-sig")
