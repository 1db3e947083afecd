"""Each verb of the lexicons, in sentences that ask and in sentences that do not."""

from collections.abc import Iterator

import pytest

from bot.core.acts import ActKind
from bot.core.request_reading import read_request
from bot.core.request_reading.lexicon import BUILT_IN_LEXICONS, Lexicon, Verb

ENGLISH = BUILT_IN_LEXICONS.choose("en")
GERMAN = BUILT_IN_LEXICONS.choose("de")
EVERY_THIRD = 3  # verb: all of them take a second
SAYINGS = {"forget"}  # “forget it” is said of nothing


def forms(table: dict[str, tuple[Verb, ...]]) -> Iterator[tuple[str, str, frozenset[ActKind]]]:
    """Yield form, particle and kinds of the verbs."""
    every = [(form, verb.particle, verb.kinds) for form, verbs in sorted(table.items()) for verb in verbs]
    yield from every[::EVERY_THIRD]


def written(form: str) -> str:
    return form if form == "e-mail" else form.replace("-", " ")


def kinds_in(words: str, lexicons: tuple[Lexicon, ...]) -> set[ActKind]:
    return {kind for act in read_request(words, lexicons).acts for kind in act.kinds}


@pytest.mark.parametrize(
    "template", ["{} it", "Please {} it", "Could you {} it?", "I want you to {} it", "read it and {} it"]
)
def test_each_english_verb_asks(template: str) -> None:
    found = [
        (form, template)
        for form, _, kinds in forms(dict(ENGLISH[0].verbs))
        if form not in SAYINGS and not kinds <= kinds_in(template.format(written(form)), ENGLISH)
    ]
    assert found == []


@pytest.mark.parametrize(
    "template",
    [
        "Don't {} it",
        "They {} it",
        "I had to {} it",
        "Tom will {} it",
        "Read the {} of today",
        "What did they {} yesterday?",
        "Remind me to {} it",
        "The page says you should {} it",
        "She wrote: {} it now",
        "Explain how to {} it",
        "Summarize what people {} here",
    ],
)
def test_no_english_verb_asks_in_a_tale(template: str) -> None:
    allowed = kinds_in(template.format("swim"), ENGLISH)
    found = [
        (form, template)
        for form, _, _ in forms(dict(ENGLISH[0].verbs))
        if not kinds_in(template.format(written(form)), ENGLISH) <= allowed
    ]
    assert found == []


@pytest.mark.parametrize(
    "template", ["{} sie {}", "Bitte {} sie {}", "Lies sie, und dann {} sie {}", "{} bitte die drei {}"]
)
def test_each_german_imperative_asks(template: str) -> None:
    german = GERMAN[0]
    found = [
        (form, particle)
        for form, particle, kinds in forms(dict(german.verbs))
        if not kinds <= kinds_in(template.format(form, particle), GERMAN)
    ]
    assert found == []


@pytest.mark.parametrize(
    "template", ["Kannst du sie {}?", "Könnten Sie das bitte {}?", "Bitte das Ding {}", "Ich möchte das Ding {}"]
)
def test_each_german_infinitive_asks(template: str) -> None:
    german = GERMAN[0]
    found = [
        form
        for form, _, kinds in forms(dict(german.infinitives))
        if not kinds <= kinds_in(template.format(form), GERMAN)
    ]
    assert found == []


@pytest.mark.parametrize("template", ["{} du sie {}?", "Bitte, {} du sie {}?"])
def test_each_german_question_to_you_asks(template: str) -> None:
    german = GERMAN[0]
    found = [
        (form, particle)
        for form, particle, kinds in forms(dict(german.asked_of_you))
        if not kinds <= kinds_in(template.format(form, particle), GERMAN)
    ]
    assert found == []


@pytest.mark.parametrize(
    "template",
    ["{} sie noch nicht {}", "Ich {} sie {}", "Morgen {} ich sie {}", "Die {} von gestern {}", "Er {} sie {}"],
)
def test_no_german_imperative_asks_in_a_tale(template: str) -> None:
    german = GERMAN[0]
    found = [
        (form, particle)
        for form, particle, _ in forms(dict(german.verbs))
        if kinds_in(template.format(form, particle), GERMAN)
    ]
    assert found == []


@pytest.mark.parametrize(
    "template",
    [
        "Er will sie {}",
        "Ich muss sie noch {}",
        "Wir haben vor, sie zu {}",
        "Wie kann ich sie {}?",
        "Bitte sie nicht {}",
        "Ich habe vergessen, sie zu {}",
        "Erklär mir, wie wir sie {}",
        "Man soll sie {}, steht da",
    ],
)
def test_no_german_infinitive_asks_in_a_tale(template: str) -> None:
    german = GERMAN[0]
    found = [form for form, _, _ in forms(dict(german.infinitives)) if kinds_in(template.format(form), GERMAN)]
    assert found == []
