"""Bad paths, by every file tool: refused with a clear word, and nothing outside the workspace is read or touched."""

import asyncio
import errno
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.core.errors import ToolError
from bot.tools import path_errors
from bot.tools.files import file_tools
from bot.tools.search_tools import search_tools
from bot.tools.workspace import Workspace
from tests.support.file_workspace import NO_CONTEXT, Desk
from tests.tools.test_search_bounds import short

SECRET = "the word is swordfish"
CALLS: dict[str, dict[str, Any]] = {
    "read_file": {},
    "list_dir": {},
    "write_file": {"content": "mine"},
    "edit_file": {"old": "word", "new": "mine"},
    "glob": {"pattern": "*"},
    "grep": {"pattern": "word"},
}
FOLDERS = ("list_dir", "glob", "grep")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A workspace with a folder beside it, which is afterwards as it was."""
    root, outside = tmp_path / "desk", tmp_path / "outside"
    (root / "notes").mkdir(parents=True)
    (root / "notes" / "plan.md").write_text("a word\n")
    outside.mkdir()
    (outside / "secret").write_text(SECRET)
    before = state(outside)
    yield Desk(root, {tool.name: tool for tool in [*file_tools(root), *search_tools(root)]})
    assert state(outside) == before


def state(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        str(path): (path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in [folder, *folder.rglob("*")]
    }


async def told(desk: Desk, name: str, path: str) -> str:
    return await desk.fails(name, path=path, **CALLS[name])


def wrong(number: int, path: str) -> str:
    """What is said of a path for which the kernel, or the tool itself, has that error."""
    with pytest.raises(ToolError) as error, path_errors.explain_path_errors(Workspace(Path()), path):
        raise OSError(number, "")
    return str(error.value)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    "path",
    [
        "../outside/secret",
        "notes/../../outside/secret",
        "notes/./.././../outside/secret",
        "../desk/../outside/secret",
        "{top}/outside/secret",
        "//{top}/outside/secret",
        "{top}/desk/../outside/secret",
        "/etc/passwd",
        "/proc/self/environ",
        "/proc/self/root/etc/passwd",
    ],
)
async def test_no_path_leads_out_of_the_workspace(desk: Desk, name: str, path: str) -> None:
    path = path.format(top=desk.root.parent)
    assert await told(desk, name, path) == wrong(errno.EXDEV, path)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("../outside", "link/secret"),
        ("../outside/secret", "link"),
        ("../outside/new", "link"),
        ("{top}/outside/secret", "link"),
        ("{top}/desk/notes/plan.md", "link"),
        ("/dev/null", "link"),
        ("/proc/self/fd/0", "link"),
    ],
)
async def test_no_link_leads_out_of_it(desk: Desk, name: str, target: str, path: str) -> None:
    (desk.root / "link").symlink_to(target.format(top=desk.root.parent))
    said = await told(desk, name, path)
    assert said == wrong(errno.EXDEV, path)
    assert "outside/secret" not in said  # where it leads is nobody's business
    assert (desk.root / "link").is_symlink()


@pytest.mark.parametrize("name", CALLS)
async def test_a_path_that_is_neither_file_nor_folder_is_not_opened(desk: Desk, name: str) -> None:
    os.mkfifo(desk.root / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(short(desk.root / "socket"))
        for path in ("pipe", "socket"):
            said = await told(desk, name, path)
            assert said == wrong(errno.ENOTDIR if name in ("list_dir", "glob") else errno.ENXIO, path)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("path", ["n" * 256, "x/" * 200 + "y", "a\0b"])
async def test_an_impossible_path_is_told(desk: Desk, name: str, path: str) -> None:
    assert await told(desk, name, path) == wrong(errno.ENAMETOOLONG, path)
    assert sorted(os.listdir(desk.root)) == ["notes"]


@pytest.mark.parametrize("name", CALLS)
async def test_a_path_with_half_a_character_is_told(desk: Desk, name: str) -> None:
    path = "half \ud83e of it"
    with pytest.raises(ToolError) as error, path_errors.explain_path_errors(Workspace(Path()), path):
        path.encode()
    assert await told(desk, name, path) == str(error.value)
    assert sorted(os.listdir(desk.root)) == ["notes"]


@pytest.mark.parametrize("path", ["", ".", "notes", "notes/", "notes/..", "./notes/."])
@pytest.mark.parametrize("name", ["read_file", "write_file", "edit_file"])
async def test_a_folder_is_no_file(desk: Desk, name: str, path: str) -> None:
    assert await told(desk, name, path) == wrong(errno.EISDIR, path)


@pytest.mark.parametrize(
    "name", ["-rf", "CON", "dot.", ".hidden", "new\nline", "tab\t", "~", "$HOME", "%2e%2e", "..\\x", "...", "ü" * 127]
)
async def test_a_name_with_meaning_elsewhere_is_only_a_name(desk: Desk, name: str) -> None:
    await desk.does("write_file", path=name, content="a word")
    assert (desk.root / name).read_text() == "a word"
    await desk.does("edit_file", path=name, old="word", new="line")
    assert await desk.does("read_file", path=name) == "a line"
    assert len((await desk.does("list_dir")).splitlines()) == 2


@pytest.mark.parametrize("name", ["read_file", "edit_file", *FOLDERS])
async def test_another_case_is_another_name_and_the_right_one_is_told(desk: Desk, name: str) -> None:
    if (desk.root / "NOTES").exists():
        pytest.skip("this file system knows no case")
    assert await told(desk, name, "NOTES/plan.md") == "there is no NOTES; the nearest is notes"
    assert await told(desk, name, "notes/PLAN.md") == "there is no notes/PLAN.md; the nearest is notes/plan.md"


async def test_a_file_with_another_name_outside_is_replaced_here_and_stays_there(desk: Desk) -> None:
    """A hard link brings a file of elsewhere in; what is written is a new file, and no other name of the old one."""
    os.link(desk.root.parent / "outside" / "secret", desk.root / "twin")
    links = (desk.root / "twin").stat().st_nlink
    await desk.does("write_file", path="twin", content="mine")
    assert ((desk.root / "twin").read_text(), links) == ("mine", 2)
    assert (desk.root.parent / "outside" / "secret").read_text() == SECRET


async def test_a_link_that_is_turned_outwards_all_the_time_leaks_nothing(desk: Desk) -> None:
    """Each tool, again and again, while `door` leads now to a folder inside and now to one outside."""
    (desk.root / "real").mkdir()
    (desk.root / "real" / "secret").write_text("a harmless word")
    (desk.root / "door").symlink_to("real")
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            for target in ("../outside", "real"):
                os.symlink(target, desk.root / "next")
                os.replace(desk.root / "next", desk.root / "door")

    async def one(name: str) -> None:
        for _ in range(60):
            try:
                result = await desk.tools[name].run(NO_CONTEXT, {"path": "door/secret", **CALLS[name]})
            except ToolError:
                continue
            assert "swordfish" not in str(result)

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        await asyncio.gather(*map(one, ("read_file", "write_file", "edit_file", "grep")))
    finally:
        over.set()
        swapping.join()
