"""What the bot says, at the stand-in with the real library: how it arrives, and what is known when it does not."""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from bot.core.errors import ChatClosed, ChatHasMoved, DeliveryDelayed, DeliveryError, NotDelivered
from bot.core.messages import Draft, MessageId, OutboundId, OutboundKind, OutboundMessage, PlatformId, RoleName
from bot.engine.delivery import make_message_part
from channels.telegram import operator_texts
from channels.telegram.channel import Telegram
from channels.telegram.rendering import Entity, FormattedText
from tests.stand_ins.telegram import Fault, Room, Standing, TelegramStandIn
from tests.stand_ins.telegram.people import BOT_ID
from tests.support.places.telegram import ANN, HASTY, UNPACED, address
from tests.support.wording import REPEAT_MARK

QUESTION = OutboundKind.QUESTION


@pytest.fixture
async def telegram(server: TelegramStandIn) -> AsyncIterator[Telegram]:
    async with Telegram(server.token, server.base_url, timing=HASTY, rates=UNPACED) as made:
        await asyncio.sleep(2 * UNPACED.all_calls_limit.window_seconds)  # it begins with a pause
        yield made


def message(text: str = "hello", chat: int = ANN, thread: int | None = None, **fields: Any) -> OutboundMessage:
    return OutboundMessage(
        **{"id": OutboundId("t1"), "address": address(chat, thread), "kind": OutboundKind.REPLY, "text": text, **fields}
    )


async def say(telegram: Telegram, said: OutboundMessage, number: int = 0, *, may_repeat: bool = False) -> PlatformId:
    part = make_message_part(said, telegram.split_into_parts(said), number)
    return await telegram.send(replace(part, may_be_shown_already=may_repeat))


async def edit(telegram: Telegram, id: PlatformId, said: OutboundMessage) -> None:
    await telegram.edit(id, make_message_part(said, telegram.split_into_parts(said), 0))


async def test_a_message_looks_as_the_model_meant_it_and_shows_no_preview(telegram: Telegram, room: Room) -> None:
    id = await say(telegram, message("**yes**, see https://example.org", role=RoleName("analyst")))
    (shown,) = room.answers()
    assert (shown.text, id) == ("[Analyst]: yes, see https://example.org", str(shown.id))
    assert [(each["type"], each["offset"]) for each in shown.entities] == [("bold", 0), ("bold", 11)]
    assert shown.preview == {"is_disabled": True}
    assert not shown.is_silent


async def test_a_quiet_message_rings_nowhere(telegram: Telegram, room: Room) -> None:
    await say(telegram, message(is_quiet=True))
    assert room.answers()[0].is_silent


async def test_a_repeat_is_marked(telegram: Telegram, room: Room) -> None:
    await say(telegram, message("**x**"), may_repeat=True)
    assert room.answers()[0].text == f"{REPEAT_MARK}x"


async def test_a_reply_shows_what_it_answers_in_its_first_part(telegram: Telegram, room: Room) -> None:
    asked = room.say(room.chat.person, "go")
    said = message("word " * 2_000, reply_to=MessageId(f"telegram:{BOT_ID}:{ANN}:{asked.id}"))
    for number in range(len(telegram.split_into_parts(said))):
        await say(telegram, said, number)
    assert [shown.reply_to for shown in room.answers()] == [asked, None, None]


async def test_a_reply_to_what_is_gone_is_sent_without(telegram: Telegram, room: Room) -> None:
    asked = room.say(room.chat.person, "go")
    room.erase(asked)
    await say(telegram, message(reply_to=MessageId(f"telegram:{BOT_ID}:{ANN}:{asked.id}")))
    assert room.answers()[0].reply_to is None


async def test_options_are_buttons_under_the_last_part_and_numbered_in_the_text(telegram: Telegram, room: Room) -> None:
    said = message("word " * 1_000, id=OutboundId("toolu_1"), kind=QUESTION, options=("Yes", "No"))
    for number in range(len(telegram.split_into_parts(said))):
        await say(telegram, said, number)
    first, last = room.answers()
    assert (first.labels, last.labels) == ([], ["Yes", "No"])
    assert [row[0]["callback_data"] for row in last.buttons] == ["1:toolu_1", "2:toolu_1"]
    assert last.text.endswith("1. Yes\n2. No")


