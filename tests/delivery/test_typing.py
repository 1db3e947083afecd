"""What is seen of a turn where drafts are no messages: the text as it grows, or only that somebody is at work."""

import asyncio

from bot.core.messages import OutboundKind
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause, delegates, reply, uses
from tests.support.patience import PATIENCE
from tests.support.troubles import goes_round
from tests.support.writing_model import QUICK, Writes, drained


async def test_drafts_without_anchors_are_shown_and_not_stored(bench: Bench) -> None:
    step = Writes("Hello Ann")
    bench.model.says("lead", step)
    async with bench.run(**QUICK):
        bench.chat.hears("hello")
        assert (await bench.chat.drafts.get()).text == ""
        step.shows("Hello")
        assert (await bench.chat.drafts.get()).text == "Hello"
        step.ends()
        assert await bench.chat.said() == "Hello Ann"
        assert bench.rows("SELECT kind FROM outbox") == [("reply",)]


async def test_a_delegations_drafts_are_shown_to_nobody(bench: Bench) -> None:
    step = Writes("found")
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", step)
    async with bench.run(**QUICK):
        bench.chat.hears("look")
        step.shows("private thoughts")
        step.ends()
        assert await bench.chat.said() == "there"
        assert not any(draft.text for draft in drained(bench.chat.drafts))


async def test_a_chapters_summary_is_shown_to_nobody(bench: Bench) -> None:
    step = Writes("a summary")
    bench.model.says("lead", "one")
    async with bench.run(**QUICK):
        bench.chat.hears("hello")
        assert await bench.chat.said() == "one"
    bench.roles["lead"] = bench.roles["analyst"]  # another prefix, so another chapter
    bench.model.says("analyst", "two")
    bench.model.says("lead", step)
    async with bench.run(**QUICK):
        bench.chat.hears("again")
        step.shows("a summ")
        step.ends()
        assert await bench.chat.said() == "two"
        assert not any(draft.text for draft in drained(bench.chat.drafts))


async def test_somebody_at_work_is_seen_to_be_and_nobody_who_waits_for_a_person(bench: Bench) -> None:
    pause = Pause(reply(uses("ask_person", question="which?")))
    bench.model.says("lead", pause, "so be it")
    async with bench.run(**engine_options(typing_interval_seconds=0.01)):
        bench.chat.hears("go")
        for _ in range(3):
            async with asyncio.timeout(PATIENCE):
                assert (await bench.chat.drafts.get()).text == ""
        pause.go_on.set()
        await bench.chat.part(OutboundKind.QUESTION)
        await goes_round(bench)
        drained(bench.chat.drafts)
        await goes_round(bench)
        assert bench.chat.drafts.empty()
    async with bench.run(**engine_options(typing_interval_seconds=0.01)):
        await goes_round(bench)
        drained(bench.chat.drafts)  # before it was seen that all rest
        await goes_round(bench)
        assert bench.chat.drafts.empty()


async def test_a_typing_indicator_holds_up_no_draft(bench: Bench) -> None:
    bench.chat.is_anchoring = True
    step = Writes("Hello Ann")
    bench.model.says("lead", step)
    async with bench.run(
        **engine_options(draft_delay_seconds=0.05, draft_edit_seconds=(0,), typing_interval_seconds=0.001)
    ):
        bench.chat.hears("hello")
        draft = asyncio.ensure_future(bench.chat.part(OutboundKind.DRAFT))
        while not draft.done():
            step.shows("Hello")
            await asyncio.sleep(0)
        assert draft.result().text == "…"
        step.ends()
