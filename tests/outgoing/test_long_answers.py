"""An answer that is too long for a chat: its beginning, and the whole as a file."""

import pytest

from bot.core.content_blocks import text_block
from bot.core.errors import DeliveryDelayed
from bot.core.messages import OutboundId, OutboundKind, OutboundMessage
from bot.engine.delivery import list_part_contents
from tests.outgoing.conftest import RunSender
from tests.outgoing.test_send_file import content_of
from tests.support.anchoring_chats import Recording
from tests.support.bench import Bench
from tests.support.fakes import FakeChannel, delegates, message, reply, uses
from tests.support.writing_model import Writes

REPLY, UPDATE, DRAFT, NOTICE = OutboundKind.REPLY, OutboundKind.UPDATE, OutboundKind.DRAFT, OutboundKind.NOTICE
LONG = "abcdefghijklmnopqrst"  # in parts of 5: 4


@pytest.fixture
def chat(bench: Bench) -> FakeChannel:
    bench.chat.length = 5
    return bench.chat


async def test_the_chat_gets_the_first_part_and_then_the_whole(bench: Bench, chat: FakeChannel, run: RunSender) -> None:
    bench.model.says("lead", LONG)
    async with run():
        chat.hears("tell all")
        first, file = await chat.part(REPLY), await chat.part(REPLY)
    assert (first.text, first.files, first.is_last) == ("abcde", (), False)
    assert (file.files[0].file.name, content_of(file), file.is_last) == ("answer.md", [LONG.encode()], True)
    assert [part.may_ring for part in (first, file)] == [True, False]
    assert chat.sent.empty()


async def test_a_long_answer_to_a_command_is_a_file_too(chat: FakeChannel, run: RunSender) -> None:
    async with run():
        chat.hears("/privacy")
        first, file = await chat.part(NOTICE), await chat.part(NOTICE)
    assert (len(first.text), file.files[0].file.name, file.is_last) == (5, "answer.md", True)


async def test_an_answer_of_as_many_parts_is_shown_whole(bench: Bench, chat: FakeChannel, run: RunSender) -> None:
    bench.model.says("lead", LONG)
    async with run(long_answer_parts=4):
        chat.hears("tell all")
        parts = [await chat.part(REPLY) for _ in range(4)]
    assert "".join(part.text for part in parts) == LONG
    assert not any(part.files for part in parts)


async def test_a_long_text_of_a_role_is_a_file_with_its_name(bench: Bench, run: RunSender) -> None:
    bench.chat.length = 15
    bench.model.says("lead", delegates("writer"), "Done.")
    bench.model.says("writer", reply(uses("message", text=LONG)), "sent")
    async with run():
        bench.chat.hears("write")
        first, file = await bench.chat.part(UPDATE), await bench.chat.part(UPDATE)
    assert (first.text, file.files[0].file.name) == ("[Writer]: abcde", "writer.md")


@pytest.mark.parametrize(("most", "count"), [(3, 2), (4, 4), (None, 4)])
def test_the_row_says_how_a_message_is_cut(chat: FakeChannel, most: int | None, count: int) -> None:
    """A setting that was changed meanwhile does not: a message that is shown in part goes on as it began."""
    said = OutboundMessage(
        id=OutboundId("t1:reply"), address=message("hi").address, kind=REPLY, text=LONG, max_parts=most
    )
    assert len(list_part_contents(chat, said)) == count


async def test_the_live_text_opens_no_part_beyond_the_limit(bench: Bench, chat: FakeChannel, run: RunSender) -> None:
    chat.is_anchoring = True
    step = Writes(LONG)
    bench.model.says("lead", step)
    async with run(draft_delay_seconds=0.0, draft_edit_seconds=(0.0,)):
        chat.hears("tell all")
        step.shows(LONG[:18])
        assert (await chat.part(DRAFT)).text == "…"
        step.shows(LONG)
        shown = [(await chat.part(DRAFT)).text for _ in range(2)]
        step.ends()
        later = [await chat.sent.get()]
    assert shown == ["fghij", "klmno"]
    assert later[0].message.kind is REPLY


async def test_a_live_text_is_gone_before_a_file_takes_its_place(bench: Bench, run: RunSender) -> None:
    bench.chat = chat = Recording()
    chat.length = 5
    step = Writes(reply(text_block(LONG), uses("read_file", path="report.txt")))
    bench.model.says("lead", step, "Done.")
    async with run(draft_delay_seconds=0.0, draft_edit_seconds=(0.0,)):
        chat.hears("tell all")
        step.shows(LONG[:8])
        while chat.seen() != ["abcde", "fgh"]:
            chat.changed.clear()
            await chat.changed.wait()
        chat.refusals.append(DeliveryDelayed(0.01))
        step.ends()
        while "Done." not in chat.seen():
            chat.changed.clear()
            await chat.changed.wait()
    assert not chat.refusals
    assert "fgh" not in chat.seen()
