"""What the lead says beside its calls takes over the message that showed it growing."""

import pytest

from bot.core.content_blocks import text_block
from bot.core.errors import DeliveryError, NotDelivered
from bot.core.messages import OutboundKind
from tests.support.anchoring_chats import Recording, anchoring_and_uneven, has_deleted
from tests.support.bench import Bench
from tests.support.fakes import Pause, delegates, reply
from tests.support.troubles import wait_for_row
from tests.support.writing_model import QUICK, Writes, see_a_draft

REPLY, UPDATE, NOTICE = OutboundKind.REPLY, OutboundKind.UPDATE, OutboundKind.NOTICE
GONE = DeliveryError("message to edit not found")
DELEGATES = reply(text_block("I let it be looked up"), *delegates("researcher").content)


async def test_the_leads_update_beside_a_delegation_takes_its_draft_over(bench: Bench) -> None:
    bench.chat.is_anchoring = True
    step, pause = Writes(reply(text_block("I let it be looked up"), *delegates("researcher").content)), Pause("found")
    bench.model.says("lead", step, "there")
    bench.model.says("researcher", pause)
    async with bench.run(**QUICK):
        bench.chat.hears("look")
        await see_a_draft(bench, step)
        step.ends()
        assert (await bench.chat.edited(UPDATE)).text == "I let it be looked up"
        pause.go_on.set()
        assert await bench.chat.said() == "there"
    assert bench.chat.deleted.empty()


async def test_an_update_that_is_no_longer_newest_is_sent_and_its_draft_deleted(bench: Bench) -> None:
    bench.chat = chat = Recording()
    step, pause = Writes(DELEGATES), Pause("found")
    bench.model.says("lead", step, "there")
    bench.model.says("researcher", pause)
    async with bench.run(**QUICK):
        chat.hears("look")
        await see_a_draft(bench, step)
        chat.hears("/help")
        await chat.said(NOTICE)
        step.ends()
        assert await chat.said(UPDATE) == "I let it be looked up"
        assert "draft" in await has_deleted(bench)
        pause.go_on.set()
        assert await chat.said(REPLY) == "there"


async def test_an_update_whose_drafts_message_is_gone_is_sent_as_new_once(bench: Bench) -> None:
    bench.chat = chat = anchoring_and_uneven()
    step = Writes(DELEGATES)
    bench.model.says("lead", step, "there")
    bench.model.says("researcher", "found")
    chat.troubles_at_edits[UPDATE].append(GONE)
    async with bench.run(**QUICK):
        chat.hears("look")
        await see_a_draft(bench, step)
        step.ends()
        assert await chat.said(UPDATE) == "I let it be looked up"
        assert await chat.said(REPLY) == "there"
    assert chat.sent.empty()


@pytest.mark.parametrize(("has_history", "said"), [(True, []), (False, ["(possibly a repeat) I let it be looked up"])])
async def test_an_update_sent_again_for_its_draft_is_not_silently_doubled(
    bench: Bench, has_history: bool, said: list[str]
) -> None:
    bench.chat = chat = anchoring_and_uneven()
    step = Writes(DELEGATES)
    bench.model.says("lead", step, "there")
    bench.model.says("researcher", "found")
    chat.has_history, chat.accepts_anyway = has_history, True
    chat.troubles_at_edits[UPDATE] += [GONE, GONE]
    chat.troubles[UPDATE].append(OSError("connection lost"))
    async with bench.run(**QUICK):
        chat.hears("look")
        await see_a_draft(bench, step)
        step.ends()
        assert await chat.said(UPDATE) == "I let it be looked up"
        assert [await chat.said(UPDATE) for _ in said] == said
        await wait_for_row(bench, "outbox", kind="reply", state="sent")


async def test_an_edit_whose_outcome_is_unknown_is_simply_repeated(bench: Bench) -> None:
    bench.chat = chat = anchoring_and_uneven()
    step = Writes(DELEGATES)
    bench.model.says("lead", step, "there")
    bench.model.says("researcher", "found")
    chat.troubles_at_edits[UPDATE] += [OSError("connection lost"), NotDelivered("no route")]
    async with bench.run(**QUICK):
        chat.hears("look")
        await see_a_draft(bench, step)
        step.ends()
        assert (await chat.edited(UPDATE)).text == "I let it be looked up"
        assert await chat.said(REPLY) == "there"
