"""The tools that find: what they find in real files, by ripgrep and without it, and what they leave alone."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from bot.tools import Effect
from bot.tools.finding import MOST_MATCHES, NAMES, finding_tools
from bot.tools.matching import OURS, Matcher
from bot.tools.pages import MOST_CHARACTERS
from bot.tools.telling import LARGEST
from bot.turn import CallKind
from tests.desk import Desk

RIPGREP = shutil.which("rg")
LEFT_OUT = "names that begin with a dot, node_modules and __pycache__ are looked into only where they are named"
NO_LINE = f"(no line fits, in {{}}; {LEFT_OUT})"


@pytest.fixture(
    params=[pytest.param(RIPGREP, marks=pytest.mark.skipif(not RIPGREP, reason="no ripgrep here")), None],
    ids=["ripgrep", "python"],
)
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    return at(tmp_path / "desk", Matcher(request.param))


def at(root: Path, matcher: Matcher, seconds: float = 10) -> Desk:
    root.mkdir(exist_ok=True)
    return Desk(root, {tool.name: tool for tool in finding_tools(root, matcher=matcher, seconds=seconds)})


def write(root: Path, **files: str | bytes) -> None:
    """Files by their paths; __ stands for a slash, and all end in .md."""
    for name, content in files.items():
        path = root / f"{name.replace('__', '/')}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def test_each_says_what_kind_it_is_and_what_it_does_to_the_world(desk: Desk) -> None:
    assert {tool.name: (tool.kind, set(tool.effects)) for tool in desk.tools.values()} == dict.fromkeys(
        NAMES, (CallKind.READ, {Effect.READS_PRIVATE})
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
    assert said.startswith("000\n001\n")
    assert said.endswith("499\n(files 1 to 500 of 501; read on with offset 501)")
    assert await desk.does("glob", pattern="*", offset=501) == "500\n(files 501 to 501 of 501)"


async def test_what_nothing_fits_is_told_with_what_was_left_out(desk: Desk) -> None:
    write(desk.root, a="")
    assert await desk.does("glob", pattern="*.txt") == f"(no file fits; {LEFT_OUT})"


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
    assert await desk.does("grep", pattern="-two") == NO_LINE.format("3 text files")


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
        offset = int(hint.partition("read on with offset ")[2].rstrip(")") or 0)
    assert (pages, len(read)) == (3, 500)
    assert read == [f"{file}:{n + 1}: {n} word" for file in range(5) for n in range(100)]
    first = await desk.does("grep", pattern="word")
    assert first.endswith(f"(matches 1 to {MOST_MATCHES} of 201 or more; read on with offset 201)")
    assert await desk.fails("grep", pattern="word", offset=501) == "there is no match 501: the last is 500"
    assert "counts from 1, to 10,000" in await desk.fails("grep", pattern="word", offset=0)


async def test_of_a_long_line_what_is_around_the_match_is_shown(desk: Desk) -> None:
    write(desk.root, a=f"{'é' * 5_000}needle{'z' * 5_000}\n" * 300)
    said = await desk.does("grep", pattern="needle")
    assert len(said) < MOST_CHARACTERS + 200
    assert said.startswith(f"a.md:1: …{'é' * 100}needle{'z' * 194}…\n")


async def test_what_is_no_text_is_left_out_and_counted(desk: Desk) -> None:
    write(desk.root, a="word\n", b=b"word\0\n", c=b"word\n" * (LARGEST // 5 + 1))
    assert await desk.does("grep", pattern="word") == (
        "a.md:1: word\n(1 file left out: not text; 1 file left out: larger than 16 MB)"
    )
    assert "1 file left out: not text" in await desk.does("grep", pattern="word", path="b.md")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may do everything")
async def test_what_may_not_be_read_is_counted(desk: Desk) -> None:
    write(desk.root, a="word\n", b__c="word\n")
    (desk.root / "a.md").chmod(0)
    (desk.root / "b").chmod(0)
    said = await desk.does("grep", pattern="word")
    (desk.root / "b").chmod(0o700)
    assert "1 folder could not be opened; 1 file left out: unreadable" in said


async def test_more_files_than_may_be_open_at_once_are_searched(desk: Desk) -> None:
    for number in range(300):
        (desk.root / f"{number:03}").write_text(f"number {number}\n")
    before = len(os.listdir("/dev/fd"))
    assert await desk.does("grep", pattern="number 29[89]") == "298:1: number 298\n299:1: number 299\n"
    assert await desk.does("grep", pattern="number 0$") == "000:1: number 0\n"
    assert len(os.listdir("/dev/fd")) == before


# What is refused, and what leads nowhere


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"pattern": ""}, "'pattern' is empty; to see which files there are use glob"),
        ({"pattern": "a\nb"}, "'pattern' is for one line: no line feed and no null character can be in it"),
        ({"pattern": "a\0"}, "'pattern' is for one line: no line feed and no null character can be in it"),
        ({"pattern": "\ud83d"}, "'pattern' holds half a character (a lone surrogate); write the whole one"),
        ({"pattern": "x" * 1_001}, "'pattern' may have 1,000 characters at most"),
        ({"pattern": "(a"}, "this pattern cannot be searched for: missing ), unterminated subpattern at position 0; "
         "write a regular expression"),
        ({"pattern": "(" * 1_000}, "this pattern cannot be searched for: "),
        ({"pattern": "a", "path": "nots"}, "there is no nots; the nearest is notes"),
        ({"pattern": "a", "path": "../desk"}, "../desk: that is outside the workspace; name a path beneath it, "
         "as notes/plan.md"),
        ({"pattern": "a", "path": "/etc"}, "/etc: that is outside the workspace; name a path beneath it, "
         "as notes/plan.md"),
        ({"pattern": "a", "path": "/"}, "/: that is outside the workspace; name a path beneath it, as notes/plan.md"),
        ({"pattern": "a", "path": "nul\0"}, "nul\\x00: this path cannot be: too long, too deep, or with a null "
         "character in it"),
        ({"pattern": "a", "files": "../*"}, "a pattern cannot lead upwards or begin with a slash; "
         "name the folder in 'path'"),
        ({"pattern": "a", "files": "/etc/*"}, "a pattern cannot lead upwards or begin with a slash; "
         "name the folder in 'path'"),
        ({"pattern": "a", "files": "{a,b}" * 8}, "the braces of this pattern come to more than 100 choices; use fewer"),
    ],
)  # fmt: skip
async def test_what_cannot_be_searched_is_told_with_what_can(desk: Desk, arguments: dict[str, str], said: str) -> None:
    write(desk.root, notes__a="a\n")
    told = await desk.fails("grep", **arguments)
    assert told.startswith(said)
    assert told == said or arguments["pattern"] == "(" * 1_000  # how deep is too deep each Python says by itself


async def test_links_are_not_followed_unless_they_are_the_path_and_stay_inside(desk: Desk) -> None:
    outside = desk.root.parent / "outside"
    outside.mkdir()
    (outside / "secret").write_text("word\n")
    write(desk.root, notes__a="word\n")
    (desk.root / "in").symlink_to("notes")
    (desk.root / "out").symlink_to("../outside")
    (desk.root / "file").symlink_to("../outside/secret")
    (desk.root / "round").symlink_to(".")
    assert await desk.does("grep", pattern="word") == "notes/a.md:1: word\n"
    assert await desk.does("glob", pattern="**") == "notes/a.md\n"
    assert await desk.does("grep", pattern="word", path="in") == "in/a.md:1: word\n"
    for path in ("out", "file", "out/secret"):
        assert "outside the workspace" in await desk.fails("grep", pattern="word", path=path)


def short(path: Path) -> str:
    """A socket's name may have about a hundred characters."""
    return os.path.relpath(path)


