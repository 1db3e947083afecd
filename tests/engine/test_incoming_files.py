"""The rules about files that people send: sizes, floods, and what a chat may keep."""

from pathlib import Path
from typing import Any

import pytest

from bot.journal import incoming_files as rules
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.sent_files import sends


@pytest.fixture
def options(tmp_path: Path) -> dict[str, Any]:
    return engine_options(writable_workspace=tmp_path / "workspace", files__max_megabytes=1, files__chat_megabytes=2)


@pytest.mark.parametrize(("size", "said"), [(2**20, "1"), (2**20 + 1, "1.1"), (31 * 2**20, "31"), (10**9, "954")])
def test_a_size_is_told_in_megabytes(size: int, said: str) -> None:
    assert rules.megabytes(size) == said


async def test_a_file_above_the_operators_limit_is_refused_unfetched(bench: Bench, options: Any) -> None:
    async with bench.run(**options):
        bench.chat.hears("", files=[sends(bench, "film.mp4", b"", size_bytes=2 * 2**20)])
        assert await bench.chat.said() == "film.mp4 has 2 MB; I take at most 1 MB."
    assert not bench.model.seen
    assert bench.select("state", "inbox") == [("done",)]


@pytest.mark.parametrize(("group_chat", "replies_to"), [("room", "m1"), (None, None)])
async def test_in_a_group_chat_the_notice_about_a_file_says_whose_it_is(
    bench: Bench, options: Any, group_chat: str | None, replies_to: str | None
) -> None:
    async with bench.run(**options):
        large = sends(bench, "film.mp4", b"x", size_bytes=2**30)
        bench.chat.hears("", files=[large], id="m1", group_chat=group_chat)
        part = await bench.chat.part()
    assert part.message.reply_to == replies_to


async def test_more_files_than_a_message_may_have_are_left_out_in_words(bench: Bench, options: Any) -> None:
    files = [sends(bench, f"{number}.txt", b"x") for number in range(rules.MAX_FILES_PER_MESSAGE + 2)]
    bench.model.says("lead", "read")
    async with bench.run(**options):
        bench.chat.hears("look", files=files)
        assert await bench.chat.said() == "I take at most 20 files with one message, so I left out the last 2."
        assert await bench.chat.said() == "read"
    assert bench.count("incoming_files", "state = 'kept'") == rules.MAX_FILES_PER_MESSAGE


async def test_a_flood_of_albums_is_told_once_and_asks_no_model(bench: Bench, options: Any) -> None:
    async with bench.run(**options):
        for album in range(300):
            files = [sends(bench, f"{album}-{number}", b"\0", size_bytes=2**20) for number in range(10)]
            bench.chat.hears("", files=files)
        told = await bench.chat.said()
        assert told.startswith("This chat has sent me a lot in the last hour")
        await bench.chat.is_taken_in()
    assert not bench.model.seen
    assert bench.count("outbox", "kind = 'notice' AND text LIKE 'This chat%'") == 1
    assert bench.count("incoming_files", "state != 'refused'") == 2  # the megabytes of an hour


async def test_the_oldest_files_of_a_chat_make_room_for_the_newest(bench: Bench, tmp_path: Path) -> None:
    options = engine_options(writable_workspace=tmp_path / "workspace", files__chat_megabytes=1)
    bench.model.says("lead", "one", "two")
    async with bench.run(**options):
        for name, answer in (("a.txt", "one"), ("b.txt", "two")):
            bench.chat.hears("look", files=[sends(bench, name, b"x" * 600_000)])
            assert await bench.chat.said() == answer
    assert bench.select("name, state", "incoming_files", order="name") == [("a.txt", "removed"), ("b.txt", "kept")]
