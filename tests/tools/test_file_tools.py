"""The file tools: what they do to real files, and what they say when they cannot."""

import asyncio
import errno
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.core.acts import Effect
from bot.core.errors import ToolError
from bot.core.turn import CallKind
from bot.tools import texts
from bot.tools.files import FILE_TOOL_NAMES, file_tools
from bot.tools.path_errors import MAX_FILE_BYTES, explain_path_errors
from bot.tools.result_pages import MAX_PAGE_CHARACTERS
from bot.tools.workspace import Workspace
from tests.support.file_workspace import Desk, desk, wrong_kind
from tests.support.sample_documents import xlsx

__all__ = ["desk"]

AS_ROOT = pytest.mark.skipif(os.geteuid() == 0, reason="root may do everything")


def test_each_tool_names_its_kind_and_its_effects(desk: Desk) -> None:
    private, untrusted, replaces = Effect.READS_PRIVATE, Effect.READS_UNTRUSTED, Effect.REPLACES
    assert {tool.name: (tool.kind, set(tool.effects), tool.is_repeatable) for tool in desk.tools.values()} == {
        "read_file": (CallKind.READ, {private, untrusted}, False),
        "list_dir": (CallKind.READ, {private, untrusted}, False),
        "write_file": (CallKind.CHANGE, {replaces, Effect.MAKES_NEW}, True),
        "edit_file": (CallKind.CHANGE, {private, replaces}, False),
    }
    assert desk.tools.keys() == FILE_TOOL_NAMES


def test_without_the_right_to_write_there_is_no_tool_for_it(tmp_path: Path) -> None:
    assert {tool.name for tool in file_tools(tmp_path, may_write=False)} == {"read_file", "list_dir"}


# Reading


async def test_a_written_file_reads_back_to_the_last_character(desk: Desk) -> None:
    text = "one\r\ntwo\u2028three\x0c\ttabs \U0001f600 no end"
    said = await desk.does("write_file", path="new/folders/a.txt", content=text)
    assert said == texts.FILE_WRITTEN(len(text), path="new/folders/a.txt")
    assert (desk.root / "new/folders/a.txt").read_bytes() == text.encode()
    assert await desk.does("read_file", path="new/folders/a.txt") == text


async def test_a_long_file_is_read_in_pages_that_add_up_to_it(desk: Desk) -> None:
    lines = [f"{n}: {'x' * (n % 90)}\n" for n in range(3_000)]
    (desk.root / "long").write_text("".join(lines))
    read, pages, offset = "", 0, 1
    while offset:
        page = await desk.does("read_file", path="long", offset=offset)
        assert len(page) < MAX_PAGE_CHARACTERS + 200
        body, _, hint = page.rpartition("(")
        offset += body.count("\n")
        offset = offset if hint.endswith(f"{texts.READ_ON(offset=offset)})") else 0
        read, pages = read + body, pages + 1
    assert read == "".join(lines)
    assert pages > 2


async def test_some_lines_are_read_and_the_rest_is_named(desk: Desk) -> None:
    (desk.root / "abc").write_text("a\nb\nc\n")
    second, third = (texts.SHOWN["line"](first=n, last=n, total=3) for n in (2, 3))
    said = await desk.does("read_file", path="abc", offset=2, limit=1)
    assert said == f"b\n({second}; {texts.READ_ON(offset=3)})"
    assert await desk.does("read_file", path="abc", offset=3) == f"c\n({third})"
    assert await desk.fails("read_file", path="abc", offset=4) == texts.NO_SUCH_OFFSET["line"](offset=4, last=3)
    assert await desk.fails("read_file", path="abc", offset=0) == texts.COUNTS_FROM_ONE


async def test_a_line_that_is_too_long_is_cut_and_the_next_can_be_read(desk: Desk) -> None:
    (desk.root / "wide").write_text("x" * 100_000 + "\nnext\n")
    page = await desk.does("read_file", path="wide")
    assert len(page) < MAX_PAGE_CHARACTERS + 200
    assert texts.TOO_LONG_TO_SHOW["line"](number=1, characters=100_001) in page
    assert (await desk.does("read_file", path="wide", offset=2)).startswith("next\n")


async def test_nothing_is_told_apart_from_something_empty(desk: Desk) -> None:
    (desk.root / "empty").touch()
    (desk.root / "folder").mkdir()
    assert await desk.does("read_file", path="empty") == texts.EMPTY_FILE
    assert await desk.does("list_dir", path="folder") == texts.EMPTY_FOLDER


async def test_a_document_is_read_as_markdown_by_lines(desk: Desk) -> None:
    (desk.root / "costs").write_bytes(xlsx({"Costs": [["what", "usd"], ["tea", 3], ["milk", 2]]}))
    page = await desk.does("read_file", path="costs", offset=5, limit=1)
    assert page.startswith("| tea | 3 |\n")
    assert texts.READ_ON(offset=6) in page


