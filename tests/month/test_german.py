"""What a German month is judged by: German sentences are read back as English ones, and English ones are found."""

from bot.core.languages import Language, speaking
from bot.core.languages.language_file import BUILT_IN_LANGUAGES
from bot.core.texts import people, people_files
from tests.month.back_to_english import back_to_english
from tests.month.english import OwnWords, said

NAME = "rent.xlsx"


def german() -> Language:
    found = BUILT_IN_LANGUAGES.get("de")
    assert found
    return found


def english_in(text: str) -> str:
    words = OwnWords()
    words.learn(["what is the sum?", "Here is what the model says to you."])
    return words.english_in(text)


def test_a_german_sentence_is_read_back_with_its_values() -> None:
    with speaking(german()):
        told = people_files.FILE_NOT_FETCHED(name=NAME)
    assert NAME in told
    assert told != people_files.FILE_NOT_FETCHED(name=NAME)
    assert back_to_english(told) == people_files.FILE_NOT_FETCHED(name=NAME)


def test_days_and_money_are_read_back() -> None:
    assert back_to_english("Di, 06.10.2026, 08:00 für 1.234,50 $") == "Tue 2026-10-06 08:00 für $1234.50"


def test_an_english_sentence_of_a_catalogue_is_found() -> None:
    assert "NOTHING_AT_WORK" in english_in(people.NOTHING_AT_WORK())


def test_an_english_word_that_is_in_no_catalogue_is_found() -> None:
    assert english_in("Fertig, but please wait") == "the words ['please']"


def test_german_and_the_words_of_the_model_and_of_people_are_not_found() -> None:
    with speaking(german()):
        waiting = people.MESSAGES_WAITING(messages="„what is the sum?“")
    assert english_in(f"{waiting}\nHere is what the model says to you.\n⏰ what is the sum?") == ""


def test_the_texts_of_a_call_are_its_words_and_its_buttons() -> None:
    buttons = '{"inline_keyboard": [[{"text": "Go", "callback_data": "is it"}]]}'
    assert list(said({"text": "Hello", "parse_mode": "what", "reply_markup": buttons})) == ["Hello", "Go"]