async def test_a_question_that_fits_no_buttons_has_its_options_in_the_text(telegram: Telegram, room: Room) -> None:
    await say(telegram, message("Which?", id=OutboundId("é" * 32), kind=QUESTION, options=("Yes", "No")))
    (shown,) = room.answers()
    assert (shown.labels, shown.text) == ([], "Which?\n\n1. Yes\n2. No")


async def test_looks_that_telegram_refuses_are_left_out(telegram: Telegram, room: Room) -> None:
    said = message("plain")
    beyond = FormattedText("plain", (Entity(type="bold", offset=9, length=3),))
    part = make_message_part(said, telegram.split_into_parts(said), 0)
    await telegram.sender.show_with_plain_text_fallback(
        telegram.client, part, beyond, lambda bot, shape: bot.send_message(ANN, **shape)
    )
    (shown,) = room.answers()
    assert (shown.text, shown.entities) == ("plain", [])


async def test_an_edit_may_be_repeated(telegram: Telegram, room: Room) -> None:
    id = await say(telegram, message("one"))
    for _ in range(2):
        await edit(telegram, id, message("**two**"))
    (shown,) = room.answers()
    assert (shown.text, len(shown.versions)) == ("two", 1)


async def test_a_deleted_message_cannot_be_edited_and_may_be_deleted_again(telegram: Telegram, room: Room) -> None:
    id = await say(telegram, message("one"))
    for _ in range(2):
        await telegram.delete(address(), id)
    assert room.answers() == []
    with pytest.raises(DeliveryError, match="Message to edit not found"):
        await edit(telegram, id, message("two"))


async def test_a_topic_is_an_address_of_its_own_and_the_first_has_no_number(
    server: TelegramStandIn, telegram: Telegram
) -> None:
    ann = server.person(ANN, "Ann")
    forum = server.supergroup("Forum", ann, forum=True)
    topic = forum.topic(ann, "News")
    await say(telegram, message("in the topic", forum.id, topic.id))
    await say(telegram, message("in the first", forum.id, 1))
    assert [shown.text for shown in forum.answers(topic.id)] == ["in the topic"]
    for thread in (topic.id, 1):
        await telegram.show_draft(Draft(turn="t", address=address(forum.id, thread), text=""))
    assert [seen.thread for seen in forum.typing] == [topic.id, 1]


async def test_typing_that_fails_is_let_go(server: TelegramStandIn, telegram: Telegram, room: Room) -> None:
    for fault in (Fault.RETRY_35, Fault.REFUSED):
        server.faults.next("sendChatAction", fault)
        await telegram.show_draft(Draft(turn="t", address=address(), text=""))
    assert room.typing == []


NOT_TAKEN = {Fault.RESET_UNREAD, Fault.BLACK_HOLE_UNREAD, Fault.HTML, Fault.SERVER_ERROR, Fault.BAD_GATEWAY}
TAKEN = {
    *(Fault.RESET_AFTER, Fault.END_AFTER, Fault.HALF_ANSWER, Fault.BLACK_HOLE, Fault.HTML_AFTER),
    *(Fault.SERVER_ERROR_AFTER, Fault.BAD_GATEWAY_AFTER),
}


@pytest.mark.parametrize("fault", sorted(NOT_TAKEN | TAKEN))
async def test_a_sending_in_doubt_is_no_error_of_delivery(server: TelegramStandIn, room: Room, fault: Fault) -> None:
    hasty = replace(HASTY, call_timeout_seconds=0.2)
    async with Telegram(server.token, server.base_url, timing=hasty, rates=UNPACED) as telegram:
        server.faults.next("sendMessage", fault)
        with pytest.raises(OSError, match=r"Telegram|cut off"):
            await say(telegram, message())
    assert len(room.answers()) == (fault in TAKEN)


@pytest.mark.parametrize("fault", [Fault.REFUSED, Fault.NOT_OK])
async def test_a_message_surely_not_taken_may_be_sent_again(
    server: TelegramStandIn, telegram: Telegram, room: Room, fault: Fault
) -> None:
    server.faults.next("sendMessage", fault)
    if fault is Fault.REFUSED:
        await server.hang_up()
    with pytest.raises(NotDelivered):
        await say(telegram, message())
    assert room.answers() == []


