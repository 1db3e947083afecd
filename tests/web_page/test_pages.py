"""The pages over the rows of a bot: conversations, delegations, figures and the state."""

import json
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing

import pytest

from bot.core.errors import ModelRefused
from bot.core.exits import SECRET_MARK
from bot.core.messages import OutboundKind
from bot.core.model import ModelReply
from bot.web_page import texts
from bot.web_page.views import TURNS_PER_PAGE
from tests.support.bench import Bench
from tests.support.empty_database import make_empty_database
from tests.support.fakes import Pause, delegates
from tests.web_page.conftest import SECRET, WRONG, Visitor, serve_page, talk

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>"


@pytest.fixture
async def talked(bench: Bench) -> AsyncIterator[Visitor]:
    """A visitor of a bot that has answered Ann, with two roles, and Bob."""
    await talk(bench, f"all in all: {HOSTILE}")
    async with serve_page(bench) as visitor:
        yield visitor


async def first_conversation(visitor: Visitor, words: str = "mill") -> str:
    found = re.search(r'href="(/conversations/[^"]+)"', await visitor.text(f"/?words={words}"))
    assert found
    return found[1]


async def test_before_anybody_has_written_the_page_says_so(visitor: Visitor) -> None:
    assert texts.NO_CONVERSATIONS() in await visitor.text("/")
    assert texts.NOTHING_SPENT() in await visitor.text("/figures")
    assert (await visitor.get("/conversations/nothing")).status_code == 404


async def test_conversations_are_listed_newest_first_without_those_of_roles(talked: Visitor) -> None:
    listed = re.findall(r'href="/conversations/[^"]+">([^<]+)</a>', await talked.text("/"))
    assert listed == ["hello", "plan our offsite"]


async def test_a_search_finds_what_anybody_has_said(talked: Visitor) -> None:
    assert "plan our offsite" in await talked.text("/?words=offsite")
    assert texts.NOTHING_FOUND() in await talked.text("/?words=offsite+xylophone")


async def test_a_conversation_shows_what_was_said_and_who_worked(talked: Visitor) -> None:
    page = await talked.text(await first_conversation(talked, "offsite"))
    for shown in ("plan our offsite", "all in all", "Researcher", "Analyst", "found the mill"):
        assert shown in page
    assert "hello, Bob" not in page


async def test_no_text_is_ever_html(talked: Visitor) -> None:
    page = await talked.text(await first_conversation(talked, "offsite"))
    assert "&lt;script&gt;" in page
    assert "<img" not in page
    assert page.count("<script") == 1  # the page's own


async def test_a_delegation_has_a_page_with_its_report_and_transcript(talked: Visitor) -> None:
    page = await talked.text(await first_conversation(talked, "offsite"))
    link = re.search(r'href="(/turns/[^"]+)"', page)
    assert link
    turn = await talked.text(link[1])
    assert "found the mill" in turn
    assert "researcher&#39;s part" in turn
    part = await talked.get(link[1], **{"x-part": "yes"})
    assert part.text.startswith('<div class="transcript">')


async def test_sub_sessions_are_no_conversations(talked: Visitor, bench: Bench) -> None:
    [(below,)] = bench.rows("SELECT id FROM sessions WHERE parent IS NOT NULL LIMIT 1")
    assert (await talked.get(f"/conversations/{below}")).status_code == 404
    assert (await talked.get("/turns/t99/2/0")).status_code == 404


async def test_figures_name_roles_chats_and_people(talked: Visitor) -> None:
    page = await talked.text("/figures")
    for shown in ("Researcher", "Lead", "fake:room", "Ann", "Bob", " tokens<", "<svg"):
        assert shown in page


async def test_the_state_shows_problems_with_their_remedy(talked: Visitor) -> None:
    page = await talked.text("/state")
    for shown in (WRONG.text, WRONG.remedy, texts.GOOD_FINDINGS(1), "Finds facts."):
        assert shown in page


