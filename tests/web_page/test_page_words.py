"""What the owner does from the page, over the control socket of a bot that runs: write, stop, steer and answer."""

import asyncio
import os
import re
import signal
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.app import BotServices
from bot.core.errors import WordsRefused
from bot.core.messages import OutboundKind
from bot.core.page_words import PageAct, PageWords
from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import page as refusals
from bot.core.texts import people, people_help, people_holds
from bot.ops.control.page_words import PAGE_REQUEST, BotBesidePage, make_page_answerer, read_words
from bot.ops.control.server import ControlServer, Request
from bot.ops.control.unix_socket import SOCKET_NAME, ask_running_bot
from bot.web_page import texts
from tests.support.backup_bot import apart
from tests.support.bench import ACCESS, Bench
from tests.support.fakes import FakeChannel, Pause, ScriptedModel, delegates, reply, role, uses
from tests.support.mailing import Post
from tests.support.patience import PATIENCE
from tests.web_page.conftest import VERSION, Visitor, serve_page

YES = people_holds.ALLOW()
GROUP = {"group_chat": "room"}
WRITTEN = people_help.WRITTEN_IN_PAGE
FIELD = re.compile(r'<form[^>]* action="([^"]+)">\s*<input type="hidden" name="form" value="([^"]+)">')


async def serve_control(bench: Bench, services: BotServices) -> None:
    await ControlServer(bench.data, {PAGE_REQUEST: make_page_answerer(services.page, VERSION)}).run()


@asynccontextmanager
async def running(bench: Bench, **options: Any) -> AsyncIterator[Visitor]:
    """Run the bot, and yield a visitor of its page."""
    serving: Any = lambda services: serve_control(bench, services)  # noqa: E731
    async with bench.run(serve_control_socket=serving, **options), serve_page(bench) as visitor:
        while not (bench.data / SOCKET_NAME).is_socket():  # noqa: ASYNC110 - a file wakes nobody
            await asyncio.sleep(0.01)
        yield visitor


async def find_conversation(visitor: Visitor, chat: str = "room") -> str:
    """Return the address of the newest conversation of a chat."""
    found = re.search(rf'href="(/conversations/fake%3A{chat}[^"]+)"', await visitor.text("/"))
    assert found
    return found[1]


async def send(visitor: Visitor, page: str, ending: str = "", **fields: str) -> int:
    """Send the first form of a page whose address ends so, and return the status of the answer."""
    forms = dict(FIELD.findall(await visitor.text(page)))
    [action] = [action for action in forms if action.endswith(ending)][:1]
    return (await visitor.post(action, form=forms[action], **fields)).status_code


def hears_owner(bench: Bench, text: str, **fields: Any) -> None:
    bench.chat.hears(text, by="Owner", **fields)


@pytest.mark.fast
async def test_words_are_a_message_of_the_owner_that_the_chat_sees(bench: Bench) -> None:
    bench.model.says("lead", "hello", "at ten")
    async with running(bench) as visitor:
        hears_owner(bench, "hi", **GROUP)
        assert await bench.chat.said() == "hello"
        page = await find_conversation(visitor)
        assert await send(visitor, page, "/words", words="when do we meet?\r\nand where?") == 303
        assert texts.TAKEN() in await visitor.text(f"{page}?taken=yes")
        assert await bench.chat.said() == WRITTEN(person="Owner", text="when do we meet? and where?")
        assert await bench.chat.said() == "at ten"
    assert bench.model.heard("lead")[-1].endswith("when do we meet?\n  and where?")


async def test_a_form_that_is_sent_twice_is_one_message(bench: Bench) -> None:
    bench.model.says("lead", "hello", "once", "twice")
    async with running(bench) as visitor:
        hears_owner(bench, "hi")
        await bench.chat.said(OutboundKind.REPLY)
        path = f"{await find_conversation(visitor)}/words"
        answers = await asyncio.gather(*(visitor.post(path, form="f", words="again") for _ in range(5)))
        assert {answer.status_code for answer in answers} == {303}
        assert await bench.chat.said(OutboundKind.REPLY) == "once"
        await visitor.post(path, form="f", words="other words")  # in the same form, after a step back
        assert await bench.chat.said(OutboundKind.REPLY) == "twice"
    assert bench.count("inbox", "key GLOB 'page:*'") == 2