async def test_a_text_in_another_encoding_is_read_but_not_edited(desk: Desk) -> None:
    (desk.root / "old").write_bytes("ein\nschöner\n".encode("cp1252"))
    assert await desk.does("read_file", path="old") == f"ein\nschöner\n\n{texts.READ_AS(encoding='cp1252')}"
    refusal = texts.NOT_UTF_8(name="old", line=2)
    assert await desk.fails("edit_file", path="old", old="ein", new="kein") == refusal


async def test_a_file_that_is_no_text_is_refused_and_says_why(desk: Desk) -> None:
    (desk.root / "binary").write_bytes(b"ELF\0\1\2")
    with (desk.root / "huge").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    assert await desk.fails("read_file", path="binary") == texts.NOT_TEXT(6, name="binary")
    too_large = texts.PATH_ERRORS["EFBIG"](path="huge", megabytes=16)
    assert await desk.fails("read_file", path="huge") == too_large


async def test_a_pipe_is_no_file_and_nobody_waits_for_it(desk: Desk) -> None:
    os.mkfifo(desk.root / "pipe")
    wrong = texts.PATH_ERRORS["ENXIO"](path="pipe")
    for name, more in (("read_file", {}), ("write_file", {"content": ""}), ("edit_file", {"old": "a", "new": "b"})):
        assert await desk.fails(name, path="pipe", **more) == wrong


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("notes/plna.md", texts.NO_SUCH_PATH_BUT(path="notes/plna.md", nearest="notes/plan.md")),
        ("NOTES/plan.md", texts.NO_SUCH_PATH_BUT(path="NOTES", nearest="notes")),
        ("else/where/x", texts.NO_SUCH_PATH(path="else")),
        ("notes", texts.PATH_ERRORS["EISDIR"](path="notes")),
        ("notes/", texts.PATH_ERRORS["EISDIR"](path="notes/")),
        ("notes/plan.md/x", texts.PATH_ERRORS["ENOTDIR"](path="notes/plan.md/x")),
        ("dangling", texts.BROKEN_LINK(path="dangling")),
        ("../desk/notes/plan.md", texts.PATH_ERRORS["EXDEV"](path="../desk/notes/plan.md")),
        ("a\0b", texts.PATH_ERRORS["ENAMETOOLONG"](path=r"a\x00b")),
        ("n" * 300, texts.PATH_ERRORS["ENAMETOOLONG"](path="n" * 300)),
        ("\ud800", texts.PATH_WITH_HALF_A_CHARACTER),
    ],
)
async def test_a_path_that_cannot_be_read_says_what_would_be_right(desk: Desk, path: str, said: str) -> None:
    (desk.root / "notes").mkdir()
    (desk.root / "notes" / "plan.md").touch()
    (desk.root / "dangling").symlink_to("gone")
    assert await desk.fails("read_file", path=path) == said


async def test_an_error_of_editing_names_no_other_file(desk: Desk) -> None:
    """Somebody else may have chosen its name, and the tool does not read words of others."""
    (desk.root / "plan.md").touch()
    assert await desk.fails("edit_file", path="plna.md", old="a", new="b") == texts.NO_SUCH_PATH(path="plna.md")


async def test_a_workspace_that_is_gone_is_no_fault_of_the_path(desk: Desk) -> None:
    desk.root.rmdir()
    said = texts.WORKSPACE_CLOSED(reason="No such file or directory")
    assert await desk.fails("read_file", path="a") == said
    assert await desk.fails("list_dir") == said
    assert await desk.fails("write_file", path="a", content="b") == said


async def test_a_folder_is_listed_by_name_with_kinds_and_sizes(desk: Desk) -> None:
    (desk.root / "b").mkdir()
    (desk.root / "c.txt").write_text("x" * 1_234)
    (desk.root / "a").symlink_to("/nowhere")
    os.mkfifo(desk.root / "d\n")
    link, file, other = (
        texts.LINK_ENTRY(name="a"),
        texts.FILE_ENTRY(1_234, name="c.txt"),
        texts.OTHER_ENTRY(name="d\\n"),
    )
    assert await desk.does("list_dir") == f"{link}\nb/\n{file}\n{other}\n"


async def test_a_name_that_is_no_text_is_shown_all_the_same(desk: Desk) -> None:
    (desk.root / os.fsdecode(b"\xff")).touch()
    shown = texts.FILE_ENTRY(0, name="\\udcff")
    assert await desk.does("list_dir") == f"{shown}\n"


async def test_a_large_folder_is_listed_in_pages(desk: Desk) -> None:
    for n in range(700):
        (desk.root / f"{n:03}").touch()
    first, second = await desk.does("list_dir"), await desk.does("list_dir", offset=501)
    lines = [f"{texts.FILE_ENTRY(0, name=f'{n:03}')}\n" for n in range(700)]
    shown = [texts.SHOWN["entry"](first=n + 1, last=min(n + 500, 700), total=700) for n in (0, 500)]
    assert first == f"{''.join(lines[:500])}({shown[0]}; {texts.READ_ON(offset=501)})"
    assert second == f"{''.join(lines[500:])}({shown[1]})"


# Changing