async def test_what_is_no_file_is_not_opened(desk: Desk) -> None:
    write(desk.root, a="word\n")
    os.mkfifo(desk.root / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(short(desk.root / "socket"))
        assert await desk.does("grep", pattern="word") == "a.md:1: word\n"
        assert await desk.does("glob", pattern="*") == "a.md\n"
    assert await desk.fails("grep", pattern="word", path="pipe") == (
        "pipe: that is a pipe, a socket or a device, and no file"
    )


@pytest.mark.parametrize("name", ["a:1: b", "new\nline", "-rf", "CON", "dot.", "ü" * 120, b"\xff"])
async def test_a_file_of_any_name_is_found_on_a_line_of_its_own(desk: Desk, name: str | bytes) -> None:
    (desk.root / os.fsdecode(name)).write_text("word\n")
    [line] = (await desk.does("grep", pattern="word")).splitlines()
    assert line.endswith(":1: word")
    assert len((await desk.does("glob", pattern="*")).splitlines()) == 1


async def test_somebody_who_swaps_folders_all_the_time_gets_nothing_out(desk: Desk) -> None:
    (desk.root.parent / "outside").mkdir()
    (desk.root.parent / "outside" / "secret").write_text("the word is secret\n")
    write(desk.root, **{"in__secret": "harmless word\n"})
    (desk.root / "out").symlink_to("../outside")
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            (desk.root / "in").rename(desk.root / "spare")
            (desk.root / "out").rename(desk.root / "in")
            (desk.root / "in").rename(desk.root / "out")
            (desk.root / "spare").rename(desk.root / "in")

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        said = "".join([await desk.does("grep", pattern="word") for _ in range(30)])
    finally:
        over.set()
        swapping.join()
    assert "the word is secret" not in said


async def test_a_pattern_that_would_never_end_is_given_up(tmp_path: Path) -> None:
    desk = at(tmp_path / "desk", Matcher(None), seconds=0.5)
    write(desk.root, a="word\n", b="a" * 5_000)
    begun = time.monotonic()
    assert await desk.fails("grep", pattern="(a+)+b") == (
        "given up after 0.5 seconds, and nothing was found until then; make the pattern simpler, or name a smaller "
        "folder in 'path' or fewer files in 'files'"
    )
    assert time.monotonic() - begun < 5
    assert (await desk.does("grep", pattern="word")).startswith("a.md:1: word")


def test_a_search_that_nobody_ends_ends_itself(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a" * 5_000)
    with (tmp_path / "a").open() as file:
        command = [*OURS, "1", "1", "-", "(a+)+b", str(file.fileno())]
        assert subprocess.run(command, pass_fds=[file.fileno()]).returncode == -signal.SIGALRM


@pytest.mark.skipif(sys.platform != "linux", reason="others do not limit the memory of a process")
async def test_a_pattern_that_would_take_all_memory_is_told(tmp_path: Path) -> None:
    desk = at(tmp_path / "desk", Matcher(None))
    write(desk.root, a="ab" * (LARGEST // 2))
    assert await desk.fails("grep", pattern="(a|b)*c") == (
        "this pattern cannot be searched for: it takes too much memory; make it simpler"
    )


async def test_a_walk_that_takes_too_long_says_that_it_is_not_all(tmp_path: Path) -> None:
    desk = at(tmp_path / "desk", Matcher(None), seconds=0)
    write(desk.root, a="word\n")
    said = await desk.does("glob", pattern="*")
    assert said.startswith("(no file fits; given up after 0 seconds: this is not all; name a smaller folder in 'path'")


async def test_where_ripgrep_is_gone_the_search_goes_on_without(tmp_path: Path) -> None:
    desk = at(tmp_path / "desk", Matcher(str(tmp_path / "rg")))
    write(desk.root, a="word\n")
    assert await desk.does("grep", pattern="word") == "a.md:1: word\n"
