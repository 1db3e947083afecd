"""Whether a value stands in what a person wrote.

Values are compared whole and letter by letter: a letter of another script that looks the same is another letter. Only
capitals do not count, and full-width letters of the person, which a model may write as plain ones.
"""

# ruff: noqa: RUF001  # quotation marks of several languages

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise

from bot.core.request_reading.lexicon import Lexicon, all_built_in_lexicons

# With one of these beside it, a value is only a part of a longer name, address or number.
JOINERS_BEFORE = "-_@/.+=&%~\\"
JOINERS_BEHIND = "-_@/\\"
JOINERS_BEFORE_TEXT = ".,:?#&=+%~"  # only where a letter or digit follows: “x.com:8080”, “1,200”
NUMBER_PATTERN = re.compile(
    r"(?<![\w\-.,:@/+#])[$€£¥]?(?P<number>\d+(?:[.,']\d+)*)(?:\s*[$€£¥])?(?![\w\-@/:]|[.,]\d)(?P<after>\s*[%\w]*)"
)
WORD_PATTERN = re.compile(r"(?<![\w'’\-])[^\W\d_]+(?![\w'’\-])")
TELLING_WORD_PATTERN = re.compile(r"[^\W_]+")
MAX_SMALL_LETTERS = 3  # of a word that says nothing by itself, such as “the”
SCHEME_PATTERN = re.compile(r"\bhttps?://", re.IGNORECASE)
GLUED_SENTENCE_PATTERN = re.compile(r"(?<=[^\W\d_]{2}\.)[A-ZÄÖÜ][a-zäöüß]{2,}(?=[\s,;:!?]|$)")
# Endings of addresses with more than two letters
ADDRESS_ENDINGS = """
com org net edu gov mil int info biz name pro mobi asia tel jobs travel xyz app dev page web site online shop store
tech club top live link click life world today news blog cloud space website work works zone team email digital agency
media group company solutions services support center systems network studio design art fun icu vip win bid loan men
date trade stream download review racing science party webcam cam chat video games game host hosting press money
finance bank credit cash capital fund investments exchange crypto social community expert guru academy school
university education house homes land estate place city town berlin hamburg wien koeln london paris nyc tokyo africa
global international plus one red blue black pink green zip mov foo new how earth ninja rocks wtf lol gay sexy porn
adult dating sbs cfd quest fyi tips shopping buzz rest monster bond cyou ltd llc inc loans tax express delivery help
care health clinic doctor legal law attorney lawyer immo auto cars car bike pizza cafe bar restaurant menu recipes
gift gifts deals sale promo coupons bargains discount cheap market markets trading forex tickets events photos
pictures pics gallery camera film movie tv radio fm audio music band fans codes computer tools parts supply supplies
equipment guide wiki directory report reviews watch lat skin hair makeup wang bet casino poker google amazon apple
microsoft onion local localhost internal test lan arpa
"""
MAX_UNSAID_DIGITS = 2
QUOTES_AS_SPACES = str.maketrans(dict.fromkeys("'\"(„“‚‘»«`*_[", " "))
THING_BEHIND_PATTERN = re.compile(r"\W{1,3}\w+")
CHARACTERS_BEFORE = 120  # of a sentence, before a name
WORD_BEHIND_PATTERN = re.compile(r"\s+([^\W\d_]+)")


def stands_in(value: object, words: str, *, is_target: bool = False, lexicons: Sequence[Lexicon] | None = None) -> bool:
    """Return True if the words hold the value as a whole. If it `is_target`, something goes there: then it does not
    count behind “from”, “by” or “of”, unless what comes from there is to be answered."""
    if isinstance(value, bool):
        value = str(value)
    known = all_built_in_lexicons() if lexicons is None else lexicons
    if isinstance(value, int | float):
        return float(value) in numbers_in(words, known)
    needle = fold(unicodedata.normalize("NFC", str(value)))
    if not any(sign.isalnum() for sign in needle):
        return False
    places = ((hay, *place) for hay in folded_forms(words) for place in iterate_whole(needle, hay))
    return any(not is_target or not is_source(hay, begin, end, known) for hay, begin, end in places)


@lru_cache(maxsize=8)
def folded_forms(words: str) -> tuple[str, ...]:
    """Return the forms in which words are searched. Their full-width letters also count as plain ones, but not those of
    a value: it may look like another."""
    forms = [unicodedata.normalize(form, words) for form in ("NFC", "NFKC")]
    return tuple(dict.fromkeys(map(fold, [*forms, separate_sentences(forms[0])])))


def fold(text: str) -> str:
    """Return the text in small letters with single spaces. `casefold` would make “straße” and “strasse” the same."""
    small = text.lower() if text.isascii() else "".join(map(str.lower, text))
    return " ".join(small.split())


