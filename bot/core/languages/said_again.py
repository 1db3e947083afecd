"""Say again what was said in English for operators, in the language of a person who is to read it too: why a message
could not be shown, what is wrong with a channel or a model, what the operating system says.

Such reasons stand in rows, logs and the answers of `retinue health` in English. A language may have translations of the
texts that they were made of; a reason that fits none of these stays as it is.
"""

import re
from functools import lru_cache
from string import Formatter

from bot.core.languages import ENGLISH, Language, Number, current_language
from bot.core.texts import Text

NUMBER_PATTERN = re.compile(r"-?\d+(\.\d+)?")
HINTED_PATTERN = re.compile(r"(?P<words>.+?) \((?P<hints>.+)\)", re.DOTALL)
SEPARATOR = "; "  # between several reasons


def say_again(reason: str) -> str:
    language = current_language()
    return reason if language is ENGLISH else say_in(language, reason) or reason


def say_in(language: Language, reason: str) -> str:
    """Return a reason in a language; empty if it has no words for it. A reason may be several ones, or have hints in
    brackets behind it."""
    for text, pattern in patterns_of(language):
        if found := pattern.fullmatch(reason):
            values = {name: value_of(language, value) for name, value in found.groupdict().items()}
            return language.fill_in(language.forms[text][0], values)
    if found := HINTED_PATTERN.fullmatch(reason):
        words, hints = (say_in(language, found[name]) for name in ("words", "hints"))
        return f"{words or found['words']} ({hints or found['hints']})" if words or hints else ""
    parts = reason.split(SEPARATOR)
    said = [say_in(language, part) for part in parts] if len(parts) > 1 else []
    return SEPARATOR.join(each or part for each, part in zip(said, parts, strict=False)) if any(said) else ""


def value_of(language: Language, value: str) -> str:
    return Number(value) if NUMBER_PATTERN.fullmatch(value) else say_in(language, value) or value


@lru_cache(maxsize=8)
def patterns_of(language: Language) -> tuple[tuple[Text, re.Pattern[str]], ...]:
    """Return the texts for operators that a language has, each with a pattern for what it says. The longest come first,
    because a shorter one may fit the same words."""
    texts = sorted((each for each in language.forms if isinstance(each, Text)), key=len, reverse=True)
    return tuple((text, pattern_of(text)) for text in texts)


def pattern_of(text: Text) -> re.Pattern[str]:
    known: set[str] = set()
    found = ""
    for plain, name, _, conversion in Formatter().parse(text):
        found += re.escape(plain)
        if name is not None:
            value = f"(?P={name})" if name in known else f"(?P<{name}>.+?)"
            found += f"['\"]?{value}['\"]?" if conversion == "r" else value  # without the quotation marks of Python
            known.add(name)
    return re.compile(found, re.DOTALL)
