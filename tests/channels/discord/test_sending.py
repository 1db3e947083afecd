"""What reaches Discord, and what each failure on the way means."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from bot.core.errors import ChatClosed, DeliveryDelayed, DeliveryError, NotDelivered
from bot.core.messages import Address, Draft, MessageId, OutboundKind, PlatformId
from channels.discord import operator_texts
from channels.discord.api import ARCHIVED_THREAD_CODE, DiscordRefusal
from channels.discord.timing import DEFAULT_TIMING
from tests.stand_ins.discord import DiscordStandIn, Fault, Flag, Permission, Route
from tests.support.discord_channel import Town, at, message, parts, private, send


def reply_to(town: Town, written: object) -> MessageId:
    return MessageId(f"discord:{town.server.bot.id}:{town.general.id}:{getattr(written, 'id')}")  # noqa: B009


async def test_an_answer_replies_and_rings_for_who_asked_and_nobody_else(town: Town) -> None:
    async with town.at_work() as channel:
        asked = town.ask("who?")
        text = f"{town.bob.mention} and @everyone"
        [id] = await send(channel, message(text, at(town.general), reply_to=reply_to(town, asked)))
    [said] = town.server.said(town.general)
    assert (str(said.id), said.text, said.reply_to) == (id, text, asked)
    assert said.mentions == [town.ann]
    assert not said.pings_everyone
    assert said.flags == Flag.SUPPRESS_EMBEDS
    assert [one.rings for one in town.bob.sees(town.general)] == [False, False]
    town.server.verify()


async def test_a_quiet_message_rings_nowhere(town: Town) -> None:
    async with town.at_work() as channel:
        asked = town.ask("who?")
        said = message("by the way", at(town.general), reply_to=reply_to(town, asked), is_quiet=True)
        await send(channel, said)
        await send(channel, message("board", at(town.general), OutboundKind.BOARD, id="t1:board"))
    assert [one.flags for one in town.server.said(town.general)] == [
        Flag.SUPPRESS_EMBEDS | Flag.SUPPRESS_NOTIFICATIONS
    ] * 2
    assert [one.rings for one in town.ann.sees(town.general)] == [False] * 3


async def test_the_first_of_a_long_answers_messages_is_the_reply(town: Town) -> None:
    async with town.at_work() as channel:
        asked = town.ask("tell all")
        ids = await send(channel, message("word " * 1_000, at(town.general), reply_to=reply_to(town, asked)))
    said = town.server.said(town.general)
    assert [str(one.id) for one in said] == ids
    assert [one.reply_to for one in said] == [asked, None, None]
    assert max(len(one.text) for one in said) <= 2_000


async def test_a_person_gets_a_private_message_without_having_written_first(town: Town) -> None:
    async with town.at_work() as channel:
        await send(channel, message("psst", private(town.bob)))
    assert [one.text for one in town.bob.sees(town.bob.private())] == ["psst"]


async def test_a_thread_is_written_to(town: Town) -> None:
    thread = town.server.thread(town.general, "details")
    async with town.at_work() as channel:
        await send(channel, message("here", at(thread)))
    assert (town.has_said(thread), town.has_said()) == (["here"], [])


async def test_an_answer_is_sent_though_its_question_is_gone(town: Town) -> None:
    async with town.at_work() as channel:
        asked = town.ask("who?")
        town.ann.delete(asked)
        await send(channel, message("anyone?", at(town.general), reply_to=reply_to(town, asked)))
        elsewhere = MessageId(f"discord:1:{town.ann.private().id}:77")
        await send(channel, message("here?", at(town.general), reply_to=elsewhere, id="t2/1/0"))
    assert town.has_said() == ["anyone?", "here?"]


async def test_without_the_right_to_read_history_it_speaks_without_replying(town: Town) -> None:
    async with town.at_work() as channel:
        asked = town.ask("who?")
        town.general.denied |= Permission.READ_MESSAGE_HISTORY
        await send(channel, message("me", at(town.general), reply_to=reply_to(town, asked)))
    assert [(one.text, one.reply_to) for one in town.server.said(town.general)] == [("me", None)]


async def test_a_question_has_its_options_in_the_text_and_as_buttons(town: Town) -> None:
    async with town.at_work() as channel:
        said = message("Which?", at(town.general), OutboundKind.QUESTION, options=("red", "dark blue"), id="t7/4/0")
        await send(channel, said)
        await send(channel, message("Which?", at(town.general), OutboundKind.QUESTION, options=("a",), id="x" * 99))
    first, second = town.server.said(town.general)
    assert first.text == "Which?\n\n1. red\n2. dark blue"
    assert [(each["label"], each["custom_id"]) for each in first.buttons] == [
        ("red", "1:t7/4/0"),
        ("dark blue", "2:t7/4/0"),
    ]
    assert (second.text, second.buttons) == ("Which?\n\n1. a", [])


async def test_an_edit_takes_its_place_and_a_deletion_may_be_repeated(town: Town) -> None:
    async with town.at_work() as channel:
        said = message("Which?", at(town.general), OutboundKind.QUESTION, options=("red",), id="t7/4/0")
        [id] = await send(channel, said)
        [part] = parts(channel, message("Red, then.", at(town.general), id="t7/4/0", revision=1))
        for _ in range(2):
            await channel.edit(PlatformId(id), part)
        [there] = town.server.said(town.general)
        assert (there.text, there.buttons) == ("Red, then.", [])
        for _ in range(2):
            await channel.delete(at(town.general), PlatformId(id))
        with pytest.raises(DeliveryError, match="Unknown Message"):
            await channel.edit(PlatformId(id), part)
    assert town.has_said() == []


async def test_the_same_part_sent_twice_is_there_once(town: Town) -> None:
    async with town.at_work() as channel:
        said = message("once", at(town.general))
        assert await send(channel, said) == await send(channel, said)
    assert town.has_said() == ["once"]


async def test_it_is_found_in_the_history_by_its_exact_text(town: Town) -> None:
    since = datetime.now(UTC) - timedelta(seconds=5)
    async with town.at_work() as channel:
        [part] = parts(channel, message("done", at(town.general)))
        town.ann.say(town.general, "done")
        assert await channel.find_sent_part_id(part, since, ()) is None
        for number in range(120):
            town.ann.say(town.general, f"talk {number}")
        await send(channel, message("done, too", at(town.general), id="t0/1/0"))
        id = await channel.send(part)
        for number in range(120):
            town.ann.say(town.general, f"talk {number}")
        assert await channel.find_sent_part_id(part, since, ()) == id
        assert await channel.find_sent_part_id(part, since, {id}) is None  # which is another's


async def test_it_is_found_though_the_clock_is_wrong(town: Town) -> None:
    async with town.at_work() as channel:
        [part] = parts(channel, message("done", at(town.general)))
        id = await channel.send(part)
        for hours in (-30, -1, 1, 20):
            since = datetime.now(UTC) + timedelta(hours=hours)
            assert await channel.find_sent_part_id(part, since, ()) == id
        assert await channel.find_sent_part_id(part, datetime.now(UTC) + timedelta(days=2), ()) is None


async def test_an_equal_answer_to_another_message_is_not_taken_for_it(town: Town) -> None:
    async with town.at_work() as channel:
        first, second = town.ask("who?"), town.ask("and who?", by=town.bob)
        [id] = await send(channel, message("me", at(town.general), reply_to=reply_to(town, first)))
        [part] = parts(channel, message("me", at(town.general), reply_to=reply_to(town, second), id="t2/1/0"))
        assert await channel.find_sent_part_id(part, datetime.now(UTC), ()) is None
        sent = await channel.send(part)
        assert await channel.find_sent_part_id(part, datetime.now(UTC), ()) == sent != id


async def test_typing_is_shown_and_its_failures_are_ignored(town: Town) -> None:
    async with town.at_work() as channel:
        await channel.show_draft(Draft(turn="t1", address=at(town.general), text=""))
        town.server.faults.always(Route.TYPING, Fault.RESET_BEFORE)
        await channel.show_draft(Draft(turn="t1", address=private(town.ann), text="Hal"))
    assert len(town.general.typing) == 1
    assert channel.has_editable_drafts(private(town.ann))
    assert not channel.has_editable_drafts(at(town.general))


NOT_TAKEN = {Fault.RATE_LIMITED_35: 35.0, Fault.RATE_LIMITED_240: 240.0, Fault.BANNED: 60.0}


@pytest.mark.parametrize("fault", NOT_TAKEN)
async def test_a_long_rate_limit_is_told_with_its_seconds(town: Town, fault: Fault) -> None:
    async with town.at_work() as channel:
        town.server.faults.on(Route.SEND, fault)
        with pytest.raises(DeliveryDelayed) as delayed:
            await send(channel, message("later", at(town.general)))
    assert delayed.value.seconds == NOT_TAKEN[fault]
    assert town.has_said() == []


@pytest.mark.parametrize(
    "fault",
    [
        Fault.RESET_BEFORE,
        Fault.BLACK_HOLE_BEFORE,
        Fault.UNAVAILABLE,
        Fault.RESET_AFTER,
        Fault.CLOSED_AFTER,
        Fault.HALF_ANSWER,
        Fault.BLACK_HOLE_AFTER,
        Fault.NOT_JSON,
    ],
)
async def test_a_sending_in_doubt_is_reported_and_settled_by_the_nonce(town: Town, fault: Fault) -> None:
    async with town.at_work() as channel:
        town.server.faults.on(Route.SEND, fault)
        said = message("once", at(town.general))
        with pytest.raises(ConnectionError):
            await send(channel, said)
        await send(channel, said)
    assert town.has_said() == ["once"]


async def test_a_server_that_is_not_there_has_taken_nothing(town: Town) -> None:
    async with town.at_work() as channel:
        async with town.server.away():
            with pytest.raises(ConnectionError):  # it was still connected
                await send(channel, message("hello?", at(town.general)))
            with pytest.raises(NotDelivered):
                await send(channel, message("hello?", at(town.general)))
        await send(channel, message("hello", at(town.general)))
    assert town.has_said() == ["hello"]


async def test_the_library_waits_out_short_rate_limits(town: Town) -> None:
    async with town.at_work() as channel:
        town.server.faults.on(Route.SEND, Fault.RATE_LIMITED_1)
        await send(channel, message("in a second", at(town.general)))
    assert town.has_said() == ["in a second"]


async def test_a_chat_that_is_gone_or_shut_us_out_is_told_with_the_remedy(town: Town) -> None:
    thread = town.server.thread(town.general, "details")
    gone = town.server.channel(town.home, "gone")
    async with town.at_work() as channel:
        town.server.remove(gone)
        town.bob.closes_private_messages()
        thread.is_archived = thread.is_locked = True
        told = [await shut(channel, each) for each in (at(gone), private(town.bob), at(thread))]
        town.general.denied |= Permission.SEND_MESSAGES
        told.append(await shut(channel, at(town.general)))
        town.general.denied |= Permission.VIEW_CHANNEL
        told.append(await shut(channel, at(town.general)))
    assert told == [
        operator_texts.CHANNEL_GONE,
        operator_texts.NO_PRIVATE_MESSAGES,
        operator_texts.THREAD_LOCKED,
        operator_texts.MAY_NOT_SEND,
        operator_texts.MAY_NOT_SEE,
    ]


async def test_an_edit_in_an_archived_thread_shuts_no_chat(town: Town) -> None:
    thread = town.server.thread(town.general, "details")
    async with town.at_work() as channel:
        [id] = await send(channel, message("a board", at(thread)))
        thread.is_archived = True
        [part] = parts(channel, message("a later board", at(thread)))
        with pytest.raises(DiscordRefusal) as refused:
            await channel.edit(PlatformId(id), part)
        assert refused.value.code == ARCHIVED_THREAD_CODE
        await send(channel, message("the answer", at(thread), id="t2"))
        await channel.edit(PlatformId(id), part)
    assert [one.text for one in town.server.said(thread)] == ["a later board", "the answer"]


async def shut(channel: object, address: Address) -> str:
    with pytest.raises(ChatClosed) as closed:
        await send(channel, message("hello?", address))  # type: ignore[arg-type]
    return str(closed.value)


async def test_a_message_refused_by_discord_fails_for_good(town: Town) -> None:
    async with town.at_work() as channel:
        [part] = parts(channel, message("hello", at(town.general)))
        with pytest.raises(DeliveryError, match=r"Must be 2000 or fewer in length") as refused:
            await channel.send(
                type(part)(**{name: getattr(part, name) for name in part.__slots__} | {"text": "x" * 2_001})
            )
    assert type(refused.value).__mro__[1] is DeliveryError


async def test_before_the_sign_in_nothing_is_taken(town: Town) -> None:
    async with town.server.away(), town.at_work(is_awaited=False) as channel:
        with pytest.raises(NotDelivered):
            await send(channel, message("hello?", at(town.general)))


async def test_it_keeps_below_the_limits_of_a_channel() -> None:
    async with DiscordStandIn() as server:
        town = Town(server)
        async with town.at_work(DEFAULT_TIMING) as channel:
            for number in range(4):
                await channel.wait_for_pace(at(town.general))
                await send(channel, message(f"message {number}", at(town.general), id=f"t{number}"))
            waiting = asyncio.create_task(channel.wait_for_pace(at(town.general)))
            await asyncio.sleep(0.05)
            assert not waiting.done()
            assert channel.has_room_for_cosmetic_message(at(town.general), is_edit=True)
            waiting.cancel()
        assert [one.status for one in server.to(Route.SEND)] == [200] * 4


@pytest.mark.fast
async def test_the_limits_are_never_passed_by_many_channels_at_once() -> None:
    async with DiscordStandIn() as server:
        town = Town(server)
        channels = [server.channel(town.home, f"channel {number}") for number in range(40)]
        async with town.at_work(DEFAULT_TIMING) as channel, asyncio.TaskGroup() as tasks:

            async def speak(place: Address, number: int) -> None:
                for again in range(2):
                    await channel.wait_for_pace(place)
                    await channel.show_draft(Draft(turn="t", address=place, text=""))
                    await send(channel, message("hello", place, id=f"t{number}/{again}"))

            for number, each in enumerate(channels):
                tasks.create_task(speak(at(each), number))
        assert {one.status for one in server.to(Route.SEND)} == {200}
        assert [len(server.said(each)) for each in channels] == [2] * 40
        assert not [one for one in server.requests if one.status == 429]
