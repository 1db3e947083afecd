"""An answer that is too long for a chat: its beginning, and the whole as a file."""

import pytest

from bot.core.messages import OutboundId, OutboundKind, OutboundMessage
from bot.engine.delivery import list_part_contents
from tests.outgoing.conftest import RunSender
from tests.outgoing.test_send_file import content_of
from tests.support.bench import Bench
from tests.support.fakes import FakeChannel, delegates, message, reply, uses
from tests.support.writing_model import Writes

REPLY, UPDATE, DRAFT = OutboundKind.REPLY, OutboundKind.UPDATE, OutboundKind.DRAFT
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


async def test_a_reply_that_was_half_shown_goes_on_with_its_file(
    bench: Bench, chat: FakeChannel, run: RunSender
) -> None:
    """The row says how the message is cut: a setting that was changed meanwhile does not."""
    bench.model.says("lead", LONG)
    async with run(delivery_retry_seconds=30.0):
        chat.hears("tell all")
        await chat.part(REPLY)
        await chat.part(REPLY)
    contents = list_part_contents(chat, OutboundMessage(**row_fields(), max_parts=3))
    assert [len(content.files) for content in contents] == [0, 1]
    assert len(list_part_contents(chat, OutboundMessage(**row_fields(), max_parts=None))) == 4


def row_fields() -> dict[str, object]:
    address = message("hi").address
    return {"id": OutboundId("t1:reply"), "address": address, "kind": REPLY, "text": LONG}


async def test_the_live_text_opens_no_part_beyond_the_limit(bench: Bench, chat: FakeChannel, run: RunSender) -> None:
    chat.is_anchoring = True
    step = Writes(LONG)
    bench.model.says("lead", step)
    async with run(draft_delay_seconds=0.0, draft_edit_seconds=(0.0,)):
        chat.hears("tell all")
        await chat.part(DRAFT)
        step.shows(LONG[:18])
        shown = [(await chat.part(DRAFT)).text for _ in range(2)]
        step.ends()
        await chat.part(REPLY)
    assert shown == ["fghij", "klmno"]
    assert all(part.message.kind is not DRAFT for part in list(chat.sent._queue))  # type: ignore[attr-defined]