async def test_what_works_is_steered_and_stopped(bench: Bench) -> None:
    pauses = [Pause(reply(uses("read"))), Pause()]
    bench.model.says("lead", delegates("researcher", "analyst"), "half of it")
    bench.model.says("researcher", pauses[0], "found by train")
    bench.model.says("analyst", pauses[1])
    async with running(bench) as visitor:
        hears_owner(bench, "plan", **GROUP)
        for pause in pauses:
            await pause.reached.wait()
        page = await find_conversation(visitor)
        assert await send(visitor, page, "/0/words", words="by train, please") == 303
        assert await bench.chat.said() == WRITTEN(person="Owner", text="/tell 1 by train, please")
        assert await send(visitor, page, "/1/stop") == 303
        assert await bench.chat.said() == people.ROLE_READS_NEXT(number=1, role="Researcher")
        assert await bench.chat.said() == WRITTEN(person="Owner", text="/stop 2")
        pauses[0].go_on.set()
        assert await bench.chat.said(OutboundKind.REPLY) == "half of it"
    assert bench.model.heard("researcher")[-1].endswith("by train, please")
    assert bench.select("status, stopped_by", "turns", "role = 'analyst'") == [("cancelled", "Owner")]


@pytest.mark.parametrize("where", [{}, {"group_chat": "ann"}], ids=["private", "group"])
async def test_in_a_chat_of_others_the_owner_stops_and_does_not_write(bench: Bench, where: dict[str, str]) -> None:
    pause = Pause()
    bench.model.says("lead", pause)
    async with running(bench) as visitor:
        bench.chat.hears("plan", chat="ann", **where)
        await pause.reached.wait()
        page = await find_conversation(visitor, "ann")
        shown = await visitor.text(page)
        assert refusals.NOT_YOUR_CHAT() in shown
        assert f"{page}/words" not in shown
        answer = await visitor.post(f"{page}/words", form="f", words="hello Ann")
        assert (answer.status_code, refusals.NOT_YOUR_CHAT() in answer.text) == (409, True)
        assert await send(visitor, page, "/stop") == 303
        assert await bench.chat.said() == WRITTEN(person="My owner", text="/stop")
        await bench.chat.said(OutboundKind.REPLY)
    assert bench.select("status, stopped_by", "turns") == [("cancelled", "Owner")]
    assert bench.select("person", "inbox") == [("Ann",)]  # nobody else counts as somebody who talks there


@pytest.mark.parametrize(("said", "heard"), [("Rome", "Rome"), ("neither, but Oslo", "neither, but Oslo")])
async def test_a_question_is_answered_by_its_options_or_in_own_words(bench: Bench, said: str, heard: str) -> None:
    asked = reply(uses("ask_person", question="Where to?", options=["Rome", "Paris"]))
    bench.model.says("lead", asked, "booked")
    async with running(bench) as visitor:
        hears_owner(bench, "plan")
        await bench.chat.said(OutboundKind.QUESTION)
        state = await visitor.text("/state")
        assert "Where to?" in state
        assert re.search(r'<button name="words" value="Paris"', state)
        assert await send(visitor, "/state", words=said) == 303
        assert await bench.chat.said(OutboundKind.REPLY) == "booked"
    assert bench.model.heard("lead") == [heard]
    is_shown = bench.count("outbox", f"text = '{WRITTEN(person='Owner', text=said)}'")
    assert is_shown == (said != "Rome")  # an option is shown below the question itself


@pytest.mark.parametrize(("word", "mails"), [(YES, 1), ("better not", 0)])
async def test_the_owner_approves_the_exact_call_or_refuses(bench: Bench, word: str, mails: int) -> None:
    post = Post()
    bench.roles = {LEAD_ROLE_NAME: role("lead", "browse", "mail")}
    letter = "\n".join(f"line {number}" for number in range(60))
    bench.model.says("lead", reply(uses("browse")), reply(uses("mail", to="eve@evil.example", text=letter)), "Done.")
    async with running(bench, tools=post.tools()) as visitor:
        hears_owner(bench, "What does the page say?")
        await bench.chat.said(OutboundKind.APPROVAL)
        state = await visitor.text("/state")
        for shown in ("to: eve@evil.example", *letter.split("\n")):
            assert shown in state
        assert await send(visitor, "/state", words=word) == 303
        await bench.chat.said(OutboundKind.REPLY)
    assert len(post.sent) == mails


async def test_what_others_are_asked_only_they_answer(bench: Bench) -> None:
    bench.model.says("lead", reply(uses("ask_person", question="Where to?", options=["Rome", "Paris"])))
    async with running(bench) as visitor:
        bench.chat.hears("plan")
        await bench.chat.said(OutboundKind.QUESTION)
        state = await visitor.text("/state")
        assert texts.FOR_ANOTHER() in state
        [(id,)] = bench.select("id", "questions")
        answer = await visitor.post(f"/questions/{id}", form="f", words="Rome")
        assert (answer.status_code, refusals.QUESTION_FOR_ANOTHER() in answer.text) == (409, True)
    assert bench.select("state, answer", "questions") == [("open", None)]


