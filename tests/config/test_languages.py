"""The files of languages that operators add: what they change, and what is said about their mistakes."""

from pathlib import Path

import pytest

from bot.assembly import make_command_menus
from bot.config import load
from bot.config.resolved_settings import resolve_settings
from bot.core.errors import ConfigError
from bot.core.languages import ENGLISH, Language, match_language, match_language_as_typed, speaking
from bot.core.languages import texts as language_texts
from bot.core.languages.language_file import languages_with_folder
from bot.core.texts import people
from tests.support.config_folder import Home, home

__all__ = ["home"]

FRENCH = """
[language]
name = "Français"
aliases = ["French"]
plural = "n > 1"

["bot.core.texts.people"]
NOTHING_TO_STOP = "Il n'y a rien à arrêter."
BOARD_LINES_LEFT_OUT = ["… et {count} autre", "… et {count} autres"]
ROLES_STOPPED = "Arrêté : {role}."
LOG_TASK = ["Tâche : {task}"]
AWAY_TOO_LONG = "{away:.0f}, {kept:.0f}, {channel:d}"
NO_SUCH_SENTENCE = "?"

["bot.core.texts.people".STATES]
working = "au travail"

["no.such.catalogue"]
HELLO = "Bonjour"
"""


def french(folder: Path, text: str = FRENCH) -> Language:
    (folder / "fr.toml").write_text(text)
    found = languages_with_folder(folder).get("fr")
    assert found
    return found


def test_a_language_by_a_file_is_spoken(tmp_path: Path) -> None:
    with speaking(french(tmp_path)):
        assert people.NOTHING_TO_STOP() == "Il n'y a rien à arrêter."
        assert people.STATES["working"]() == "au travail"
        assert people.NO_GROUPS() == people.NO_GROUPS.english


def test_the_plural_rule_of_the_file_chooses_the_form(tmp_path: Path) -> None:
    with speaking(french(tmp_path)):
        said = [people.BOARD_LINES_LEFT_OUT(count) for count in (0, 1, 2)]
    assert said == ["… et 0 autre", "… et 1 autre", "… et 2 autres"]


def test_sentences_that_do_not_fit_are_named_and_said_in_english(tmp_path: Path) -> None:
    with speaking(french(tmp_path)):
        assert people.ROLES_STOPPED(roles="x") == "Stopped x."
        assert people.WHOLE_ANSWER() == people.WHOLE_ANSWER.english
    faults = {
        "ROLES_STOPPED": language_texts.OTHER_PLACEHOLDERS(names="roles"),
        "LOG_TASK": language_texts.MUST_BE_TEXT,
        "AWAY_TOO_LONG": language_texts.NOT_WRITABLE(reason="Unknown format code 'd' for object of type 'str'"),
        "NO_SUCH_SENTENCE": language_texts.NO_SUCH_SENTENCE,
    }
    path = tmp_path / "fr.toml"
    found = languages_with_folder(tmp_path).faults_of_added_files()
    assert found[-1] == language_texts.NO_SUCH_CATALOGUE(path=path, name="no.such.catalogue")
    assert found[:-1] == [
        language_texts.SENTENCE_NOT_USED(path=path, catalogue="bot.core.texts.people", name=name, fault=fault)
        for name, fault in faults.items()
    ]


UNUSABLE = {
    "no TOML": "[language",
    "nothing": "",
    "an unknown key": "[language]\nname = 'x'\ncolour = 'y'",
    "no plural rule": "[language]\nname = 'x'\nplural = 'n+'",
    "too few plural forms": "[language]\nname = 'x'\nplural = 'n == 1 ? 0 : n == 2 ? 1 : 2'",
    "too few names of days": "[language]\nname = 'x'\nweekdays = ['Mo']",
    "money without an amount": "[language]\nname = 'x'\nmoney = '{sum} $'",
    "a number for a text": "[language]\nname = 'x'\ndecimal = 5",
    "no table": "language = 'fr'",
}


@pytest.mark.parametrize("text", UNUSABLE.values(), ids=UNUSABLE)
def test_a_file_that_cannot_be_used_is_named_and_left_out(tmp_path: Path, text: str) -> None:
    (tmp_path / "fr.toml").write_text(text)
    found = languages_with_folder(tmp_path)
    [fault] = found.faults_of_added_files()
    assert fault.startswith(f"{tmp_path / 'fr.toml'}: ")
    assert [each.code for each in found.list_all()] == ["de", "en"]


def test_bytes_that_are_no_text_are_a_fault_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "fr.toml").write_bytes(b"\xff")
    assert len(languages_with_folder(tmp_path).faults_of_added_files()) == 1