async def test_an_edit_changes_one_place_and_keeps_all_else(desk: Desk) -> None:
    path = desk.root / "run.sh"
    path.write_bytes(b"\xef\xbb\xbfone\ntwo\nthree")
    path.chmod(0o755)
    said = await desk.does("edit_file", path="run.sh", old="two\n", new="2\n\n")
    assert said == texts.FILE_EDITED(path="run.sh", line=2)
    assert path.read_bytes() == b"\xef\xbb\xbfone\n2\n\nthree"
    assert path.stat().st_mode & 0o777 == 0o755
    assert os.listdir(desk.root) == ["run.sh"]


@pytest.mark.parametrize(
    ("old", "said"),
    [
        ("four", texts.OLD_IS_NOT_THERE),
        ("one", texts.OLD_IS_THERE_OFTEN(times=2, lines="1, 3")),
        ("aa", texts.OLD_IS_THERE_OFTEN(times=2, lines="4, 4")),
        ("", texts.OLD_IS_EMPTY),
        ("new", texts.OLD_IS_NEW),
    ],
)
async def test_an_edit_that_is_not_clear_changes_nothing(desk: Desk, old: str, said: str) -> None:
    text = "one\ntwo\none\naaa\n"
    (desk.root / "a").write_text(text)
    assert await desk.fails("edit_file", path="a", old=old, new="new") == said
    assert (desk.root / "a").read_text() == text


async def test_the_count_of_very_many_matches_ends(desk: Desk) -> None:
    (desk.root / "a").write_text("a" * 100)
    often = texts.OLD_IS_THERE_TOO_OFTEN(times=20, lines=", ".join(["1"] * 20))
    assert await desk.fails("edit_file", path="a", old="a", new="b") == often


async def test_line_ends_of_windows_stay_as_they_are(desk: Desk) -> None:
    (desk.root / "a").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    await desk.does("edit_file", path="a", old="one\ntwo\n", new="1\n2\n")
    assert (desk.root / "a").read_bytes() == b"1\r\n2\r\nthree\r\n"


async def test_edits_of_one_file_at_one_time_are_all_kept(desk: Desk) -> None:
    (desk.root / "a").write_text("".join(f"<{n}>\n" for n in range(20)))
    async with asyncio.TaskGroup() as roles:
        for n in range(20):
            roles.create_task(desk.does("edit_file", path="a", old=f"<{n}>", new=f"[{n}]"))
    assert (desk.root / "a").read_text() == "".join(f"[{n}]\n" for n in range(20))


async def test_half_a_character_is_not_written(desk: Desk) -> None:
    said = await desk.fails("write_file", path="new/a", content="\ud83d")
    assert said == texts.TEXT_WITH_HALF_A_CHARACTER
    assert os.listdir(desk.root) == []


@AS_ROOT
async def test_a_file_that_must_not_be_changed_is_not(desk: Desk) -> None:
    (desk.root / "a").write_text("kept")
    (desk.root / "a").chmod(0o400)
    assert await desk.fails("write_file", path="a", content="b") == texts.PATH_ERRORS["EACCES"](path="a")
    assert (desk.root / "a").read_text() == "kept"


@contextmanager
def little_space(size: int) -> Iterator[None]:
    """No file may grow beyond that, which is as near to a full disk as a test comes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_a_write_that_overfills_the_disk_leaves_only_the_old_file(desk: Desk) -> None:
    (desk.root / "a").write_text("kept")
    with little_space(1_000):
        said = await desk.fails("write_file", path="a", content="x" * 5_000)
    assert said == texts.PATH_ERRORS["EFBIG"](path="a", megabytes=16)
    assert (desk.root / "a").read_text() == "kept"
    assert os.listdir(desk.root) == ["a"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EIO])
def test_an_error_of_the_system_is_told_without_a_path_of_this_machine(code: int) -> None:
    with pytest.raises(ToolError) as error, explain_path_errors(Workspace(Path()), "a/b"):
        raise OSError(code, os.strerror(code), "/home/operator/secret")
    usual = texts.PATH_FAILED(path="a/b", reason=os.strerror(code))
    known = texts.PATH_ERRORS.get(errno.errorcode[code])
    assert str(error.value) == (known(path="a/b") if known else usual)


TAKEN = {"tool": "read_file", "arguments": "path, offset, limit"}
PATH = "a file in the workspace, as notes/plan.md"
OFFSET = "the first line to read; 1 if left out"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, texts.MISSING_ARGUMENT(argument="path", description=PATH, **TAKEN)),
        ({"pth": "a"}, texts.UNKNOWN_ARGUMENT_BUT(argument="pth", nearest="path", **TAKEN)),
        ({"path": 7}, wrong_kind("path", "string", PATH)),
        ({"path": "a", "offset": "2"}, wrong_kind("offset", "integer", OFFSET)),
        ({"path": "a", "offset": True}, wrong_kind("offset", "integer", OFFSET)),
    ],
)
async def test_wrong_arguments_are_told_with_the_right_ones(desk: Desk, arguments: dict[str, Any], said: str) -> None:
    assert await desk.fails("read_file", **arguments) == said


async def test_an_optional_argument_may_be_null(desk: Desk) -> None:
    (desk.root / "a").write_text("a")
    assert await desk.does("read_file", path="a", offset=None, limit=None) == "a"
