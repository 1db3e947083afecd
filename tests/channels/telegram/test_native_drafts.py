"""The live text as one of Telegram's own drafts, and the button that stops it."""

import asyncio
import logging
from dataclasses import replace

import pytest

from bot.core.content_blocks import text_block
from bot.core.messages import Draft
from bot.core.model import ModelReply, ModelRequest, ShowTextCallback
from channels.pacing import RateLimit
from channels.telegram import operator_texts
from channels.telegram.channel import Telegram
from channels.telegram.timing import TelegramRateLimits
from tests.stand_ins.telegram import Room, TelegramStandIn
from tests.support.bench import Bench
from tests.support.fakes import reply
from tests.support.places.telegram import UNPACED, address
from tests.support.telegram_bot import bot, said, sees
from tests.support.telegram_channel import Ear, at_work, becomes

UNHURRIED = replace(UNPACED, draft_limit=RateLimit(1_000, 1.0))


class Writing:
    """A model that shows some words, waits, and then answers."""

    def __init__(self, *texts: str, answer: str) -> None:
        self.texts, self.answer, self.go_on = texts, answer, asyncio.Event()

    async def __call__(self, request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        for text in self.texts:
            show(text)
        await self.go_on.wait()
        return reply(text_block(self.answer))


def draft(text: str, request: int = 7, thread: int | None = None) -> Draft:
    return Draft(turn="t1", address=address(thread=thread), text=text, request=request)


async def ready(telegram: Telegram) -> None:
    """Wait until the pause is over that every start makes."""
    await becomes(lambda: telegram.pacing.has_unreserved_room(("draft", "7"), [telegram.all_calls_scope]))


async def test_the_live_text_is_a_draft_with_a_button(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    async with at_work(server, ear, native_drafts=True, rates=UNHURRIED) as telegram:
        await ready(telegram)
        assert not telegram.has_editable_drafts(address())
        assert not telegram.has_editable_drafts(address(-5))
        await telegram.show_draft(draft("The **answer**"))
        assert room.draft
        assert (room.draft.text, room.draft.can_stop, room.draft.number) == ("The answer", True, 7)
        assert room.draft.entities
        await telegram.show_draft(draft("x " * 4_000))
        assert len(room.draft.text) <= 4096
    assert room.answers() == []
    assert [call for call in server.calls if call.refusal] == []


async def test_without_the_setting_nothing_is_different(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    async with at_work(server, ear) as telegram:
        await ready(telegram)
        assert telegram.has_editable_drafts(address())
        await telegram.show_draft(draft("words"))
        assert room.chat.drafts == []
        await becomes(lambda: any(call.method == "getUpdates" for call in server.calls))
    assert "stopped_message_generation" not in (server.world.updates.allowed or ())


async def test_an_old_server_gets_messages_and_the_log_says_so_once(
    server: TelegramStandIn, room: Room, ear: Ear, caplog: pytest.LogCaptureFixture
) -> None:
    server.world.has_drafts = False
    async with at_work(server, ear, native_drafts=True, rates=UNHURRIED) as telegram:
        await ready(telegram)
        await telegram.show_draft(draft("words"))
        assert telegram.has_editable_drafts(address())
        await telegram.show_draft(draft("more words"))
        assert telegram.health().fault == "", "the token is good"
    told = [each for each in caplog.records if each.msg == operator_texts.LOG_NO_DRAFTS]
    assert [each.levelno for each in told] == [logging.WARNING]


async def test_the_answer_is_a_message_after_the_draft(bench: Bench, server: TelegramStandIn, room: Room) -> None:
    writing = Writing("The answer", answer="The answer is **42**.")
    bench.model.says("lead", writing)
    async with bot(bench, server, rates=UNHURRIED, native_drafts=True):
        room.say(room.chat.person, "what is it?")
        await server.until(lambda: bool(room.draft and room.draft.text == "The answer"))
        assert said(room) == []
        writing.go_on.set()
        await sees(server, room, lambda texts: texts == ["The answer is 42."])
    assert room.draft is None
    assert bench.rows("SELECT kind FROM outbox") == [("reply",)], "a draft costs no row"


async def test_the_button_stops_the_turn(bench: Bench, server: TelegramStandIn, room: Room) -> None:
    writing = Writing("I begin to", answer="never")
    bench.model.says("lead", writing)
    async with bot(bench, server, rates=UNHURRIED, native_drafts=True):
        room.say(room.chat.person, "go on")
        await server.until(lambda: room.draft is not None)
        room.stop_draft()
        texts = await sees(server, room, lambda texts: any("topped" in text for text in texts))
    assert texts[0].startswith("I begin to"), "what was written stays"


async def test_no_draft_comes_after_the_message_that_replaces_it(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    async with at_work(server, ear, native_drafts=True, rates=UNHURRIED) as telegram:
        await ready(telegram)
        drafts = telegram.native_drafts
        async with drafts.kept_off(address()):
            showing = asyncio.create_task(drafts.show(draft("late")))
            await asyncio.sleep(0.05)
            assert room.chat.drafts == []
        await showing
        assert room.draft is not None, "nothing was sent since it began"
        showing = asyncio.create_task(drafts.show(draft("later")))
        await asyncio.sleep(0)
        async with drafts.kept_off(address()):
            pass
        await showing
    assert [each.text for each in room.chat.drafts] == ["late"]


async def test_drafts_keep_a_pace_of_their_own(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    rates = TelegramRateLimits()
    async with at_work(server, ear, native_drafts=True, rates=rates) as telegram:
        await ready(telegram)
        for number in range(5):
            await telegram.show_draft(draft(f"words {number}"))
    assert [each.text for each in room.chat.drafts] == ["words 0"]
