"""The file tools: read, write, edit and list files in the workspace, and nowhere else."""

import asyncio
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path, PurePath
from threading import Lock
from typing import Annotated

from bot.core.acts import ActKind, Critical, Effect, Effects, Part
from bot.core.errors import ToolError
from bot.core.images_and_pdfs import Media
from bot.core.rights import Right
from bot.core.texts import MAX_NAME_CHARACTERS, escape_unprintable
from bot.core.turn import CallKind
from bot.documents.file_types import BYTES_READ_TO_RECOGNISE, recognise
from bot.documents.inspection import inspect_opened_file
from bot.documents.plain_text import decode_any_text
from bot.tools import Arguments, Tool, ToolContext, texts, tool
from bot.tools.path_errors import MAX_FILE_BYTES, explain_path_errors
from bot.tools.result_pages import make_result_page
from bot.tools.workspace import Workspace, WritableFileLocation, read_whole_file

FILE_TOOL_NAMES = frozenset({"read_file", "write_file", "edit_file", "list_dir"})
MAX_ENTRIES_LISTED = 500
UTF_8 = "utf-8"
MAX_OCCURRENCES_LISTED = 20  # places that the error lists for a passage that should occur once

FilePathParameter = Annotated[str, "a file in the workspace, as notes/plan.md"]


def file_tools(workspace: Path, *, may_write: bool = True) -> list[Tool]:
    """Return the tools for one workspace. Leave out those that write unless `may_write`."""
    files = FileTools(Workspace(workspace))
    effects = {Effect.READS_PRIVATE, Effect.READS_UNTRUSTED}
    reads = tool(kind=CallKind.READ, effects=effects, needed_right=Right.READ_FILES)
    change = partial(
        tool,
        kind=CallKind.CHANGE,
        needed_right=Right.WRITE_FILES,
        may_take_long_text=True,
        things={"file"},
        critical_arguments={"path": Critical(Part.WHICH)},
    )
    writes = change(
        effects={Effect.REPLACES, Effect.MAKES_NEW},
        acts={ActKind.MAKE, ActKind.CHANGE},
        uncritical_arguments={"content"},
        find_effects=files.find_effects_of_writing,
        is_repeatable=True,
    )
    edits = change(
        effects={Effect.READS_PRIVATE, Effect.REPLACES},
        acts={ActKind.CHANGE},
        uncritical_arguments={"old", "new"},
    )
    writing = [writes(files.write_file), edits(files.edit_file)] if may_write else []
    return [reads(files.read_file), reads(files.list_dir), *writing]


