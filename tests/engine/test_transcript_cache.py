"""The cache of transcripts: what was read once is not read again, and it is always what the rows say."""

import json
from base64 import b64encode
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.core.content_blocks import media_reference_block, text_block, tool_result_block
from bot.core.turn import Turn
from bot.engine.transcript_cache import TranscriptCache
from bot.store import Store, transcript
from bot.store.connection import Connection
from tests.support.rows import PREFIX, add_call, add_root_turn


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with Store.open(tmp_path / "bot.db") as store:
        yield store


def say(db: Connection, turn: Turn, role: str, text: str) -> None:
    transcript.append_entry(db, turn, role, [text_block(text)])


async def test_a_transcript_grows_in_the_cache_as_in_the_rows(store: Store) -> None:
    turn, cache = await store.write(add_root_turn), TranscriptCache(store)
    await store.write(say, turn, "user", "hello")
    prefix, entries = await cache.load_prefix_and_entries(await cache.read_standing(turn.id))
    assert (prefix, [entry.role for entry in entries]) == (PREFIX, ["user"])
    stand = await cache.write_and_read_standing(turn.id, lambda db: say(db, turn, "assistant", "hi"))
    assert stand.last_entry_seq == 2
    _, entries = await cache.load_prefix_and_entries(stand)
    assert list(entries) == list((await store.read(transcript.chapter_entries_by_number, turn.session, 1)).values())


async def test_a_new_cache_reads_a_chapter_from_its_beginning(store: Store) -> None:
    turn = await store.write(add_root_turn)
    for role in ("user", "assistant", "user"):
        await store.write(say, turn, role, "word")
    cache = TranscriptCache(store)
    _, entries = await cache.load_prefix_and_entries(await cache.read_standing(turn.id))
    assert [entry.role for entry in entries] == ["user", "assistant", "user"]


async def test_media_are_filled_in_for_a_request_and_stay_out_of_the_cache(store: Store) -> None:
    turn, cache = await store.write(add_root_turn), TranscriptCache(store)
    call = await store.write(add_call, turn)
    await store.write(transcript.save_call_media, call, b"pixels")
    shown = tool_result_block("toolu_1", "an image", is_error=False, media=media_reference_block(call, "image/png", 10))
    await store.write(transcript.append_entry, turn, "user", [shown])
    _, entries = await cache.load_prefix_and_entries(await cache.read_standing(turn.id))
    [filled] = await cache.load_media_into_entries(entries)
    pixels = b64encode(b"pixels").decode()
    assert pixels in json.dumps(filled.content)
    assert pixels not in json.dumps(entries[0].content)
