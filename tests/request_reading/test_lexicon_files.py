"""The lexicons that operators add for their language."""

from pathlib import Path

import pytest

from bot.core.acts import ActKind
from bot.core.errors import ConfigError
from bot.core.languages import texts
from bot.core.request_reading import read_request
from bot.core.request_reading.lexicon import BUILT_IN_LEXICONS, lexicons_with_folder, read_lexicon
from bot.core.request_reading.time_values import names_time
from bot.core.request_reading.values import stands_in
from tests.request_reading.test_times import NOW

FRENCH = """
[verbs]
send = "envoie envoyez"
delete = "supprime supprimez"

[infinitives]
send = "envoyer"

[phrases]
send = ['fais ~ savoir']

[grammar]
verbs_stand = "first"
determiners = "le la les un une des mon ma mes"
tellers = "je il elle on nous ils elles"
modals = "peux peut pourrais pouvez"
you = "tu vous"
joins = "et ou"
openers = "et puis alors"
please = "svp"
negations = "ne n'en pas jamais rien"
negations_after = "pas rien jamais"
negation_reaches_breaks = true
sources = "de"
numbers = { deux = 2, trois = 3 }
many = "tous toutes chaque"

[things]
file = ["fichier document", "fichiers documents"]
"""


def test_a_language_by_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "fr.toml").write_text(FRENCH)
    lexicons = lexicons_with_folder(tmp_path).choose("fr-CA")
    assert [each.code for each in lexicons] == ["fr", "en"]
    send, delete = frozenset({ActKind.SEND}), frozenset({ActKind.DELETE})
    assert read_request("Envoie le fichier à Anne", lexicons).names(send)
    assert read_request("Peux-tu envoyer le fichier à Anne ?", lexicons).names(send) is False  # a word with a dash
    assert read_request("Tu peux envoyer le fichier à Anne ?", lexicons).names(send)
    assert not read_request("Il peut envoyer le fichier", lexicons).names(send)
    assert not read_request("Ne supprime pas le fichier", lexicons).names(delete)
    assert read_request("Supprime les deux fichiers", lexicons).count_named(delete, frozenset({"file"})) == 2
    assert read_request("Supprime le fichier", lexicons).speaks_of(frozenset({"file"}))
    assert not stands_in("Anne", "le message de Anne", is_target=True, lexicons=lexicons)


def test_a_lexicon_without_times_knows_none(tmp_path: Path) -> None:
    (tmp_path / "fr.toml").write_text("[verbs]\nsend = 'envoie'\n")
    lexicons = (read_lexicon(tmp_path / "fr.toml"),)
    for words in ("demain à 8 heures", "8", "le 15 mai", "tous les lundis et demi"):
        assert not names_time("2026-11-29 08:00", words, NOW, lexicons), words
        assert not names_time("FREQ=DAILY;BYHOUR=8", words, NOW, lexicons), words


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[verbs", "Expected"),
        ("", "verbs"),
        ("[verbs]\nswim = 'nage'", "swim"),
        ("[verbs]\n[grammar]\nverb = 'x'", texts.NO_SUCH_KEY(key="verb")),
        ("[verbs]\n[grammar]\nyou = ['x']", texts.BAD_HEADER(key="you", what=texts.A_TEXT)),
        ("[verbs]\n[phrases]\nsend = ['(']", "unterminated"),
        ("[verbs]\n[things]\nfile = ['x']", "unpack"),
    ],
)
def test_a_faulty_lexicon_is_left_out(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "de.toml").write_text(text)
    lexicons = lexicons_with_folder(tmp_path)
    [fault] = lexicons.faults_of_added_files()
    assert reason in fault
    assert lexicons.choose("de") == BUILT_IN_LEXICONS.choose("de")
    with pytest.raises(ConfigError):
        read_lexicon(tmp_path / "de.toml")


def test_no_fault_is_found_where_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "fr.toml").write_text(FRENCH)
    assert lexicons_with_folder(tmp_path).faults_of_added_files() == []
    assert lexicons_with_folder(tmp_path / "none").faults_of_added_files() == []
