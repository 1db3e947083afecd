"""Taps on buttons, and the token, at the stand-in with the real library: who is told what, and what nobody may see."""

import logging
import re
from dataclasses import replace
from pathlib import Path

import pytest

from bot.core.errors import ConfigError
from bot.core.messages import OutboundId, OutboundKind, OutboundMessage
from bot.engine.delivery import list_part_contents, make_message_part, open_part_files
from channels.telegram import operator_texts
from channels.telegram.channel import Telegram
from tests.stand_ins.telegram import Fault, Room, Tap, TelegramStandIn
from tests.support.places.telegram import HASTY, address
from tests.support.telegram_channel import Ear, at_work, say


async def tapped(server: TelegramStandIn, room: Room, telegram: Telegram, ear: Ear) -> Tap:
    said = OutboundMessage(
        id=OutboundId("q1"), address=address(), kind=OutboundKind.QUESTION, text="Which?", options=("Yes", "No")
    )
    await telegram.send(make_message_part(said, telegram.split_into_parts(said), 0))
    tap = room.tap(room.chat.person, room.answers()[-1], "No")
    await ear.hears("2")
    return tap


def notice(ear: Ear, text: str) -> OutboundMessage:
    (tap,) = (event for batch in ear.batches for event in batch)
    return OutboundMessage(
        id=OutboundId("n1"),
        address=address(),
        kind=OutboundKind.NOTICE,
        text=text,
        reply_to=tap.id,  # type: ignore[union-attr]  # a tap has one
    )


async def test_a_tap_that_nobody_has_words_for_is_closed_without(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    async with at_work(server, ear) as telegram:
        tap = await tapped(server, room, telegram, ear)
        await server.until(lambda: tap.answer is not None)
    assert tap.heard == ""


@pytest.mark.parametrize(("text", "stays"), [("That is closed.", False), ("word " * 30, True)])
async def test_a_notice_about_a_tap_is_shown_over_the_chat(
    server: TelegramStandIn, room: Room, ear: Ear, text: str, stays: bool
) -> None:
    async with at_work(server, ear, timing=replace(HASTY, tap_answer_wait_seconds=30)) as telegram:
        tap = await tapped(server, room, telegram, ear)
        said = notice(ear, text)
        id = await telegram.send(part := make_message_part(said, telegram.split_into_parts(said), 0))
        assert (tap.heard, len(room.answers())) == (part.text, 1)
        assert tap.answer
        assert (tap.answer["show_alert"] == "true") == stays
        await telegram.edit(id, part)  # neither can be
        await telegram.delete(address(), id)
        await telegram.send(part)  # it is said, and what is said of it after that is a message
    assert room.texts()[-1] == part.text


async def test_a_rate_limited_notice_is_said_in_the_chat(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    server.faults.next("answerCallbackQuery", Fault.RETRY_35)
    async with at_work(server, ear) as telegram:
        for text in ("That is closed.", "So is that."):
            ear.batches.clear()
            await tapped(server, room, telegram, ear)
            said = notice(ear, text)
            await telegram.send(make_message_part(said, telegram.split_into_parts(said), 0))
            assert room.texts()[-1] == text
    assert len([call for call in server.calls if call.method == "answerCallbackQuery"]) == 1


async def test_a_notice_too_long_for_a_tap_is_a_message(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    async with at_work(server, ear) as telegram:
        tap = await tapped(server, room, telegram, ear)
        said = notice(ear, "word " * 60)
        await telegram.send(make_message_part(said, telegram.split_into_parts(said), 0))
        assert room.texts()[-1] == ("word " * 60).strip()
        await server.until(lambda: tap.answer is not None)


@pytest.mark.parametrize("most_parts", [1, 3])
async def test_the_end_of_a_long_notice_is_a_message_too(
    server: TelegramStandIn, room: Room, ear: Ear, tmp_path: Path, most_parts: int
) -> None:
    async with at_work(server, ear, timing=replace(HASTY, tap_answer_wait_seconds=30)) as telegram:
        tap = await tapped(server, room, telegram, ear)
        said = replace(notice(ear, "word " * 820), max_parts=most_parts)
        contents = list_part_contents(telegram, said)
        for number, content in enumerate(contents):
            files = open_part_files(said, content, tmp_path)
            await telegram.send(make_message_part(said, [each.text for each in contents], number, files=files))
        assert len(room.answers()) == 3
        assert tap.answer is None
    last = room.answers()[-1]
    assert ("document" in last.media) == (most_parts == 1)


@pytest.mark.parametrize("token", ["", "nonsense", "9876", ":abcd", "9876:ab cd"])
def test_a_token_that_can_be_none_is_refused_and_not_shown(token: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(operator_texts.TOKEN_FORM)) as error:
        Telegram(token)
    assert not token or token not in str(error.value)


async def test_the_token_shows_nowhere(
    server: TelegramStandIn, room: Room, ear: Ear, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    secret = server.token.partition(":")[2]
    errors: list[str] = []
    said = OutboundMessage(id=OutboundId("t1"), address=address(), kind=OutboundKind.REPLY, text="hello")
    async with at_work(server, ear, timing=replace(HASTY, call_timeout_seconds=0.2)) as telegram:
        say(room, "hello")
        await ear.hears("hello")
        for number, fault in enumerate(sorted(set(Fault) - {Fault.REFUSED})):
            said = replace(said, address=address(100 + number))  # a chat that was told to wait is not called
            server.faults.next("sendMessage", fault)
            server.faults.next("getUpdates", fault) if fault.name[:5] not in ("RETRY", "BLACK") else None
            say(room, "wake")
            try:
                await telegram.send(make_message_part(said, telegram.split_into_parts(said), 0))
            except Exception as error:  # noqa: BLE001 -- it must not tell, no matter what it is
                errors += [str(error), repr(error), repr(error.__cause__), repr(error.__context__)]
        server.is_revoked = True
        said = replace(said, address=address())
        with pytest.raises(Exception, match=re.escape(operator_texts.TOKEN_REFUSED)) as refused:
            await telegram.send(make_message_part(said, telegram.split_into_parts(said), 0))
        errors += [str(refused.value), repr(refused.value.__context__)]
        shown = [repr(telegram), repr(telegram.client), repr(telegram.client._bot), telegram.health().fault]
    assert len(errors) > 20
    assert secret not in "\n".join([*errors, *shown, caplog.text])
