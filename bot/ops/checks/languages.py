"""Check the files of languages: which can be used, which sentences they lack, and what is wrong with them."""

from collections.abc import Iterator

from bot.config import Config
from bot.config.resolved_settings import fault_of_operator_language
from bot.core.findings import CheckFinding, ok_finding, warning_finding, wrong_finding
from bot.core.languages import match_language
from bot.core.languages.language_file import LanguageFile, languages_with_folder
from bot.core.request_reading.lexicon import LEXICON_FOLDER_NAME, lexicons_with_folder
from bot.ops.checks import texts

MAX_NAMED_FAULTS, MAX_NAMED_SENTENCES = 10, 3  # of one file; the rest is counted


def check_languages(config: Config) -> Iterator[CheckFinding]:
    languages = languages_with_folder(config.languages_dir)
    for path, file in languages.read_added_files().items():
        yield from check_language_file(str(path), file)
    for fault in lexicons_with_folder(config.languages_dir / LEXICON_FOLDER_NAME).faults_of_added_files():
        yield wrong_finding(fault, texts.MEND_LEXICON_FILE)
    if fault := fault_of_operator_language(config, languages):
        yield wrong_finding(fault, texts.DOES_NOT_START)
    elif match_language(languages, config.language) is None:
        yield wrong_finding(texts.OPERATORS_LANGUAGE_UNUSABLE(name=config.language), texts.MEND_LANGUAGE_FILE)
    names = ", ".join(f"{each.name} ({each.code})" for each in languages.list_all())
    yield ok_finding(texts.LANGUAGES(languages=names, language=config.language))


def check_language_file(path: str, file: LanguageFile) -> Iterator[CheckFinding]:
    if file.language is None:
        yield from (wrong_finding(fault, texts.MEND_LANGUAGE_FILE) for fault in file.faults)
        return
    for fault in file.faults[:MAX_NAMED_FAULTS]:
        yield warning_finding(fault, texts.MEND_SENTENCE)
    if (left := len(file.faults) - MAX_NAMED_FAULTS) > 0:
        yield warning_finding(texts.MORE_FAULTS_IN_LANGUAGE(left, path=path), texts.MEND_SENTENCE)
    if missing := file.missing:
        names = "; ".join(missing[:MAX_NAMED_SENTENCES])
        yield warning_finding(texts.SENTENCES_MISSING(len(missing), path=path, names=names), texts.TRANSLATE_THEM)
