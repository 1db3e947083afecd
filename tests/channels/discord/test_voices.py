"""Roles on Discord speak under their own names, by webhooks."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.core.errors import DeliveryError
from bot.core.messages import MessageId, OutboundKind, PlatformId
from tests.stand_ins.clock import Clock
from tests.stand_ins.discord import Channel, Flag, Permission, Route
from tests.support.discord_channel import Town, at, message, parts, private, send

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)


@pytest.fixture(autouse=True)
def may_manage_webhooks(town: Town) -> None:
    town.general.granted |= Permission.MANAGE_WEBHOOKS


def update(text: str, place: Channel, role: str = "researcher", **fields: Any) -> Any:
    return message(text, at(place), OutboundKind.UPDATE, role=role, is_quiet=True, **fields)


async def test_a_role_speaks_under_its_name_silently(town: Town) -> None:
    async with town.at_work() as channel:
        [id] = await send(channel, update("I have found it.", town.general))
        [other] = await send(channel, update("I write it down.", town.general, "writer", id="t2/1/0"))
    assert town.server.heard_voices(town.general) == [
        ("Researcher", "[Researcher]: I have found it."),
        ("Writer", "[Writer]: I write it down."),
    ]
    [hook] = town.server.webhooks(town.general)
    first, second = town.general.messages
    assert [id, other] == [f"{first.id}@{hook.id}", f"{second.id}@{hook.id}"]
    assert first.flags == Flag.SUPPRESS_EMBEDS | Flag.SUPPRESS_NOTIFICATIONS
    assert not first.mentions
    town.server.verify()


async def test_a_role_with_a_picture_has_a_webhook_that_is_found_again(town: Town) -> None:
    pictures = {"researcher": PNG}
    for number in range(2):
        async with town.at_work(get_picture=lambda role: pictures.get(role, b"")) as channel:
            await send(channel, update("hello", town.general, id=f"t{number}/1/0"))
    [hook] = town.server.webhooks(town.general)
    assert (hook.picture, hook.name.partition(" ")[0]) == (PNG, "Researcher")
    pictures["researcher"] = PNG + b"new"
    async with town.at_work(get_picture=lambda role: pictures.get(role, b"")) as channel:
        await send(channel, update("hello", town.general, id="t3/1/0"))
    assert town.server.webhooks(town.general) == [hook]
    assert hook.picture == PNG + b"new"
    assert [name for name, _ in town.server.heard_voices(town.general)] == ["Researcher"] * 3


async def test_a_picture_that_was_replaced_comes_back(town: Town) -> None:
    picture = PNG
    async with town.at_work(get_picture=lambda role: picture) as channel:
        for number, picture in enumerate([PNG, PNG + b"other", PNG]):
            await send(channel, update("hello", town.general, id=f"t{number}/1/0"))
            [hook] = town.server.webhooks(town.general)
            assert hook.picture == picture
    assert len(town.server.to(Route.CHANGE_WEBHOOK)) == 2


async def test_a_role_speaks_in_a_thread_and_edits_and_deletes_there(town: Town) -> None:
    thread = town.server.thread(town.general, "details")
    async with town.at_work() as channel:
        [id] = await send(channel, update("here", thread))
        [part] = parts(channel, update("here, now", thread, revision=1))
        await channel.edit(PlatformId(id), part)
        assert town.server.heard_voices(thread) == [("Researcher", "[Researcher]: here, now")]
        for _ in range(2):
            await channel.delete(at(thread), PlatformId(id))
    assert town.server.heard_voices(thread) == town.server.heard_voices(town.general) == []
    assert [hook.channel for hook in town.server.webhooks(town.general)] == [town.general]


async def test_a_role_speaks_in_a_private_thread_by_its_channels_webhook(town: Town) -> None:
    thread = town.server.thread(town.general, "between us", is_private=True)
    async with town.at_work() as channel:
        await send(channel, update("here", thread))
    assert town.server.heard_voices(thread) == [("Researcher", "[Researcher]: here")]
    assert [hook.channel for hook in town.server.webhooks(town.general)] == [town.general]


async def test_a_new_run_edits_and_deletes_what_a_webhook_has_sent(town: Town) -> None:
    async with town.at_work() as channel:
        [id] = await send(channel, update("Which?", town.general))
    async with town.at_work() as channel:
        [part] = parts(channel, update("This one.", town.general, revision=1))
        await channel.edit(PlatformId(id), part)
        assert town.server.heard_voices(town.general) == [("Researcher", "[Researcher]: This one.")]
        await channel.delete(at(town.general), PlatformId(id))
    assert town.server.heard_voices(town.general) == []
    town.server.verify()


@pytest.mark.parametrize(("why", "asked"), [("forbidden", 0), ("forbidden since then", 1), ("used up", 1)])
async def test_where_no_webhook_can_be_had_the_bot_speaks(town: Town, why: str, asked: int) -> None:
    if why == "forbidden":
        town.general.granted &= ~Permission.MANAGE_WEBHOOKS
    if why == "used up":
        town.server.use_up_webhooks(town.general)
    async with town.at_work() as channel:
        town.ask("hello")
        await town.door.messages(1)  # so it knows the channel
        if why == "forbidden since then":
            town.general.granted &= ~Permission.MANAGE_WEBHOOKS
        for number in range(2):
            await send(channel, update(f"{number}", town.general, id=f"t{number}/1/0"))
    assert town.server.heard_voices(town.general) == [("Retinue", "[Researcher]: 0"), ("Retinue", "[Researcher]: 1")]
    assert len(town.server.to(Route.WEBHOOKS)) == asked


async def test_roles_share_the_last_place_in_a_channel(town: Town) -> None:
    town.server.use_up_webhooks(town.general, but=1)
    async with town.at_work(get_picture=lambda role: PNG + role.encode()) as channel:
        await send(channel, update("first", town.general, "researcher"))
        await send(channel, update("second", town.general, "writer", id="t2/1/0"))
        await send(channel, update("third", town.general, "researcher", id="t3/1/0"))
    names = [name for name, _ in town.server.heard_voices(town.general)]
    assert names == ["Researcher", "Writer", "Researcher"]
    [shared] = [hook for hook in town.server.webhooks(town.general) if hook.application]
    assert (shared.name, shared.picture) == ("Roles", None)


async def test_in_a_channel_full_of_the_bots_webhooks_every_role_has_a_voice(town: Town) -> None:
    async with town.at_work(get_picture=lambda role: PNG + role.encode()) as channel:
        for number in [*range(16), 0, 15]:
            await send(channel, update("hello", town.general, f"role {number}", id=f"t{number}/1/0"))
    names = [name for name, _ in town.server.heard_voices(town.general)]
    assert names == [f"Role {number}" for number in [*range(16), 0, 15]]
    assert [hook.picture for hook in town.server.webhooks(town.general)].count(None) == 1


async def test_a_role_without_a_place_for_its_own_webhook_speaks_by_the_shared_one(town: Town) -> None:
    async with town.at_work() as channel:
        await send(channel, update("first", town.general, "writer"))
    town.server.use_up_webhooks(town.general)
    async with town.at_work(get_picture=lambda role: PNG + role.encode()) as channel:
        await send(channel, update("second", town.general, "researcher", id="t2/1/0"))
    assert [name for name, _ in town.server.heard_voices(town.general)] == ["Writer", "Researcher"]
    assert [hook.picture for hook in town.server.webhooks(town.general) if hook.application] == [None]


async def test_in_private_the_bot_speaks_and_asks_for_no_webhook(town: Town) -> None:
    async with town.at_work() as channel:
        await send(channel, message("psst", private(town.ann), OutboundKind.UPDATE, role="researcher"))
    assert town.server.heard_voices(town.ann.private()) == [("Retinue", "[Researcher]: psst")]
    assert not town.server.to(Route.WEBHOOKS)


async def test_when_its_webhook_is_gone_the_bot_speaks(town: Town) -> None:
    async with town.at_work() as channel:
        [first] = await send(channel, update("one", town.general))
        town.server.remove_webhook(*town.server.webhooks(town.general))
        await send(channel, update("two", town.general, id="t2/1/0"))
        assert town.server.heard_voices(town.general)[1:] == [("Retinue", "[Researcher]: two")]
        [part] = parts(channel, update("one, edited", town.general, revision=1))
        with pytest.raises(DeliveryError):
            await channel.edit(PlatformId(first), part)
        town.general.granted |= Permission.MANAGE_MESSAGES
        await channel.delete(at(town.general), PlatformId(first))
        assert len(town.server.heard_voices(town.general)) == 1


async def test_in_place_of_a_deleted_webhook_the_bot_speaks_not_the_shared_one(town: Town) -> None:
    async with town.at_work(get_picture=lambda role: PNG if role == "researcher" else b"") as channel:
        await send(channel, update("one", town.general))
        town.server.remove_webhook(*town.server.webhooks(town.general))
        for number in (2, 3):
            await send(channel, update("more", town.general, id=f"t{number}/1/0"))
        assert town.server.webhooks(town.general) == []
        await send(channel, update("and I", town.general, "writer", id="t4/1/0"))
    names = [name for name, _ in town.server.heard_voices(town.general)]
    assert names == ["Researcher", "Retinue", "Retinue", "Writer"]


async def test_ten_minutes_after_its_webhook_was_deleted_a_role_has_another(town: Town) -> None:
    clock = Clock()
    async with town.at_work() as channel:
        channel.sender.voices.now = clock
        await send(channel, update("one", town.general))
        town.server.remove_webhook(*town.server.webhooks(town.general))
        for number, passed in ((2, 0.0), (3, 599.0), (4, 1.0)):
            clock.advance(passed)
            await send(channel, update("more", town.general, id=f"t{number}/1/0"))
    names = [name for name, _ in town.server.heard_voices(town.general)]
    assert names == ["Researcher", "Retinue", "Retinue", "Researcher"]


async def test_a_role_whose_picture_discord_refuses_speaks_by_the_shared_webhook(town: Town) -> None:
    async with town.at_work(get_picture=lambda role: b"no picture") as channel:
        for number in range(2):
            await send(channel, update("hello", town.general, id=f"t{number}/1/0"))
    assert [name for name, _ in town.server.heard_voices(town.general)] == ["Researcher"] * 2
    assert [(hook.name, hook.picture) for hook in town.server.webhooks(town.general)] == [("Roles", None)]


async def test_a_role_whose_name_discord_forbids_is_spoken_for_by_the_bot(town: Town) -> None:
    async with town.at_work() as channel:
        await send(channel, update("hi", town.general, "discord helper"))
    assert town.server.heard_voices(town.general) == [("Retinue", "[Discord helper]: hi")]
    town.server.verify()


async def test_a_report_that_replies_is_the_bots_reply(town: Town) -> None:
    asked = town.ask("what came of it?")
    id = MessageId(f"discord:{town.server.bot.id}:{town.general.id}:{asked.id}")
    async with town.at_work() as channel:
        await send(channel, message("This.", at(town.general), role="researcher", reply_to=id))
    [said] = town.server.said(town.general)
    assert (said.text, said.reply_to, said.mentions) == ("[Researcher]: This.", asked, [town.ann])


async def test_without_the_label_only_a_webhook_leaves_it_out(town: Town) -> None:
    since = datetime.now(UTC) - timedelta(seconds=5)
    async with town.at_work(role_label=False) as channel:
        [id] = await send(channel, update("- found", town.general))
        [part] = parts(channel, update("- found", town.general))
        assert await channel.find_sent_part_id(part, since, ()) == id
        await send(channel, update("- more", town.general, id="t2/1/0", speaker_number=2))
        await send(channel, message("psst", private(town.ann), role="researcher"))
    assert town.server.heard_voices(town.general) == [("Researcher", "- found"), ("Researcher", "#2 · \n- more")]
    assert town.server.heard_voices(town.ann.private()) == [("Retinue", "[Researcher]: psst")]


async def test_what_a_webhook_has_sent_is_found_by_its_name_and_text(town: Town) -> None:
    since = datetime.now(UTC) - timedelta(seconds=5)
    async with town.at_work() as channel:
        await send(channel, update("done", town.general, "writer"))
        hook = town.server.world.add_webhook(town.general, "Researcher", None)
        await channel.api.request(
            "POST", "/webhooks/{id}/{token}", body={"content": "[Researcher]: done"}, id=str(hook.id), token=hook.token
        )
        [part] = parts(channel, update("done", town.general, id="t2/1/0"))
        assert await channel.find_sent_part_id(part, since, ()) is None
        sent = await channel.send(part)
        assert await channel.find_sent_part_id(part, since, ()) == sent
        assert await channel.find_sent_part_id(part, since, {sent}) is None  # which is another's


async def test_a_reply_to_a_role_names_the_stored_message_and_addresses_the_bot(town: Town) -> None:
    async with town.at_work() as channel:
        [id] = await send(channel, update("I have found it.", town.general))
        [said] = town.general.messages
        town.ann.say(town.general, "where?", reply_to=said)
        other = town.server.world.add_webhook(town.general, "Feed", None)
        feed = town.server.webhook("Feed").say(town.general, "news")
        assert other
        town.ann.say(town.general, "not for the bot", reply_to=feed)
        town.ask("and now?")
        heard = await town.door.messages(2)
    assert [(one.text, one.reply_to) for one in heard] == [("where?", id), ("and now?", None)]
    assert [(quote.author, quote.text) for quote in heard[0].quotes] == [
        ("Researcher", "[Researcher]: I have found it.")
    ]


async def test_webhooks_and_other_bots_start_nothing(town: Town) -> None:
    async with town.at_work() as channel:
        await send(channel, update(f"<@{town.server.bot.id}> go on", town.general))
        for stranger in (town.server.webhook("Feed"), town.server.other_bot("Parrot")):
            stranger.say(town.general, "do it", mentions=[town.server.bot])
        town.ask("last")
        assert [one.text for one in await town.door.messages(1)] == ["last"]
