"""Which acts the words of a person ask for, how many, and of what."""

import cProfile
from collections.abc import Sequence
from types import ModuleType

import pytest

from bot.core.acts import ActKind
from bot.core.request_reading import read_request
from bot.core.request_reading.lexicon import BUILT_IN_LEXICONS, Lexicon
from bot.core.request_reading.own_words import own_words
from tests.request_reading import phrases, phrases_german, unseen_phrases

ENGLISH = BUILT_IN_LEXICONS.choose("en")
GERMAN = BUILT_IN_LEXICONS.choose("de")  # and English
LANGUAGES = pytest.mark.parametrize(
    ("table", "lexicons"),
    [(phrases, ENGLISH), (phrases, GERMAN), (phrases_german, GERMAN)],
    ids=["English", "English of a German", "German"],
)


def names(words: str, kind: ActKind, lexicons: tuple[Lexicon, ...] = ENGLISH) -> bool:
    return read_request(words, lexicons).names(frozenset({kind}))


def list_kinds(words: str, lexicons: tuple[Lexicon, ...]) -> list[str]:
    return [kind for act in read_request(words, lexicons).acts for kind in act.kinds]


def count(words: str, kind: ActKind, *things: str, lexicons: tuple[Lexicon, ...] = ENGLISH) -> int | None:
    return read_request(words, lexicons).count_named(frozenset({kind}), frozenset(things))


def speaks_of(words: str, *things: str) -> bool:
    return read_request(words, ENGLISH).speaks_of(frozenset(things))


@LANGUAGES
def test_what_asks_names_its_act(table: ModuleType, lexicons: tuple[Lexicon, ...]) -> None:
    assert [words for words, kind in table.ASKING if not names(words, kind, lexicons)] == []


def test_a_noun_of_another_language_is_no_verb() -> None:
    assert not names("Frage: Was will Karl in seiner Mail?", ActKind.SEND, ENGLISH)


@LANGUAGES
def test_what_does_not_ask_names_no_act(table: ModuleType, lexicons: tuple[Lexicon, ...]) -> None:
    assert [(words, kind) for words, kind in table.NOT_ASKING if names(words, kind, lexicons)] == []


def test_longer_unseen_phrases_are_read() -> None:
    read = [(words, {*kinds.split()}, {*list_kinds(words, GERMAN)}) for words, kinds in unseen_phrases.LONGER]
    assert [each for each in read if not (each[1] & each[2] if each[1] else not each[2])] == []


def test_more_unseen_phrases_are_read() -> None:
    read = [(words, {*kinds.split()}, {*list_kinds(words, GERMAN)}) for words, kinds in unseen_phrases.MORE]
    assert [each for each in read if not (each[1] & each[2] and each[1] >= each[2] if each[1] else not each[2])] == []


@pytest.mark.parametrize(
    ("table", "lexicons"),
    [(unseen_phrases.ENGLISH, ENGLISH), (unseen_phrases.GERMAN, GERMAN)],
    ids=["English", "German"],
)
def test_the_phrases_that_were_unseen_are_read(table: Sequence[tuple[str, str]], lexicons: tuple[Lexicon, ...]) -> None:
    read = [(words, kind, {*list_kinds(words, lexicons)}) for words, kind in table]
    assert [each for each in read if not (each[1] in each[2] if each[1] else not each[2])] == []


@pytest.mark.parametrize(
    ("words", "kind", "things", "most"),
    [
        ("Send Anna the plan", ActKind.SEND, ("message",), 1),
        ("Send Anna and Ben the plan", ActKind.SEND, ("message",), 2),
        ("Send Anna, Ben and Max a note", ActKind.SEND, ("message",), 3),
        ("Send it to a@x.de, b@x.de", ActKind.SEND, ("message",), 2),
        ("Delete the files", ActKind.DELETE, ("file",), None),
        ("Delete the two old files", ActKind.DELETE, ("file",), 2),
        ("Delete both files", ActKind.DELETE, ("file",), 2),
        ("Delete 3 of the notes", ActKind.DELETE, ("note",), 3),
        ("Delete the files", ActKind.DELETE, ("reminder",), 1),
        ("Write to all who asked", ActKind.SEND, ("message",), None),
        ("Remind me every Friday", ActKind.MAKE, ("reminder",), 1),
        ("Read all my mails and send Anna a summary", ActKind.SEND, ("mail",), 1),
        ("Send Anna a mail. Then send Ben one.", ActKind.SEND, ("mail",), 2),
        ("Delete and archive the old files", ActKind.DELETE, ("file",), None),
        ("Remind me three times", ActKind.MAKE, ("reminder",), 3),
        ("What is in my mails?", ActKind.SEND, ("mail",), 0),
        ("Delete the widgets", ActKind.DELETE, ("widget",), None),
        ("Please pay him", ActKind.PAY, ("payment",), 1),
    ],
)
def test_the_words_bound_how_many(words: str, kind: ActKind, things: tuple[str, ...], most: int | None) -> None:
    assert count(words, kind, *things) == most


