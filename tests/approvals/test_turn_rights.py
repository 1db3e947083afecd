"""A turn keeps no right that its person has lost: it ends what the turn does at its next call."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from bot.core.acts import Effect
from bot.core.messages import OutboundKind
from bot.core.rights import Right
from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import model
from bot.core.turn import CallKind
from bot.tools import Arguments, Tool, ToolContext
from bot.tools.web import web_tools
from tests.approvals.test_held_calls import ACCESS
from tests.approvals.test_who_may_agree import tools_with_right
from tests.support.bench import Bench
from tests.support.fakes import Pause, reply, role, uses
from tests.support.mailing import Post

REPLY, NOTICE = OutboundKind.REPLY, OutboundKind.NOTICE
MAIL = uses("mail", to="ann@team.example", text="x")
NOT_PERMITTED = model.NOT_PERMITTED(person="Ann", right=Right.MEMORY)
RIGHTS_LOST = model.RIGHTS_LOST(person="Ann", rights=Right.MEMORY)


@asynccontextmanager
async def running(bench: Bench, post: Post, *tools: Tool) -> AsyncIterator[None]:
    names = [each.name for each in tools]
    bench.roles[LEAD_ROLE_NAME] = role("lead", "delegate", "note", "mail", *names, delegates_to=None)
    bench.roles["researcher"] = role("researcher", "note", "mail", *names)
    async with bench.run(tools=[*tools_with_right(post), *tools], access=ACCESS):
        yield


async def take(bench: Bench, right: Right) -> None:
    bench.chat.hears(f"/people fake Ann take {right}", by="Owner", chat="private")
    await bench.chat.said(NOTICE)


def slow(kind: CallKind, reached: asyncio.Event, go_on: asyncio.Event) -> Tool:
    async def wait(context: ToolContext, arguments: Arguments) -> str:
        reached.set()
        await go_on.wait()
        return "waited"

    [tool] = [each for each in Post().tools() if each.name == "look"]
    return replace(tool, name="slow", kind=kind, effects=frozenset({Effect.KEEPS}), run=wait)


@pytest.mark.fast
async def test_a_right_that_goes_while_the_model_writes_stops_its_calls(bench: Bench, post: Post) -> None:
    writes = Pause(reply(MAIL, uses("note")))
    bench.model.says("lead", writes, reply(MAIL, uses("note")), "Done.")
    async with running(bench, post):
        bench.chat.hears("go")
        await writes.reached.wait()
        await take(bench, Right.MEMORY)
        writes.go_on.set()
        assert await bench.chat.said(REPLY) == "Done."
    assert bench.model.heard("lead", 1) == [RIGHTS_LOST, RIGHTS_LOST]
    assert bench.model.heard("lead") == [NOT_PERMITTED, "noted"]
    assert post.sent == []


@pytest.mark.parametrize("kind", [CallKind.READ, CallKind.CHANGE])
async def test_a_right_that_goes_while_a_call_runs_stops_the_next_one(bench: Bench, post: Post, kind: CallKind) -> None:
    reached, go_on = asyncio.Event(), asyncio.Event()
    together = [uses("slow"), MAIL] if kind is CallKind.CHANGE else [uses("slow")]
    bench.model.says("lead", reply(*together), reply(MAIL), "Done.")
    async with running(bench, post, slow(kind, reached, go_on)):
        bench.chat.hears("go")
        await reached.wait()
        await take(bench, Right.MEMORY)
        go_on.set()
        assert await bench.chat.said(REPLY) == "Done."
    assert bench.model.heard("lead", 1) == ["waited", NOT_PERMITTED][: len(together)]
    assert bench.model.heard("lead") == [NOT_PERMITTED]
    assert post.sent == []


async def test_a_delegation_loses_what_its_person_loses(bench: Bench, post: Post) -> None:
    writes = Pause(reply(MAIL))
    bench.model.says("lead", reply(uses("delegate", role="researcher", task="mail it")), "Done.")
    bench.model.says("researcher", writes, "No.")
    async with running(bench, post):
        bench.chat.hears("go", group_chat="room")
        await writes.reached.wait()
        await take(bench, Right.MEMORY)
        writes.go_on.set()
        assert await bench.chat.said(REPLY) == "Done."
    assert bench.model.heard("researcher") == [RIGHTS_LOST]
    assert post.sent == []


async def test_the_web_of_the_models_server_goes_with_its_right(bench: Bench, post: Post) -> None:
    writes = Pause(reply(uses("note")))
    bench.model.says("lead", writes, reply(uses("web_search", query="x")), "Done.")
    async with running(bench, post, *web_tools()):
        bench.chat.hears("go")
        await writes.reached.wait()
        await take(bench, Right.WEB)
        writes.go_on.set()
        assert await bench.chat.said(REPLY) == "Done."
    served = [(request.server_tools, request.may_lose_thinking) for request in bench.model.seen]
    web = frozenset(each.name for each in web_tools())
    assert served == [(web, False), (frozenset(), True), (frozenset(), True)]
    assert bench.model.heard("lead") == [model.NOT_PERMITTED(person="Ann", right=Right.WEB)]


async def test_what_is_given_back_counts_for_the_next_turn(bench: Bench, post: Post) -> None:
    writes = Pause(reply(MAIL))
    bench.model.says("lead", writes, "Done.", reply(MAIL), "Sent.")
    async with running(bench, post):
        bench.chat.hears("go")
        await writes.reached.wait()
        await take(bench, Right.MEMORY)
        writes.go_on.set()
        assert await bench.chat.said(REPLY) == "Done."
        bench.chat.hears(f"/people fake Ann give {Right.MEMORY}", by="Owner", chat="private")
        await bench.chat.said(NOTICE)
        bench.chat.hears("go")
        assert await bench.chat.said(REPLY) == "Sent."
    assert len(post.sent) == 1
