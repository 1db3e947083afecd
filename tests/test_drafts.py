"""What is seen of a reply while the model writes it."""

import asyncio

import pytest

from bot.blocks import words
from bot.channel import Part
from bot.errors import DeliveryError, NotDelivered
from bot.messages import Draft, OutboundKind, PlatformId
from tests.conftest import Bench
from tests.fakes import FakeChannel, Pause, delegates, reply
from tests.patience import PATIENCE
from tests.troubles import Clock, Sticky, Uneven, goes_round, has_row
from tests.writing import QUICK, Writes, see_a_draft

DRAFT, REPLY, UPDATE, NOTICE = OutboundKind.DRAFT, OutboundKind.REPLY, OutboundKind.UPDATE, OutboundKind.NOTICE
GONE = DeliveryError("message to edit not found")


@pytest.fixture
def anchoring(bench: Bench) -> Bench:
    bench.chat.is_anchoring = True
    return bench


async def test_a_reply_that_is_written_quickly_has_no_draft(anchoring: Bench) -> None:
    step = Writes("Hello Ann")
    anchoring.model.says("lead", step)
    async with anchoring.run():
        anchoring.chat.hears("hello")
        step.shows("Hello")
        step.ends()
        assert await anchoring.chat.said() == "Hello Ann"
        assert anchoring.rows("SELECT kind FROM outbox") == [("reply",)]


async def test_a_reply_takes_over_the_message_that_showed_its_draft(anchoring: Bench) -> None:
    step = Writes("Hello Ann")
    anchoring.model.says("lead", step)
    async with anchoring.run(settings=QUICK):
        anchoring.chat.hears("hello")
        await see_a_draft(anchoring, step)
        assert "Hello" not in str(anchoring.rows("SELECT * FROM outbox"))
        step.ends()
        assert (await anchoring.chat.edited(REPLY)).text == "Hello Ann"
    assert anchoring.chat.sent.empty()
    assert anchoring.chat.deleted.empty()
    assert anchoring.rows("SELECT kind FROM outbox WHERE platform_ids != '[]'") == [("reply",)]


async def test_a_draft_is_silent(anchoring: Bench) -> None:
    step = Writes("Hello Ann")
    anchoring.model.says("lead", step)
    async with anchoring.run(settings=QUICK):
        anchoring.chat.hears("hello")
        step.shows("Hel")
        assert (await anchoring.chat.part(DRAFT)).message.is_quiet
        step.ends()


async def test_an_old_draft_is_deleted_and_the_reply_rings(anchoring: Bench) -> None:
    step, clock = Writes("Hello Ann"), Clock()
    anchoring.model.says("lead", step)
    async with anchoring.run(settings=QUICK, now=clock):
        anchoring.chat.hears("hello")
        await see_a_draft(anchoring, step)
        clock.passes(seconds=11)
        step.ends()
        assert await anchoring.chat.said(REPLY) == "Hello Ann"
        assert "draft" in await has_deleted(anchoring)


async def test_a_draft_that_is_not_the_newest_there_is_deleted_and_the_reply_is_sent(anchoring: Bench) -> None:
    step = Writes("Hello Ann")
    anchoring.model.says("lead", step)
    async with anchoring.run(settings=QUICK):
        anchoring.chat.hears("hello")
        await see_a_draft(anchoring, step)
        anchoring.chat.hears("/help")
        await anchoring.chat.said(NOTICE)
        step.ends()
        assert await anchoring.chat.said(REPLY) == "Hello Ann"
        assert "draft" in await has_deleted(anchoring)


async def test_the_leads_update_beside_a_delegation_takes_its_draft_over(anchoring: Bench) -> None:
    step, pause = Writes(reply(words("I let it be looked up"), *delegates("researcher").content)), Pause("found")
    anchoring.model.says("lead", step, "there")
    anchoring.model.says("researcher", pause)
    async with anchoring.run(settings=QUICK):
        anchoring.chat.hears("look")
        await see_a_draft(anchoring, step)
        step.ends()
        assert (await anchoring.chat.edited(UPDATE)).text == "I let it be looked up"
        pause.go_on.set()
        assert await anchoring.chat.said() == "there"
    assert anchoring.chat.deleted.empty()