def separate_sentences(words: str) -> str:
    """Return the words with a space between sentences that have none: “x.com.They write”. An ending that addresses have
    is no sentence: “x.com.Org”."""
    return GLUED_SENTENCE_PATTERN.sub(
        lambda found: found[0] if found[0].lower() in ADDRESS_ENDINGS.split() else f" {found[0]}", words
    )


def iterate_whole(needle: str, hay: str) -> Iterator[tuple[int, int]]:
    """Yield where the needle stands whole in the hay."""
    at = hay.find(needle)
    while at >= 0:
        end = at + len(needle)
        if not is_joined_before(hay[max(0, at - 2) : at]) and not is_joined_behind(hay[end : end + 2]):
            yield at, end
        at = hay.find(needle, at + 1)


def is_joined_before(signs: str) -> bool:
    """`signs` are at most the two before the value. An “@” that begins a word marks a name and joins nothing."""
    before = signs[-1:]
    if before == "@":
        return bool(signs[:-1].strip(" (\"'"))
    if before.isalnum() or unicodedata.category(before or " ").startswith("M") or (before and before in JOINERS_BEFORE):
        return True
    return before in (",", ":", "'", "’") and signs[:-1].isdigit()


def is_joined_behind(signs: str) -> bool:
    """`signs` are at most the two behind the value."""
    after = signs[:1]
    if after.isalnum() or unicodedata.category(after or " ").startswith("M") or (after and after in JOINERS_BEHIND):
        return True
    return bool(after) and after in JOINERS_BEFORE_TEXT and signs[1:].isalnum()


def is_source(hay: str, begin: int, end: int, lexicons: Sequence[Lexicon]) -> bool:
    """Return True if something comes from what stands there, or is about it: “the mail from Ann”, “the mail from my
    boss Ann”, “Ann wrote to me”. If just this is to be answered, the answer goes there."""
    following = WORD_BEHIND_PATTERN.match(hay, end)
    if following and any(following[1] in lexicon.grammar.reporting for lexicon in lexicons):
        return True
    sources = {word for lexicon in lexicons for word in lexicon.grammar.sources}
    determiners = {word for lexicon in lexicons for word in lexicon.grammar.determiners}
    before = hay[max(0, begin - CHARACTERS_BEFORE) : begin].translate(QUOTES_AS_SPACES).split()
    match before:
        case [*answered, last] if last in sources:
            pass
        case [*answered, first, last] if first in sources and last in determiners:
            pass
        case [*answered, first, second, last] if first in sources and second in determiners and last.isalpha():
            pass
        case _:
            return False
    return not is_answered(answered, lexicons) and not is_followed_by_answer(hay[end:], lexicons)


def stands_as_name(value: str, words: str, lexicons: Sequence[Lexicon]) -> bool:
    """Return True if the words hold something that is called so and to which something may go. Behind an article it is
    a thing, unless a mark or a word for a group says who it is: “the report”, but “@report” and “the general channel”.
    """
    articles = {word for lexicon in lexicons for word in lexicon.grammar.before_things}
    groups = [
        lexicon.things[name].one for lexicon in lexicons for name in ("group", "channel") if name in lexicon.things
    ]
    needle = fold(unicodedata.normalize("NFC", value))
    for hay in folded_forms(words):
        for begin, end in iterate_whole(needle, hay):
            before = hay[max(0, begin - CHARACTERS_BEFORE) : begin].split()[-1:]
            behind = THING_BEHIND_PATTERN.match(hay, end)
            is_thing = (
                before and before[0] in articles and not (behind and any(each.search(behind[0]) for each in groups))
            )
            if not is_thing and not is_source(hay, begin, end, lexicons):
                return True
    return False


def is_answered(before: Sequence[str], lexicons: Sequence[Lexicon]) -> bool:
    """Return True if the words end with what is to be answered, such as “reply to the last mail”."""
    answers = {word for lexicon in lexicons for word in lexicon.grammar.answers}
    between = {word for lexicon in lexicons for word in lexicon.grammar.answered}
    last = next((word for word in reversed(before) if word not in between), "")
    return last in answers


def is_followed_by_answer(behind: str, lexicons: Sequence[Lexicon]) -> bool:
    """Return True for “die Mail von Anna beantworten”, where the verb stands at the end."""
    following = WORD_BEHIND_PATTERN.match(behind)
    return following is not None and any(
        following[1] in lexicon.grammar.answers and following[1] in lexicon.infinitives for lexicon in lexicons
    )


