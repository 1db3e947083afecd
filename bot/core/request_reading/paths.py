"""Whether a path is one that a person's words name.

The words rarely hold a whole path. What else counts is chosen so that somebody who can only put files into a folder
does not get one of theirs taken for it: hidden folders, ways out of the workspace and other folders than the named ones
do not count, nor does a name without its ending, unless the words call it a file and the ending is that of a document.
"""

# ruff: noqa: RUF001  # quotation marks of several languages

import re
import unicodedata
from collections.abc import Sequence
from pathlib import PurePosixPath

from bot.core.request_reading.lexicon import Lexicon, all_built_in_lexicons
from bot.core.request_reading.values import ADDRESS_ENDINGS, fold, iterate_whole, stands_in

MIN_STEM_LETTERS = 4
DOCUMENT_ENDINGS = """
.txt .md .pdf .csv .tsv .doc .docx .odt .xls .xlsx .ods .ppt .pptx .odp .rtf .json .yaml .yml .toml .xml .ics .eml .jpg
.jpeg .png .gif .webp .heic .svg .mp3 .m4a .ogg .wav .mp4 .mov
"""
CODE_ENDINGS = """
.py .js .ts .sh .html .htm .css .c .h .cpp .rs .go .java .rb .php .sql .ini .cfg .conf .log .env .zip .tar .gz .bat .exe
"""
NAME_PATTERN = re.compile(r"\w[\w. -]*")
FILE_NAME_PATTERN = re.compile(r"\b[\w-]+\.[a-zA-Z]\w{0,4}\b")
ADDRESS_PATTERN = re.compile(r"\S*(?:://|@)\S*|\bwww\.\S+|(?<![\w./-])(?:[\w-]+\.)+[\w-]+/\S*")  # of the web or of mail


def is_path_named(path: str, words: str, lexicons: Sequence[Lexicon] | None = None) -> bool:
    """Return True if the words hold the path, or its file name with the ending, or call its name a file: “the plan
    file”."""
    if stands_in(path, words) or stands_in(path.removeprefix("./"), words):
        return True
    pure = PurePosixPath(unicodedata.normalize("NFC", path.removeprefix("./")))
    folders = pure.parts[:-1]
    if pure.is_absolute() or any(not NAME_PATTERN.fullmatch(folder) for folder in folders):
        return False
    known = all_built_in_lexicons() if lexicons is None else lexicons
    named = list_folder_names(words, known)
    if named and not named & {fold(each) for each in (folders or ("",))}:
        return False
    if pure.suffix and not pure.name.startswith(".") and stands_in(pure.name, words):
        return True
    return pure.suffix.lower() in DOCUMENT_ENDINGS.split() and is_called_a_file(pure.stem, words, lexicons)


def list_folder_names(words: str, lexicons: Sequence[Lexicon]) -> set[str]:
    """Return the names that stand beside a word for a folder, such as “the drafts folder” or “the folder drafts”."""
    things = [lexicon.things["folder"] for lexicon in lexicons if "folder" in lexicon.things]
    articles = {word for lexicon in lexicons for word in lexicon.grammar.before_things | lexicon.grammar.determiners}
    articles |= {word for lexicon in lexicons for word in (*lexicon.grammar.joins, *lexicon.verbs)}
    found = set[str]()
    for thing in things:
        for each in thing.one.finditer(words):
            before = re.findall(r"[\w.-]+", words[: each.start()])[-1:] if words[: each.start()].endswith(" ") else []
            behind = re.findall(r"^\s[\"'„“‚]?([\w.-]+)", words[each.end() :])
            found |= {fold(name).rstrip(".") for name in (*before, *behind)}
    return found - articles


def list_file_names(words: str) -> list[str]:
    """Return the names of files that the words hold. The end of an address is none, nor is a host."""
    endings = {*(DOCUMENT_ENDINGS + CODE_ENDINGS).split()}
    hosts = {f".{each}" for each in ADDRESS_ENDINGS.split()} - endings
    found = FILE_NAME_PATTERN.findall(ADDRESS_PATTERN.sub(" ", words))
    return [each for each in found if PurePosixPath(each).suffix.lower() not in hosts]


def is_called_a_file(stem: str, words: str, lexicons: Sequence[Lexicon] | None) -> bool:
    """Return True if the name stands beside a word for files, such as “plan file” or “the file called plan”."""
    known = all_built_in_lexicons() if lexicons is None else lexicons
    needle = fold(stem)
    if sum(sign.isalpha() for sign in needle) < MIN_STEM_LETTERS:
        return False
    files = "|".join(re.escape(word) for lexicon in known for word in lexicon.grammar.file_words)
    called = "|".join(re.escape(word) for lexicon in known for word in lexicon.grammar.called)
    mark = r"[\"'“”„‚‘’`*]*"
    before = re.compile(rf"(?<!\w)(?:{files})\s+(?:(?:{called})\s+)?{mark}$")
    behind = re.compile(rf"{mark}[\s-](?:{files})(?!\w)")
    hay = fold(unicodedata.normalize("NFC", words))
    if any(before.search(hay[:at]) or behind.match(hay, end) for at, end in iterate_whole(needle, hay)):
        return True
    # A dash joins the two in German: “die Plan-Datei”. There the name is no whole word.
    return bool(re.search(rf"(?<![\w.@/+-]){re.escape(needle)}-(?:{files})(?!\w)", hay))
