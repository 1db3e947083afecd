"""Roles speak by bots of their own in supergroups: who sends, edits and deletes, and what happens if one cannot."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from bot.core.errors import DeliveryDelayed, DeliveryError
from bot.core.messages import (
    InboundMessage,
    MessageId,
    OutboundId,
    OutboundKind,
    OutboundMessage,
    PlatformId,
    Reaction,
    RoleName,
)
from bot.engine.delivery import make_message_part
from channels.telegram.channel import Telegram
from tests.stand_ins.clock import Clock
from tests.stand_ins.telegram import Fault, Person, Room, Standing, TelegramStandIn
from tests.stand_ins.telegram.people import BOT_ID
from tests.support.bench import Bench
from tests.support.fakes import Pause, delegates, reply, uses
from tests.support.places.telegram import ANN, HASTY, UNPACED, address
from tests.support.telegram_bot import bot, sees
from tests.support.telegram_channel import Ear, at_work
from tests.support.troubles import wait_for_row
from tests.support.wording import REPEAT_MARK

VOICE = 777


@pytest.fixture
def ann(server: TelegramStandIn) -> Person:
    return server.person(ANN, "Ann")


@pytest.fixture
def friends(server: TelegramStandIn, ann: Person) -> Room:
    return server.supergroup("Friends", ann)


@pytest.fixture
def token(server: TelegramStandIn, friends: Room) -> str:
    """The token of the bot that speaks for the researcher. It is a member of the friends' chat."""
    return server.add_bot(VOICE, "Rita", friends)


@asynccontextmanager
async def speaking(server: TelegramStandIn, token: str = "", role: str = "researcher") -> AsyncIterator[Telegram]:
    voices = {role: token} if token else {}
    async with Telegram(server.token, server.base_url, timing=HASTY, rates=UNPACED, voices=voices) as made:
        await asyncio.sleep(2 * UNPACED.all_calls_limit.window_seconds)  # it begins with a pause
        yield made


def update(room: Room, text: str = "found", role: str | None = "researcher", **fields: object) -> OutboundMessage:
    base = OutboundMessage(
        id=OutboundId("t1/1/0"),
        address=address(room.id),
        kind=OutboundKind.UPDATE,
        text=text,
        role=RoleName(role) if role else None,
    )
    return replace(base, **fields)  # type: ignore[arg-type]  # their types are those of the fields


async def say(telegram: Telegram, said: OutboundMessage, *, may_repeat: bool = False) -> PlatformId:
    part = make_message_part(said, telegram.split_into_parts(said), 0)
    return await telegram.send(replace(part, may_be_shown_already=may_repeat))


async def edit(telegram: Telegram, id: PlatformId, said: OutboundMessage) -> None:
    await telegram.edit(id, make_message_part(said, telegram.split_into_parts(said), 0))


async def test_a_role_speaks_by_its_own_bot_and_all_others_by_the_bot(
    server: TelegramStandIn, token: str, friends: Room, ann: Person
) -> None:
    asked = friends.say(ann, "@retinue_bot go")
    async with speaking(server, token, "Researcher") as telegram:
        answered = MessageId(f"telegram:{BOT_ID}:{friends.id}:{asked.id}")
        id = await say(telegram, update(friends, "**found**", reply_to=answered))
        await say(telegram, update(friends, "counted", "analyst"))
        await say(telegram, update(friends, "all done", role=None, kind=OutboundKind.REPLY))
    assert friends.voices() == [
        ("Rita", "[Researcher]: found"),
        ("Retinue", "[Analyst]: counted"),
        ("Retinue", "all done"),
    ]
    shown = friends.seen()[1]
    assert (id, shown.reply_to) == (f"{shown.id}@{VOICE}", asked)
    assert [each["type"] for each in shown.entities] == ["bold", "bold"]


async def test_the_bot_itself_speaks_where_messages_have_a_number_for_each_bot(
    server: TelegramStandIn, token: str, ann: Person
) -> None:
    for room in (server.private(ann), server.group("Family", ann)):
        async with speaking(server, token) as telegram:
            await say(telegram, update(room))
        assert room.voices() == [("Retinue", "[Researcher]: found")]


