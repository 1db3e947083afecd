"""The German file is complete, and fits the sentences."""

import importlib
from string import Formatter

import pytest

from bot.core.languages.language_file import GERMAN_FILE, placeholders, read_language_file
from bot.core.texts import CountedSentence, Sentence
from tests.repository.test_texts import CATALOGUES, SNAPSHOTS, texts_of

GERMAN = read_language_file(GERMAN_FILE)
assert GERMAN.language
FORMS = GERMAN.language.forms
SENTENCES = [
    (f"{catalogue}.{name}", text)
    for catalogue in CATALOGUES
    for name, text in texts_of(importlib.import_module(catalogue)).items()
    if isinstance(text, Sentence | CountedSentence)
]
SAME_IN_BOTH = {"everything", "default", "> "}


def test_every_sentence_has_its_german() -> None:
    assert [name for name, text in SENTENCES if text not in FORMS] == []


def test_every_german_sentence_fits_the_english_one() -> None:
    assert list(GERMAN.faults) == []


def test_german_is_not_english_that_was_left_over() -> None:
    """A sentence may only stay as it is if it has no words of its own."""
    same = [
        (name, form)
        for name, text in SENTENCES
        for form in FORMS[text]
        if form in text.templates and form not in SAME_IN_BOTH and words_of(form)
    ]
    assert [(name, form) for name, form in same if len(words_of(form)) > 1] == []


def words_of(form: str) -> list[str]:
    """Return the words of a sentence without its placeholders, commands and signs."""
    plain = "".join(text for text, _, _, _ in Formatter().parse(form))
    return [word for word in plain.split() if word.isalpha() and len(word) > 3]


@pytest.mark.parametrize("sign", ['"', "'", "Sie ", "Ihre ", "Ihnen "])
def test_german_says_du_and_has_its_own_quotation_marks(sign: str) -> None:
    about_others = {"They", "they"}  # these sentences speak of roles or accounts
    for name, text in SENTENCES:
        for form in FORMS[text]:
            if sign in form and sign.endswith(" "):
                assert any(word in " ".join(text.templates) for word in (*about_others, "It is", "It has")), name
            else:
                assert sign not in form, name


def test_the_german_snapshot_is_as_the_file() -> None:
    """So a change of an English sentence shows the German one beside it."""
    assert shown() == SNAPSHOT.read_text()


SNAPSHOT = SNAPSHOTS.parent / "texts_german.txt"


def shown() -> str:
    lines = []
    for name, text in SENTENCES:
        lines.append(f"{name}:")
        lines += [f"    {line}" for form in text.templates for line in form.split("\n")]
        lines += [f"  = {line}" for form in FORMS[text] for line in form.split("\n")]
    return "\n".join(lines) + "\n"


def test_each_plural_form_shows_its_number_or_says_one() -> None:
    for name, text in SENTENCES:
        if isinstance(text, CountedSentence):
            assert "count" in placeholders(FORMS[text][-1]) or "{count}" not in text.other, name


if __name__ == "__main__":
    SNAPSHOT.write_text(shown())
