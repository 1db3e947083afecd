"""A reason that stands in rows and logs in English is said to people in their language."""

from collections.abc import Iterator

import pytest

from bot.core import phrases
from bot.core.languages import ENGLISH, Number, speaking
from bot.core.languages.language_file import BUILT_IN_LANGUAGES, german_keys, placeholders, sentences_of_catalogue
from bot.core.languages.said_again import say_again
from bot.core.messages import Address
from bot.core.texts import Text
from bot.models.claude import operator_texts as claude
from channels.discord import operator_texts as discord
from channels.telegram import operator_texts as telegram

GERMAN = BUILT_IN_LANGUAGES.get("de") or ENGLISH
NUMBERS = {"seconds": 3}
REASONS = [
    (f"{catalogue}.{name}", text)
    for catalogue in german_keys()
    for name, text in sentences_of_catalogue(catalogue).items()
    if isinstance(text, Text)
]


@pytest.fixture(autouse=True)
def german() -> Iterator[None]:
    with speaking(GERMAN):
        yield


def test_every_reason_is_said_again_in_its_own_words() -> None:
    for name, text in REASONS:
        values = {each: NUMBERS.get(each, each) for each in placeholders(text)}
        shown = {each: Number(value) if each in NUMBERS else value for each, value in values.items()}
        assert say_again(text(**values)) == GERMAN.fill_in(GERMAN.forms[text][0], shown), name
    assert len(REASONS) > 80


def test_values_are_said_again_too() -> None:
    reason = discord.COMMANDS_NOT_OFFERED(why=discord.ANSWERED_STATUS(status=503))
    assert say_again(reason) == (
        "Discord bietet die Slash-Befehle nicht an: Discord hat mit dem Fehler 503 geantwortet; der Bot versucht es "
        "weiter"
    )
    assert say_again(telegram.NO_ANSWER_WITHIN(seconds=2.5)) == "Telegram hat nicht innerhalb von 2,5 s geantwortet"


def test_a_reason_with_hints_is_said_part_by_part() -> None:
    reason = f"{claude.NO_CREDIT(server='Anthropic')} ({claude.ADD_CREDIT}; something else)"
    assert say_again(reason) == (
        "das Konto bei Anthropic hat kein Guthaben mehr (wem das Konto gehört, kann Guthaben aufladen; something else)"
    )
    assert say_again(f"{discord.TOKEN_REFUSED}; {discord.CONNECTION_LOST}").endswith(
        "; die Verbindung zu Discord ist abgebrochen"
    )


def test_what_somebody_else_said_stays_as_it_is() -> None:
    assert say_again("segmentation fault (core dumped)") == "segmentation fault (core dumped)"
    assert say_again("") == ""


def test_english_stays_english() -> None:
    with speaking(ENGLISH):
        assert say_again(telegram.CHAT_DELETED) == telegram.CHAT_DELETED


def test_notices_say_their_reason_in_german() -> None:
    assert phrases.chat_closed_text(Address(channel="telegram", chat="7"), telegram.BOT_REMOVED).endswith(
        "der Bot wurde aus dem Chat entfernt; jemand muss ihn wieder hinzufügen."
    )
    assert "kein Platz mehr" in phrases.disk_state_text("No space left on device")
