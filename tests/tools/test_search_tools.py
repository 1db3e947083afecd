"""The tools that find: what they find in real files, by ripgrep and without it, and what they leave out."""

import os
from typing import Any

import pytest

from bot.core.acts import Effect
from bot.core.turn import CallKind
from bot.tools import texts
from bot.tools.path_errors import MAX_FILE_BYTES
from bot.tools.result_pages import MAX_PAGE_CHARACTERS
from bot.tools.search_tools import MAX_MATCHES_ON_PAGE, SEARCH_TOOL_NAMES
from tests.support.file_workspace import Desk
from tests.support.search_workspace import desk, write

__all__ = ["desk"]


def test_each_tool_names_its_kind_and_its_effects(desk: Desk) -> None:
    assert {tool.name: (tool.kind, set(tool.effects)) for tool in desk.tools.values()} == dict.fromkeys(
        SEARCH_TOOL_NAMES, (CallKind.READ, {Effect.READS_PRIVATE, Effect.READS_UNTRUSTED})
    )


# By name


async def test_files_are_found_by_name_in_an_order_that_is_always_the_same(desk: Desk) -> None:
    write(desk.root, b="", a="", notes__z="", notes__deep__a="")
    (desk.root / "notes" / "a.txt").touch()
    assert await desk.does("glob", pattern="*.md") == "a.md\nb.md\nnotes/z.md\nnotes/deep/a.md\n"
    assert await desk.does("glob", pattern="notes/*.{md,txt}") == "notes/a.txt\nnotes/z.md\n"
    assert await desk.does("glob", pattern="*.md", path="notes/") == "notes/z.md\nnotes/deep/a.md\n"
    assert await desk.does("glob", pattern=f"{desk.root}/notes/**/a.*") == "notes/a.txt\nnotes/deep/a.md\n"


async def test_many_files_are_shown_in_pages(desk: Desk) -> None:
    for number in range(501):
        (desk.root / f"{number:03}").touch()
    said = await desk.does("glob", pattern="*")
    shown = [texts.SHOWN["file"](first=n, last=min(n + 499, 501), total=501) for n in (1, 501)]
    assert said.startswith("000\n001\n")
    assert said.endswith(f"499\n({shown[0]}; {texts.READ_ON(offset=501)})")
    assert await desk.does("glob", pattern="*", offset=501) == f"500\n({shown[1]})"


async def test_an_empty_result_is_told_with_the_files_left_out(desk: Desk) -> None:
    write(desk.root, a="")
    assert await desk.does("glob", pattern="*.txt") == f"({texts.NO_FILE_FITS}; {texts.NAMES_LEFT_OUT})"


@pytest.mark.parametrize("tool", ["glob", "grep"])
async def test_hidden_files_are_found_where_they_are_named_and_nowhere_else(desk: Desk, tool: str) -> None:
    for path in (".env", ".git/config", "node_modules/x/readme", "seen", ".retinue-draft-01"):
        (desk.root / path).parent.mkdir(parents=True, exist_ok=True)
        (desk.root / path).write_text("word\n")

    async def paths(pattern: str, **arguments: Any) -> set[str]:
        given = {"pattern": pattern} if tool == "glob" else {"pattern": "word", "files": pattern}
        return {line.partition(":")[0] for line in (await desk.does(tool, **given, **arguments)).splitlines()}

    assert await paths("**") == {"seen"}
    assert await paths("{.env,node_modules/**}") == {".env", "node_modules/x/readme"}
    assert await paths("*", path=".git") == {".git/config"}
    assert ".env" in await paths(".*")
    assert not any("draft" in path for path in await paths(".*"))


# By what stands in them


async def test_lines_are_found_with_their_place(desk: Desk) -> None:
    write(desk.root, a="one\r\n\ttwo words\r\n", notes__b="two\nTwo", notes__c="none\n")
    assert await desk.does("grep", pattern=r"two( words)?$") == "a.md:2: \ttwo words\nnotes/b.md:1: two\n"
    assert await desk.does("grep", pattern="^two", path="notes", ignore_case=True) == (
        "notes/b.md:1: two\nnotes/b.md:2: Two\n"
    )
    assert await desk.does("grep", pattern="two", path="a.md") == "a.md:2: \ttwo words\n"
    assert await desk.does("grep", pattern="two", files="b.*") == "notes/b.md:1: two\n"
    assert await desk.does("grep", pattern="-two") == f"({texts.NO_LINE_FITS(3)}; {texts.NAMES_LEFT_OUT})"


