"""Images and PDFs in a conversation: kept apart from the transcript, counted by what they show, and bounded."""

import json
import sqlite3
from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.core.limits import Limits
from bot.core.messages import RoleName
from bot.core.model import ModelRequest
from bot.core.prices import Micros, Usage
from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import model
from bot.journal import media as limits
from bot.store.connection import Connection
from bot.tools.files import file_tools
from tests.support.bench import ROLES, Bench
from tests.support.engine_options import engine_options, limits_with
from tests.support.fakes import USAGE, Pause, delegates, reply, role, uses
from tests.support.sample_media import pdf, png
from tests.support.troubles import has_row


@pytest.fixture
def desk(bench: Bench, tmp_path: Path) -> Path:
    """A lead who reads files of this folder."""
    bench.roles[LEAD_ROLE_NAME] = replace(ROLES[LEAD_ROLE_NAME], tools=frozenset({"read_file", "read"}))
    folder = tmp_path / "desk"
    folder.mkdir()
    return folder


def run(bench: Bench, desk: Path, **options: Any) -> Any:
    return bench.run(tools=[*bench.tools(), *file_tools(desk)], **options)


def reads(*names: str) -> Any:
    return reply(*(uses("read_file", path=name) for name in names))


def shown(request: ModelRequest) -> list[Any]:
    """What is no text in a request's results."""
    results = [block for entry in request.transcript for block in entry.content if block["type"] == "tool_result"]
    contents = [result["content"] for result in results if isinstance(result["content"], list)]
    return [block for content in contents for block in content if block["type"] != "text"]


async def test_an_image_is_shown_unchanged_in_later_turns_and_after_a_restart(bench: Bench, desk: Path) -> None:
    (desk / "cat.png").write_bytes(png())
    (desk / "report.pdf").write_bytes(pdf(3))
    bench.model.says("lead", reads("cat.png", "report.pdf"), "a cat", "a cat, as I said")
    async with run(bench, desk):
        bench.chat.hears("look")
        assert await bench.chat.said() == "a cat"
    async with run(bench, desk):
        bench.chat.hears("what was it?")
        assert await bench.chat.said() == "a cat, as I said"
    for request in bench.model.seen[1:]:
        image, document = shown(request)
        assert (image["type"], image["source"]["media_type"]) == ("image", "image/png")
        assert b64decode(image["source"]["data"]) == png()
        assert (document["type"], document["source"]["media_type"]) == ("document", "application/pdf")
        assert b64decode(document["source"]["data"]) == pdf(3)
    bodies = "".join(body for (body,) in bench.rows("SELECT body FROM entries"))
    assert len(bodies) < 3_000
    assert "cat.png: image/png" in bodies
    assert bench.rows("SELECT count(*) FROM media") == [(2,)]


async def test_it_counts_by_what_it_shows_and_not_by_its_bytes(bench: Bench, desk: Path) -> None:
    (desk / "cat.png").write_bytes(png(280, 280, padding=2_000_000))
    bench.model.says("lead", reads("cat.png"), "a cat")
    async with run(bench, desk):
        bench.chat.hears("look")
        assert await bench.chat.said() == "a cat"
    assert 100 <= bench.model.seen[1].meter.estimated_prompt_tokens - USAGE.tokens_without_cache_reads < 600
    first, second = (row[0] for row in bench.rows("SELECT reserved FROM requests ORDER BY id"))
    assert second - first < 20_000  # with what another model would pay to read it


async def test_a_conversation_shows_limited_images_and_the_next_chapter_none(bench: Bench, desk: Path) -> None:
    (desk / "cat.png").write_bytes(png())
    names = ["cat.png"] * (limits.MAX_IMAGES_PER_CHAPTER + 1)
    bench.model.says("lead", reads(*names), "cats", "they were cats", "no cats")
    async with run(bench, desk):
        bench.chat.hears("look")
        assert await bench.chat.said() == "cats"
        assert len(shown(bench.model.seen[1])) == limits.MAX_IMAGES_PER_CHAPTER
        refused = model.TOO_MANY_IMAGES(images=20)
        assert [refused in said for said in bench.model.heard("lead", 1)].count(True) == 1
        bench.chat.hears("and now?")
        assert await bench.chat.said() == "no cats"
    assert not shown(bench.model.seen[-1])


async def test_a_role_is_not_told_to_begin_a_conversation(bench: Bench, desk: Path) -> None:
    bench.roles[LEAD_ROLE_NAME] = role("lead", "delegate", "read_file", delegates_to=None)
    bench.roles[RoleName("writer")] = role("writer", "read_file")
    (desk / "cat.png").write_bytes(png())
    bench.model.says("lead", delegates("writer"), "cats")
    bench.model.says("writer", reads(*["cat.png"] * (limits.MAX_IMAGES_PER_CHAPTER + 1)), "all but one")
    async with run(bench, desk):
        bench.chat.hears("look")
        assert await bench.chat.said() == "cats"
    refused = model.TOO_MANY_IMAGES_FOR_ROLE(images=limits.MAX_IMAGES_PER_CHAPTER)
    assert [said.endswith(refused) for said in bench.model.heard("writer", 1)].count(True) == 1


async def test_pages_and_bytes_of_a_conversation_are_bounded_too(bench: Bench, desk: Path) -> None:
    (desk / "long.pdf").write_bytes(pdf(60))
    bench.model.says("lead", reads("long.pdf"), reads("long.pdf"), "read")
    settings = engine_options(
        turn=limits_with(tokens=10**6, cost=Micros(10**8)), chat_day=Micros(10**9), day=Micros(10**9)
    )
    async with run(bench, desk, **settings):
        bench.chat.hears("read")
        assert await bench.chat.said() == "read"
    assert [said.endswith(model.TOO_MANY_PAGES(pages=100)) for said in bench.model.heard("lead")] == [True]


