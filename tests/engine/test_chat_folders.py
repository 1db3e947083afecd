"""Where a chat goes on under another name, the files of its guests go with it; a kill in between changes nothing."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.core.messages import Address, ChatMovedEvent, MessageId
from bot.engine.chat_folders import move_chat_folders, move_file_without_replacing, rename_or_merge_folder
from bot.store import Store, chats
from bot.tools.workspace_scope import chat_folder
from tests.intake.test_people_rights import FILES, desk, heard, options, with_people
from tests.support.bench import Bench
from tests.support.fakes import uses
from tests.support.patience import PATIENCE

__all__ = ["desk"]

GUEST = with_people(Eve=FILES)
WRITES = uses("write_file", path="note.md", content="hers")
READS = uses("read_file", path="note.md")


class NeverLooks(Store):
    """A store that is ended before anybody looks which chats have moved."""

    async def read(self, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if work is chats.list_chat_moves:
            await asyncio.Event().wait()
        return await super().read(work, *args, **kwargs)


def folder(desk: Path, chat: str) -> Path:
    return chat_folder(desk, Address(channel="fake", chat=chat))


async def move_chat(bench: Bench, old: str, new: str) -> None:
    bench.chat.incoming.put_nowait(ChatMovedEvent(id=MessageId(f"{old} to {new}"), channel="fake", old=old, new=new))
    await bench.chat.is_taken_in()


async def gone(path: Path) -> None:
    async with asyncio.timeout(PATIENCE):
        while path.exists():  # noqa: ASYNC110, ASYNC240 - it is a folder, which sets no event
            await asyncio.sleep(0.001)


async def test_a_guests_files_follow_their_chat(bench: Bench, desk: Path) -> None:
    async with bench.run(access=GUEST, **options(desk)):
        await heard(bench, WRITES, chat="room", group_chat="-5")
        await move_chat(bench, "room", "hall")
        await gone(folder(desk, "room"))
        [read] = await heard(bench, READS, chat="hall", group_chat="-5")
    assert "hers" in read


async def test_a_moved_chats_files_follow_at_the_start_after_a_crash(bench: Bench, desk: Path) -> None:
    async with bench.run(access=GUEST, store=NeverLooks, **options(desk)):
        await heard(bench, WRITES, chat="room", group_chat="-5")
        await move_chat(bench, "room", "lobby")
        await move_chat(bench, "lobby", "hall")
        bench.crashes()
    assert folder(desk, "room").exists()
    async with bench.run(access=GUEST, **options(desk)):
        await gone(folder(desk, "room"))
        [read] = await heard(bench, READS, chat="hall", group_chat="-5")
    assert "hers" in read
    assert not folder(desk, "lobby").exists()


async def test_files_that_are_there_already_stay_as_they_are(bench: Bench, desk: Path) -> None:
    async with bench.run(access=GUEST, **options(desk)):
        for chat in ("room", "hall"):
            (folder(desk, chat) / "received").mkdir(parents=True)
            (folder(desk, chat) / "note.md").write_text(chat)
            (folder(desk, chat) / "received" / f"{chat}.txt").write_text(chat)
        await move_chat(bench, "room", "hall")
        await gone(folder(desk, "room"))
    found = {str(path.relative_to(folder(desk, "hall"))): path for path in folder(desk, "hall").rglob("*.*")}
    assert {name: path.read_text() for name, path in found.items()} == {
        "note.md": "hall",
        "note-2.md": "room",
        "received/hall.txt": "hall",
        "received/room.txt": "room",
    }


@pytest.mark.parametrize("cut_at", range(1, 4))
def test_a_half_finished_move_goes_on(tmp_path: Path, cut_at: int) -> None:
    """As after a kill: some are there, and the rest is not."""
    old, new = tmp_path / "old", tmp_path / "new"
    for name in ("a", "b", "c"):
        (old / name).mkdir(parents=True)
        (old / name / "file").write_text(name)
    new.mkdir()
    for name in ("a", "b", "c")[:cut_at]:
        (old / name).rename(new / name)
    rename_or_merge_folder(old, new)
    assert not old.exists()
    assert [(new / name / "file").read_text() for name in ("a", "b", "c")] == ["a", "b", "c"]


def test_one_file_that_cannot_go_holds_up_no_other(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for folder in (old, new):
        folder.mkdir()
        (folder / ("n" * 255)).write_text(folder.name)
    for number in range(20):
        (old / f"{number}.md").write_text("hers")
    move_chat_folders([(old, new)])
    assert sorted(path.name for path in old.iterdir()) == ["n" * 255]


def test_a_move_overwrites_no_file_that_came_in_between(tmp_path: Path) -> None:
    old, new = tmp_path / "old.md", tmp_path / "new.md"
    old.write_text("old")
    new.write_text("new")
    with pytest.raises(FileExistsError):
        move_file_without_replacing(str(old), new)
    assert (old.read_text(), new.read_text()) == ("old", "new")


def test_a_link_to_a_folder_is_no_folder_of_a_chat(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").write_text("mine")
    (tmp_path / "old").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "new").mkdir()
    move_chat_folders([(tmp_path / "old", tmp_path / "new")])
    assert (tmp_path / "elsewhere" / "file").read_text() == "mine"
