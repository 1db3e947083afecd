"""Runs of schedules that hand work on or send something: what they may use and cost, and what is shown of them."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from bot.core.messages import OutboundKind
from bot.core.prices import Usage
from bot.core.settings import Settings
from bot.core.texts import model, reasons
from bot.core.texts import model_schedules as texts
from bot.delegation import texts as delegation_texts
from tests.support.delegation_calls import heard
from tests.support.fakes import delegates, reply, role, uses
from tests.support.group_bots import at
from tests.support.mailing import Post, make_echo
from tests.support.schedule_bot import ScheduleBot
from tests.support.wording import says

DAY = timedelta(days=1)
DAILY = {"task": "have it written", "repeat": "FREQ=DAILY"}


async def make(bot: ScheduleBot, **more: object) -> None:
    bot.bench.roles["writer"] = role("writer", "read", "change", "message")
    async with bot.run():
        await bot.calls(("schedule_create", {**DAILY, **more}))


async def test_a_delegation_of_a_run_has_only_the_tools_of_its_schedule(bot: ScheduleBot) -> None:
    await make(bot, tools=["delegate", "read"])
    bot.bench.model.says("lead", delegates("writer"), "done")
    bot.bench.model.says("writer", reply(uses("read"), uses("change")), "written")
    async with bot.run(after=DAY):
        assert await bot.bench.chat.said(OutboundKind.REPLY) == "done"
    of_read, of_change = heard(bot.bench, "writer")
    assert of_read == ("read", False)
    assert of_change[1]
    assert bot.bench.changed == []


async def test_a_run_grants_no_shell_that_its_schedule_does_not_list(bot: ScheduleBot) -> None:
    """The lead has no shell itself, and may grant it to roles elsewhere."""
    tools = [replace(make_echo(), name="shell")]
    bot.bench.roles["coder"] = role("coder", "shell")
    async with bot.run(assembly={"tools": tools}):
        await bot.calls(
            ("delegate", {"role": "coder", "task": "try"}), ("schedule_create", {**DAILY, "tools": ["delegate"]})
        )
    bot.bench.model.says("lead", delegates("coder"), "done")
    bot.bench.model.says("coder", reply(uses("shell")), "found")
    async with bot.run(after=DAY, assembly={"tools": tools}):
        await bot.until(bot.runs_that_ended)
    first, second = [request.prefix.tools for request in bot.bench.model.asked("coder")][:2]
    assert "shell" in [tool["name"] for tool in first]
    assert "shell" not in [tool["name"] for tool in second]


async def test_without_a_list_of_tools_a_run_does_not_delegate(bot: ScheduleBot) -> None:
    await make(bot)
    bot.bench.model.says("lead", delegates("writer"), "done")
    async with bot.run(after=DAY):
        assert await bot.bench.chat.said(OutboundKind.REPLY) == "done"
    [(refusal, is_error)] = heard(bot.bench)
    assert is_error
    assert says(refusal, texts.NOT_IN_THIS_RUN, tool="delegate")


async def test_what_a_run_delegates_is_not_shown_on_the_way(bot: ScheduleBot) -> None:
    await make(bot, tools=["delegate"])
    bot.bench.model.says("lead", delegates("writer"), texts.NOTHING_TO_REPORT)
    bot.bench.model.says("writer", reply(uses("message", text="I begin")), "written")
    posted = bot.bench.count("outbox")
    async with bot.run(after=DAY):
        await bot.until(bot.runs_that_ended)
    assert bot.bench.count("outbox") == posted, "neither a board nor an update"
    assert heard(bot.bench, "writer") == [(model.NOT_SHOWN_IN_SCHEDULED_RUN, False)]


async def test_a_run_delegates_nothing_to_the_background(bot: ScheduleBot) -> None:
    await make(bot, tools=["delegate"])
    bot.bench.model.says("lead", delegates("writer", background=True), "done")
    async with bot.run(after=DAY):
        assert await bot.bench.chat.said(OutboundKind.REPLY) == "done"
    assert heard(bot.bench) == [(delegation_texts.BACKGROUND_IN_RUN, True)]


async def test_the_money_of_a_run_bounds_its_delegations(bot: ScheduleBot) -> None:
    await make(bot, tools=["delegate", "read"])
    bot.bench.roles["writer"] = role("writer", "read", model=Settings().model.lead)
    bot.bench.model.says("lead", delegates("writer"), "too dear")
    bot.bench.model.says("writer", reply(uses("read"), usage=Usage(input=45_000, output=0)), "no more")
    async with bot.run(after=DAY, schedules__run_usd=5.0):
        await bot.until(bot.runs_that_ended)
    [(status, reason, highest)] = bot.bench.select("status, reason, max_cost", "turns", "role = 'writer'")
    assert (status, reason) == ("budget", reasons.TURN_BUDGET_USED())
    assert highest < 250_000
    assert bot.bench.select("cost <= 250000, max_cost", "turns", "schedule != 0") == [(1, 250_000)]


async def test_a_run_sends_where_the_words_of_its_schedule_say_and_else_waits(bot: ScheduleBot) -> None:
    more: dict[str, Any] = {"assembly": {"tools": Post().tools()}, "send_to_other_chats": True}
    daily = {**DAILY, "task": "read the page, send hello to fake:den", "tools": ["browse", "send_message"]}
    bot.bench.model.says("lead", "hi", "hi", reply(uses("schedule_create", **daily)), "planned")
    async with bot.run(**more):
        for chat in ("den", "attic"):
            bot.bench.chat.hears("hi", chat=chat, group_chat=chat, sent_at=bot.now)
            assert await bot.bench.chat.said() == "hi"
        bot.bench.chat.hears("Each day read the page and send hello to fake:den.", sent_at=bot.now)
        assert await bot.bench.chat.said() == "planned"
    sends = [reply(uses("send_message", chat=f"fake:{chat}", text="Hello.")) for chat in ("den", "attic")]
    bot.bench.model.says("lead", reply(uses("browse")), *sends, "done")
    async with bot.run(after=DAY, **more):
        sent = await bot.bench.chat.part(OutboundKind.NOTICE)
        assert sent.message.address == at("den")
        assert "fake:attic" in (await bot.bench.chat.part(OutboundKind.APPROVAL)).text
    assert bot.bench.count("outbox", "address = 'fake:attic' AND kind = 'notice'") == 0
