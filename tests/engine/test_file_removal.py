"""Files that people sent are deleted with their conversation, and when they are old."""

import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.core.limits import DecisionTerms
from bot.core.settings import Settings
from bot.journal import deletion
from bot.store import Store
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
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