def test_german_stays_if_its_own_file_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "de.toml").write_text("[language")
    with speaking(languages_with_folder(tmp_path).get("de") or ENGLISH):
        assert people.NOTHING_TO_STOP() == "Es gibt nichts anzuhalten."


def test_the_bot_starts_in_english_if_the_operators_file_is_faulty(
    home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    home.config({"language": "fr"})
    config = load().config
    config.languages_dir.mkdir(parents=True)
    (config.languages_dir / "fr.toml").write_text("[language")
    assert [each.code for each in resolve_settings(config).languages.list_all()] == ["de", "en"]
    assert make_command_menus(config)[0].language is ENGLISH
    assert "fr.toml" in caplog.text


def test_languages_are_found_by_tag_region_and_name(tmp_path: Path) -> None:
    french(tmp_path)
    found = languages_with_folder(tmp_path)
    assert [getattr(match_language(found, tag), "code", None) for tag in ("de", "DE_at", "fr-CA", "tlh")] == [
        *("de", "de", "fr", None)
    ]
    typed = ("Deutsch", "german", "english", "french", "FR", "x")
    assert [getattr(match_language_as_typed(found, each), "code", None) for each in typed] == [
        *("de", "de", "en", "fr", "fr", None)
    ]


def test_an_unknown_operators_language_is_refused_with_the_list(home: Home) -> None:
    home.config({"language": "tlh"})
    config = load().config
    with pytest.raises(ConfigError) as refused:
        resolve_settings(config)
    where = config.languages_dir
    assert str(refused.value) == language_texts.NO_SUCH_LANGUAGE(name="tlh", known="de, en", folder=where)


def test_menus_begin_with_the_operators_language(home: Home) -> None:
    home.config({"language": "de"})
    config = load().config
    config.languages_dir.mkdir(parents=True)
    french(config.languages_dir, FRENCH + '\n["bot.core.texts.people".COMMANDS]\n"/help" = "ce que je comprends"')
    helps = [(menu.language.code, dict(menu.commands)["help"]) for menu in make_command_menus(config)]
    assert helps == [("de", "was ich verstehe"), ("en", "what I understand"), ("fr", "ce que je comprends")]


POLISH = """
[language]
name = "Polski"
plural_forms = 3
plural = "n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2"
decimal = ","
thousands = " "

["bot.core.texts.people"]
BOARD_LINES_LEFT_OUT = ["… i jeszcze {count} wiersz", "… i jeszcze {count} wiersze", "… i jeszcze {count} wierszy"]
LOG_CUT = ["{text}… (jeszcze {count} znak)", "{text}… (jeszcze {count:,} znaki)"]
"""


def test_a_language_may_have_more_plural_forms_than_english(tmp_path: Path) -> None:
    (tmp_path / "pl.toml").write_text(POLISH)
    found = languages_with_folder(tmp_path)
    with speaking(found.get("pl") or ENGLISH):
        said = [people.BOARD_LINES_LEFT_OUT(count) for count in (0, 1, 2, 5, 12, 22, 25)]
    forms = ["wierszy", "wiersz", "wiersze", "wierszy", "wierszy", "wiersze", "wierszy"]
    assert [each.split()[-1] for each in said] == forms
    assert found.faults_of_added_files() == [
        language_texts.SENTENCE_NOT_USED(
            path=tmp_path / "pl.toml",
            catalogue="bot.core.texts.people",
            name="LOG_CUT",
            fault=language_texts.MUST_BE_LIST(count=3),
        )
    ]


def test_a_language_may_have_one_plural_form(tmp_path: Path) -> None:
    lines = '["bot.core.texts.people"]\nBOARD_LINES_LEFT_OUT = ["… あと {count}"]'
    (tmp_path / "ja.toml").write_text(f'[language]\nname = "日本語"\nplural_forms = 1\nplural = "0"\n{lines}')
    with speaking(languages_with_folder(tmp_path).get("ja") or ENGLISH):
        assert [people.BOARD_LINES_LEFT_OUT(count) for count in (1, 7)] == ["… あと 1", "… あと 7"]


def test_a_faulty_lexicon_is_logged_and_left_out(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    home.config({})
    folder = load().config.languages_dir / "acts"
    folder.mkdir(parents=True)
    (folder / "fr.toml").write_text("[verbs")
    assert [each.code for each in resolve_settings(load().config).lexicons.choose("fr")] == ["en", "de"]
    assert "fr.toml: not a usable language file" in caplog.text