async def test_without_an_account_of_the_owner_nothing_is_written_or_stopped(bench: Bench) -> None:
    bench.model.says("lead", "hello")
    without = {"fake": replace(ACCESS["fake"], owner_id=None)}
    async with running(bench, access=without) as visitor:
        bench.chat.hears("hi")
        await bench.chat.said(OutboundKind.REPLY)
        page = await find_conversation(visitor)
        for path in ("words", "stop"):
            answer = await visitor.post(f"{page}/{path}", form="f", words="hello")
            assert (answer.status_code, refusals.NO_ACCOUNT(channel="fake") in answer.text) == (409, True)


async def test_what_is_about_nothing_is_refused(bench: Bench) -> None:
    refused = {
        "/conversations/none/words": refusals.NO_SUCH_CONVERSATION(),
        "/turns/t9/0/stop": refusals.NO_SUCH_DELEGATION(),
        "/questions/none": refusals.NO_SUCH_QUESTION(),
    }
    async with running(bench) as visitor:
        for path, why in refused.items():
            answer = await visitor.post(path, form="f", words="hello")
            assert why in answer.text
            assert answer.status_code == 409
        answer = await visitor.post("/conversations/none/words", form="f", words=" \n")
        assert refusals.NO_WORDS() in answer.text
        other = await asyncio.to_thread(ask_running_bot, bench.data, PATIENCE, ask=PAGE_REQUEST, version="0")
        assert other == {"refused": refusals.OTHER_VERSION(running=VERSION, own="0")}


async def test_while_the_bot_is_away_words_stay_in_the_form(visitor: Visitor) -> None:
    answer = await visitor.post("/conversations/a/words", form="kept", words="<b>hello</b>")
    assert answer.status_code == 409
    assert refusals.BOT_AWAY() in answer.text
    assert "&lt;b&gt;hello&lt;/b&gt;</textarea>" in answer.text
    assert 'name="form" value="kept"' in answer.text


PATHS = ("/conversations/a/words", "/conversations/a/stop", "/turns/t1/1/0/words", "/turns/t1/1/0/stop", "/questions/q")


@pytest.mark.fast
async def test_no_other_site_and_nobody_without_a_login_hands_in_words(visitor: Visitor) -> None:
    words = {"form": "f", "words": "hello"}
    foreign: list[dict[str, str]] = [
        {"origin": "http://evil.example"},
        {},
        {"origin": visitor.origin, "sec-fetch-site": "cross-site"},
    ]
    for path in PATHS:
        for headers in foreign:
            assert (await visitor.client.post(path, data=words, headers=headers)).status_code == 403
    visitor.forget_login()
    for path in PATHS:
        answer = await visitor.post(path, **words)
        assert (answer.status_code, answer.headers["location"]) == (303, "/login")


@pytest.mark.parametrize("is_told", [True, False], ids=["after the page was told", "before it was told"])
def test_killed_once_the_words_are_taken_the_bot_answers_them_once(tmp_path: Path, is_told: bool) -> None:
    bench, about = Bench(tmp_path), "fake:room#1"
    words = PageWords(form="f", act=PageAct.WRITE, about=about, text="and now?")

    async def serve(services: BotServices) -> None:
        async def take_and_die(request: Request, reader: StreamReader, writer: StreamWriter) -> None:
            if is_told:
                await make_page_answerer(services.page, VERSION)(request, reader, writer)
            else:
                await services.page.take(read_words(request))
            os.kill(os.getpid(), signal.SIGKILL)

        await ControlServer(bench.data, {PAGE_REQUEST: take_and_die}).run()

    async def hand_in() -> bool:
        try:
            await BotBesidePage(bench.data, VERSION).take(words)
        except WordsRefused:
            return False
        return True

    async def is_killed() -> None:
        bench.model.says("lead", "hello", Pause())
        async with bench.run(serve_control_socket=serve):
            hears_owner(bench, "hi")
            await bench.chat.said(OutboundKind.REPLY)
            assert await hand_in() is is_told
            raise AssertionError("it was killed before")

    async def goes_on() -> None:
        bench.model.says("lead", "all is well")
        async with bench.run(serve_control_socket=lambda services: serve_control(bench, services)):
            assert await bench.chat.said(OutboundKind.REPLY) == "all is well"
            assert await hand_in()

    assert apart(lambda: asyncio.run(is_killed())) == signal.SIGKILL
    bench.model, bench.chat = ScriptedModel(), FakeChannel()
    asyncio.run(goes_on())
    assert bench.count("inbox", "key GLOB 'page:*' AND state = 'done'") == 1
    assert bench.count("turns") == 2
