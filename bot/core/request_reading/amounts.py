"""The numbers in a person's words that may be an amount."""

import re
from collections.abc import Sequence

from bot.core.acts import ActKind
from bot.core.request_reading import RequestReading
from bot.core.request_reading.exclusions import without_exclusions
from bot.core.request_reading.lexicon import Lexicon
from bot.core.request_reading.values import numbers_in

NUMBER = r"\d+(?:[.,']\d+)*"
YEAR = r"(?:19|20)\d\d(?![\d.,]*\d)"
SIGNS = "$€£¥"


def amounts_in(
    words: str, lexicons: Sequence[Lexicon], *, is_money: bool, needs_currency: bool = False
) -> frozenset[float]:
    """Return the numbers that may be an amount: not what is left out, no bare year, none of something that is numbered,
    and none that only bounds another, such as in “half of 900”. If it `is_money` and a number has a currency, only such
    numbers count; with `needs_currency` no others do."""
    plain = without_exclusions(words, tuple(lexicons))
    currencies = alternatives(lexicons, "currencies")
    is_paid = rf"(?!\s*(?:[{SIGNS}]|(?:{currencies})(?!\w)))"
    numbered = rf"(?<!\w)(?:{alternatives(lexicons, 'numbered')})[.:]?\s*#?{NUMBER}(?!\d|[.,']\d)"
    compounds = rf"\w+(?:{alternatives(lexicons, 'numbers_of_things')})[.:]?\s*#?{NUMBER}(?!\d|[.,']\d)"
    plain = re.sub(rf"(?:{numbered}|{compounds}|(?<![\w.,'{SIGNS}]){YEAR}){is_paid}", " , ", plain, flags=re.IGNORECASE)
    bounds = rf"(?<!\w)(?:{alternatives(lexicons, 'bounds')})(?!\w)[^,;.]{{0,40}}?[{SIGNS}]?{NUMBER}"
    plain = re.sub(bounds, " , ", plain, flags=re.IGNORECASE)
    money = "|".join(each.money.pattern for each in lexicons)
    called = rf"(?:{money})\s*[:=]?\s*(?:[^\W\d_]+\s)?{NUMBER}(?![\w.,]*\d)"  # “rent is 2200”
    paid = rf"{called}|[{SIGNS}]\s*{NUMBER}|(?<![\w.,]){NUMBER}\s*(?:[{SIGNS}]|(?:{currencies})(?!\w))"
    with_currency = re.findall(paid, plain, re.IGNORECASE) if is_money else []
    return numbers_in(" , ".join(with_currency) or ("" if needs_currency else plain), lexicons)


def amounts_to_pay(request: RequestReading, kinds: frozenset[ActKind]) -> frozenset[float]:
    """Return the amounts of a payment: those beside its verb, else those with a currency in its part of the sentence,
    else those with a currency in what speaks of no other act."""
    lexicons = request.lexicons
    acts = [act for act in request.acts if act.kinds & kinds]
    others = request.words
    for act in request.acts:
        others = others if act.kinds & kinds else others.replace(act.clause, " , ")
    beside = [amounts_in(act.part, lexicons, is_money=True) for act in acts]
    places = ["\n".join(act.clause for act in acts), others]
    found = (amounts_in(place, lexicons, is_money=True, needs_currency=True) for place in places)
    return frozenset[float]().union(*beside) or next(filter(None, found), frozenset())


def alternatives(lexicons: Sequence[Lexicon], name: str) -> str:
    """Return a pattern for the words of a list of the grammars; one that never matches if there are none."""
    words = {word for lexicon in lexicons for word in getattr(lexicon.grammar, name)}
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True))) or "(?!)"