async def test_a_reply_whose_drafts_message_is_gone_is_sent_as_new_once(bench: Bench) -> None:
    bench.chat = chat = anchoring_and_uneven()
    step = Writes("Hello Ann")
    bench.model.says("lead", step)
    chat.troubles_at_edits[REPLY].append(GONE)
    async with bench.run(settings=QUICK):
        chat.hears("hello")
        await see_a_draft(bench, step)
        step.ends()
        assert await chat.said(REPLY) == "Hello Ann"
    assert chat.sent.empty()


@pytest.mark.parametrize(("has_history", "said"), [(True, []), (False, ["(possibly a repeat) Hello Ann"])])
async def test_a_reply_sent_anew_for_its_draft_is_not_silently_doubled(
    bench: Bench, has_history: bool, said: list[str]
) -> None:
    bench.chat = chat = anchoring_and_uneven()
    step = Writes("Hello Ann")
    bench.model.says("lead", step)
    chat.has_history, chat.accepts_anyway = has_history, True
    chat.troubles_at_edits[REPLY] += [GONE, GONE]
    chat.troubles[REPLY].append(OSError("connection lost"))
    async with bench.run(settings=QUICK):
        chat.hears("hello")
        await see_a_draft(bench, step)
        step.ends()
        assert await chat.said(REPLY) == "Hello Ann"
        assert [await chat.said(REPLY) for _ in said] == said
        await has_row(bench, "SELECT 1 FROM outbox WHERE kind = 'reply' AND state = 'sent'")
    assert chat.sent.empty()


async def test_an_edit_whose_outcome_is_unknown_is_simply_repeated(bench: Bench) -> None:
    bench.chat = chat = anchoring_and_uneven()
    step = Writes("Hello Ann")
    bench.model.says("lead", step)
    chat.troubles_at_edits[REPLY] += [OSError("connection lost"), NotDelivered("no route")]
    async with bench.run(settings=QUICK):
        chat.hears("hello")
        await see_a_draft(bench, step)
        step.ends()
        assert (await chat.edited(REPLY)).text == "Hello Ann"
    assert chat.sent.empty()


async def test_a_refused_edit_of_a_draft_is_let_go(bench: Bench) -> None:
    bench.chat = chat = anchoring_and_uneven()
    step = Writes("Hello Ann")
    bench.model.says("lead", step)
    chat.troubles_at_edits[DRAFT].append(DeliveryError("not now"))
    async with bench.run(settings=QUICK):
        chat.hears("hello")
        await see_a_draft(bench, step)
        step.ends()
        assert (await chat.edited(REPLY)).text == "Hello Ann"
    assert chat.sent.empty()
    assert not chat.troubles_at_edits[DRAFT]


async def test_a_draft_whose_outcome_is_unknown_is_dropped(anchoring: Bench) -> None:
    step = Writes("Hello Ann")
    anchoring.model.says("lead", step)
    anchoring.chat.faults.append(OSError("connection lost"))
    async with anchoring.run(settings=QUICK):
        anchoring.chat.hears("hello")
        while anchoring.chat.faults:
            step.shows("Hello")
            await asyncio.sleep(0)
        for _ in range(10):
            step.shows("Hello A")
            await goes_round(anchoring)
        step.ends()
        assert await anchoring.chat.said(REPLY) == "Hello Ann"
        assert anchoring.rows("SELECT state FROM outbox WHERE kind = 'draft'") == [("failed",)]


async def test_a_draft_on_its_way_when_the_reply_is_there_is_deleted(bench: Bench) -> None:
    bench.chat = Sticky()
    bench.chat.is_anchoring = True
    step = Writes("Hello Ann")
    bench.model.says("lead", step)
    async with bench.run(settings=QUICK):
        bench.chat.hears("hello")
        step.shows("Hel")
        await bench.chat.reached.wait()
        step.ends()
        await has_row(bench, "SELECT 1 FROM outbox WHERE kind = 'reply'")
        bench.chat.go_on.set()
        assert await bench.chat.said(REPLY) == "Hello Ann"
        assert "draft" in await has_deleted(bench)