async def test_a_turn_that_failed_stands_in_the_state_with_its_message(bench: Bench) -> None:
    async def refuse() -> ModelReply:
        raise ModelRefused

    bench.model.says("lead", refuse)
    async with bench.run():
        bench.chat.hears("Which mill is it?")
        await bench.chat.said()
    async with serve_page(bench) as visitor:
        page = await visitor.text("/state")
    [link] = re.findall(r'href="(/turns/t\d+)"', page)
    assert "Which mill is it?" in page[page.index(link) :]


async def test_secrets_of_the_settings_are_shown_nowhere(bench: Bench) -> None:
    bench.model.says("lead", f"**I see** {SECRET}")
    async with bench.run():
        bench.chat.hears(f"My key is {SECRET}!")
        await bench.chat.said()
    async with serve_page(bench) as visitor:
        place = await first_conversation(visitor, "My key is")
        pages = [await visitor.text(path) for path in ("/", place, "/turns/t1", "/forks/t1")]
    assert [page.count(SECRET) for page in pages] == [0] * len(pages)
    assert all(SECRET_MARK in page for page in pages)


async def test_formatting_is_shown_of_what_agents_write_alone(bench: Bench) -> None:
    bench.model.says("lead", "- a **bold** word")
    async with bench.run():
        bench.chat.hears("no **bold** word")
        await bench.chat.said()
    async with serve_page(bench) as visitor:
        pages = [await visitor.text(path) for path in (await first_conversation(visitor, "word"), "/turns/t1")]
    assert all("<li>a <strong>bold</strong> word</li>" in page for page in pages)
    assert all("no **bold** word" in page for page in pages)


async def test_the_list_goes_on_below_what_is_shown(bench: Bench) -> None:
    bench.model.says("lead", *["well"] * 31)
    async with bench.run():
        for number in range(31):
            bench.chat.hears(f"message {number}", chat=f"room {number}")
        for _ in range(31):
            await bench.chat.said(OutboundKind.REPLY)
    async with serve_page(bench) as visitor:
        first = await visitor.text("/")
        older = re.search(r'rel="next" href="([^"]+)"', first)
        assert older
        titles = re.findall(r">(message \d+)</a>", first + await visitor.text(older[1]))
        assert len(set(titles)) == len(titles) == 31


async def test_a_long_conversation_is_shown_by_pages_newest_first(bench: Bench) -> None:
    count = TURNS_PER_PAGE + 2
    bench.model.says("lead", *[f"answer {number}." for number in range(count)])
    async with bench.run():
        for number in range(count):
            bench.chat.hears(f"message {number}.")
            await bench.chat.said(OutboundKind.REPLY)
    async with serve_page(bench) as visitor:
        place = await first_conversation(visitor, "message")
        newest = await visitor.text(place)
        earlier = re.search(r'rel="prev" href="([^"]+)"', newest)
        assert earlier
        oldest = await visitor.text(place + earlier[1])
    assert re.findall(r">(message \d+\.)<", oldest + newest) == [f"message {number}." for number in range(count)]
    assert ("data-events" in newest, "data-events" in oldest) == (True, False)


async def test_a_conversation_is_shown_as_it_goes_on(bench: Bench) -> None:
    pause = Pause("the mill is free")
    bench.model.says("lead", delegates("researcher"), "all done")
    bench.model.says("researcher", pause)
    async with bench.run(), serve_page(bench) as visitor:
        bench.chat.hears("plan")
        await pause.reached.wait()
        found = re.search(r'href="(/conversations/[^"]+)"', await visitor.text("/"))
        assert found
        parts = dict[str, str]()
        async with visitor.client.stream("GET", f"{found[1]}/events") as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            async for line in stream.aiter_lines():
                if line.startswith("data: "):
                    told = json.loads(line.removeprefix("data: "))
                    parts[told["part"]] = told["html"]
                if len(parts) == 2:
                    pause.go_on.set()
                if "all done" in parts.get("messages", "") and "the mill is free" in parts.get("delegations", ""):
                    break


async def test_rows_of_an_earlier_version_are_named_with_what_to_do(bench: Bench) -> None:
    make_empty_database(path := bench.data / "bot.db")
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 7")
    async with serve_page(bench) as visitor:
        answer = await visitor.get("/")
        assert (answer.status_code, "retinue run" in answer.text) == (503, True)