class FileTools:
    """The functions of the tools. Each runs in a thread. Changes run one at a time, so that none is lost."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.change_lock = Lock()

    def read_file(
        self,
        context: ToolContext,
        path: FilePathParameter,
        offset: Annotated[int, "the first line to read; 1 if left out"] = 1,
        limit: Annotated[int, "how many lines; as many as fit if left out"] = MAX_FILE_BYTES,
    ) -> str | Media:
        """Read a file of the workspace: text up to 16 MB, or some of its lines, as it stands, at most about 8,000
        tokens of it and then how to read on; an image or a PDF as such; a document (docx, xlsx, pptx, odt, ods, odp,
        epub, rtf) as Markdown, also by lines; of an archive (zip, tar) the names of its files. Use it before you say
        what a file holds, and before you edit it. To find which file or line, use glob or grep first; of a long file
        read the part you need. Several files can be read side by side in one reply."""
        with (
            explain_path_errors(self.workspace, path),
            self.workspace.open_file_location(self.workspace.relative_path(path)) as location,
            open(location.open_for_reading(), "rb") as file,
        ):
            if recognise(file.read(BYTES_READ_TO_RECOGNISE)):
                found = inspect_opened_file(escape_unprintable(PurePath(path).name), file)
                if found.refusal:
                    raise ToolError(found.refusal)
                if found.media and (offset, limit) != (1, MAX_FILE_BYTES):
                    raise ToolError(texts.SHOWN_WHOLE(name=found.media.name))
                if found.media:
                    return found.media
                text, encoding = found.markdown, UTF_8
            else:
                text, encoding = decode_for_reading(location.name, read_whole_file(file, MAX_FILE_BYTES))
        page = make_result_page(io.StringIO(text, newline="\n").readlines(), offset, limit) or texts.EMPTY_FILE
        return page if encoding == UTF_8 else f"{page}\n{texts.READ_AS(encoding=encoding)}"

    def list_dir(
        self,
        context: ToolContext,
        path: Annotated[str, "a folder in the workspace; the workspace itself if left out"] = ".",
        offset: Annotated[int, "the first entry to show; 1 if left out"] = 1,
    ) -> str:
        """List what a folder of the workspace holds, by name: folders end in a slash, files have their size. Use it to
        get to know a folder; to find files anywhere below, use glob. At most 500 entries are shown, and then how to
        read on. It does not look into the folders below."""
        with (
            explain_path_errors(self.workspace, path),
            self.workspace.list_entries(self.workspace.relative_path(path)) as entries,
        ):
            names = [entry.name for entry in entries]
            shown = {n: describe_entry(entries[n]) for n in range(max(0, offset - 1), len(names))[:MAX_ENTRIES_LISTED]}
        lines = [shown.get(n, "") for n in range(len(names))]
        return make_result_page(lines, offset, MAX_ENTRIES_LISTED, "entry") or texts.EMPTY_FOLDER

    def write_file(
        self, context: ToolContext, path: FilePathParameter, content: Annotated[str, "the whole text of the file"]
    ) -> str:
        """Write a whole text file in the workspace: a new one, with the folders it needs, or in place of an old one,
        which is lost. Use it for a file that is asked for, or for a result too long for a message. To change a part of
        a file use edit_file, which keeps the rest. Say in your answer where the file is."""
        encoded = encode_text(content)
        with self.change_lock, self.open_writable_file_location(path, make=True) as location:
            before = location.regular_file_status()
            location.replace_content(encoded, before)
        count, shown = len(content), escape_unprintable(path, MAX_NAME_CHARACTERS)
        return texts.FILE_REPLACED(count, path=shown) if before else texts.FILE_WRITTEN(count, path=shown)

    def edit_file(
        self,
        context: ToolContext,
        path: FilePathParameter,
        old: Annotated[str, "the text to replace, exactly as it stands in the file, spaces and line ends too"],
        new: Annotated[str, "what to put in its place; empty to take it out"],
    ) -> str:
        """Replace one passage of a text file in the workspace; all else stays as it is. Read the file first. The
        passage must stand there exactly once: give so much of the text around it that no other place is meant. Make
        one call for each place. For a new file, or where most of it changes, use write_file."""
        with self.change_lock, self.open_writable_file_location(path) as location:
            content, before = location.read_content(MAX_FILE_BYTES)
            text = decode_text(location.name, content)
            old, new = convert_line_ends_like(text, old, new)
            place = find_only_occurrence(text, old, new)
            location.replace_content(encode_text(text[:place] + new + text[place + len(old) :]), before)
        return texts.FILE_EDITED(path=escape_unprintable(path, MAX_NAME_CHARACTERS), line=line_number_at(text, place))

    async def find_effects_of_writing(self, context: ToolContext, arguments: Arguments) -> Effects:
        """Return whether a call of `write_file` makes a new file or replaces one; both, if that cannot be told."""
        return await asyncio.to_thread(self.find_effects_at_path, arguments.get("path"))

    def find_effects_at_path(self, path: object) -> Effects:
        try:
            with self.workspace.open_file_location(self.workspace.relative_path(str(path))) as location:
                is_there = location.regular_file_status() is not None
                return frozenset({Effect.REPLACES if is_there else Effect.MAKES_NEW})
        except FileNotFoundError:
            return frozenset({Effect.MAKES_NEW})
        except (OSError, ToolError, ValueError):  # not a path: the call itself will say so
            return frozenset({Effect.REPLACES, Effect.MAKES_NEW})

    @contextmanager
    def open_writable_file_location(self, path: str, *, make: bool = False) -> Iterator[WritableFileLocation]:
        with (
            explain_path_errors(self.workspace, path, may_name_others=False),
            self.workspace.open_writable_file_location(self.workspace.relative_path(path), make=make) as location,
        ):
            yield location


def decode_text(name: str, content: bytes) -> str:
    """Return the text of a file. Raise ToolError if it is not text in UTF-8."""
    try:
        if b"\0" not in content:
            return content.decode()
    except UnicodeDecodeError as error:
        where = content.count(b"\n", 0, error.start) + 1
        raise ToolError(texts.NOT_UTF_8(name=escape_unprintable(name), line=where)) from None
    raise ToolError(texts.NOT_TEXT(len(content), name=escape_unprintable(name)))


def decode_for_reading(name: str, content: bytes) -> tuple[str, str]:
    """Return the text of a file and its encoding. Raise ToolError if it is not text."""
    if decoded := decode_any_text(content):
        return decoded
    raise ToolError(texts.NOT_TEXT(len(content), name=escape_unprintable(name)))


def encode_text(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ToolError(texts.TEXT_WITH_HALF_A_CHARACTER) from None


def convert_line_ends_like(text: str, *passages: str) -> list[str]:
    """Return the passages with this file's line ends: models write line feeds even if a file has Windows' line ends."""
    if "\r\n" not in text or text.count("\n") != text.count("\r\n"):
        return list(passages)
    return [passage.replace("\r\n", "\n").replace("\n", "\r\n") for passage in passages]


def find_only_occurrence(text: str, old: str, new: str) -> int:
    """Return the position of `old`. Raise ToolError if it is not there exactly once, or if nothing would change."""
    if not old:
        raise ToolError(texts.OLD_IS_EMPTY)
    if old == new:
        raise ToolError(texts.OLD_IS_NEW)
    found = list(islice(find_occurrences(text, old), MAX_OCCURRENCES_LISTED + 1))
    if not found:
        raise ToolError(texts.OLD_IS_NOT_THERE)
    if len(found) > 1:
        lines = ", ".join(f"{line_number_at(text, place):,}" for place in found[:MAX_OCCURRENCES_LISTED])
        if len(found) > MAX_OCCURRENCES_LISTED:
            raise ToolError(texts.OLD_IS_THERE_TOO_OFTEN(times=MAX_OCCURRENCES_LISTED, lines=lines))
        raise ToolError(texts.OLD_IS_THERE_OFTEN(times=len(found), lines=lines))
    return found[0]


def find_occurrences(text: str, passage: str) -> Iterator[int]:
    """Yield each position of the passage, also of overlapping ones: they are just as ambiguous."""
    place = text.find(passage)
    while place >= 0:
        yield place
        place = text.find(passage, place + 1)


def line_number_at(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def describe_entry(entry: os.DirEntry[str]) -> str:
    """Return one line about a folder's entry. A link's target is left out: it may be a path of this machine."""
    name = escape_unprintable(entry.name)
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:  # deleted meanwhile, or not readable for us
        return f"{name}\n"
    if stat.S_ISDIR(found.st_mode):
        return f"{name}/\n"
    if stat.S_ISREG(found.st_mode):
        return f"{texts.FILE_ENTRY(found.st_size, name=name)}\n"
    return f"{texts.LINK_ENTRY(name=name) if stat.S_ISLNK(found.st_mode) else texts.OTHER_ENTRY(name=name)}\n"
