"""How messages come in, at the stand-in with the real library: each is taken in before Telegram forgets it."""

import asyncio
from dataclasses import replace
from itertools import chain

import pytest

from bot.core.messages import ChatMovedEvent, InboundMessage, UnreadableEvent
from channels.telegram import operator_texts
from channels.telegram.channel import Telegram
from channels.telegram.client import TelegramHealth
from tests.stand_ins.clock import Clock
from tests.stand_ins.telegram import ANY, Fault, Malformed, Room, TelegramStandIn, photo
from tests.stand_ins.telegram.client import client
from tests.stand_ins.telegram.rates import Limits
from tests.support.patience import PATIENCE
from tests.support.places.telegram import ANN, HASTY, UNPACED
from tests.support.telegram_channel import Ear, at_work, becomes, polls, say


async def test_messages_sent_while_nobody_listened_come_first_and_in_order(
    server: TelegramStandIn, room: Room, ear: Ear
) -> None:
    say(room, *map(str, range(250)))
    async with at_work(server, ear):
        await ear.hears("249")
        say(room, "and now")
        await ear.hears("and now")
    assert ear.texts == [*map(str, range(250)), "and now"]


async def test_telegram_forgets_only_what_is_durable(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    ear.is_open.clear()
    say(room, "hello")
    async with at_work(server, ear):
        await ear.hears("hello")
        say(room, "more")
    assert [update.update["message"]["text"] for update in server.world.updates.waiting] == ["hello", "more"]
    ear.is_open.set()
    async with at_work(server, ear):
        await ear.until(lambda: "more" in ear.texts)
        await becomes(lambda: not server.world.updates.waiting)
    assert ear.texts.count("hello") == 2  # which the store tells by its id


async def test_ids_that_jump_lose_nothing(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    async with at_work(server, ear):
        for number, jump in enumerate((None, 5, 2_000_000_000, 17)):
            server.world.updates.jump(jump) if jump else None
            say(room, f"after {jump}")
            await ear.hears(f"after {jump}")
            await becomes(lambda: not server.world.updates.waiting)  # it happens after a week of silence
            assert len(ear.texts) == number + 1


async def test_a_malformed_update_is_set_aside_and_the_others_are_heard(
    server: TelegramStandIn, room: Room, ear: Ear
) -> None:
    for kind in Malformed:
        say(room, f"before {kind}")
        room.malformed(room.chat.person, kind)
    say(room, "last")
    async with at_work(server, ear):
        await ear.hears("last")
        await becomes(lambda: not server.world.updates.waiting)
    aside = [event for batch in ear.batches for event in batch if isinstance(event, UnreadableEvent)]
    assert len(aside) == len(Malformed) - 2  # a new kind is none of ours, half a character is replaced
    assert len({event.id for event in aside}) == len(aside)
    assert [text for text in ear.texts if not text.startswith("half")] == [
        *(f"before {kind}" for kind in Malformed),
        "last",
    ]


async def test_an_update_without_a_number_is_no_reason_to_ask_without_end(
    server: TelegramStandIn, room: Room, ear: Ear
) -> None:
    room.malformed(room.chat.person, Malformed.NOT_AN_OBJECT)
    async with at_work(server, ear, timing=replace(HASTY, first_retry_seconds=0.2, max_retry_seconds=0.2)):
        await ear.until(lambda: len(ear.batches) > 1)
    polls = [call for call in server.calls if call.method == "getUpdates"]
    assert len(polls) <= 3
    assert len({event.id for batch in ear.batches for event in batch if isinstance(event, UnreadableEvent)}) == 1


async def test_an_album_is_one_batch_though_it_comes_in_pieces(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    ann = room.chat.person
    async with at_work(server, ear):
        room.album(ann, photo(), caption="one")
        await server.until(lambda: len(polls(server)) > 1)
        room.say(ann, "two", media=photo(), group="13")
        await ear.hears("one", "two")
    assert [len(batch) for batch in ear.batches] == [2]


async def test_a_wait_that_is_told_while_more_is_coming_is_kept(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    server.faults.next("getUpdates", None, Fault.RETRY_1)
    async with at_work(server, ear):
        say(room, "a" * 4096)
        await ear.hears("a" * 4096)
        say(room, "more")
        await ear.hears("more")
    assert server.rates.trespasses == []


async def test_a_long_paste_waits_for_its_end_and_nobody_else_waits_for_it(
    server: TelegramStandIn, room: Room, ear: Ear
) -> None:
    other = server.private(server.person(8, "Ben"))
    say(room, "x" * 4_096)
    say(other, "meanwhile")
    async with at_work(server, ear, timing=replace(HASTY, next_paste_part_wait_seconds=0.3)):
        await ear.hears("meanwhile")
        assert ear.texts == ["meanwhile"]
        say(room, "the end")
        await ear.hears("the end")
    assert [len(batch) for batch in ear.batches] == [1, 2]


@pytest.mark.parametrize(
    ("length", "gap_seconds", "typed"),
    [(4_090, 0, []), (3_600, 0, []), (3_400, 0, ["first", "second"]), (3_600, 60, ["first", "second"])],
)
async def test_the_parts_of_a_cut_paste_count_as_typed_by_nobody(
    ear: Ear, length: int, gap_seconds: float, typed: list[str]
) -> None:
    clock = Clock()
    async with TelegramStandIn(now=clock, limits=Limits.none()) as server:
        room = server.private(server.person(ANN, "Ann"))
        say(room, "first" + "x" * length)
        clock.advance(gap_seconds)
        say(room, "second: send it")
        async with at_work(server, ear):
            await ear.hears("second: send it")
    assert [each.split("x")[0].split(":")[0] for each in written_texts(ear) if each] == typed


async def test_the_end_of_a_cut_paste_that_comes_later_is_known(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    async with at_work(server, ear):
        say(room, "x" * 4_096)
        await ear.hears("x" * 4_096)
        say(room, "send it")
        await ear.hears("send it")
    assert written_texts(ear)[1:] == [""]


def written_texts(ear: Ear) -> list[str]:
    return [event.written_text for event in chain(*ear.batches) if isinstance(event, InboundMessage)]


async def test_a_paste_is_known_by_what_clients_count(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    say(room, "😀" * 2_048, "send it")
    async with at_work(server, ear):
        await ear.hears("send it")
    assert written_texts(ear) == ["", ""]


async def test_a_group_chat_that_moves_says_so(server: TelegramStandIn, ear: Ear) -> None:
    ann = server.person(ANN, "Ann")
    group = server.group("Friends", ann)
    new = group.migrate(ann)
    async with at_work(server, ear):
        await ear.until(lambda: bool(ear.batches))
    moves = [event for batch in ear.batches for event in batch if isinstance(event, ChatMovedEvent)]
    assert {(move.old, move.new) for move in moves} == {(str(group.id), str(new.id))}
    assert len({move.id for move in moves}) == 1


FAULTS = sorted(
    set(Fault)
    - {Fault.SLOW, Fault.REFUSED, Fault.BLACK_HOLE, Fault.BLACK_HOLE_UNREAD}
    - {*(Fault.RETRY_35, Fault.RETRY_240, Fault.RETRY_1, Fault.RETRY_UNSAID)}
)


@pytest.mark.parametrize("fault", FAULTS)
async def test_no_fault_of_the_network_ends_the_listening(
    server: TelegramStandIn, room: Room, ear: Ear, fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    server.faults.next(ANY, fault)
    server.faults.next("getUpdates", fault, fault, None, fault)
    async with at_work(server, ear):
        say(room, "hello")
        await ear.hears("hello")
        say(room, "again")
        await ear.hears("again")
    told = [record.getMessage() for record in caplog.records if record.name.startswith("channels")]
    assert len([line for line in told if "no contact" in line]) <= 3  # once per change, not once per try


async def test_a_platform_that_was_away_is_heard_again(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    async with at_work(server, ear) as telegram:
        say(room, "before")
        await ear.hears("before")
        async with server.away():
            say(room, "meanwhile")
        await ear.hears("meanwhile")
        assert telegram.health().fault == ""
        assert (telegram.health().silent_seconds or 0) < 5


async def test_a_bot_can_start_while_nobody_is_there(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    say(room, "hello")
    async with server.away():
        made = Telegram(server.token, server.base_url, timing=HASTY, rates=UNPACED)
        assert made.health().silent_seconds is None
    async with made as telegram, asyncio.TaskGroup() as tasks:
        running = tasks.create_task(telegram.run(ear))
        await ear.hears("hello")
        running.cancel()


async def test_a_token_that_is_refused_is_a_fault_until_it_is_not(
    server: TelegramStandIn, room: Room, ear: Ear
) -> None:
    async with at_work(server, ear) as telegram:
        say(room, "hello")
        await ear.hears("hello")
        server.is_revoked = True
        say(room, "lost?")  # which ends the poll that waits
        await becomes(lambda: telegram.health().fault == operator_texts.TOKEN_REFUSED)
        server.is_revoked = False
        await ear.hears("lost?")
        await becomes(lambda: not telegram.health().fault)


async def test_a_second_poller_is_a_fault_that_says_what_to_do(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    async with at_work(server, ear) as telegram, client(server) as other:
        async with asyncio.timeout(PATIENCE):
            while telegram.health().fault != operator_texts.SECOND_POLLER:
                await other.get_updates(timeout=0)
                await asyncio.sleep(0.01)


async def test_a_webhook_is_a_fault_that_says_what_to_do(server: TelegramStandIn, ear: Ear) -> None:
    server.world.webhook = "https://example.org/hook"
    async with at_work(server, ear) as telegram:
        await becomes(lambda: telegram.health().fault == operator_texts.WEBHOOK)


def test_one_conflict_is_no_fault_and_three_are_until_they_are_forgotten() -> None:
    now = 0.0
    contact = TelegramHealth(60, lambda: now)
    for second in (0.0, 1.0):
        now = second
        contact.on_polling_conflict("terminated by other getUpdates request")
    assert contact.health().fault == ""
    contact.on_polling_conflict("terminated by other getUpdates request")
    assert contact.health().fault == operator_texts.SECOND_POLLER
    contact.on_poll_answered()
    assert contact.health().fault == operator_texts.SECOND_POLLER
    now = 62.0
    contact.on_poll_answered()
    assert contact.health().fault == ""


async def test_a_menu_that_cannot_be_filled_keeps_nobody_from_being_heard(
    server: TelegramStandIn, room: Room, ear: Ear
) -> None:
    server.faults.always("setMyCommands", Fault.SERVER_ERROR)
    say(room, "hello")
    async with at_work(server, ear, commands=[("help", "What I can do")]):
        await ear.hears("hello")
