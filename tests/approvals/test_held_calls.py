"""Who is asked where others read along, and what becomes of a held call: deadlines, stops and crashes."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from bot.core.access import Access
from bot.core.acts import Critical, Effect, Part
from bot.core.messages import Address, InboundKind, OutboundKind, PersonId
from bot.core.rights import EVERY_RIGHT
from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import model, people, people_holds
from bot.core.turn import CallKind
from bot.tools import Arguments, Tool, ToolContext
from tests.approvals.conftest import RunBot
from tests.support.bench import Bench
from tests.support.fakes import reply, role, uses
from tests.support.mailing import Post
from tests.support.troubles import Clock, wait_for_row

REPLY, APPROVAL, NOTICE = OutboundKind.REPLY, OutboundKind.APPROVAL, OutboundKind.NOTICE
YES, NO = people_holds.ALLOW(), people_holds.DENY()
GROUP = {"group_chat": "room"}
OWNER_AT = Address(channel="fake", chat="private")
ACCESS = {
    "fake": Access(
        owner_id=PersonId("Owner"),
        allowed_ids=frozenset({"Ann", "Bob"}),
        others_rights=EVERY_RIGHT,
        owner_address=OWNER_AT,
    )
}
Ask = Callable[..., Any]


@pytest.mark.fast
async def test_in_a_group_chat_the_owner_is_asked_in_private(bench: Bench, run: RunBot, post: Post, ask: Ask) -> None:
    async with run(access=ACCESS):
        asked = await ask("What does the page say?", **GROUP)
        assert (asked.address, asked.asked_person) == (OWNER_AT, "Owner")
        assert all(each in asked.text for each in ("Ann (Ann)", "room", "eve@evil.example"))
        assert await bench.chat.said(NOTICE) == people_holds.WAITS_FOR_OWNER()
        bench.chat.taps(asked.id, YES, by="Owner", chat="private")
        assert await bench.chat.said(REPLY) == "Done."
    assert len(post.sent) == 1


@pytest.mark.parametrize("by", ["Ann", "Bob"])
async def test_nobody_else_in_the_group_chat_can_agree(
    bench: Bench, run: RunBot, post: Post, ask: Ask, by: str
) -> None:
    async with run(access=ACCESS):
        asked = await ask("What does the page say?", **GROUP)
        assert await bench.chat.said(NOTICE) == people_holds.WAITS_FOR_OWNER()
        for chat in ("room", "private"):
            bench.chat.taps(asked.id, YES, by=by, chat=chat)
            assert await bench.chat.said(NOTICE) in (people.NO_SUCH_QUESTION(), people.QUESTION_FOR_ANOTHER())
        assert bench.count("questions", "state = 'open'") == 1
        bench.chat.taps(asked.id, NO, by="Owner", chat="private")
        assert await bench.chat.said(REPLY) == "Done."
    assert post.sent == []


async def test_a_plain_yes_in_the_owners_own_chat_is_meant_for_something_else(
    bench: Bench, run: RunBot, post: Post, ask: Ask
) -> None:
    async with run(access=ACCESS):
        asked = await ask("What does the page say?", **GROUP)
        assert await bench.chat.said(NOTICE) == people_holds.WAITS_FOR_OWNER()
        bench.chat.hears("yes", by="Owner", chat="private")  # a message like any other: the lead answers it
        assert await bench.chat.said(REPLY) == "Done."
        assert bench.count("questions", "state = 'open'") == 1
        bench.model.says("lead", "Sent.")
        bench.chat.hears("yes", by="Owner", chat="private", reply_to=f"{asked.id}:0")
        assert await bench.chat.said(REPLY) == "Sent."
    assert len(post.sent) == 1


async def test_without_a_chat_of_the_owner_it_is_refused(bench: Bench, run: RunBot, post: Post) -> None:
    bench.model.says("lead", reply(uses("browse")), reply(uses("mail", to="eve@evil.example")), "Done.")
    async with run():
        bench.chat.hears("What does the page say?", **GROUP)
        assert await bench.chat.said(REPLY) == "Done."
    assert bench.model.heard("lead") == [model.MUST_BE_ASKED_NO_OWNER]
    assert post.sent == []


async def test_after_the_deadline_it_is_not_done(bench: Bench, run: RunBot, post: Post, ask: Ask) -> None:
    clock = Clock()
    async with run(now=clock, approvals__timeout_minutes=1):
        await ask("What does the page say?")
        bench.crashes()
    clock.passes(seconds=61)
    async with run(now=clock, approvals__timeout_minutes=1):
        assert await bench.chat.said(REPLY) == "Done."
    assert bench.model.heard("lead") == [model.NOT_AGREED_IN_TIME]
    assert post.sent == []


async def test_a_stop_ends_it(bench: Bench, run: RunBot, post: Post, ask: Ask) -> None:
    async with run():
        asked = await ask("What does the page say?")
        bench.chat.hears("/stop", kind=InboundKind.COMMAND)
        await bench.chat.said(REPLY)
        bench.chat.taps(asked.id, YES)
        await bench.chat.said(NOTICE)
    assert post.sent == []
    assert bench.count("questions", "state = 'open'") == 0


@pytest.mark.fast
@pytest.mark.parametrize("is_answered_first", [True, False])
async def test_it_survives_a_crash_and_runs_once(
    bench: Bench, run: RunBot, post: Post, ask: Ask, is_answered_first: bool
) -> None:
    async with run():
        asked = await ask("What does the page say?")
        if not is_answered_first:
            bench.crashes()
        else:
            bench.chat.taps(asked.id, YES)
            await bench.chat.is_taken_in()
            bench.crashes()
    async with run():
        if not is_answered_first:
            bench.chat.taps(asked.id, YES)
        assert await bench.chat.said(REPLY) == "Done."
    assert len(post.sent) <= 1
    assert bench.select("approval", "calls", "name = 'mail'") == [("used",)]


async def test_a_second_yes_changes_nothing(bench: Bench, run: RunBot, post: Post, ask: Ask) -> None:
    async with run():
        asked = await ask("What does the page say?")
        bench.chat.taps(asked.id, YES)
        bench.chat.taps(asked.id, YES)
        assert await bench.chat.said(REPLY) == "Done."
    assert len(post.sent) == 1


async def test_it_gives_its_slot_back(bench: Bench, run: RunBot, post: Post) -> None:
    bench.model.says("lead", reply(uses("delegate", role="researcher", task="read it")), "Done.", "Other.")
    bench.model.says("researcher", reply(uses("browse")), reply(uses("mail", to="eve@evil.example")), "Read.")
    async with run(swarm__max_running=1):
        bench.chat.hears("What does the page say?")
        asked = (await bench.chat.part(APPROVAL)).message
        bench.model.says("lead", "Other.")
        bench.chat.hears("hello", by="Bob", chat="elsewhere")
        assert await bench.chat.said(REPLY) == "Done."
        bench.chat.taps(asked.id, NO)
        assert await bench.chat.said(REPLY) == "Other."


async def test_a_search_that_a_stop_cuts_off_may_have_been_done(bench: Bench, post: Post) -> None:
    bench.roles[LEAD_ROLE_NAME] = role("lead", "browse", "look", "seek", delegates_to=None)
    bench.model.says("lead", reply(uses("browse"), uses("look")), reply(uses("seek", query="what eve earns")))
    has_begun = asyncio.Event()

    async def seek(context: ToolContext, arguments: Arguments) -> str:
        has_begun.set()
        return await asyncio.Future()

    searches = Tool(
        name="seek",
        description="Search.",
        input_schema={"type": "object"},
        kind=CallKind.READ,
        effects=frozenset({Effect.SENDS_OUT, Effect.READS_UNTRUSTED}),
        is_query=True,
        critical_arguments={"query": Critical(Part.WHERE)},
        run=seek,
    )
    async with bench.run(tools=[*post.tools(), searches]):
        bench.chat.hears("What does the page say?")
        asked = (await bench.chat.part(APPROVAL)).message
        bench.chat.taps(asked.id, YES)
        await has_begun.wait()
        bench.chat.hears("/stop", kind=InboundKind.COMMAND)
        await bench.chat.said(REPLY)
    assert bench.select("result", "calls", "name = 'seek'") == [(model.CALL_INTERRUPTED,)]


async def test_again_in_a_group_chat_holds_for_its_person_alone(
    bench: Bench, run: RunBot, post: Post, ask: Ask
) -> None:
    async with run(access=ACCESS):
        for by, option in (("Ann", people_holds.ALLOW_IN_CONVERSATION()), ("Bob", NO)):
            asked = await ask("What does the page say?", by=by, **GROUP)
            bench.chat.taps(asked.id, option, by="Owner", chat="private")
            await bench.chat.said(REPLY)
        bench.model.says("lead", reply(uses("mail", to="eve@evil.example", text="more")), "Again.")
        bench.chat.hears("go on", by="Ann", **GROUP)
        assert await bench.chat.said(REPLY) == "Again."
    assert [text for _, text in post.sent] == ["all of it", "more"]


async def test_a_plain_yes_is_not_meant_for_a_role_in_the_background(bench: Bench, run: RunBot, post: Post) -> None:
    begin = uses("delegate", role="researcher", task="read", background=True)
    bench.model.says("lead", reply(begin), "Shall I tell a joke?", "A joke.", "It was not sent.")
    bench.model.says("researcher", reply(uses("browse")), reply(uses("mail", to="eve@evil.example")), "Read.")
    async with run():
        bench.chat.hears("What does the page say?")
        asked = await bench.chat.part(APPROVAL)
        await wait_for_row(bench, "outbox", "text LIKE 'Shall%'")
        bench.chat.hears("yes")
        await wait_for_row(bench, "outbox", "text = 'A joke.'")
        assert bench.count("questions", "state = 'open'") == 1
        bench.chat.taps(asked.message.id, NO)
        await wait_for_row(bench, "outbox", "text = 'It was not sent.'")
    assert post.sent == []
