"""The files of a message, as the model reads them: marks in the message's text, and blocks of pictures and PDFs."""

from typing import Any

from bot.core.incoming_files import ArrivedFile, FileState
from bot.core.texts import model_files as texts

MAX_FILE_NAME_CHARACTERS = 80
CANDIDATE_TYPE = "candidate"  # of a block that becomes a picture or PDF if its chapter has room for it

Block = dict[str, Any]


def sanitize_file_name(name: str) -> str:
    """Return a name without signs that could imitate a mark. People choose the names of their files freely."""
    printable = "".join(" " if sign in "[]<>" or not sign.isprintable() else sign for sign in name)
    return " ".join(printable.split())[:MAX_FILE_NAME_CHARACTERS] or "?"


def file_marks(file: ArrivedFile, person: str) -> list[str]:
    """Return what a message's text says about one of its files. Each line of the file is marked as the file's."""
    name, kind = sanitize_file_name(file.name) if file.name else "", texts.KINDS[file.kind]
    content = file.content
    if file.state in (FileState.REFUSED, FileState.FAILED):
        missing = texts.MISSING_QUOTED if file.is_quoted else texts.MISSING
        return [" ".join(missing(kind=kind, name=name, person=person, why=file.why).split())]
    facts = {"kind": kind, "name": name, "type": content.media_type, "bytes": content.size_bytes}
    if file.state is FileState.REMOVED:
        said = texts.REMOVED(**facts)
    elif file.path:
        said = (texts.KEPT_QUOTED if file.is_quoted else texts.KEPT)(path=file.path, **facts)
    else:
        said = (texts.SEEN_QUOTED if file.is_quoted else texts.SEEN)(**facts)
    marks, called = [" ".join(said.split())], name or kind
    if content.note:
        marks.append(texts.NOT_SHOWN(name=called, reason=" ".join(content.note.split())))
    if content.beginning:
        begins = texts.BEGINNING if content.is_cut else texts.WHOLE_TEXT
        marks.append(begins(name=called))
        marks += [f"> {line}" for line in content.beginning.splitlines()]
        whole = content.text_path or file.path if file.state is FileState.KEPT else ""
        if content.is_cut:
            marks.append(texts.REST_IN_FILE(path=whole) if whole else texts.REST_NOT_SHOWN)
    return marks


def candidate_media_block(file: ArrivedFile) -> Block | None:
    """Return a block for the picture or PDF of a file; None if it has none. `bot/journal/media.py` decides whether its
    chapter shows it."""
    if not file.content.shown_type:
        return None
    return {"type": CANDIDATE_TYPE, "file": file}