async def test_the_bot_itself_asks_so_that_taps_and_replies_reach_it(
    server: TelegramStandIn, token: str, friends: Room
) -> None:
    async with speaking(server, token) as telegram:
        for options in ((), ("red", "blue")):
            await say(telegram, update(friends, "Which?", kind=OutboundKind.QUESTION, options=options))
    assert {name for name, _ in friends.voices()} == {"Retinue"}


async def test_a_new_run_edits_and_deletes_what_a_voice_has_said(
    server: TelegramStandIn, token: str, friends: Room
) -> None:
    async with speaking(server, token) as telegram:
        id = await say(telegram, update(friends, "one"))
    async with speaking(server, token) as telegram:
        await edit(telegram, id, update(friends, "two"))
        assert friends.voices() == [("Rita", "[Researcher]: two")]
        await telegram.delete(address(friends.id), id)
    assert friends.voices() == []


@pytest.mark.parametrize("standing", [None, Standing.LEFT, Standing.KICKED, Standing.RESTRICTED])
async def test_where_a_voice_may_not_speak_the_bot_does_and_asks_no_second_time(
    server: TelegramStandIn, token: str, friends: Room, ann: Person, standing: Standing | None
) -> None:
    elsewhere = server.supergroup("Others", ann)
    elsewhere.chat.standings[VOICE] = Standing.MEMBER
    friends.chat.standings.pop(VOICE)
    if standing:
        friends.chat.standings[VOICE] = standing
    async with speaking(server, token) as telegram:
        for text in ("one", "two"):
            await say(telegram, update(friends, text))
        await say(telegram, update(elsewhere, "three"))
    assert friends.voices() == [("Retinue", "[Researcher]: one"), ("Retinue", "[Researcher]: two")]
    assert elsewhere.voices() == [("Rita", "[Researcher]: three")]
    assert [call.bot for call in server.calls if call.refusal] == [VOICE]


@pytest.mark.parametrize("is_revoked", [False, True], ids=["no member", "token revoked"])
async def test_a_voice_that_was_refused_is_tried_again_after_an_hour(
    server: TelegramStandIn, token: str, friends: Room, is_revoked: bool
) -> None:
    clock, account = Clock(), server.accounts[token]
    async with speaking(server, token) as telegram:
        telegram.sender.voices.now = clock
        if is_revoked:
            del server.accounts[token]
        else:
            friends.chat.standings[VOICE] = Standing.LEFT
        for text, passed, refusals in (("one", 0.0, 1), ("two", 3599.0, 1), ("three", 1.0, 2)):
            clock.advance(passed)
            await say(telegram, update(friends, text))
            assert sum(bool(call.refusal) for call in server.calls) == refusals
        server.accounts[token], friends.chat.standings[VOICE] = account, Standing.MEMBER
        clock.advance(3600.0)
        await say(telegram, update(friends, "four"))
    assert [name for name, _ in friends.voices()] == ["Retinue", "Retinue", "Retinue", "Rita"]


async def test_a_refused_token_silences_a_voice_everywhere_and_is_no_fault_of_the_bot(
    server: TelegramStandIn, token: str, friends: Room, ann: Person
) -> None:
    elsewhere = server.supergroup("Others", ann)
    del server.accounts[token]
    async with speaking(server, token) as telegram:
        for room in (friends, elsewhere):
            await say(telegram, update(room))
            assert room.voices() == [("Retinue", "[Researcher]: found")]
        assert not telegram.health().fault
    assert sum(bool(call.refusal) for call in server.calls) == 1


@pytest.mark.parametrize("why", ["not set any more", "revoked", "has left"])
async def test_what_a_lost_voice_has_said_cannot_be_edited_and_the_chat_stays_open(
    server: TelegramStandIn, token: str, friends: Room, why: str
) -> None:
    async with speaking(server, token) as telegram:
        id = await say(telegram, update(friends, "one"))
    if why == "revoked":
        del server.accounts[token]
    if why == "has left":
        friends.chat.standings[VOICE] = Standing.LEFT
    async with speaking(server, "" if why == "not set any more" else token) as telegram:
        with pytest.raises(DeliveryError) as refusal:
            await edit(telegram, id, update(friends, "two"))
        assert type(refusal.value) is DeliveryError  # neither closed nor to be tried again
        if why != "not set any more":
            await telegram.delete(address(friends.id), id)
    assert friends.voices() == [("Rita", "[Researcher]: one")]


