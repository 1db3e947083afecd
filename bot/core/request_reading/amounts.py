"""The numbers in a person's words that may be an amount."""

import re
from collections.abc import Sequence

from bot.core.request_reading.exclusions import without_exclusions
from bot.core.request_reading.lexicon import Lexicon
from bot.core.request_reading.values import numbers_in

NUMBER = r"\d+(?:[.,']\d+)*"
YEAR = r"(?:19|20)\d\d(?![\d.,]*\d)"
SIGNS = "$€£¥"


def amounts_in(words: str, lexicons: Sequence[Lexicon], *, is_money: bool) -> frozenset[float]:
    """Return the numbers that may be an amount: not what is left out, no year, and none of something that is numbered.
    If it `is_money` and a number has a currency, only such numbers count."""
    plain = without_exclusions(words, tuple(lexicons))
    currencies = alternatives(lexicons, "currencies")
    is_paid = rf"(?!\s*(?:[{SIGNS}]|(?:{currencies})(?!\w)))"
    numbered = rf"(?<!\w)(?:{alternatives(lexicons, 'numbered')})[.:]?\s*#?{NUMBER}(?!\d|[.,']\d)"
    months = "|".join(re.escape(word) for each in lexicons for names in each.time["months"] for word in names.split())
    years = rf"(?<!\w)(?:{alternatives(lexicons, 'before_years')}|{months})\s+{YEAR}"
    plain = re.sub(rf"(?:{numbered}|{years}){is_paid}", " , ", plain, flags=re.IGNORECASE)
    paid = rf"[{SIGNS}]\s*{NUMBER}|(?<![\w.,]){NUMBER}\s*(?:[{SIGNS}]|(?:{currencies})(?!\w))"
    with_currency = re.findall(paid, plain, re.IGNORECASE) if is_money else []
    return numbers_in(" , ".join(with_currency) or plain, lexicons)


def alternatives(lexicons: Sequence[Lexicon], name: str) -> str:
    """Return a pattern for the words of a list of the grammars; one that never matches if there are none."""
    words = {word for lexicon in lexicons for word in getattr(lexicon.grammar, name)}
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True))) or "(?!)"
