"""What is seen of a reply while the model writes it."""

import asyncio

import pytest

from bot.core.channel import MessagePart
from bot.core.errors import DeliveryError, ModelRefused, NotDelivered
from bot.core.messages import Draft, OutboundKind, PlatformId
from tests.support.anchoring_chats import Recording, anchoring_and_uneven, has_deleted
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import FakeChannel, Pause
from tests.support.troubles import Sticky, goes_round, wait_for_row
from tests.support.writing_model import QUICK, Writes, drained, see_a_draft

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


async def test_a_reply_is_a_new_message_that_rings_and_then_its_draft_goes(bench: Bench) -> None:
    bench.chat = chat = Recording()
    step = Writes("Hello Ann")
    bench.model.says("lead", step)
    async with bench.run(**QUICK):
        chat.hears("hello")
        await see_a_draft(bench, step)
        assert "Hello" not in str(bench.select("*", "outbox"))
        step.ends()
        assert (await chat.part(REPLY)).may_ring
        assert "draft" in await has_deleted(bench)
    assert chat.happened[-2:] == ["send reply", "delete draft"]
    assert bench.rows("SELECT kind FROM outbox WHERE platform_ids != '[]'") == [("reply",)]


async def test_only_the_first_part_of_an_answer_rings(bench: Bench) -> None:
    bench.chat.length = 5
    bench.model.says("lead", "Hello Ann")
    async with bench.run():
        bench.chat.hears("hello")
        assert [(await bench.chat.part(REPLY)).may_ring for _ in range(2)] == [True, False]


async def test_a_draft_is_silent(anchoring: Bench) -> None:
    step = Writes("Hello Ann")
    anchoring.model.says("lead", step)
    async with anchoring.run(**QUICK):
        anchoring.chat.hears("hello")
        step.shows("Hel")
        assert (await anchoring.chat.part(DRAFT)).message.is_quiet
        step.ends()


async def test_a_draft_that_cannot_be_deleted_at_once_is_deleted_later(bench: Bench) -> None:
    bench.chat = chat = Recording()
    chat.refusals.append(NotDelivered("not now"))
    step = Writes("Hello Ann")
    bench.model.says("lead", step)
    async with bench.run(**QUICK):
        chat.hears("hello")
        await see_a_draft(bench, step)
        step.ends()
        assert await chat.said(REPLY) == "Hello Ann"
        assert "draft" in await has_deleted(bench)


async def test_a_draft_grows_part_by_part_and_equal_parts_are_not_edited_again(bench: Bench) -> None:
    bench.chat = chat = Recording()
    chat.length = 6
    step = Writes("Hello Ann and Bob")
    bench.model.says("lead", step)
    async with bench.run(**QUICK):
        chat.hears("hello")
        await see_a_draft(bench, step)
        for text in ("Hello Ann", "Hello Ann and", "Hello Ann and Bob"):
            step.shows(text)
            await chat.shows(text)
        assert chat.seen() == ["Hello ", "Ann an", "d Bob"]
        step.ends()
        await chat.said(REPLY)
        while len(chat.seen()) > 3:
            await has_deleted(bench)
    assert chat.seen() == ["Hello ", "Ann an", "d Bob"]
    texts = [text for what, text in chat.edited_texts if what == "draft"]
    assert len(texts) == len(set(texts))


async def test_a_refused_edit_of_a_draft_is_let_go(bench: Bench) -> None:
    bench.chat = chat = anchoring_and_uneven()
    step = Writes("Hello Ann")
    bench.model.says("lead", step)
    chat.troubles_at_edits[DRAFT].append(DeliveryError("not now"))
    async with bench.run(**QUICK):
        chat.hears("hello")
        await see_a_draft(bench, step)
        step.ends()
        assert await chat.said(REPLY) == "Hello Ann"
    assert not chat.troubles_at_edits[DRAFT]


async def test_a_draft_whose_outcome_is_unknown_is_dropped(anchoring: Bench) -> None:
    step = Writes("Hello Ann")
    anchoring.model.says("lead", step)
    anchoring.chat.faults.append(OSError("connection lost"))
    async with anchoring.run(**QUICK):
        anchoring.chat.hears("hello")
        while anchoring.chat.faults:
            step.shows("Hello")
            await asyncio.sleep(0)
        for _ in range(10):
            step.shows("Hello A")
            await goes_round(anchoring)
        step.ends()
        assert await anchoring.chat.said(REPLY) == "Hello Ann"
        assert anchoring.select("state", "outbox", "kind = 'draft'") == [("failed",)]


async def test_a_draft_on_its_way_when_the_reply_is_there_is_deleted(bench: Bench) -> None:
    bench.chat = Sticky()
    bench.chat.is_anchoring = True
    step = Writes("Hello Ann")
    bench.model.says("lead", step)
    async with bench.run(**QUICK):
        bench.chat.hears("hello")
        step.shows("Hel")
        await bench.chat.reached.wait()
        step.ends()
        await wait_for_row(bench, "outbox", kind="reply")
        bench.chat.go_on.set()
        assert await bench.chat.said(REPLY) == "Hello Ann"
        assert "draft" in await has_deleted(bench)


