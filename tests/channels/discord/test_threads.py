"""A request in a server channel opens a thread: its name, its first message, follow-ups, and what happens without."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.core.errors import MessageLeftBehind, NotDelivered
from bot.core.messages import HistoryReadEvent, MessageId, OutboundKind, PlatformId
from channels.discord.threads import MAX_NAME_LENGTH, thread_name
from tests.stand_ins.discord import Channel, Fault, Message, Permission, Route
from tests.support.discord_channel import Town, at, message, parts, send


def thread_of(town: Town, asked: Message) -> Channel:
    return town.server.world.channels[asked.id]


def id_of(town: Town, asked: Message) -> MessageId:
    return MessageId(f"discord:{town.server.bot.id}:{asked.channel.id}:{asked.id}")


async def test_a_request_opens_a_thread_with_the_first_thing_said_there(town: Town) -> None:
    async with town.at_work(threads=True) as channel:
        asked = town.ask("plan our trip <@5>")
        [heard] = await town.door.messages(1)
        assert (heard.address.chat, heard.address.thread) == (str(town.general.id), str(asked.id))
        assert (heard.wants_summary, heard.id) == (True, id_of(town, asked))
        assert not town.server.to(Route.OPEN_THREAD)
        for number in range(2):
            await send(channel, message(f"answer {number}", heard.address, reply_to=heard.id, id=f"t1/{number}"))
    thread = thread_of(town, asked)
    assert (thread.name, town.has_said(thread), town.has_said()) == ("plan our trip", ["answer 0", "answer 1"], [])
    assert len(town.server.to(Route.OPEN_THREAD)) == 1
    town.server.verify()


async def test_a_stop_word_opens_no_thread_but_is_the_command(town: Town) -> None:
    async with town.at_work(threads=True) as channel:
        town.ask("Stop!")
        asked = town.ask("plan our trip")
        first, heard = await town.door.messages(2)
        assert (first.text, first.address, first.wants_summary) == ("/stop", at(town.general), False)
        await send(channel, message("Where to?", heard.address))
        told = message("Planned.", heard.address, OutboundKind.NOTICE, is_summary=True, reply_to=heard.id, id="t1:s")
        await send(channel, told)
        town.ask("stop", reply_to=town.server.said(town.general)[0])
        town.ann.say(thread_of(town, asked), "stop")
        *_, replied = await town.door.messages(3)
        await town.door.until(lambda: town.door.overheard)
        [there] = town.door.overheard
    assert (replied.text, replied.address) == ("/stop", heard.address)
    assert (there.message.text, there.message.address) == ("stop", heard.address)


async def test_without_the_setting_no_request_opens_a_thread(town: Town) -> None:
    async with town.at_work():
        town.ask("plan our trip")
        [heard] = await town.door.messages(1)
    assert (heard.address, heard.wants_summary) == (at(town.general), False)


async def test_a_command_and_a_request_in_a_thread_stay_where_they_are(town: Town) -> None:
    thread = town.server.thread(town.general, "of people")
    async with town.at_work(threads=True):
        town.ann.say(town.general, "/stop")
        town.ask("and here?", channel=thread)
        town.ann.say(thread, "between us")
        town.ann.say(town.ann.private(), "in private")
        heard = await town.door.messages(3)
    assert [each.address.thread for each in heard] == [None, str(thread.id), None]
    assert not any(each.wants_summary for each in heard)


async def test_two_people_follow_up_without_a_mention_also_after_a_restart(town: Town) -> None:
    async with town.at_work(threads=True) as channel:
        asked = town.ask("plan our trip")
        [heard] = await town.door.messages(1)
        await send(channel, message("Where to?", heard.address))
        town.ann.say(thread_of(town, asked), "to Rome")
        await town.door.until(lambda: town.door.overheard)
    town.remember()
    thread = thread_of(town, asked)
    async with town.at_work(threads=True) as channel:
        to_rome = town.bob.say(thread, "or to Oslo")
        town.bob.say(thread, "or by train", reply_to=to_rome)
        town.ann.say(thread, "no", reply_to=to_rome)
        town.ann.say(thread, "what do you think?", mentions=[town.bob])
        thread.is_archived = True
        town.bob.say(thread, "decide")
        await town.door.until(lambda: any(each.message.text == "decide" for each in town.door.overheard))
        await send(channel, message("Rome.", heard.address, id="t2"))
    followed = [each.message for each in town.door.overheard if not each.is_between_people]
    assert list(dict.fromkeys(each.text for each in followed)) == ["to Rome", "or to Oslo", "or by train", "decide"]
    assert {each.address for each in followed} == {heard.address}
    assert town.has_said(thread) == ["Where to?", "Rome."]
    assert not any(each.wants_summary for each in followed)


async def test_an_edit_of_the_request_reaches_its_turn(town: Town) -> None:
    async with town.at_work(threads=True):
        asked = town.ask("plan our trip")
        town.ann.edit(asked, f"<@{town.server.bot.id}> plan two trips")
        first, second = await town.door.messages(2)
    assert (second.id, second.address, second.text, second.is_edit) == (first.id, first.address, "plan two trips", True)


async def test_a_thread_that_is_there_already_is_written_to(town: Town) -> None:
    town.server.faults.on(Route.OPEN_THREAD, Fault.RESET_AFTER)
    async with town.at_work(threads=True) as channel:
        asked = town.ask("plan our trip")
        [heard] = await town.door.messages(1)
        [part] = parts(channel, message("done", heard.address))
        with pytest.raises(NotDelivered):
            await channel.send(part)
        assert thread_of(town, asked)
        await channel.send(part)
    assert town.has_said(thread_of(town, asked)) == ["done"]


@pytest.mark.parametrize("why", ["may not open", "may not write", "too many", "request deleted", "locked"])
async def test_where_no_thread_can_be_used_the_bot_replies_in_the_channel(town: Town, why: str) -> None:
    since = datetime.now(UTC) - timedelta(seconds=5)
    if why == "may not open":
        town.general.denied |= Permission.CREATE_PUBLIC_THREADS
    if why == "may not write":
        town.general.denied |= Permission.SEND_MESSAGES_IN_THREADS
    if why == "too many":
        town.server.world.most_active_threads = 0
    async with town.at_work(threads=True) as channel:
        asked = town.ask("plan our trip")
        [heard] = await town.door.messages(1)
        if why == "request deleted":
            town.ann.delete(asked)
        if why == "locked":
            opened = town.server.world.open_thread(asked, "plan", town.server.bot)
            opened.is_archived = opened.is_locked = True
        await send(channel, message("one", heard.address, reply_to=heard.id))
    town.remember()
    town.general.denied = Permission(0)
    town.server.world.most_active_threads = 1_000
    async with town.at_work(threads=True) as channel:
        [two] = await send(channel, message("two", heard.address, id="t2", kind=OutboundKind.UPDATE, role="researcher"))
        [part] = parts(channel, message("two!", heard.address, id="t2", kind=OutboundKind.UPDATE, role="researcher"))
        await channel.edit(PlatformId(two), part)
        assert await channel.find_sent_part_id(part, since, ()) == two
        await send(
            channel,
            message("one", heard.address, kind=OutboundKind.NOTICE, is_summary=True, reply_to=heard.id, id="t1:s"),
        )
        said = town.server.said(town.general)
        town.ann.say(town.general, "and then?", reply_to=said[0])
        *_, reply = await town.door.messages(2)
    assert [one.text for one in said] == ["one", "[Researcher]: two!"]
    if why != "request deleted":
        assert [one.reply_to for one in said] == [asked, asked]
        assert reply.address == heard.address


async def test_what_a_request_left_in_its_thread_is_edited_but_a_board_moves(town: Town) -> None:
    async with town.at_work(threads=True) as channel:
        town.ask("plan our trip")
        [heard] = await town.door.messages(1)
        asked = message("Which?", heard.address, OutboundKind.QUESTION, options=("a", "b"), id="t1/2/0")
        board = message("1. Researcher", heard.address, OutboundKind.BOARD, id="t1:board")
        ids = [PlatformId((await send(channel, each))[0]) for each in (asked, board)]
        thread = next(each for each in town.server.world.channels.values() if each.parent)
        edits = [parts(channel, replace(each, options=(), revision=1))[0] for each in (asked, board)]
        thread.is_archived = thread.is_locked = True
        for id, part in zip(ids, edits, strict=True):
            with pytest.raises(NotDelivered):  # until something is said there, or in the channel
                await channel.edit(id, part)
        await send(channel, message("moved", heard.address, id="t2"))
        assert town.has_said() == ["moved"]
        with pytest.raises(MessageLeftBehind):
            await channel.edit(ids[1], edits[1])
        thread.is_archived = thread.is_locked = False
        await channel.edit(ids[0], edits[0])
        assert [(one.text, one.buttons) for one in town.server.said(thread)] == [("Which?", []), ("1. Researcher", [])]
        await channel.delete(heard.address, ids[1])
    assert town.has_said(thread) == ["Which?"]


async def test_a_summary_replies_in_the_channel_and_links_the_thread(town: Town) -> None:
    since = datetime.now(UTC) - timedelta(seconds=5)
    async with town.at_work(threads=True) as channel:
        asked = town.ask("plan our trip")
        [heard] = await town.door.messages(1)
        await send(channel, message("All is planned.", heard.address))
        told = message(
            "All is planned.",
            heard.address,
            OutboundKind.NOTICE,
            is_summary=True,
            reply_to=heard.id,
            id="t1:s",
            is_quiet=True,
        )
        [id] = await send(channel, told)
        [part] = parts(channel, told)
        assert await channel.find_sent_part_id(part, since, ()) == PlatformId(id)
        [said] = town.server.said(town.general)
        town.bob.say(town.general, "thanks, and the food?", reply_to=said)
        *_, reply = await town.door.messages(2)
    assert (said.text, said.reply_to, said.mentions) == (f"All is planned. · <#{asked.id}>", asked, [])
    assert (reply.address, reply.wants_summary) == (heard.address, True)


async def test_equal_answers_to_two_requests_in_the_channel_are_told_apart(town: Town) -> None:
    town.general.denied |= Permission.CREATE_PUBLIC_THREADS
    async with town.at_work(threads=True) as channel:
        town.ask("one")
        town.ask("two", by=town.bob)
        first, second = await town.door.messages(2)
        await send(channel, message("I have no answer.", first.address, reply_to=first.id))
        [part] = parts(channel, message("I have no answer.", second.address, reply_to=second.id, id="t2"))
        assert await channel.find_sent_part_id(part, datetime.now(UTC), ()) is None
        sent = await channel.send(part)
        assert await channel.find_sent_part_id(part, datetime.now(UTC), ()) == sent


async def test_a_role_speaks_in_the_thread_that_it_opens(town: Town) -> None:
    town.general.granted |= Permission.MANAGE_WEBHOOKS
    async with town.at_work(threads=True) as channel:
        asked = town.ask("plan our trip")
        [heard] = await town.door.messages(1)
        await send(channel, message("found", heard.address, OutboundKind.UPDATE, role="researcher"))
    assert town.server.heard_voices(thread_of(town, asked)) == [("Researcher", "[Researcher]: found")]


async def test_the_channels_history_goes_on_behind_a_request(town: Town) -> None:
    async with town.at_work(threads=True):
        first = town.ask("one")
        await town.door.messages(1)
    assert HistoryReadEvent(address=at(town.general), cursor=str(first.id)) in town.door.seen
    town.remember()
    town.ask("while away")
    async with town.at_work(threads=True):
        _, second = await town.door.messages(2)
    assert (second.text, second.address.chat) == ("while away", str(town.general.id))
    assert second.address.thread == second.id.rpartition(":")[2]


def test_a_threads_name_is_the_requests_first_words_on_one_line() -> None:
    assert thread_name("<@1> plan\n our <#2> trip <@&3>", "Ann") == "plan our trip"
    assert thread_name("<@1>", "Ann") == "Ann"
    assert thread_name("<:party:123> use </stop:45> <t:1700000000:R><a:wave:6>", "Ann") == ":party: use /stop :wave:"
    long = thread_name("word " * 40, "Ann")
    assert len(long) <= MAX_NAME_LENGTH
    assert long.endswith("word…")
