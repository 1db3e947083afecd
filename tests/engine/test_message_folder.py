"""Where the files of a message lie: by who sends them, and where."""

from pathlib import Path
from typing import Any

import pytest

from bot.core.access import Access
from bot.core.messages import PersonId
from bot.core.rights import EVERY_RIGHT, Right
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.sample_media import png
from tests.support.sent_files import sends, shown_files


@pytest.mark.parametrize(
    ("rights", "folder"),
    [(EVERY_RIGHT, "inbox"), (frozenset({Right.TALK, Right.READ_FILES}), ".chats/fake-room/inbox")],
)
async def test_guests_have_their_files_in_their_chats_folder(
    bench: Bench, tmp_path: Path, rights: Any, folder: str
) -> None:
    bench.model.says("lead", "a cat")
    access = {"fake": Access(owner_id=PersonId("Owner"), allowed_ids=frozenset({"Ann"}), others_rights=rights)}
    async with bench.run(**engine_options(writable_workspace=tmp_path / "workspace"), access=access):
        bench.chat.hears("look", files=[sends(bench, "cat.png", png())])
        assert await bench.chat.said() == "a cat"
    [kept] = (tmp_path / "workspace").rglob("cat-*.png")
    assert kept.parent == tmp_path / "workspace" / folder
    assert f"it lies in your workspace: inbox/{kept.name}" in str(bench.model.heard("lead"))


async def test_without_the_right_to_files_a_picture_is_seen_and_lies_nowhere(bench: Bench, tmp_path: Path) -> None:
    bench.model.says("lead", "a cat")
    rights = frozenset({Right.TALK})
    access = {"fake": Access(owner_id=PersonId("Owner"), allowed_ids=frozenset({"Ann"}), others_rights=rights)}
    async with bench.run(**engine_options(writable_workspace=tmp_path / "workspace"), access=access):
        bench.chat.hears("look", files=[sends(bench, "cat.png", png())])
        assert await bench.chat.said() == "a cat"
    assert not (tmp_path / "workspace").exists()
    assert len(shown_files(bench.model.seen[0])) == 1
    assert "lies in no folder that you can read" in str(bench.model.heard("lead"))


async def test_without_a_workspace_that_can_be_written_it_lies_nowhere(bench: Bench) -> None:
    bench.model.says("lead", "read")
    async with bench.run():
        bench.chat.hears("look", files=[sends(bench, "notes.txt", b"buy milk")])
        assert await bench.chat.said() == "read"
    [heard] = bench.model.heard("lead")
    assert "lies in no folder that you can read" in heard
    assert "> buy milk" in heard
