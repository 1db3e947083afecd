"""What `retinue doctor` finds wrong with the files of languages, and how it says to mend them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.config import load
from bot.core.findings import CheckFinding, CheckState
from bot.core.languages import texts as language_texts
from bot.ops.checks import texts
from bot.ops.checks.languages import MAX_NAMED_FAULTS, check_languages
from tests.support.config_folder import Home, home

__all__ = ["home"]

Checked = Callable[..., list[CheckFinding]]
HEADER = '[language]\nname = "Français"\n["bot.core.texts.people"]\n'


@pytest.fixture
def checked(home: Home) -> Checked:
    def check(text: str | None = None, **settings: object) -> list[CheckFinding]:
        home.config(settings)
        config = load().config
        if text is not None:
            config.languages_dir.mkdir(parents=True)
            (config.languages_dir / "fr.toml").write_text(text)
        return list(check_languages(config))

    return check


def of_state(found: list[CheckFinding], state: CheckState) -> list[tuple[str, str]]:
    return [(each.text, each.remedy) for each in found if each.state is state]


def test_without_own_files_all_is_well(checked: Checked) -> None:
    [finding] = checked(language="de")
    assert str(finding) == f"ok       {texts.LANGUAGES(languages='Deutsch (de), English (en)', language='de')}"


def test_a_file_that_cannot_be_read_is_wrong(checked: Checked) -> None:
    [(fault, remedy)] = of_state(checked("[language"), CheckState.WRONG)
    assert "fr.toml: not a usable language file: " in fault
    assert remedy == texts.MEND_LANGUAGE_FILE


def test_what_is_missing_is_counted(checked: Checked) -> None:
    [(told, remedy)] = of_state(checked(HEADER), CheckState.WARNING)
    assert "sentences are missing" in told
    assert remedy == texts.TRANSLATE_THEM


def test_wrong_sentences_are_named_and_many_are_counted(checked: Checked) -> None:
    wrong = "\n".join(f'NO_{number} = "x"' for number in range(MAX_NAMED_FAULTS + 2))
    told = of_state(checked(HEADER + wrong), CheckState.WARNING)
    faults = [text for text, remedy in told if remedy == texts.MEND_SENTENCE]
    assert language_texts.NO_SUCH_SENTENCE in faults[0]
    assert len(faults) == MAX_NAMED_FAULTS + 1
    assert faults[-1].endswith("2 more faults")


def test_an_operators_language_without_a_file_is_wrong(checked: Checked, home: Home) -> None:
    [(told, remedy)] = of_state(checked(language="tlh"), CheckState.WRONG)
    folder: Path = load().config.languages_dir
    assert told == language_texts.NO_SUCH_LANGUAGE(name="tlh", known="de, en", folder=folder)
    assert remedy == texts.DOES_NOT_START


def test_an_operators_language_with_a_faulty_file_is_said_to_be_english(checked: Checked) -> None:
    told = of_state(checked("[language", language="fr"), CheckState.WRONG)
    assert told[1] == (texts.OPERATORS_LANGUAGE_UNUSABLE(name="fr"), texts.MEND_LANGUAGE_FILE)


def test_a_lexicon_that_cannot_be_read_is_wrong(checked: Checked, home: Home) -> None:
    home.config({})
    folder = load().config.languages_dir / "acts"
    folder.mkdir(parents=True)
    (folder / "fr.toml").write_text("[verbs")
    [(fault, remedy)] = of_state(checked(), CheckState.WRONG)
    assert "fr.toml: not a usable language file: " in fault
    assert remedy == texts.MEND_LEXICON_FILE
