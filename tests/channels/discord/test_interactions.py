"""Taps and slash commands on Discord: durable first, then answered in time, by words that only their person sees."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.core.channel import MessagePart
from bot.core.messages import InboundKind, MessageId, OutboundKind, OutboundMessage, PlatformId
from bot.engine.delivery import list_part_contents, make_message_part, open_part_files
from channels.discord import operator_texts, people_texts
from channels.discord.channel import Discord
from tests.stand_ins.discord import Fault, Interaction, Message, Route
from tests.stand_ins.discord.interactions import Answered
from tests.support.discord_channel import QUICK, Town, at, message, parts, private, send
from tests.support.wording import REPEAT_MARK

SLOW = replace(QUICK, seconds_to_finish_command=5.0)  # so that only words can end a command


def id_of(town: Town, interaction: Interaction) -> MessageId:
    return MessageId(f"discord:{town.server.bot.id}:tap:{interaction.id}")


async def question(channel: Discord, town: Town) -> Message:
    said = message("Which?", at(town.general), OutboundKind.QUESTION, options=("red", "blue"), id="t7/4/0")
    await send(channel, said)
    return town.server.said(town.general)[-1]


async def answer(channel: Discord, town: Town, interaction: Interaction, text: str) -> list[str]:
    about = id_of(town, interaction)
    said = message(text, at(town.general), OutboundKind.NOTICE, reply_to=about, id=f"{about}:done")
    return await send(channel, said)


def parts_with_file(channel: Discord, said: OutboundMessage, folder: Path) -> list[MessagePart]:
    """Return the parts of a message: if it is too long for its `max_parts`, the first, and the whole as a file."""
    contents = list_part_contents(channel, said)
    texts = [each.text for each in contents]
    files = [open_part_files(said, each, folder) for each in contents]
    return [make_message_part(said, texts, number, files=files[number]) for number in range(len(contents))]


async def test_a_tap_is_heard_as_the_number_of_its_option(town: Town) -> None:
    async with town.at_work() as channel:
        asked = await question(channel, town)
        tapped = town.bob.tap(asked, "2:t7/4/0")
        [heard] = await town.door.messages(1)
    assert (heard.id, heard.kind, heard.question) == (id_of(town, tapped), InboundKind.ANSWER, "t7/4/0")
    assert (heard.text, heard.sender.name, heard.reply_to) == ("2", "Bob", str(asked.id))
    assert (heard.address, heard.group_chat, heard.cursor) == (at(town.general), str(town.home.id), None)


async def test_a_slash_command_is_heard_as_what_one_would_type(town: Town) -> None:
    thread = town.server.thread(town.general, "details")
    async with town.at_work():
        town.ann.command(town.general, "stop", which="researcher")
        town.ann.command(town.ann.private(), "status")
        town.ann.command(thread, "help")
        town.ann.command(town.general, "tell", words="leave out the prices", number="2")  # filled in this order
        heard = await town.door.messages(4)
    assert [(each.kind, each.text) for each in heard] == [
        (InboundKind.COMMAND, "/stop researcher"),
        (InboundKind.COMMAND, "/status"),
        (InboundKind.COMMAND, "/help"),
        (InboundKind.COMMAND, "/tell 2 leave out the prices"),
    ]
    assert [each.address for each in heard] == [at(town.general), private(town.ann), at(thread), at(town.general)]
    assert [each.group_chat for each in heard] == [str(town.home.id), None, *[str(town.home.id)] * 2]


@pytest.mark.parametrize("is_tap", [True, False])
async def test_it_is_acknowledged_at_once_and_only_its_person_sees_the_words(town: Town, is_tap: bool) -> None:
    async with town.at_work(SLOW) as channel:
        asked = await question(channel, town)
        done = town.ann.tap(asked, "1:t7/4/0") if is_tap else town.ann.command(town.general, "status")
        await town.server.until(lambda: done.answered)  # before there are any words
        [id] = await answer(channel, town, done, "not much")
        [part] = parts(channel, message("later", at(town.general)))
        await channel.edit(PlatformId(id), part)
        await channel.delete(at(town.general), PlatformId(id))
    assert id == f"ack:{done.id}"
    assert done.answered is (Answered.DEFERRED_UPDATE if is_tap else Answered.DEFERRED)
    assert [(one.text, one.is_only_for_me) for one in town.ann.sees(town.general)[1:]] == [("not much", True)]
    assert len(town.bob.sees(town.general)) == 1
    town.server.verify()


async def test_it_is_acknowledged_only_once_it_is_durable(town: Town) -> None:
    async with town.at_work():
        town.door.open.clear()
        done = town.ann.command(town.general, "status")
        await asyncio.sleep(0.15)
        assert done.answered is None
        town.door.open.set()
        await town.server.until(lambda: done.answered)


async def test_without_words_a_tap_is_acknowledged_and_a_command_finished(town: Town) -> None:
    async with town.at_work() as channel:
        asked = await question(channel, town)
        tapped, commanded = town.ann.tap(asked, "1:t7/4/0"), town.ann.command(town.general, "stop")
        await town.server.until(lambda: commanded.original and commanded.original.text == people_texts.HAS_ARRIVED())
    assert (tapped.answered, commanded.answered) == (Answered.DEFERRED_UPDATE, Answered.DEFERRED)
    assert [one.text for one in town.bob.sees(town.general)] == ["Which?\n\n1. red\n2. blue"]
    town.server.verify()


@pytest.mark.parametrize("is_tap", [True, False])
async def test_words_that_come_later_are_still_for_its_person_alone(town: Town, is_tap: bool) -> None:
    async with town.at_work(replace(QUICK, seconds_to_finish_command=5.0)) as channel:
        asked = await question(channel, town)
        done = town.ann.tap(asked, "1:t7/4/0") if is_tap else town.ann.command(town.general, "status")
        await town.server.until(lambda: done.answered)
        [id] = await answer(channel, town, done, "late, but here")
    assert id.startswith("ack:")
    assert [one.text for one in town.ann.sees(town.general)[1:]] == ["late, but here"]
    assert [one.text for one in town.bob.sees(town.general)] == ["Which?\n\n1. red\n2. blue"]
    town.server.verify()


async def test_many_words_are_several_answers(town: Town) -> None:
    async with town.at_work(SLOW) as channel:
        done = town.ann.command(town.general, "help")
        await town.door.messages(1)
        await answer(channel, town, done, "word " * 1_000)
    assert len(town.ann.sees(town.general)) == 3
    assert town.bob.sees(town.general) == []


@pytest.mark.parametrize("fault", [Fault.RESET_BEFORE, Fault.RESET_AFTER, Fault.HALF_ANSWER, Fault.UNAVAILABLE])
@pytest.mark.parametrize("is_tap", [True, False])
async def test_an_answer_of_unknown_fate_may_be_given_again(town: Town, fault: Fault, is_tap: bool) -> None:
    async with town.at_work(SLOW) as channel:
        asked = await question(channel, town)
        done = town.ann.tap(asked, "1:t7/4/0") if is_tap else town.ann.command(town.general, "status")
        await town.door.messages(1)
        town.server.faults.on(Route.CALLBACK, fault)
        with pytest.raises(ConnectionError):
            await answer(channel, town, done, "once")
        await answer(channel, town, done, "once")
    first, *others = [one.text for one in town.ann.sees(town.general)[1:]]
    assert first.removeprefix(REPEAT_MARK) == "once"
    assert others == ([f"{REPEAT_MARK}once"] * len(others) if is_tap else []), "what may be a repeat says so"


async def test_an_added_answer_that_a_proxy_may_have_lost_is_marked_when_repeated(town: Town) -> None:
    async with town.at_work(SLOW) as channel:
        done = town.ann.tap(await question(channel, town), "1:t7/4/0")
        await town.server.until(lambda: done.answered)
        town.server.faults.on(Route.FOLLOW_UP, Fault.BAD_GATEWAY_AFTER)
        with pytest.raises(ConnectionError):
            await answer(channel, town, done, "once")
        await answer(channel, town, done, "once")
    assert [one.text for one in town.ann.sees(town.general)[1:]] == ["once", f"{REPEAT_MARK}once"]


async def test_an_answer_too_late_for_its_interaction_is_an_ordinary_message(town: Town) -> None:
    async with town.at_work(SLOW) as channel:
        done = town.ann.command(town.general, "status")
        await town.door.messages(1)
        done.at -= 60
        [id] = await answer(channel, town, done, "too late")
    assert id == str(town.server.said(town.general)[0].id)
    assert [one.text for one in town.bob.sees(town.general)] == ["too late"]


async def test_after_a_restart_it_is_an_ordinary_message(town: Town) -> None:
    async with town.at_work(SLOW):
        done = town.ann.command(town.general, "status")
        await town.door.messages(1)
    async with town.at_work(SLOW) as channel:
        await answer(channel, town, done, "here")
    assert [one.text for one in town.bob.sees(town.general)] == ["here"]


@pytest.mark.parametrize("is_tap", [True, False])
async def test_a_log_that_comes_too_late_is_not_shown_to_everybody(town: Town, is_tap: bool) -> None:
    async with town.at_work(SLOW) as channel:
        asked = await question(channel, town)
        done = town.ann.tap(asked, "1:t7/4/0") if is_tap else town.ann.command(town.general, "log")
        [heard] = await town.door.messages(1)
    async with town.at_work(SLOW) as channel:
        log = message("line\n" * 1_000, at(town.general), OutboundKind.NOTICE, reply_to=heard.id, is_folded=True)
        assert len(await send(channel, log)) == 3
        await send(channel, log)
    assert done
    assert [one.text for one in town.bob.sees(town.general)][1:] == [people_texts.ASK_AGAIN()]


async def test_the_file_of_a_log_that_comes_too_late_is_not_shown_to_everybody(town: Town, tmp_path: Path) -> None:
    async with town.at_work(SLOW):
        town.ann.command(town.general, "log")
        [heard] = await town.door.messages(1)
    about: Any = {"reply_to": heard.id, "is_folded": True, "max_parts": 1}
    async with town.at_work(SLOW) as channel:
        log = message("line\n" * 1_000, at(town.general), OutboundKind.NOTICE, **about)
        await channel.send(parts_with_file(channel, log, tmp_path)[1])
    [seen] = town.bob.sees(town.general)
    assert (seen.text, seen.message.attachments) == (people_texts.ASK_AGAIN(), [])


async def test_a_long_private_answer_that_may_be_a_repeat_stays_private(town: Town) -> None:
    async with town.at_work(SLOW) as channel:
        done = town.ann.tap(await question(channel, town), "1:t7/4/0")
        [heard] = await town.door.messages(1)
        await town.server.until(lambda: done.answered)
        log = message("x" * 4_000, at(town.general), OutboundKind.NOTICE, reply_to=heard.id, is_folded=True)
        first, *others = parts(channel, log)
        await channel.send(first)
        town.server.faults.on(Route.FOLLOW_UP, Fault.RESET_AFTER)
        with pytest.raises(ConnectionError):
            await channel.send(others[0])
        for part in others:
            await channel.send(part)
    assert town.bob.sees(town.general)[1:] == []
    seen = town.ann.sees(town.general)[1:]
    assert [one.text.startswith(REPEAT_MARK) for one in seen] == [False, False, True, False]
    assert all(one.is_only_for_me for one in seen)


async def test_a_button_that_is_none_of_ours_is_set_aside_without_its_secret(town: Town) -> None:
    async with town.at_work() as channel:
        asked = await question(channel, town)
        asked.components[0]["components"][0]["custom_id"] = "buy now"
        done = town.ann.tap(asked, "buy now")
        await town.door.until(lambda: town.door.aside)
    [aside] = town.door.aside
    assert done.token not in aside.raw_event
    assert aside.parse_error == f"MalformedDiscordData: {operator_texts.FOREIGN_BUTTON}"


async def test_the_file_of_a_long_answer_is_for_its_person_alone_too(town: Town, tmp_path: Path) -> None:
    async with town.at_work(SLOW) as channel:
        done = town.ann.command(town.general, "memory", what="export")
        await town.server.until(lambda: done.answered)
        about, text = id_of(town, done), "a memory\n" * 1_000
        said = message(text, at(town.general), OutboundKind.NOTICE, reply_to=about, id=f"{about}:told", max_parts=1)
        for part in parts_with_file(channel, said, tmp_path):
            await channel.send(part)
    first, whole = town.ann.sees(town.general)
    assert (first.is_only_for_me, whole.is_only_for_me) == (True, True)
    assert [each["size"] for each in whole.message.attachments] == [len(text)]
    assert town.bob.sees(town.general) == []
    town.server.verify()
