"""What was written while nobody listened: all of it is heard, in order, once, and no chat waits for another's."""

import pytest

from bot.core.messages import HistoryReadEvent, InboundMessage
from channels.discord.channel import Discord
from tests.stand_ins.discord import Fault, Permission, Route
from tests.support.discord_channel import Town, at, private


async def known_at(town: Town) -> None:
    """The bot has been here before, and read to here."""
    town.door.knows(at(town.general), town.ask("before").id)


async def test_missed_messages_are_heard_in_order_and_move_the_cursor(town: Town) -> None:
    await known_at(town)
    for number in range(250):
        town.ask(f"missed {number}")
        last = town.ann.say(town.general, f"talk {number}")
    async with town.at_work():
        await town.door.until(lambda: town.door.seen and town.door.seen[-1].cursor == str(last.id))
    assert town.door.texts == [f"missed {number}" for number in range(250)]
    assert all(each.cursor for each in town.door.heard)
    assert {each.group_chat for each in town.door.heard} == {str(town.home.id)}
    assert cursors(town) == sorted(cursors(town))
    assert [each.query["limit"] for each in town.server.to(Route.HISTORY)] == ["100"] * 6


async def test_an_answered_message_is_not_heard_again(town: Town) -> None:
    await known_at(town)  # as rows know it that were restored
    answered = [town.ask(f"answered {number}") for number in range(3)]
    for each in answered:
        town.answer(each, "so it is")
    open_one = town.ask("not answered")
    town.bob.say(town.general, "by somebody else", reply_to=open_one)
    async with town.at_work():
        await town.door.until(lambda: town.door.seen)
    assert town.door.texts == ["not answered"]
    assert int(town.door.seen[-1].cursor) > open_one.id


def cursors(town: Town) -> list[int]:
    return [
        int(each.cursor)
        for each in town.door.events
        if isinstance(each, InboundMessage | HistoryReadEvent) and each.cursor
    ]


async def test_private_chats_and_threads_are_read_too(town: Town) -> None:
    thread = town.server.thread(town.general, "details")
    first = town.ann.say(town.ann.private(), "before")
    town.door.knows(private(town.ann), first.id)
    town.door.knows(at(thread), town.ask("before", channel=thread).id)
    town.ann.say(town.ann.private(), "in private")
    town.ask("in the thread", channel=thread)
    async with town.at_work():
        heard = await town.door.messages(2)
    assert {(each.text, each.address) for each in heard} == {
        ("in private", private(town.ann)),
        ("in the thread", at(thread)),
    }


async def test_a_private_chat_with_a_known_channel_is_not_opened_again(town: Town) -> None:
    first = town.ann.say(town.ann.private(), "before")
    town.door.knows(private(town.ann), first.id, place=str(town.ann.private().id))
    town.ann.say(town.ann.private(), "missed")
    async with town.at_work():
        await town.door.messages(1)
        town.ann.say(town.ann.private(), "live")
        heard = await town.door.messages(2)
    assert [(each.text, each.place) for each in heard] == [("missed", None), ("live", str(town.ann.private().id))]
    assert town.server.to(Route.OPEN_PRIVATE) == []


async def test_live_messages_come_after_the_missed_ones(town: Town) -> None:
    await known_at(town)
    for number in range(150):
        town.ask(f"missed {number}")
    town.server.faults.slow_seconds = 0.1
    town.server.faults.on(Route.HISTORY, Fault.SLOW, Fault.SLOW)
    async with town.at_work():
        await town.server.until(lambda: town.server.to(Route.HISTORY))
        town.ask("live")
        await town.door.until(lambda: town.door.texts.count("live") > 0 and "missed 149" in town.door.texts)
    in_order = list(dict.fromkeys(town.door.texts))  # what came meanwhile may come twice: it has one id
    assert in_order == [*(f"missed {number}" for number in range(150)), "live"]
    assert cursors(town) == sorted(cursors(town))