@pytest.mark.parametrize(
    ("fault", "seconds"), [(Fault.RETRY_1, 1), (Fault.RETRY_35, 35), (Fault.RETRY_240, 240), (Fault.RETRY_UNSAID, 5)]
)
async def test_a_wait_is_told_and_nothing_cosmetic_goes_there_meanwhile(
    server: TelegramStandIn, telegram: Telegram, room: Room, fault: Fault, seconds: float
) -> None:
    server.faults.next("sendMessage", fault)
    with pytest.raises(DeliveryDelayed) as delay:
        await say(telegram, message())
    assert delay.value.seconds == seconds
    assert not telegram.has_room_for_cosmetic_message(address(), is_edit=True)
    await telegram.show_draft(Draft(turn="t", address=address(), text=""))
    assert room.typing == []
    assert telegram.has_room_for_cosmetic_message(address(8), is_edit=True)


async def test_three_chats_that_are_to_wait_at_once_mean_the_whole_bot(
    server: TelegramStandIn, telegram: Telegram
) -> None:
    for number in (ANN, 8, 10):
        server.private(server.person(number, "Somebody"))
        server.faults.next("sendMessage", Fault.RETRY_35)
        assert telegram.has_room_for_cosmetic_message(address(9), is_edit=True)
        with pytest.raises(DeliveryDelayed):
            await say(telegram, message(chat=number))
    assert not telegram.has_room_for_cosmetic_message(address(9), is_edit=True)


async def test_a_person_who_blocked_the_bot_has_closed_the_chat(telegram: Telegram, room: Room) -> None:
    room.block()
    with pytest.raises(ChatClosed, match=re.escape(operator_texts.BOT_BLOCKED)):
        await say(telegram, message())
    room.unblock()
    await say(telegram, message("here again"))
    assert room.answers()[-1].text == "here again"


@pytest.mark.parametrize(
    ("standing", "remedy"),
    [
        (Standing.KICKED, operator_texts.BOT_REMOVED),
        (Standing.LEFT, operator_texts.BOT_NOT_IN_CHAT),
        (Standing.RESTRICTED, operator_texts.MAY_NOT_WRITE),
    ],
)
async def test_a_group_chat_without_the_right_to_write_is_closed(
    server: TelegramStandIn, telegram: Telegram, standing: Standing, remedy: str
) -> None:
    ann = server.person(ANN, "Ann")
    group = server.supergroup("Friends", ann)
    group.change_bot(ann, standing)
    with pytest.raises(ChatClosed, match=re.escape(remedy)):
        await say(telegram, message(chat=group.id))


async def test_a_closed_topic_and_a_chat_that_never_was_are_closed(server: TelegramStandIn, telegram: Telegram) -> None:
    ann = server.person(ANN, "Ann")
    forum = server.supergroup("Forum", ann, forum=True)
    topic = forum.topic(ann, "News")
    topic.is_closed = True
    with pytest.raises(ChatClosed, match=re.escape(operator_texts.TOPIC_CLOSED)):
        await say(telegram, message(chat=forum.id, thread=topic.id))
    with pytest.raises(ChatClosed, match=re.escape(operator_texts.NO_SUCH_CHAT)):
        await say(telegram, message(chat=12345))


async def test_a_chat_that_moved_says_where(server: TelegramStandIn, telegram: Telegram) -> None:
    ann = server.person(ANN, "Ann")
    group = server.group("Friends", ann)
    moved = group.migrate(ann)
    with pytest.raises(ChatHasMoved) as error:
        await say(telegram, message(chat=group.id))
    assert error.value.chat == str(moved.id)


async def test_a_revoked_token_is_a_fault_that_says_what_to_do(server: TelegramStandIn, telegram: Telegram) -> None:
    server.is_revoked = True
    with pytest.raises(NotDelivered, match=re.escape(operator_texts.TOKEN_REFUSED)):
        await say(telegram, message())
    assert telegram.health().fault == operator_texts.TOKEN_REFUSED