def numbers_in(words: str, lexicons: Sequence[Lexicon] | None = None) -> frozenset[float]:
    """Return the numbers in the words, also those up to twelve that are written as words. Those within names, dates,
    times and accounts do not count, nor do shares in percent. “1.200” is read in the way of the first lexicon."""
    known = all_built_in_lexicons() if lexicons is None else lexicons
    plain = unicodedata.normalize("NFKC", words)
    percent = {word for lexicon in known for word in lexicon.grammar.percent} | {"%"}
    found = {
        read_decimal(each["number"], known[0].grammar.decimal if known else ".")
        for each in NUMBER_PATTERN.finditer(plain)
        if each["after"].strip().lower() not in percent and not each["after"].strip().startswith("%")
    }
    found |= {
        float(lexicon.grammar.numbers[word])
        for word, following in pairwise([*(each[0].lower() for each in WORD_PATTERN.finditer(plain)), ""])
        for lexicon in known
        if word in lexicon.grammar.numbers and following not in percent
    }
    return frozenset(number for number in found if number is not None)


def read_decimal(written: str, decimal: str) -> float | None:
    """Return the number: “1.200,50” and “1,200.50” are plain, “1.200” depends on the sign before decimals. None: it is
    written in no known way."""
    signs = [sign for sign in written if not sign.isdigit()]
    if not signs:
        return float(written)
    last, groups = signs[-1], re.split(r"[.,']", written)
    only_thousands = all(len(group) == 3 for group in groups[1:]) and len(groups[0]) <= 3 and len({*signs}) == 1
    if only_thousands and (len(signs) > 1 or last != decimal):
        return float("".join(groups))
    has_thousands = all(len(group) == 3 for group in groups[1:-1]) and last not in signs[:-1] and len({*signs}) <= 2
    if not has_thousands or last == "'" or (len(groups) > 2 and len(groups[0]) > 3):
        return None
    return float("".join(groups[:-1]) + "." + groups[-1])


def as_number(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def is_written(value: str, words: str) -> bool:
    """Return True if the words hold a value, in any sense: “4.0” is also written “4”."""
    number = as_number(value)
    return stands_in(plain_address(value), plain_address(words)) or (number is not None and number in numbers_in(words))


def is_address_written(address: str, words: str) -> bool:
    """Return True if the words hold an address, with the same capitals behind its host: they could tell something."""
    plain = plain_address(address)
    host, slash, rest = unicodedata.normalize("NFC", plain.strip()).partition("/")
    letters = f"(?i:{re.escape(host)}){re.escape(slash + rest)}"
    is_there = stands_in(plain, plain_address(words))
    return is_there and bool(re.search(letters, unicodedata.normalize("NFC", words)))


def plain_address(text: str) -> str:
    """Return the text without the schemes of web addresses."""
    return SCHEME_PATTERN.sub("", text)


def site_of(address: object) -> str:
    """Return the host and port of a web address."""
    host = re.split(r"[/?#\\]", plain_address(str(address).strip()), maxsplit=1)[0]
    return host.rpartition("@")[2].lower()


def is_said_by(text: str, words: str) -> bool:
    """Return True if a text says nothing that the words do not say: each of its words stands in them, except short ones
    that every sentence has, which are no numbers. Two digits may be new, such as a rank."""
    unsaid = {*telling_words(text)} - {*telling_words(words)} - short_words()
    digits = sum(map(len, unsaid)) if all(each.isdigit() for each in unsaid) else MAX_UNSAID_DIGITS + 1
    return digits <= MAX_UNSAID_DIGITS


def is_in_many_requests(name: str) -> bool:
    """Return True for a name that any request may hold: short small words such as “the”, words by which people ask for
    acts, such as “payment”, or a single letter."""
    told = {*telling_words(name)}
    is_one_letter = len(told) == 1 and all(len(each) == 1 and each.isalpha() for each in told)
    return is_one_letter or all(each in short_words() or asks_for_acts(each) for each in told)


def asks_for_acts(word: str) -> bool:
    """Return True for a verb, a thing, a time or a word of money of any language."""
    for lexicon in all_built_in_lexicons():
        words = (lexicon.verbs, lexicon.infinitives, lexicon.asked_of_you, lexicon.grammar.other_verbs)
        if any(word in each for each in (*words, lexicon.words_of_time)) or lexicon.money.fullmatch(word):
            return True
        if any(each.one.fullmatch(word) or each.many.fullmatch(word) for each in lexicon.things.values()):
            return True
    return False


@cache
def short_words() -> frozenset[str]:
    """Return the short small words of the languages, without those for numbers."""
    found, numbers = set[str](), set[str]()
    for lexicon in all_built_in_lexicons():
        grammar = lexicon.grammar
        found |= lexicon.small_words | grammar.objects | grammar.you | grammar.tales | grammar.openers | grammar.sources
        found |= grammar.negations | grammar.asking | grammar.answered | grammar.articles | grammar.adverbs
        found |= {*lexicon.verbs} | grammar.other_verbs
        numbers |= {*grammar.numbers, "one", "zero", "nil"}
    return frozenset(word for word in found if len(word) <= MAX_SMALL_LETTERS) - numbers


def telling_words(text: str) -> Iterable[str]:
    return TELLING_WORD_PATTERN.findall(fold(unicodedata.normalize("NFC", text)))