async def test_a_chat_with_much_to_read_keeps_no_other_waiting(town: Town) -> None:
    await known_at(town)
    for number in range(900):
        town.ask(f"missed {number}")
    others = [town.server.channel(town.home, f"other {number}") for number in range(6)]
    for other in others:
        town.door.knows(at(other), town.ask("before", channel=other).id)
        town.ask("and here", channel=other)
    async with town.at_work():
        await town.door.until(lambda: town.door.texts.count("and here") == 6)
        assert len(town.door.texts) < 600
        await town.door.until(lambda: "missed 899" in town.door.texts)


async def test_no_more_is_read_than_is_bounded_and_the_rest_at_the_next_start(town: Town) -> None:
    await known_at(town)
    for number in range(350):
        town.ask(f"missed {number}")

    def bounded(channel: Discord) -> None:
        channel.backfill.max_pages_per_chat = 2

    async with town.at_work(before=bounded):
        await town.door.until(lambda: len(town.door.texts) == 200)
        live = town.ask("live")
        await town.door.until(lambda: "live" in town.door.texts)
    assert town.door.heard[-1].cursor is None, "what is between was not read"
    assert town.door.texts == [*(f"missed {number}" for number in range(200)), "live"]
    read_to = town.door.heard[199].cursor
    town.door.known.clear()
    town.door.knows(at(town.general), read_to)
    async with town.at_work():
        await town.door.until(lambda: town.door.heard[-1].cursor == str(live.id))
    assert town.door.texts[201:] == [*(f"missed {number}" for number in range(200, 350)), "live"]


@pytest.mark.parametrize("fault", [Fault.MALFORMED_ITEM, Fault.NOT_AN_OBJECT])
async def test_one_bad_item_of_a_page_is_set_aside(town: Town, fault: Fault) -> None:
    await known_at(town)
    for number in range(4):
        town.ask(f"missed {number}")
    town.server.faults.on(Route.HISTORY, fault)
    async with town.at_work():
        await town.door.until(lambda: town.door.seen)
    assert town.door.texts == ["missed 0", "missed 1", "missed 3"]
    [aside] = town.door.aside
    assert "missed" not in aside.parse_error


@pytest.mark.parametrize(
    "fault", [Fault.UNAVAILABLE, Fault.RESET_AFTER, Fault.HALF_ANSWER, Fault.NOT_JSON, Fault.BLACK_HOLE_AFTER]
)
async def test_a_page_that_fails_is_asked_for_again(town: Town, fault: Fault) -> None:
    await known_at(town)
    town.ask("missed")
    town.server.faults.on(Route.HISTORY, fault)
    async with town.at_work():
        await town.door.messages(1)
    assert town.door.texts == ["missed"]


async def test_a_chat_that_is_gone_or_closed_to_us_holds_up_nothing(town: Town) -> None:
    gone, closed = (town.server.channel(town.home, name) for name in ("gone", "closed"))
    for channel in (gone, closed):
        town.door.knows(at(channel), town.ask("before", channel=channel).id)
    await known_at(town)
    town.ask("missed")
    town.server.remove(gone)
    closed.denied |= Permission.VIEW_CHANNEL
    async with town.at_work():
        await town.door.messages(1)
        town.ask("live")
        assert [each.text for each in await town.door.messages(2)] == ["missed", "live"]


async def test_a_new_session_in_the_same_process_reads_what_was_missed_between(town: Town) -> None:
    async with town.at_work():
        first = town.ask("first")
        await town.door.messages(1)
        town.door.knows(at(town.general), first.id)
        for session in town.server.gateway.sessions.values():
            session.sent.clear()  # everything that it would replay is forgotten
        town.server.gateway.sessions.clear()
        town.server.gateway.close(4000)
        town.ask("missed")
        await town.door.messages(2)
    assert town.door.texts == ["first", "missed"]
