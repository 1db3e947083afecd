"""A call that a person has agreed to is judged again when it begins: their yes holds for what they were asked for."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.core.acts import ActKind, Critical, Effect, Effects, Part
from bot.core.messages import OutboundKind, OutboundMessage, PersonId
from bot.core.texts import model, people_holds
from bot.tools import Arguments, ToolContext
from tests.approvals.conftest import RunBot
from tests.approvals.test_held_calls import ACCESS, GROUP
from tests.support.bench import Bench
from tests.support.fakes import reply, uses
from tests.support.mailing import Post
from tests.support.troubles import Clock, wait_for_row

REPLY, APPROVAL = OutboundKind.REPLY, OutboundKind.APPROVAL
YES, NO, AGAIN = people_holds.ALLOW(), people_holds.DENY(), people_holds.ASKED_AGAIN()
ANN, EVE = "ann@team.example", "eve@evil.example"
CODE = "47110815"
Hold = Callable[..., Any]


@pytest.fixture
def hold(bench: Bench) -> Hold:
    """Have the lead mail somebody while a role works, and return the question about the mail when the role is done."""

    async def hold(words: str, text: str, *calls: Any, **fields: Any) -> OutboundMessage:
        work = uses("delegate", role="researcher", task="look")
        bench.model.says("lead", reply(uses("browse")), reply(work, uses("mail", to=EVE, text=text)), "Done.")
        bench.model.says("researcher", reply(*calls), "Looked.")
        bench.chat.hears(words, **fields)
        asked = (await bench.chat.part(APPROVAL)).message
        await wait_for_row(bench, "calls", "name = 'delegate' AND state = 'done'")
        return asked

    return hold


@pytest.mark.fast
@pytest.mark.parametrize("answer", [YES, NO])
async def test_private_words_that_came_meanwhile_ask_again(
    bench: Bench, run: RunBot, post: Post, hold: Hold, answer: str
) -> None:
    async with run():
        first = await hold("What does the page say?", f"code {CODE}", uses("look"))
        assert AGAIN not in first.text
        bench.chat.taps(first.id, YES)
        second = (await bench.chat.part(APPROVAL)).message
        assert AGAIN in second.text
        assert people_holds.POINTER_IN_TEXT(value=CODE) in second.text
        assert post.sent == []
        bench.chat.taps(second.id, answer)
        assert await bench.chat.said(REPLY) == "Done."
    assert len(post.sent) == (answer == YES)
    assert len(bench.model.heard("lead")) == 2
    assert (model.NOT_AGREED(answer=NO) in bench.model.heard("lead")) is (answer == NO)


async def test_a_yes_holds_if_nothing_new_is_in_doubt(bench: Bench, run: RunBot, post: Post, hold: Hold) -> None:
    async with run():
        asked = await hold("What does the page say?", "all of it", uses("look"), uses("browse"))
        bench.chat.taps(asked.id, YES)
        assert await bench.chat.said(REPLY) == "Done."
    assert post.sent == [(EVE, "all of it")]
    assert bench.count("questions") == 1


async def test_if_nobody_can_be_asked_again_the_model_is_told(bench: Bench, post: Post, hold: Hold) -> None:
    tools, silent = post.tools(), {"fake": replace(ACCESS["fake"], owner_address=None)}
    async with bench.run(tools=tools, access=ACCESS):
        asked = await hold("What does the page say?", f"code {CODE}", uses("look"), **GROUP)
        bench.crashes()
    async with bench.run(tools=tools, access=silent):
        bench.chat.taps(asked.id, YES, by="Owner", chat="private")
        assert await bench.chat.said(REPLY) == "Done."
    assert model.MUST_BE_ASKED_NO_OWNER in bench.model.heard("lead")
    assert post.sent == []


async def test_an_act_that_another_role_has_done_meanwhile_counts(
    bench: Bench, run: RunBot, post: Post, hold: Hold
) -> None:
    async with run():
        first = await hold(f"Send a mail to {ANN}", "x", uses("mail", to=ANN, text="x"))
        bench.chat.taps(first.id, YES)
        second = (await bench.chat.part(APPROVAL)).message
        assert people_holds.TOO_MANY(value="1") in second.text
        bench.chat.taps(second.id, NO)
        assert await bench.chat.said(REPLY) == "Done."
    assert post.sent == [(ANN, "x")]


async def test_calls_that_one_yes_lets_run_do_not_count_against_each_other(
    bench: Bench, run: RunBot, post: Post
) -> None:
    mails = [uses("mail", to=f"{name}@evil.example", text="x") for name in ("eve", "mallory")]
    bench.model.says("lead", reply(uses("browse")), reply(*mails), "Done.")
    async with run():
        bench.chat.hears(f"Send a mail to {ANN}")
        bench.chat.taps((await bench.chat.part(APPROVAL)).message.id, YES)
        assert await bench.chat.said(REPLY) == "Done."
    assert len(post.sent) == 2


async def test_a_day_that_was_named_stays_that_day_while_it_waits(bench: Bench, post: Post) -> None:
    clock, times = Clock(), {"to": Critical(Part.WHO), "at": Critical(Part.WHEN)}
    clock.time = datetime(2026, 3, 1, 23, 59, tzinfo=UTC)
    tools = [replace(each, critical_arguments=times) if each.name == "mail" else each for each in post.tools()]
    bench.model.says("lead", reply(uses("browse")), reply(uses("mail", to=EVE, at="2026-03-02")), "Done.")
    async with bench.run(tools=tools, now=clock):
        bench.chat.hears("Send it tomorrow")
        asked = (await bench.chat.part(APPROVAL)).message
        assert people_holds.VALUE_FROM_OUTSIDE(value=EVE) in asked.text
        clock.passes(days=1, minutes=2)
        bench.chat.taps(asked.id, YES)
        assert await bench.chat.said(REPLY) == "Done."
    assert len(post.sent) == 1


async def test_a_tool_that_is_gone_meanwhile_is_told(bench: Bench, post: Post, hold: Hold) -> None:
    async with bench.run(tools=post.tools()):
        asked = await hold("What does the page say?", "x", uses("browse"))
        bench.crashes()
    async with bench.run(tools=[each for each in post.tools() if each.name != "mail"]):
        bench.chat.taps(asked.id, YES)
        assert await bench.chat.said(REPLY) == "Done."
    assert any("no tool 'mail'" in each for each in bench.model.heard("lead"))
    assert bench.select("approval, state", "calls", "name = 'mail'") == [("granted", "done")]


async def test_a_yes_of_somebody_who_is_no_owner_any_more_is_void(bench: Bench, post: Post, ask: Hold) -> None:
    async with bench.run(tools=post.tools(), access=ACCESS):
        await ask("What does the page say?", **GROUP)
        bench.crashes()
    with closing(sqlite3.connect(bench.data / "bot.db")) as db, db:  # the owner agrees just before the crash
        db.execute("UPDATE questions SET state = 'answered', answer = ?", (YES,))
        db.execute("UPDATE calls SET kind = held_kind, held_kind = NULL, approval = 'granted' WHERE name = 'mail'")
    async with bench.run(tools=post.tools(), access={"fake": replace(ACCESS["fake"], owner_id=PersonId("Zoe"))}):
        assert await bench.chat.said(REPLY) == "Done."
    assert bench.model.heard("lead") == [model.AGREEMENT_IS_VOID]
    assert post.sent == []


async def test_a_yes_to_something_new_replaces_nothing(bench: Bench, post: Post, hold: Hold) -> None:
    effects = {Effect.MAKES_NEW}

    async def find_effects(context: ToolContext, arguments: Arguments) -> Effects:
        return frozenset(effects)

    acts, either = frozenset({ActKind.MAKE, ActKind.CHANGE}), frozenset({Effect.MAKES_NEW, Effect.REPLACES})
    tools = [
        replace(each, acts=acts, effects=either, find_effects=find_effects) if each.name == "mail" else each
        for each in post.tools()
    ]
    async with bench.run(tools=tools):
        first = await hold(f"What does the page say to {EVE}?", "x", uses("browse"))
        effects = {Effect.REPLACES}
        bench.chat.taps(first.id, YES)
        second = (await bench.chat.part(APPROVAL)).message
        assert AGAIN in second.text
        assert post.sent == []
        bench.chat.taps(second.id, YES)
        assert await bench.chat.said(REPLY) == "Done."
    assert len(post.sent) == 1
