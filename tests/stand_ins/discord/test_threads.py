"""Threads of the Discord stand-in that messages open: what the library does with them, and what is refused."""

from typing import Any

import pytest

from tests.stand_ins.bots import Asking, bot_of
from tests.stand_ins.discord import Channel, DiscordStandIn, Permission, Person


def path_of(channel: Channel, message: object) -> str:
    return f"/channels/{channel.id}/messages/{message}/threads"


async def test_the_library_opens_a_thread_from_a_message_and_writes_there(
    server: DiscordStandIn, general: Channel, ann: Person
) -> None:
    asked = ann.say(general, "plan our trip")
    async with bot_of(server) as bot:
        channel: Any = bot.get_channel(general.id)
        thread = await (await channel.fetch_message(asked.id)).create_thread(name="plans")
        assert (thread.id, thread.parent_id, thread.owner_id) == (asked.id, general.id, server.bot.id)
        await thread.send("Where to?")
        await server.until(lambda: bot.get_channel(asked.id) is not None)
    made = server.world.channels[asked.id]
    assert (made.name, made.parent, [one.text for one in ann.sees(made)]) == ("plans", general, ["Where to?"])
    server.verify()


async def test_a_message_opens_one_thread(by_hand: Asking, general: Channel, ann: Person) -> None:
    path = path_of(general, ann.say(general, "plan").id)
    assert (await by_hand.ask("POST", path, {"name": "plans"})).status == 201
    told = await by_hand.ask("POST", path, {"name": "plans"})
    assert (told.status, told.code) == (400, 160004)


async def test_what_opens_no_thread_is_refused(
    by_hand: Asking, server: DiscordStandIn, general: Channel, ann: Person
) -> None:
    plans, private = server.thread(general, "Plans"), ann.private()
    asked, there, psst = ann.say(general, "plan"), ann.say(plans, "here"), ann.say(private, "psst")
    for path, body, status, code in [
        (path_of(plans, there.id), {"name": "x"}, 403, 50024),
        (path_of(private, psst.id), {"name": "x"}, 403, 50024),
        (path_of(general, 1), {"name": "x"}, 404, 10008),
        (path_of(general, asked.id), {}, 400, 50035),
        (path_of(general, asked.id), {"name": " "}, 400, 50035),
        (path_of(general, asked.id), {"name": "x" * 101}, 400, 50035),
    ]:
        told = await by_hand.ask("POST", path, body)
        assert (told.status, told.code) == (status, code), (path, body)
    assert asked.id not in server.world.channels


@pytest.mark.parametrize(("why", "status", "code"), [("denied", 403, 50013), ("too many", 400, 160006)])
async def test_a_server_may_have_no_thread_more(
    by_hand: Asking, server: DiscordStandIn, general: Channel, ann: Person, why: str, status: int, code: int
) -> None:
    old = server.thread(general, "old")
    if why == "denied":
        general.denied |= Permission.CREATE_PUBLIC_THREADS
    else:
        server.world.most_active_threads = 1
    path = path_of(general, ann.say(general, "plan").id)
    told = await by_hand.ask("POST", path, {"name": "plans"})
    assert (told.status, told.code) == (status, code)
    if why == "too many":
        old.is_archived = True  # an archived one does not count
        assert (await by_hand.ask("POST", path, {"name": "plans"})).status == 201


async def test_without_the_right_to_write_in_threads_one_can_only_open_them(
    by_hand: Asking, server: DiscordStandIn, general: Channel, ann: Person
) -> None:
    general.denied |= Permission.SEND_MESSAGES_IN_THREADS
    asked = ann.say(general, "plan")
    assert (await by_hand.ask("POST", path_of(general, asked.id), {"name": "plans"})).status == 201
    told = await by_hand.ask("POST", f"/channels/{asked.id}/messages", {"content": "x"})
    assert (told.status, told.code) == (403, 50013)