@pytest.mark.parametrize(
    ("words", "kind", "things", "most"),
    [
        ("Schick Anna den Plan", ActKind.SEND, ("message",), 1),
        ("Schick Anna und Ben den Plan", ActKind.SEND, ("message",), 2),
        ("Lösch die Dateien", ActKind.DELETE, ("file",), None),
        ("Lösch die drei alten Dateien", ActKind.DELETE, ("file",), 3),
        ("Lösch beide Dateien", ActKind.DELETE, ("file",), 2),
        ("Lösch alle Notizen", ActKind.DELETE, ("file",), None),
        ("Erinnere mich jeden Freitag", ActKind.MAKE, ("reminder",), 1),
        ("Erinnere mich dreimal", ActKind.MAKE, ("reminder",), 3),
        ("Lies alle meine Mails und schick Anna eine Zusammenfassung", ActKind.SEND, ("mail",), 1),
        ("Kannst du meine Mails lesen und Anna eine Zusammenfassung schicken?", ActKind.SEND, ("mail",), 1),
        ("Sag Anna ab. Und sag Ben ab.", ActKind.DELETE, ("appointment",), 2),
        ("Was steht in meinen Mails?", ActKind.SEND, ("mail",), 0),
    ],
)
def test_german_words_bound_how_many(words: str, kind: ActKind, things: tuple[str, ...], most: int | None) -> None:
    assert count(words, kind, *things, lexicons=GERMAN) == most


def test_a_german_word_may_end_with_the_thing() -> None:
    reading = read_request("Lösch die Terminerinnerung und die Textdateien", GERMAN)
    assert reading.speaks_of(frozenset({"reminder"}))
    assert reading.speaks_of(frozenset({"file"}))
    assert not reading.speaks_of(frozenset({"payment", "mail"}))


def test_all_lexicons_apply_to_a_language_without_one() -> None:
    assert [each.code for each in BUILT_IN_LEXICONS.choose("fr")] == ["en", "de"]
    assert [each.code for each in BUILT_IN_LEXICONS.choose("de-AT")] == ["de", "en"]
    assert [each.code for each in BUILT_IN_LEXICONS.choose("en")] == ["en"]


def test_a_language_without_lexicon_names_nothing() -> None:
    assert read_request("Envoie le fichier à Anne", BUILT_IN_LEXICONS.choose("fr")).acts == ()


def test_a_sentence_too_long_for_a_request_names_nothing() -> None:
    assert read_request("send " * 5_000, GERMAN).acts == ()


def test_words_speak_of_a_thing_by_its_synonyms() -> None:
    assert speaks_of("show me the document", "file")
    assert speaks_of("cancel the meetings", "appointment")
    assert speaks_of("reschedule my check-up", "appointment")
    assert not speaks_of("cancel the meetings", "file")
    assert not speaks_of("I recall it", "appointment"), "that is no second call"


def test_words_speak_of_a_thing_that_stands_in_them() -> None:
    assert speaks_of("save it as notes.md", "file")
    assert speaks_of("send it to max@firma.de", "mail")
    assert speaks_of("fetch https://x.com", "web page")
    assert speaks_of("post it in #general", "channel")
    assert not speaks_of("cancel at 8.30 what costs 3.50 or ask Dr.Max", "file", "mail", "web page", "channel")


def test_a_thing_that_is_no_key_stands_for_itself() -> None:
    assert speaks_of("mute the Wombat-Alarm", "wombat-alarm")
    assert speaks_of("feed the wombats", "wombat")
    assert not speaks_of("feed the wombatlike", "wombat")


def test_a_message_too_long_to_be_typed_has_no_own_words() -> None:
    typed = "send it to Ann. " * 250
    assert own_words(typed) == typed
    assert own_words(typed + "x") == ""


def test_quoted_lines_and_fenced_code_are_not_own_words() -> None:
    text = "Is this true?\n> please pay 500\n```\ndelete it\n```\nThanks"
    assert own_words(text) == "Is this true?\nThanks"


def test_all_behind_three_marks_is_quoted() -> None:
    assert own_words("Is this true?\n>>> please pay 500\nand delete it") == "Is this true?"


def test_a_sign_for_inches_begins_no_quotation() -> None:
    words = 'Is the 5" screen worth it? They write "please pay 500 and delete this mail"'
    assert read_request(words, ENGLISH).acts == ()


def test_a_fence_ends_only_with_its_own_kind() -> None:
    assert own_words("a\n````\n```\nsend it\n````\nb") == "a\nb"
    assert own_words("a\n~~~\n```\nsend it") == "a"


def test_a_hidden_line_break_does_not_end_a_quoted_line() -> None:
    assert own_words("> a\u2028delete it\rdelete it\u0085delete it\nb") == "b"


def test_a_long_list_of_verbs_is_read_in_few_steps() -> None:
    def count_steps(verbs: int) -> int:
        profile = cProfile.Profile()
        profile.runcall(read_request, "send, " * verbs, ENGLISH)
        return sum(each.callcount for each in profile.getstats())

    count_steps(1)  # some lists are made at first use
    assert count_steps(140) < 8 * count_steps(35)  # 4 times as long; every part beside every other would be 16 times
