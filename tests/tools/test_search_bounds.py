"""Where the tools that find end: bad paths and patterns, links, pipes, and everything that would take too long."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from bot.tools import texts
from bot.tools.folder_walk import MAX_NAMES_WALKED
from bot.tools.line_matching import PYTHON_SEARCH_COMMAND, LineMatcher
from bot.tools.path_errors import MAX_FILE_BYTES
from tests.support.file_workspace import Desk
from tests.support.patience import PATIENCE
from tests.support.search_workspace import at, desk, write

__all__ = ["desk"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"pattern": ""}, texts.PATTERN_IS_EMPTY),
        ({"pattern": "a\nb"}, texts.PATTERN_OF_SEVERAL_LINES),
        ({"pattern": "a\0"}, texts.PATTERN_OF_SEVERAL_LINES),
        ({"pattern": "\ud83d"}, texts.PATTERN_WITH_HALF_A_CHARACTER),
        ({"pattern": "x" * 1_001}, texts.PATTERN_TOO_LONG(most=1_000)),
        ({"pattern": "(a"}, texts.NOT_AN_EXPRESSION(flaw="missing ), unterminated subpattern at position 0")),
        ({"pattern": "(" * 1_000}, texts.PATTERN_FAILED(reason="")),
        ({"pattern": "a", "path": "nots"}, texts.NO_SUCH_PATH_BUT(path="nots", nearest="notes")),
        ({"pattern": "a", "path": "../desk"}, texts.PATH_ERRORS["EXDEV"](path="../desk")),
        ({"pattern": "a", "path": "/etc"}, texts.PATH_ERRORS["EXDEV"](path="/etc")),
        ({"pattern": "a", "path": "/"}, texts.PATH_ERRORS["EXDEV"](path="/")),
        ({"pattern": "a", "path": "nul\0"}, texts.PATH_ERRORS["ENAMETOOLONG"](path="nul\\x00")),
        ({"pattern": "a", "files": "../*"}, texts.GLOB_LEADS_OUT),
        ({"pattern": "a", "files": "/etc/*"}, texts.GLOB_LEADS_OUT),
        ({"pattern": "a", "files": "{a,b}" * 8}, texts.GLOB_HAS_TOO_MANY_CHOICES(most=100)),
    ],
)
async def test_an_impossible_search_is_told_with_possible_ones(
    desk: Desk, arguments: dict[str, str], said: str
) -> None:
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
        assert await desk.fails("grep", pattern="word", path=path) == texts.PATH_ERRORS["EXDEV"](path=path)


def short(path: Path) -> str:
    """A socket's name may have about a hundred characters."""
    return os.path.relpath(path)


async def test_an_entry_that_is_no_file_is_not_opened(desk: Desk) -> None:
    write(desk.root, a="word\n")
    os.mkfifo(desk.root / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(short(desk.root / "socket"))
        assert await desk.does("grep", pattern="word") == "a.md:1: word\n"
        assert await desk.does("glob", pattern="*") == "a.md\n"
    assert await desk.fails("grep", pattern="word", path="pipe") == texts.PATH_ERRORS["ENXIO"](path="pipe")


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
    desk = at(tmp_path / "desk", LineMatcher(None), seconds=0.5)
    write(desk.root, a="word\n", b="a" * 5_000)
    begun = time.monotonic()
    assert await desk.fails("grep", pattern="(a+)+b") == texts.SEARCH_FOUND_NOTHING_IN_TIME(seconds=0.5)
    assert time.monotonic() - begun < 5
    assert (await desk.does("grep", pattern="word")).startswith("a.md:1: word")


def test_a_search_that_nobody_ends_ends_itself(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a" * 5_000)
    with (tmp_path / "a").open() as file:
        command = [*PYTHON_SEARCH_COMMAND, "1", "1", "-", "(a+)+b", str(file.fileno())]
        assert subprocess.run(command, pass_fds=[file.fileno()]).returncode == -signal.SIGALRM


@pytest.mark.skipif(sys.platform != "linux", reason="others do not limit the memory of a process")
async def test_a_pattern_that_would_take_all_memory_is_told(tmp_path: Path) -> None:
    desk = at(tmp_path / "desk", LineMatcher(None))
    write(desk.root, a="ab" * (MAX_FILE_BYTES // 2))
    assert await desk.fails("grep", pattern="(a|b)*c") == texts.PATTERN_TAKES_TOO_MUCH_MEMORY


async def test_a_walk_that_takes_too_long_says_that_it_is_not_all(tmp_path: Path) -> None:
    desk = at(tmp_path / "desk", LineMatcher(None), seconds=0)
    write(desk.root, a="word\n")
    said = await desk.does("glob", pattern="*")
    assert said.startswith(f"({texts.NO_FILE_FITS}; {texts.WALK_OUT_OF_TIME(seconds=0)}; ")


async def test_a_search_after_a_walk_that_stopped_says_that_there_may_be_more(tmp_path: Path) -> None:
    desk = at(tmp_path / "desk", LineMatcher(None), seconds=PATIENCE)
    write(desk.root, a="word\nword\n", z__0="")
    for number in range(MAX_NAMES_WALKED):
        os.link(desk.root / "z" / "0.md", desk.root / "z" / str(number))  # a link is made faster than a file
    said = await desk.does("grep", pattern="word", files="*.md", offset=2)
    page = f"a.md:2: word\n({texts.SHOWN_OF_MORE['match'](first=2, last=2, total=2)})"
    assert said == f"{page}\n({texts.WALK_OUT_OF_NAMES(names=MAX_NAMES_WALKED)})"


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="no /proc here")
async def test_a_file_that_opens_but_cannot_be_read_is_counted_and_closed() -> None:
    """The first byte of /proc/self/mem is at an address that nothing is at: reading it fails."""
    desk = at(Path("/proc/self"), LineMatcher(None))
    before = len(os.listdir("/dev/fd"))
    assert texts.FILES_LEFT_OUT["unreadable"](1) in await desk.does("grep", pattern="word", path="mem")
    assert len(os.listdir("/dev/fd")) == before


async def test_a_search_works_without_ripgrep(tmp_path: Path) -> None:
    desk = at(tmp_path / "desk", LineMatcher(str(tmp_path / "rg")))
    write(desk.root, a="word\n")
    assert await desk.does("grep", pattern="word") == "a.md:1: word\n"
