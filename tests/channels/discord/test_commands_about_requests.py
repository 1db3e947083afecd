"""Where requests have no thread of their own, a command in the channel means one of them."""

import pytest

from bot.core.messages import InboundMessage
from tests.stand_ins.discord import Permission
from tests.support.discord_channel import Town, at, channel_of, message, send
from tests.support.discord_talk import QUICK, Talk
from tests.support.fakes import Pause, delegates


@pytest.fixture(autouse=True)
def may_open_no_threads(town: Town) -> None:
    town.general.denied |= Permission.CREATE_PUBLIC_THREADS


async def heard_next(town: Town, text: str) -> InboundMessage:
    await town.door.until(lambda: text in town.door.texts)
    return next(each for each in reversed(town.door.heard) if each.text == text)


async def test_a_command_means_the_request_it_replies_to_or_its_senders_newest(town: Town) -> None:
    cat = town.server.person("Cat")
    town.home.members.append(cat)
    async with town.at_work(threads=True) as channel:
        asked = [town.ask("one"), town.ask("two"), town.ask("three", by=town.bob)]
        requests = await town.door.messages(3)
        for each in requests:
            await send(channel, message(f"about {each.text}", each.address, id=f"t:{each.text}"))
        one, two, three = [each.address for each in requests]
        first = town.server.said(town.general)[0]
        town.ann.say(town.general, "/agents", reply_to=first)
        assert (await heard_next(town, "/agents")).address == one
        town.ann.say(town.general, "/log 1", reply_to=asked[0])
        assert (await heard_next(town, "/log 1")).address == one
        for person, command, address in [(town.ann, "stop", two), (town.bob, "status", three), (cat, "retry", three)]:
            person.command(town.general, command)
            assert (await heard_next(town, f"/{command}")).address == address
        town.ann.say(town.general, "/tell 1 hurry")
        assert (await heard_next(town, "/tell 1 hurry")).address == two
        town.ann.command(town.general, "usage")
        assert (await heard_next(town, "/usage")).address == at(town.general)


async def test_a_command_means_a_request_about_which_nothing_was_said_yet(town: Town) -> None:
    town.general.denied = Permission(0)
    async with town.at_work(threads=True) as channel:
        town.ask("one")
        [request] = await town.door.messages(1)
        town.ann.say(town.general, "/stop")
        assert (await heard_next(town, "/stop")).address == request.address
        await send(channel, message("one", request.address))  # the thread is there now
        town.ann.say(town.general, "/status")
        assert (await heard_next(town, "/status")).address == at(town.general)


async def test_after_a_restart_it_is_still_known_who_asked(town: Town) -> None:
    async with town.at_work(threads=True) as channel:
        town.ask("one")
        town.ask("two", by=town.bob)
        requests = await town.door.messages(2)
        for each in requests:
            await send(channel, message(each.text, each.address, id=f"t:{each.text}"))
    town.remember()
    async with town.at_work(threads=True):
        town.ann.command(town.general, "stop")
        assert (await heard_next(town, "/stop")).address == requests[0].address


async def test_a_board_moves_to_the_channel_with_its_request(talk: Talk, town: Town) -> None:
    town.general.denied = Permission(0)
    at_work = Pause("found")
    talk.bench.model.says("lead", delegates("researcher"), "so it is")
    talk.bench.model.says("researcher", at_work)
    chat = channel_of(town.server, threads=True)
    chat.board_edit_seconds = 0.0
    talk.bench.chat = chat  # type: ignore[assignment]  # a real one
    async with talk.bench.run(access=talk.access, **QUICK):
        await talk.connected()
        asked = town.ask("why?")
        await at_work.reached.wait()
        await town.server.until(lambda: asked.id in town.server.world.channels)
        thread = town.server.world.channels[asked.id]
        await town.server.until(lambda: any(one.buttons for one in town.server.said(thread)))
        thread.is_archived = thread.is_locked = True
        at_work.go_on.set()
        await talk.sees(town.ann, town.general, "so it is", "1 role · ")
    assert talk.bench.rows("SELECT state FROM outbox WHERE kind = 'board'") == [("sent",)]


async def test_a_request_in_the_channel_is_stopped_there(talk: Talk, town: Town) -> None:
    at_work = Pause("found")
    talk.bench.model.says("lead", delegates("researcher"), "so it is")
    talk.bench.model.says("researcher", at_work)
    talk.bench.chat = channel_of(town.server, threads=True)  # type: ignore[assignment]  # a real one
    async with talk.bench.run(access=talk.access, **QUICK):
        await talk.connected()
        town.ask("why?")
        await at_work.reached.wait()
        await town.server.until(lambda: any(one.buttons for one in town.server.said(town.general)))
        shown = town.ann.command(town.general, "agents")
        await town.server.until(lambda: shown.original and "Researcher" in shown.original.text)
        town.ann.command(town.general, "stop")
        await talk.sees(town.ann, town.general, "1 role · ")
    assert talk.bench.rows("SELECT DISTINCT status FROM turns") == [("cancelled",)]
