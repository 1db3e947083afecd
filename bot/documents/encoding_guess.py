"""Which encoding a text has that names none and is not UTF-8: the one in which it uses the signs that its language uses
most. Read in a wrong encoding, a text has few of them, or is no text at all."""

# ruff: noqa: RUF001 -- signs of many scripts are what this is about

import codecs
import string
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

SAMPLE_BYTES = 2**14
ESCAPES_OF_JAPANESE = (b"\x1b$B", b"\x1b$@", b"\x1b(J")  # ISO-2022-JP has only the bytes of ASCII
WESTERN = "cp1252"
ASCII_LETTERS = string.ascii_letters.encode()
OF_NO_LANGUAGE = frozenset("€„“”‚‘’‹›«»–—…•·§°©®™\xa0\xad\ufeff")
CAPITAL_SHARE = 0.5  # small letters are far more common: so encodings that differ in the case are told apart
MIN_WIDE_SIGNS = 2  # fewer may be there by chance

KANA = "".join(map(chr, (*range(0x3041, 0x3097), *range(0x30A1, 0x30FD)))) + "、。「」・"
HANGUL = "".join(map(chr, range(0xAC00, 0xD7A4)))
MOST_USED_SIMPLIFIED = (  # two fifths of any text
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方"
    "多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日者力无它与长把机十民第公此已工使情明早"
    "请今晚见谢您很给吗吧呢什谁哪几做吃喝买东西先再让被问题候点，。、：；！？（）《》"
)
MOST_USED_TRADITIONAL = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方"
    "多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日者力無它與長把機十民第公此已工使情明早"
    "請今晚見謝您很給嗎吧呢什誰哪幾做吃喝買東西先再讓被問題候點，。、：；！？（）《》「」"
)


@dataclass(frozen=True)
class Guess:
    """An encoding, and the signs that a language has most. `usual` is their usual share of what is not ASCII."""

    encoding: str
    signs: str
    usual: float

    @cached_property
    def wanted(self) -> frozenset[str]:
        return frozenset(self.signs)

    def fit(self, text: str) -> float:
        """Return how well a text fits the language: 1 if it has as many of the signs as usual."""
        of_languages = [sign for sign in text if sign > "\x7f" and sign not in OF_NO_LANGUAGE]
        found = sum(
            1 if sign in self.wanted else CAPITAL_SHARE * (sign.lower() in self.wanted) for sign in of_languages
        )
        return min(1, found / len(of_languages) / self.usual) if of_languages else 0


WIDE_GUESSES = (  # a sign has two bytes. The first that fits is right
    Guess("cp932", KANA, 0.25),
    Guess("euc_jp", KANA, 0.5),
    Guess("gb18030", MOST_USED_SIMPLIFIED, 0.5),
    Guess("big5hkscs", MOST_USED_TRADITIONAL, 0.5),
    Guess("cp949", HANGUL, 1),
)
MIN_WIDE_FIT = 0.6
CYRILLIC = "оеаинтсрвл"
LATIN_GUESSES = (  # a letter has one byte. The one that fits best is right, and the first of equals
    Guess(WESTERN, "äöüß", 1),
    Guess(WESTERN, "éèàêçùâîôœëï", 1),
    Guess(WESTERN, "àèéìòù", 1),
    Guess(WESTERN, "áéíóúñü¿¡", 1),
    Guess(WESTERN, "ãçáéíóõêúâàô", 1),
    Guess(WESTERN, "åäöæøé", 1),
    Guess(WESTERN, "áéíóúýþæðö", 1),
    Guess(WESTERN, "äöõü", 1),
    Guess("cp1250", "ąćęłńóśźż", 1),
    Guess("cp1250", "áíéěščřžýůúťďňľô", 1),
    Guess("cp1250", "áéíóöőúüű", 1),
    Guess("cp1250", "ăâîşţ", 1),
    Guess("cp1250", "čšžćđ", 1),
    Guess("cp1254", "ışğçöüİâ", 1),
)
OTHER_GUESSES = (
    Guess("cp1251", CYRILLIC, 0.66),
    Guess("koi8-r", CYRILLIC, 0.66),
    Guess("cp866", CYRILLIC, 0.66),
    Guess("cp1253", "αοιτενσρηςκπόίάέή", 0.8),
    Guess("cp1255", "יוהלאתרמבש", 0.75),
    Guess("cp1256", "الينمورتبة", 0.72),
    Guess("cp874", "านรอกเงยมล่้ัิี", 0.7),
)


def guess_encodings(content: bytes, *, is_whole: bool) -> Iterator[str]:
    """Yield the encodings that a text may have, the likeliest first. `content` is its beginning, or all of it."""
    sample, is_whole = content[:SAMPLE_BYTES], is_whole and len(content) <= SAMPLE_BYTES
    for guess in WIDE_GUESSES:
        text = decode_or_none(sample, guess.encoding, is_whole)
        if text and sum(map(text.count, guess.wanted & set(text))) >= MIN_WIDE_SIGNS and guess.fit(text) > MIN_WIDE_FIT:
            yield guess.encoding
    latin = sum(sample.count(letter) for letter in ASCII_LETTERS)
    is_latin = sum(byte > 0x7F for byte in sample) <= latin  # in other alphabets hardly any letter is of ASCII
    guesses = LATIN_GUESSES if is_latin else OTHER_GUESSES
    texts = {each.encoding: decode_or_none(sample, each.encoding, is_whole) for each in guesses}
    fits = {guess: guess.fit(text) for guess in guesses if (text := texts[guess.encoding])}
    if fits:
        yield max(fits, key=lambda guess: fits[guess]).encoding
    yield WESTERN


def is_japanese_mail(content: bytes) -> bool:
    """Return True if a text is in ISO-2022-JP, which switches between alphabets."""
    return any(escape in content[:SAMPLE_BYTES] for escape in ESCAPES_OF_JAPANESE)


def decode_or_none(content: bytes, encoding: str, is_whole: bool) -> str | None:
    try:
        return codecs.getincrementaldecoder(encoding)().decode(content, final=is_whole)
    except UnicodeDecodeError:
        return None