async def test_after_an_unknown_outcome_the_voice_repeats_with_a_mark(
    server: TelegramStandIn, token: str, friends: Room
) -> None:
    async with speaking(server, token) as telegram:
        server.faults.next("sendMessage", Fault.RESET_AFTER)
        with pytest.raises(OSError, match="connection"):
            await say(telegram, update(friends))
        await say(telegram, update(friends), may_repeat=True)
    assert friends.voices() == [("Rita", "[Researcher]: found"), ("Rita", f"[Researcher]: {REPEAT_MARK}found")]


async def test_a_wait_that_a_voice_is_told_holds_the_chat(server: TelegramStandIn, token: str, friends: Room) -> None:
    async with speaking(server, token) as telegram:
        server.faults.next("sendMessage", Fault.RETRY_35)
        with pytest.raises(DeliveryDelayed):
            await say(telegram, update(friends))
        with pytest.raises(DeliveryDelayed):
            await say(telegram, update(friends, "counted", "analyst"))
    assert friends.voices() == []


async def test_a_reply_to_a_voice_is_for_the_bot_if_telegram_shows_it(
    server: TelegramStandIn, token: str, friends: Room, ann: Person, ear: Ear
) -> None:
    async with at_work(server, ear, voices={"researcher": token}) as telegram:
        id = await say(telegram, update(friends))
        friends.say(ann, "in privacy mode", reply_to=friends.seen()[0])
        server.world.reads_all = True
        friends.say(ann, "to nobody")
        friends.say(ann, "without prices", reply_to=friends.seen()[0])
        await ear.hears("without prices")
    assert ear.texts == ["without prices"]
    [event] = [each for batch in ear.batches for each in batch if isinstance(each, InboundMessage)]
    assert getattr(event, "reply_to", None) == id
    assert {call.bot for call in server.calls if call.method == "getUpdates"} == {BOT_ID}  # a voice only sends


async def test_a_reply_to_a_voice_reaches_its_role_despite_a_kill(
    bench: Bench, server: TelegramStandIn, token: str, friends: Room, ann: Person
) -> None:
    server.world.reads_all = True
    pause, voices = Pause(), {"researcher": token}
    bench.model.says("lead", delegates("researcher"))
    bench.model.says("researcher", reply(uses("message", text="I look")), pause)
    async with bot(bench, server, voices=voices):
        friends.say(ann, "@retinue_bot find out")
        await server.until(lambda: ("Rita", "[Researcher]: I look") in friends.voices())
        await pause.reached.wait()
        await wait_for_row(bench, "outbox", "role = 'researcher' AND state = 'sent'")
        [posted] = [one for one in friends.seen() if one.sender.id == VOICE]
        written = friends.say(ann, "without prices", reply_to=posted)
        await server.until(lambda: bool(written.reactions))
        bench.crashes()
    bench.model.says("researcher", reply(uses("read")), "found")
    bench.model.says("lead", "All is found.")
    async with bot(bench, server, voices=voices):
        await sees(server, friends, lambda there: "All is found." in there)
    assert "without prices" in bench.model.heard("researcher")[-1]
    assert written.reactions == {BOT_ID: Reaction.READS_NEXT}
    assert [text for name, text in friends.voices() if name == "Rita"] == ["[Researcher]: I look"]


async def test_a_bot_killed_while_a_voice_speaks_repeats_it_with_a_mark(
    bench: Bench, server: TelegramStandIn, token: str, friends: Room, ann: Person
) -> None:
    voices, pause = {"researcher": token}, Pause(reply(uses("message", text="I look")))
    bench.model.says("lead", delegates("researcher"), "All is found.")
    bench.model.says("researcher", pause, "found")
    async with bot(bench, server, voices=voices):
        friends.say(ann, "@retinue_bot find out")
        await server.until(lambda: any(one.labels for one in friends.answers()))  # its board
        server.faults.next("sendMessage", Fault.BLACK_HOLE)
        pause.go_on.set()
        await server.until(lambda: any(name == "Rita" for name, _ in friends.voices()))
        bench.crashes()
    assert bench.select("state", "outbox", "role = 'researcher'") == [("sending",)]
    async with bot(bench, server, voices=voices):
        await sees(server, friends, lambda there: "All is found." in there)
    said = [text for name, text in friends.voices() if name == "Rita"]
    assert said == ["[Researcher]: I look", f"[Researcher]: {REPEAT_MARK}I look"]