async def test_a_draft_that_a_crash_has_left_is_deleted_at_the_next_start(anchoring: Bench) -> None:
    step = Writes("never said")
    anchoring.model.says("lead", step, "Hello Ann")
    async with anchoring.run(**QUICK):
        anchoring.chat.hears("hello")
        await see_a_draft(anchoring, step)
        anchoring.crashes()
    async with anchoring.run(**QUICK):
        assert await anchoring.chat.said(REPLY) == "Hello Ann"
        assert "draft" in await has_deleted(anchoring)


async def test_a_draft_that_a_channel_has_a_bug_with_ends_nothing(bench: Bench) -> None:
    class Odd(FakeChannel):
        async def show_draft(self, draft: Draft) -> None:
            await super().show_draft(draft)
            raise ValueError("a bug")

    bench.chat, pause = Odd(), Pause("Hello Ann")
    bench.model.says("lead", pause)
    async with bench.run():
        bench.chat.hears("hello")
        await bench.chat.drafts.get()
        await goes_round(bench)
        pause.go_on.set()
        assert await bench.chat.said() == "Hello Ann"


async def text_drafted_next(bench: Bench) -> str:
    while not (text := (await bench.chat.drafts.get()).text):
        pass
    return text


async def test_of_texts_written_within_a_pause_a_screen_shows_only_the_newest(bench: Bench) -> None:
    step = Writes("Hello Ann and Bob")
    bench.model.says("lead", step)
    async with bench.run(**engine_options(screen_draft_seconds=0.5)):
        bench.chat.hears("hello")
        step.shows("Hel")
        assert await text_drafted_next(bench) == "Hel"
        for text in ("Hello", "Hello Ann", "Hello Ann and"):
            step.shows(text)
            await goes_round(bench)
        assert await text_drafted_next(bench) == "Hello Ann and"
        step.ends()
        assert await bench.chat.said() == "Hello Ann and Bob"


@pytest.mark.parametrize("end", ["Hello Ann", ModelRefused(""), "/stop"], ids=["whole", "refused", "stopped"])
async def test_a_draft_that_waits_is_dropped_when_its_reply_ends(bench: Bench, end: str | Exception) -> None:
    step = Writes("Hello Ann" if end == "/stop" else end)
    bench.model.says("lead", step)
    async with bench.run(**engine_options(screen_draft_seconds=0.5)):
        bench.chat.hears("hello")
        step.shows("Hel")
        assert await text_drafted_next(bench) == "Hel"
        step.shows("Hello A")
        await goes_round(bench)
        if end == "/stop":
            bench.chat.hears("/stop")
        else:
            step.ends()
        await bench.chat.part(REPLY)
        if tasks := draft_tasks():
            await asyncio.wait(tasks)
        await goes_round(bench)
    assert not [draft for draft in drained(bench.chat.drafts) if draft.text]


class HangsInOne(Sticky):
    """A platform that takes an edit in chat "one" only when the test lets it."""

    def __init__(self) -> None:
        super().__init__(number=-1)
        self.is_anchoring = True

    async def edit(self, id: PlatformId, part: MessagePart) -> None:
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
    async with bench.run(**QUICK):
        chat.hears("hello", chat="one")
        await hangs(chat, first)
        chat.hears("hello", by="Bob", chat="two")
        await see_a_draft(bench, second)
        second.ends()
        assert await chat.said(REPLY) == "Hello Bob"
        first.ends()
        chat.go_on.set()
        assert await chat.said(REPLY) == "Hello Ann"


async def test_of_texts_written_during_a_hung_edit_only_the_newest_is_shown(bench: Bench) -> None:
    bench.chat = chat = HangsInOne()
    step = Writes("Hello Ann and Bob")
    bench.model.says("lead", step)
    async with bench.run(**QUICK):
        chat.hears("hello", chat="one")
        await hangs(chat, step)
        for text in ("Hello", "Hello Ann", "Hello Ann and"):
            step.shows(text)
        await goes_round(bench)
        chat.go_on.set()
        assert [(await chat.edited(DRAFT)).text for _ in range(2)] == ["Hel", "Hello Ann and"]
        step.ends()
        assert await chat.said(REPLY) == "Hello Ann and Bob"
        await goes_round(bench)
        assert not draft_tasks()


async def test_a_draft_that_hangs_ends_with_the_bot(bench: Bench) -> None:
    bench.chat = chat = HangsInOne()
    step = Writes("never said")
    bench.model.says("lead", step)
    async with bench.run(**QUICK):
        chat.hears("hello", chat="one")
        await hangs(chat, step)
        assert draft_tasks()
    assert not draft_tasks()


def draft_tasks() -> list[asyncio.Task[object]]:
    """Return the tasks that show a draft, or wait until the next one is due."""
    return [task for task in asyncio.all_tasks() if task.get_name().startswith("draft of ")]
