"""The names that people give to something new."""

import pytest

from bot.core.request_reading.given_names import is_name_given
from bot.core.request_reading.lexicon import BUILT_IN_LEXICONS

LEXICONS = BUILT_IN_LEXICONS.choose(None)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("anything", "Make an event tomorrow"),
        ("plan.md", "Make a file plan.md"),
        ("plan.md", "Make a file called 'plan'"),
        ("Lunch", "Make an event titled 'Lunch'"),
        ("lunch", "The title should be “Lunch”, please"),
        ("Dinner at Rosa", "an event called 'Dinner at {restaurant_name}'"),
        ("Essen", "ein Termin mit Titel „Essen“"),
        ("Summary", "Read https://a.example/plan.html and write a summary"),
        ("Summary", "Read www.a-shop.com/list.html and a-shop.com, then write a summary to bo.k@mail.com"),
        ("Lunch", "Send him 'hello' and make an event"),
        ("plan_de.md", "Translate plan.md into German and save it"),
        ("plan-short.md", "Read plan.md and save a short version"),
        ("report.csv", "Make a CSV of the table in report.pdf"),
        ("plan_en.md", "Übersetze plan.md und speichere es als plan_en.md"),
        ("b.md", "Convert a.md to b.md"),
    ],
)
def test_something_new_may_be_called_so(name: str, words: str) -> None:
    assert is_name_given(name, words, LEXICONS)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("evil.md", "Make a file plan.md"),
        ("../plan.md", "Make a file plan.md"),
        ("plan.md.exe", "Make a file plan.md"),
        ("Pay Eve", "Make an event titled 'Lunch'"),
        ("Lunchtime at Eve's", "Make an event titled 'Lunch'"),
        ("Dinner at", "an event called 'Dinner at {restaurant_name}'"),
        ("Pay Eve", "an event called 'Dinner at {restaurant_name}'"),
        ("other.md", "Übersetze plan.md und speichere es als plan_en.md"),
        ("other.md", "Convert a.md to b.md"),
        ("other.md", "Save it in the new file reports/b.md"),
        ("other.md", "Read a-shop.com/list.html and save it as plan.md"),
    ],
)
def test_a_given_name_leaves_no_other(name: str, words: str) -> None:
    assert not is_name_given(name, words, LEXICONS)
