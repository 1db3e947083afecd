"""Webhooks of the Discord stand-in: what the library does with them, and what is refused."""

import base64
from typing import Any

import pytest

from tests.stand_ins.bots import Asking, bot_of
from tests.stand_ins.discord import Channel, DiscordStandIn, Flag, Permission, Person

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)


@pytest.fixture
def managed(general: Channel) -> Channel:
    general.granted |= Permission.MANAGE_WEBHOOKS
    return general


async def test_the_library_makes_a_webhook_and_writes_edits_and_deletes(
    server: DiscordStandIn, managed: Channel, ann: Person
) -> None:
    plans = server.thread(managed, "Plans")
    async with bot_of(server) as bot:
        channel: Any = bot.get_channel(managed.id)
        hook = await channel.create_webhook(name="Researcher", avatar=PNG)
        first = await hook.send("hello", wait=True, silent=True)
        second = await hook.send("there", wait=True, username="Writer", thread=bot.get_channel(plans.id))
        await first.edit(content="hello, all")
        assert [each.id for each in await channel.webhooks()] == [hook.id]
        assert (first.webhook_id, first.application_id) == (hook.id, server.bot.id)
        seen = ann.sees(managed)[0]
        assert (seen.author, seen.text, seen.is_edited) == ("Researcher", "hello, all", True)
        assert seen.flags == Flag.SUPPRESS_NOTIFICATIONS
        assert [(one.author, one.text) for one in ann.sees(plans)] == [("Writer", "there")]
        await second.delete()
        await first.delete()
    assert [*ann.sees(managed), *ann.sees(plans)] == []
    assert server.webhooks(managed)[0].picture == PNG
    server.verify()


async def test_a_webhook_forgets_nonces_and_replies_to_nothing(
    by_hand: Asking, server: DiscordStandIn, managed: Channel, ann: Person
) -> None:
    hook, asked = server.world.add_webhook(managed, "Researcher", server.bot.id), ann.say(managed, "who?")
    body = {"content": "x", "nonce": "n", "enforce_nonce": True, "message_reference": {"message_id": str(asked.id)}}
    for _ in range(2):
        told = await by_hand.ask("POST", f"/webhooks/{hook.id}/{hook.token}?wait=true", body, token="")
        assert "message_reference" not in told.json
    assert server.heard_voices(managed) == [("Researcher", "x")] * 2
    assert (await by_hand.ask("POST", f"/webhooks/{hook.id}/{hook.token}", body, token="")).status == 204


async def test_what_discord_refuses_of_webhooks_is_refused(
    by_hand: Asking, server: DiscordStandIn, managed: Channel, ann: Person
) -> None:
    plans, other = server.thread(managed, "Plans"), server.channel(server.guild("Else", ann), "else")
    hook = server.world.add_webhook(managed, "Researcher", server.bot.id)
    away = server.thread(other, "Away")
    by_token = f"/webhooks/{hook.id}/{hook.token}"
    here, named = f"/channels/{managed.id}/webhooks", {"name": "Writer"}
    picture = f"data:image/png;base64,{base64.b64encode(b'no picture').decode()}"
    for method, path, body, status, code in [
        ("GET", f"/channels/{other.id}/webhooks", None, 403, 50013),
        ("POST", f"/channels/{other.id}/webhooks", named, 403, 50013),
        ("POST", f"/channels/{plans.id}/webhooks", named, 403, 50024),
        ("POST", f"/channels/{ann.private().id}/webhooks", named, 403, 50003),
        ("POST", here, {"name": "My Discord helper"}, 400, 50035),
        ("POST", here, {"name": ""}, 400, 50035),
        ("POST", here, {**named, "avatar": picture}, 400, 50035),
        ("PATCH", f"/webhooks/{hook.id}", {"name": "Clyde"}, 400, 50035),
        ("GET", "/webhooks/1", None, 404, 10015),
        ("POST", f"/webhooks/1/{hook.token}", {"content": "x"}, 404, 10015),
        ("POST", f"/webhooks/{hook.id}/hook-wrong", {"content": "x"}, 401, 50027),
        ("POST", by_token, {}, 400, 50006),
        ("POST", by_token, {"content": "x", "username": "discord"}, 400, 50035),
        ("POST", by_token, {"content": "x", "username": "Everyone"}, 400, 50035),
        ("POST", f"{by_token}?thread_id={away.id}", {"content": "x"}, 404, 10003),
        ("PATCH", f"{by_token}/messages/1", {"content": "x"}, 404, 10008),
    ]:
        told = await by_hand.ask(method, path, body)
        assert (told.status, told.code) == (status, code), (method, path)


async def test_only_the_bots_own_webhooks_show_it_their_tokens(
    by_hand: Asking, server: DiscordStandIn, managed: Channel
) -> None:
    server.world.add_webhook(managed, "Researcher", server.bot.id)
    server.world.add_webhook(managed, "Feed", None)
    told = await by_hand.ask("GET", f"/channels/{managed.id}/webhooks")
    assert ["token" in one for one in told.json] == [True, False]


async def test_a_channel_has_fifteen_webhooks_at_most(
    by_hand: Asking, server: DiscordStandIn, managed: Channel
) -> None:
    server.use_up_webhooks(managed, but=1)
    told = [await by_hand.ask("POST", f"/channels/{managed.id}/webhooks", {"name": "W"}) for _ in range(2)]
    assert [one.status for one in told] == [200, 400]
    assert told[1].code == 30007


async def test_only_a_webhook_edits_its_messages(by_hand: Asking, server: DiscordStandIn, managed: Channel) -> None:
    hook = server.world.add_webhook(managed, "Researcher", server.bot.id)
    plans = server.thread(managed, "Plans")
    by_token = f"/webhooks/{hook.id}/{hook.token}"
    told = await by_hand.ask("POST", f"{by_token}?wait=true&thread_id={plans.id}", {"content": "x"})
    id = told.json["id"]
    assert (await by_hand.ask("PATCH", f"/channels/{plans.id}/messages/{id}", {"content": "y"})).code == 50005
    assert (await by_hand.ask("PATCH", f"{by_token}/messages/{id}", {"content": "y"})).code == 10008
    assert (
        await by_hand.ask("PATCH", f"{by_token}/messages/{id}?thread_id={plans.id}", {"content": "y"})
    ).status == 200
