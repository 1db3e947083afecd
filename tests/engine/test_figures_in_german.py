"""Figures, names of days and lists in German: what code fills into a sentence is written as German writes it."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from bot.core import memory_phrases, phrases
from bot.core.incoming_files import ArrivedFile, FileId, FileState, IncomingFileKind
from bot.core.languages import speaking
from bot.core.languages.language_file import BUILT_IN_LANGUAGES
from bot.core.prices import format_micro_dollars
from bot.core.scope_kinds import ScopeKind
from bot.core.sources import OTHER_PEOPLES_WORDS_TEXT, Source
from bot.core.texts import people, people_files, people_schedules, reasons
from bot.journal.incoming_files import megabytes
from channels.terminal import people_texts as terminal
from tests.support.fakes import message

TUESDAY = datetime(2026, 3, 3, 8, 5, tzinfo=UTC)


@pytest.fixture(autouse=True)
def german() -> Iterator[None]:
    language = BUILT_IN_LANGUAGES.get("de")
    assert language
    with speaking(language):
        yield


def test_money_has_a_comma_and_its_sign_behind_it() -> None:
    said = people.TOTAL(tokens=1_234_567, cost=format_micro_dollars(1_234_560_000))
    assert said == "1.234.567 Token, 1.234,56 $."
    assert people.COST_PART(name="x", today=format_micro_dollars(0), month=format_micro_dollars(70_000)).endswith(
        "x 0,00 $ / 0,07 $"
    )
    assert terminal.PRICE(usd=0.1234) == "0,1234 $"


def test_sizes_have_a_comma() -> None:
    said = people_files.FILE_TOO_LARGE(name="a.b", size=megabytes(2**20 * 9 + 1), most=megabytes(2**20 * 1_500))
    assert ("9,1 MB" in said, "1.500 MB" in said, "a.b" in said) == (True, True, True)
    assert terminal.MEGABYTES(size=31.25) == "31,2 MB"


def test_times_have_german_names() -> None:
    assert people_schedules.SCHEDULE_LINE(number=1, next=TUESDAY, text="x") == "1: Di, 03.03.2026, 08:05, x"
    assert "Dienstag" in people_schedules.SCHEDULE_RESUMED(next=TUESDAY, text="x")


def test_durations_are_german() -> None:
    assert [phrases.format_duration(seconds) for seconds in (48, 193, 7_500)] == ["48 s", "3 min 13 s", "2 h 5 min"]
    assert people.NO_PROGRESS(minutes=2.5, most=10.0).startswith("Seit 2,5 Minuten")
    assert reasons.SECONDS_USED(seconds=1.5) == "die Zeitgrenze von 1,5 s ist erreicht"


def test_lists_end_with_und_or_oder() -> None:
    assert phrases.join_with_and(["a", "b", "c"]) == "a, b und c"
    assert phrases.join_with_or(["a", "b"]) == "a oder b"


def test_every_source_of_a_memory_has_german_words() -> None:
    sources = [*map(str, Source), OTHER_PEOPLES_WORDS_TEXT]
    assert set(sources) == people.SOURCES.keys()
    line = memory_phrases.memory_line(3, "likes tea", ScopeKind.PERSON, "Ann", ["files", "the web"])
    assert line == "3. „likes tea“ (nur für dich, nachdem ich Dateien und Seiten im Web gelesen hatte)"


def test_a_message_without_words_is_named_in_german() -> None:
    assert set(people_files.KINDS) == set(map(str, IncomingFileKind))
    photo = ArrivedFile(id=FileId("f"), kind=IncomingFileKind.PHOTO, name="", is_quoted=False, state=FileState.KEPT)
    told = [message("", arrived_files=(photo,)), message("", attachments=("a sticker",)), message("hello")]
    assert phrases.quote_message_beginnings(told) == "„ein Foto“, „eine Nachricht ohne Worte“, „hello“"