async def test_letters_of_all_scripts_are_found(desk: Desk) -> None:
    write(desk.root, a="\ufeffЖёлтый\n", b=b"caf\xe9 au lait\n", c="e\u0301t\u00e9 \U0001f600\n")
    assert await desk.does("grep", pattern=r"^ж\w+Й$", ignore_case=True) == "a.md:1: Жёлтый\n"
    assert await desk.does("grep", pattern="au lait") == "b.md:1: caf\ufffd au lait\n"
    assert await desk.does("grep", pattern="\U0001f600") == "c.md:1: e\u0301t\u00e9 \U0001f600\n"


async def test_looking_around_and_back_is_possible_everywhere(desk: Desk) -> None:
    write(desk.root, a="noon\nafternoon\n")
    assert await desk.does("grep", pattern=r"^(?!after)(n)(o)\2\1") == "a.md:1: noon\n"


async def test_more_matches_than_are_shown_are_read_in_pages_that_add_up(desk: Desk) -> None:
    for number in range(5):
        (desk.root / str(number)).write_text("".join(f"{n} word\n" for n in range(100)))
    read, offset, pages = [], 1, 0
    while offset:
        said = await desk.does("grep", pattern="word", offset=offset)
        *lines, hint = said.splitlines()
        read += lines
        pages += 1
        offset += len(lines)
        offset = offset if hint.endswith(f"{texts.READ_ON(offset=offset)})") else 0
    assert (pages, len(read)) == (3, 500)
    assert read == [f"{file}:{n + 1}: {n} word" for file in range(5) for n in range(100)]
    first = await desk.does("grep", pattern="word")
    shown = texts.SHOWN_OF_MORE["match"](first=1, last=MAX_MATCHES_ON_PAGE, total=201)
    assert first.endswith(f"({shown}; {texts.READ_ON(offset=201)})")
    beyond = texts.NO_SUCH_OFFSET["match"](offset=501, last=500)
    assert await desk.fails("grep", pattern="word", offset=501) == beyond
    assert await desk.fails("grep", pattern="word", offset=0) == texts.OFFSET_TOO_LARGE(most=10_000)


async def test_of_a_long_line_what_is_around_the_match_is_shown(desk: Desk) -> None:
    write(desk.root, a=f"{'é' * 5_000}needle{'z' * 5_000}\n" * 300)
    said = await desk.does("grep", pattern="needle")
    assert len(said) < MAX_PAGE_CHARACTERS + 200
    assert said.startswith(f"a.md:1: …{'é' * 100}needle{'z' * 194}…\n")


async def test_files_that_are_no_text_are_left_out_and_counted(desk: Desk) -> None:
    write(desk.root, a="word\n", b=b"word\0\n", c=b"word\n" * (MAX_FILE_BYTES // 5 + 1))
    no_text, too_large = texts.FILES_LEFT_OUT["not text"](1), texts.FILES_LEFT_OUT["too large"](1, megabytes=16)
    assert await desk.does("grep", pattern="word") == f"a.md:1: word\n({no_text}; {too_large})"
    assert no_text in await desk.does("grep", pattern="word", path="b.md")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may do everything")
async def test_forbidden_files_are_counted(desk: Desk) -> None:
    write(desk.root, a="word\n", b__c="word\n")
    (desk.root / "a.md").chmod(0)
    (desk.root / "b").chmod(0)
    said = await desk.does("grep", pattern="word")
    (desk.root / "b").chmod(0o700)
    assert f"{texts.FOLDERS_NOT_OPENED(1)}; {texts.FILES_LEFT_OUT['unreadable'](1)}" in said


async def test_more_files_than_may_be_open_at_once_are_searched(desk: Desk) -> None:
    for number in range(300):
        (desk.root / f"{number:03}").write_text(f"number {number}\n")
    before = len(os.listdir("/dev/fd"))
    assert await desk.does("grep", pattern="number 29[89]") == "298:1: number 298\n299:1: number 299\n"
    assert await desk.does("grep", pattern="number 0$") == "000:1: number 0\n"
    assert len(os.listdir("/dev/fd")) == before
