"""A long draft where none is anchored: free of labels like a short one, and never shown once its reply is said."""

import asyncio

import pytest

from bot.core.messages import OutboundKind
from bot.engine.drafts import MAX_DRAFT_CHARACTERS_ON_EVENT_LOOP
from tests.support.bench import Bench
from tests.support.patience import PATIENCE
from tests.support.writing_model import Writes, drained


@pytest.mark.parametrize("length", [1, MAX_DRAFT_CHARACTERS_ON_EVENT_LOOP])
async def test_a_draft_has_no_labels(bench: Bench, length: int) -> None:
    step = Writes("done")
    bench.model.says("lead", step)
    async with bench.run():
        bench.chat.hears("write")
        step.shows("[Analyst]: sell. " + "a" * length)
        async with asyncio.timeout(PATIENCE):
            while not (draft := await bench.chat.drafts.get()).text:  # it is seen typing first
                pass
        assert draft.text.startswith("(Analyst): sell. ")
        step.ends()
        assert await bench.chat.said(OutboundKind.REPLY) == "done"


async def test_a_long_draft_that_is_late_is_not_shown_behind_its_reply(bench: Bench) -> None:
    """It is so long that the reply is said while it is made free of labels."""
    step = Writes("done")
    bench.model.says("lead", step)
    async with bench.run():
        bench.chat.hears("write")
        step.shows("[Analyst]: sell. " * 60_000)
        step.ends()
        await bench.chat.said(OutboundKind.REPLY)
        drained(bench.chat.drafts)
        for _ in range(100):
            await asyncio.sleep(0.01)
            assert drained(bench.chat.drafts) == []
