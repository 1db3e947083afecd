"""Files that people sent are deleted with their conversation, and when they are old."""

import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.core.group import Groups
from bot.core.incoming_files import FileId
from bot.core.limits import DecisionTerms
from bot.core.messages import Address, GroupName
from bot.core.settings import Settings
from bot.engine.file_removal import FILES_DELETED_AT_ONCE, FolderOutOfReach, find_folder_of_file
from bot.journal import deletion
from bot.store import Store
from bot.store.connection import Connection
from bot.store.incoming_files import KeptPlace
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.group_bots import Registry, group
from tests.support.sample_media import png
from tests.support.sent_files import sends
from tests.support.troubles import has_row


@pytest.fixture
async def inbox(bench: Bench, tmp_path: Path) -> Path:
    """A folder with a picture and a text, which Ann has sent."""
    bench.model.says("lead", "a cat")
    async with bench.run(**options(tmp_path)):
        bench.chat.hears("look", files=[sends(bench, "cat.png", png()), sends(bench, "notes.txt", b"x")])
        assert await bench.chat.said() == "a cat"
    folder = tmp_path / "workspace" / "inbox"
    assert len(list(folder.iterdir())) == 2
    return folder


def options(tmp_path: Path) -> dict[str, Any]:
    return engine_options(writable_workspace=tmp_path / "workspace")


async def are_deleted(bench: Bench) -> None:
    await has_row(bench, "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM incoming_files)")


async def test_a_deleted_conversation_takes_its_files_with_it(bench: Bench, inbox: Path, tmp_path: Path) -> None:
    [(session,)] = bench.select("id", "sessions")
    async with Store.open(bench.data / "bot.db") as store:
        terms = DecisionTerms(settings=Settings(), now=datetime.now(UTC))
        await store.write(deletion.delete_conversation, session, terms)
    assert bench.select("name, message, state", "incoming_files") == [("", "", "removed")] * 2
    assert not bench.count("media")
    async with bench.run(**options(tmp_path)):
        await are_deleted(bench)
    assert not os.listdir(inbox)


async def test_old_files_go_and_the_conversation_still_shows_them(bench: Bench, inbox: Path, tmp_path: Path) -> None:
    async with Store.open(bench.data / "bot.db") as store:
        assert not await store.write(deletion.sweep_some_old_rows, datetime.now(UTC) + timedelta(days=31), 30)
    async with bench.run(**options(tmp_path)):
        await are_deleted(bench)
    assert not os.listdir(inbox)
    assert bench.count("media") == 1


async def test_a_file_that_somebody_has_deleted_before_is_no_fault(bench: Bench, inbox: Path, tmp_path: Path) -> None:
    shutil.rmtree(inbox)
    async with Store.open(bench.data / "bot.db") as store:
        await store.write(deletion.sweep_some_old_rows, datetime.now(UTC) + timedelta(days=31), 30)
    async with bench.run(**options(tmp_path)):
        await are_deleted(bench)


def place(scope: str, chat: str = "room") -> KeptPlace:
    address = Address(channel="fake", chat=chat)
    return KeptPlace(id=FileId("f"), address=address, scope=scope, path="inbox/a.txt", text_path="")


def test_the_files_of_a_group_with_a_fault_are_not_forgotten(tmp_path: Path) -> None:
    with pytest.raises(FolderOutOfReach):
        find_folder_of_file(place("group:team"), tmp_path, Groups(off=[GroupName("team")]), [])
    assert find_folder_of_file(place("group:team"), tmp_path, Groups(), []) is None


@pytest.mark.parametrize("scope", ["workspace", "chat", "group:team"])
def test_the_files_of_a_disk_that_is_not_there_are_not_forgotten(tmp_path: Path, scope: str) -> None:
    groups = Registry(group("team", workspace=tmp_path / "elsewhere")).groups
    with pytest.raises(FolderOutOfReach):
        find_folder_of_file(place(scope), tmp_path / "elsewhere", groups, [])


def test_the_files_of_a_chat_that_moves_are_not_forgotten(tmp_path: Path) -> None:
    old, new = (Address(channel="fake", chat=chat) for chat in ("old", "new"))
    folder = tmp_path / ".chats" / "fake-old"
    folder.mkdir(parents=True)
    with pytest.raises(FolderOutOfReach):
        find_folder_of_file(place("chat", "new"), tmp_path, Groups(), [(old, new)])
    folder.rename(tmp_path / ".chats" / "fake-new")
    assert find_folder_of_file(place("chat", "new"), tmp_path, Groups(), [(old, new)]) == tmp_path / ".chats/fake-new"


async def test_one_file_that_cannot_be_deleted_holds_up_no_other(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "workspace" / "inbox").mkdir(parents=True)
    count = FILES_DELETED_AT_ONCE + 2
    stuck = [tmp_path / "workspace" / "inbox" / f"{number:03}.txt" for number in range(FILES_DELETED_AT_ONCE)]
    for path in stuck:
        path.mkdir()  # it cannot be deleted as a file

    def add(db: Connection) -> None:
        for number in range(count):
            values = {"message": "", "number": 0, "address": "fake:room", "kind": "file", "name": "", "reference": ""}
            values |= {"media_type": "", "is_quoted": False, "came_at": "2026-01-01", "state": "removed"}
            where = {"scope": "workspace", "path": f"inbox/{number:03}.txt"}
            db.insert_if_new("incoming_files", id=f"{number:03}", **values, **where)

    async with Store.open(bench.data / "bot.db") as store:
        await store.write(add)
    async with bench.run(**options(tmp_path)):
        await has_row(bench, f"SELECT 1 WHERE (SELECT count(*) FROM incoming_files) = {FILES_DELETED_AT_ONCE}")
