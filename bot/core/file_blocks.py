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
    what = f"{kind} {name}".rstrip()
    content = file.content
    if file.state in (FileState.REFUSED, FileState.FAILED):
        if file.is_quoted:
            return [one_line(texts.MISSING_QUOTED(what=what, person=person, why=file.why))]
        return [one_line(texts.MISSING(what=what, person=person, why=file.why))]
    type_, size = content.media_type, content.size_bytes
    if file.state is FileState.REMOVED:
        said = texts.REMOVED(what=what, type=type_, bytes=size)
    elif file.path and file.is_quoted:
        said = texts.KEPT_QUOTED(what=what, type=type_, bytes=size, path=file.path)
    elif file.path:
        said = texts.KEPT(what=what, type=type_, bytes=size, path=file.path)
    elif file.is_quoted:
        said = texts.SEEN_QUOTED(what=what, type=type_, bytes=size)
    else:
        said = texts.SEEN(what=what, type=type_, bytes=size)
    marks, called = [one_line(said)], name or kind
    if content.said:
        marks.append(texts.SAID(kind=kind, cost=content.said_cost_micros / 1_000_000))
        marks += [f"> {line}" for line in content.said.splitlines()]
        whole = content.text_path if file.state is FileState.KEPT else ""
        if content.is_cut:
            marks.append(texts.REST_IN_FILE(path=whole) if whole else texts.REST_NOT_SHOWN)
    if content.note:
        marks.append(texts.NOT_SHOWN(name=called, reason=one_line(content.note)))
    if content.beginning:
        marks.append(texts.BEGINNING(name=called) if content.is_cut else texts.WHOLE_TEXT(name=called))
        marks += [f"> {line}" for line in content.beginning.splitlines()]
        whole = content.text_path or file.path if file.state is FileState.KEPT else ""
        if content.is_cut:
            marks.append(texts.REST_IN_FILE(path=whole) if whole else texts.REST_NOT_SHOWN)
    return marks


def one_line(text: str) -> str:
    return " ".join(text.split())


def candidate_media_block(file: ArrivedFile) -> Block | None:
    """Return a block for the picture or PDF of a file; None if it has none. `bot/journal/media.py` decides whether its
    chapter shows it."""
    if not file.content.shown_type:
        return None
    return {"type": CANDIDATE_TYPE, "file": file}