@pytest.mark.parametrize(
    ("turn", "why"),
    [
        (limits_with(tokens=20_000), model.TOO_FEW_TOKENS(tokens=120_000, left=18_900)),
        (limits_with(tokens=123_000), model.TOO_FEW_TOKENS(tokens=120_000, left=121_900)),  # none to answer
        (limits_with(cost=Micros(300_000)), model.TOO_LITTLE_MONEY(tokens=120_000)),
    ],
)
async def test_a_file_that_would_use_up_the_turn_is_not_shown(bench: Bench, desk: Path, turn: Limits, why: str) -> None:
    (desk / "long.pdf").write_bytes(pdf(40))
    bench.model.says("lead", reads("long.pdf"), "too long")
    async with run(bench, desk, **engine_options(turn=turn)):
        bench.chat.hears("read")
        assert await bench.chat.said() == "too long"
    [told] = bench.model.heard("lead")
    assert told.startswith("long.pdf: application/pdf")
    assert told.endswith(model.NOT_SHOWN(media="", reason=why))
    assert bench.rows("SELECT count(*) FROM media") == [(0,)]


async def test_two_of_one_reply_are_counted_together(bench: Bench, desk: Path) -> None:
    (desk / "long.pdf").write_bytes(pdf(40))
    bench.model.says("lead", reads("long.pdf", "long.pdf"), "read")
    settings = engine_options(
        turn=limits_with(tokens=200_000, cost=Micros(10**7)), chat_day=Micros(10**8), day=Micros(10**8)
    )
    async with run(bench, desk, **settings):
        bench.chat.hears("read")
        assert await bench.chat.said() == "read"
    assert len(shown(bench.model.seen[1])) == 1
    refused = model.TOO_FEW_TOKENS(tokens=120_000, left=198_900)
    assert [said.endswith(refused) for said in bench.model.heard("lead")].count(True) == 1


@pytest.mark.parametrize(
    ("turn", "why"),
    [
        (limits_with(tokens=200_000, cost=Micros(10**7)), model.TOO_FEW_TOKENS(tokens=120_000, left=57_800)),
        (limits_with(tokens=10**6, cost=Micros(700_000)), model.TOO_LITTLE_MONEY(tokens=120_000)),
    ],
    ids=["tokens", "dollars"],
)
async def test_a_file_that_would_use_up_the_parents_turn_is_not_shown_to_a_role(
    bench: Bench, desk: Path, turn: Limits, why: str
) -> None:
    """It has enough of its own; but what is beside it has used up most of what both have from above."""
    (desk / "long.pdf").write_bytes(pdf(40))
    bench.roles[LEAD_ROLE_NAME] = replace(ROLES[LEAD_ROLE_NAME], tools=frozenset({"delegate", "read_file", "read"}))
    for name in ("researcher", "analyst"):
        limits = limits_with(tokens=150_000, cost=Micros(10**7))
        bench.roles[RoleName(name)] = role(name, "read_file", "read", limits=limits)
    pause = Pause(reads("long.pdf"))
    bench.model.says("lead", delegates("researcher", "analyst"), "read")
    bench.model.says("researcher", pause, "too long")
    bench.model.says("analyst", reply(uses("read"), usage=Usage(input=140_000)), Pause())
    settings = engine_options(turn=turn, model__roles="claude-sonnet-5-5", chat_day=Micros(10**8), day=Micros(10**8))
    async with run(bench, desk, **settings):
        bench.chat.hears("read")
        await pause.reached.wait()
        analysed = "SELECT 1 FROM turns WHERE role = 'analyst' AND tokens > 100000"
        await has_row(bench, analysed)
        pause.go_on.set()
        ended = "SELECT 1 FROM turns WHERE role = 'researcher' AND state = 'ended'"
        await has_row(bench, ended)
        [told] = bench.model.heard("researcher")
    assert told.endswith(model.NOT_SHOWN(media="", reason=why))


async def test_compaction_reads_past_them(bench: Bench, desk: Path) -> None:
    (desk / "cat.png").write_bytes(png())
    long = reply({"type": "text", "text": "a cat"}, usage=Usage(input=150_000))
    bench.model.says("lead", reads("cat.png"), long, "it was a cat", "and on")
    async with run(bench, desk, **engine_options(turn=limits_with(cost=Micros(10**7)), chat_day=Micros(10**8))):
        bench.chat.hears("look")
        await bench.chat.said()
        bench.chat.hears("and?")
        assert await bench.chat.said() == "and on"
    assert shown(bench.model.seen[2])
    assert not shown(bench.model.seen[3])
    assert "it was a cat" in json.dumps([entry.content for entry in bench.model.seen[3].transcript])


async def test_a_deleted_calls_image_leaves_the_rows_and_a_word_replaces_it(bench: Bench, desk: Path) -> None:
    (desk / "cat.png").write_bytes(png())
    bench.model.says("lead", reads("cat.png"), "a cat", "gone")
    async with run(bench, desk):
        bench.chat.hears("look")
        await bench.chat.said()
    with sqlite3.connect(bench.data / "bot.db", factory=Connection) as db:
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("DELETE FROM calls")
    db.close()
    assert bench.rows("SELECT count(*) FROM media") == [(0,)]
    async with run(bench, desk):
        bench.chat.hears("and?")
        assert await bench.chat.said() == "gone"
    assert model.FILE_IS_GONE in str(bench.model.seen[-1].transcript)
