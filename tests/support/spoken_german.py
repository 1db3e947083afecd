"""Find English sentences of the bot in what a German chat shows."""

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from string import Formatter

from bot.core.languages.language_file import (
    BUILT_IN_LANGUAGES,
    AnySentence,
    english_templates,
    german_catalogues,
    sentences_of_catalogue,
)

SHORTEST_PIECE = 10  # characters: shorter pieces of a sentence may also stand in another text


def find_english(shown: Iterable[str]) -> list[str]:
    """Return the names of the English sentences of which the longest piece stands in what is shown."""
    whole = "\n".join(shown)
    return [f"{name}: {piece}" for name, piece in english_pieces() if piece in whole]


@cache
def english_pieces() -> tuple[tuple[str, str], ...]:
    """Return by sentence its longest English piece without placeholders, unless German has the same."""
    german = BUILT_IN_LANGUAGES.get("de")
    assert german
    found = []
    for catalogue in sorted(german_catalogues()):
        import_module(catalogue)
        for name, sentence in sentences_of_catalogue(catalogue).items():
            of_german = "\n".join(german.forms.get(sentence, ()))
            found += [(f"{catalogue}.{name}", piece) for piece in longest_pieces(sentence) if piece not in of_german]
    return tuple(found)


def longest_pieces(sentence: AnySentence) -> list[str]:
    pieces = (
        max((text.strip() for text, _, _, _ in Formatter().parse(form)), key=len, default="")
        for form in english_templates(sentence)
    )
    return [piece for piece in pieces if len(piece) >= SHORTEST_PIECE and " " in piece]