async def test_a_draft_that_a_crash_has_left_is_deleted_at_the_next_start(anchoring: Bench) -> None:
    step = Writes("never said")
    anchoring.model.says("lead", step, "Hello Ann")
    async with anchoring.run(settings=QUICK):
        anchoring.chat.hears("hello")
        await see_a_draft(anchoring, step)
        anchoring.crashes()
    async with anchoring.run(settings=QUICK):
        assert await anchoring.chat.said(REPLY) == "Hello Ann"
        assert "draft" in await has_deleted(anchoring)


def anchoring_and_uneven() -> Uneven:
    chat = Uneven()
    chat.is_anchoring = True
    return chat


async def has_deleted(bench: Bench) -> str:
    async with asyncio.timeout(PATIENCE):
        return await bench.chat.deleted.get()


async def test_a_draft_that_a_channel_has_a_bug_with_ends_nothing(bench: Bench) -> None:
    class Odd(FakeChannel):
        async def show(self, draft: Draft) -> None:
            await super().show(draft)
            raise ValueError("a bug")

    bench.chat, pause = Odd(), Pause("Hello Ann")
    bench.model.says("lead", pause)
    async with bench.run():
        bench.chat.hears("hello")
        await bench.chat.drafts.get()
        await goes_round(bench)
        pause.go_on.set()
        assert await bench.chat.said() == "Hello Ann"


class HangsInOne(Sticky):
    """A platform that takes an edit in chat "one" only when the test lets it."""

    def __init__(self) -> None:
        super().__init__(number=-1)
        self.is_anchoring = True

    async def edit(self, id: PlatformId, part: Part) -> None:
        if part.message.address.chat == "one":
            await self.stick()
        await super().edit(id, part)


async def hangs(chat: HangsInOne, step: Writes) -> None:
    """Let the model write until the edit of its draft does not come back."""
    while not chat.reached.is_set():
        step.shows("Hel")
        await asyncio.sleep(0)


async def test_a_draft_that_hangs_in_one_chat_delays_none_in_another(bench: Bench) -> None:
    bench.chat = chat = HangsInOne()
    first, second = Writes("Hello Ann"), Writes("Hello Bob")
    bench.model.says("lead", first, second)
    async with bench.run(settings=QUICK):
        chat.hears("hello", chat="one")
        await hangs(chat, first)
        chat.hears("hello", by="Bob", chat="two")
        await see_a_draft(bench, second)
        second.ends()
        assert (await chat.edited(REPLY)).text == "Hello Bob"
        first.ends()
        chat.go_on.set()
        assert (await chat.edited(REPLY)).text == "Hello Ann"


async def test_of_what_was_written_while_an_edit_hung_the_newest_is_shown_and_the_rest_is_not(bench: Bench) -> None:
    bench.chat = chat = HangsInOne()
    step = Writes("Hello Ann and Bob")
    bench.model.says("lead", step)
    async with bench.run(settings=QUICK):
        chat.hears("hello", chat="one")
        await hangs(chat, step)
        for text in ("Hello", "Hello Ann", "Hello Ann and"):
            step.shows(text)
        await goes_round(bench)
        chat.go_on.set()
        assert [(await chat.edited(DRAFT)).text for _ in range(2)] == ["Hel", "Hello Ann and"]
        step.ends()
        assert (await chat.edited(REPLY)).text == "Hello Ann and Bob"
        await goes_round(bench)
        assert not drafts_being_shown()


async def test_a_draft_that_hangs_ends_with_the_bot(bench: Bench) -> None:
    bench.chat = chat = HangsInOne()
    step = Writes("never said")
    bench.model.says("lead", step)
    async with bench.run(settings=QUICK):
        chat.hears("hello", chat="one")
        await hangs(chat, step)
        assert drafts_being_shown()
    assert not drafts_being_shown()


def drafts_being_shown() -> list[str]:
    return [name for task in asyncio.all_tasks() if (name := task.get_name()).startswith("draft of ")]
