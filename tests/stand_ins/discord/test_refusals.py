"""What the Discord stand-in refuses beside a message's body, each refusal once, over plain HTTP."""

import io
import json
from typing import Any

import aiohttp
import pytest

from tests.stand_ins.bots import Asking
from tests.stand_ins.discord import Channel, DiscordStandIn, Intent, Message, Permission, Person

ROW = {"type": 1, "components": [{"type": 2, "style": 1, "label": "Yes", "custom_id": "yes"}]}


async def sent(by_hand: Asking, channel: Channel, body: Any) -> Message:
    told = await by_hand.ask("POST", f"/channels/{channel.id}/messages", body)
    assert told.status == 200, told.body
    return by_hand.server.world.messages[int(told.json["id"])]


@pytest.mark.parametrize("token", ["", "Bot wrong", "stand-in.discord.token"])
async def test_a_wrong_token_is_refused(by_hand: Asking, server: DiscordStandIn, token: str) -> None:
    told = await by_hand.ask("GET", "/users/@me", token=token)
    assert (told.status, told.json) == (401, {"message": "401: Unauthorized", "code": 0})
    assert len(server.limits.invalid) == 1


async def test_missing_things_are_refused(by_hand: Asking, server: DiscordStandIn, general: Channel) -> None:
    here = f"/channels/{general.id}"
    for method, path, status, code in [
        ("GET", "/nothing", 404, 0),
        ("PUT", here, 405, 0),
        ("GET", "/channels/1", 404, 10003),
        ("GET", "/channels/x", 400, 50035),
        ("POST", "/channels/1/messages", 404, 10003),
        ("POST", "/channels/1/typing", 404, 10003),
        ("GET", f"{here}/messages/1", 404, 10008),
        ("PATCH", f"{here}/messages/1", 404, 10008),
        ("DELETE", f"{here}/messages/1", 404, 10008),
        ("PUT", f"{here}/messages/1/reactions/%F0%9F%91%80/@me", 404, 10008),
        ("GET", "/users/1", 404, 10013),
        ("GET", "/guilds/1", 404, 10004),
    ]:
        told = await by_hand.ask(method, path)
        assert (told.status, told.code) == (status, code), path
    async with by_hand.session.get(f"http://127.0.0.1:{server.port}/api/v9/gateway") as answer:
        assert answer.status == 404


async def test_a_removed_channel_is_unknown(by_hand: Asking, server: DiscordStandIn, general: Channel) -> None:
    server.remove(general)
    assert (await by_hand.ask("GET", f"/channels/{general.id}/messages")).code == 10003


async def test_forbidden_requests_are_refused(
    by_hand: Asking, server: DiscordStandIn, ann: Person, general: Channel
) -> None:
    here, plans = f"/channels/{general.id}", server.thread(general, "Plans")
    said = ann.say(general, "hello")
    reply = {"content": "x", "message_reference": {"message_id": str(said.id)}}
    for denied, method, path, body, code in [
        (Permission.VIEW_CHANNEL, "GET", here, None, 50001),
        (Permission.VIEW_CHANNEL, "POST", f"/channels/{plans.id}/messages", {"content": "x"}, 50001),
        (Permission.SEND_MESSAGES, "POST", f"{here}/messages", {"content": "x"}, 50013),
        (Permission.SEND_MESSAGES, "POST", f"{here}/typing", None, 50013),
        (Permission.SEND_MESSAGES_IN_THREADS, "POST", f"/channels/{plans.id}/messages", {"content": "x"}, 50013),
        (Permission.READ_MESSAGE_HISTORY, "POST", f"{here}/messages", reply, 160002),
        (Permission.READ_MESSAGE_HISTORY, "GET", f"{here}/messages/{said.id}", None, 50013),
        (Permission.ADD_REACTIONS, "PUT", f"{here}/messages/{said.id}/reactions/%F0%9F%91%80/@me", None, 50013),
        (Permission(0), "PUT", f"{here}/messages/{said.id}/reactions/x/@me", None, 10014),
    ]:
        general.denied = denied
        told = await by_hand.ask(method, path, body)
        assert told.code == code, path
    general.denied = Permission.READ_MESSAGE_HISTORY
    assert (await by_hand.ask("GET", f"{here}/messages")).json == []


async def test_the_messages_of_others_cannot_be_changed(by_hand: Asking, ann: Person, general: Channel) -> None:
    here, said = f"/channels/{general.id}/messages", ann.say(general, "hello")
    assert (await by_hand.ask("PATCH", f"{here}/{said.id}", {"content": "x"})).code == 50005
    assert (await by_hand.ask("DELETE", f"{here}/{said.id}")).code == 50013
    private = ann.say(ann.private(), "hello")
    assert (await by_hand.ask("DELETE", f"/channels/{ann.private().id}/messages/{private.id}")).code == 50003
    general.granted = Permission.MANAGE_MESSAGES
    assert (await by_hand.ask("DELETE", f"{here}/{said.id}")).status == 204


async def test_an_edit_may_leave_nothing_empty(by_hand: Asking, general: Channel) -> None:
    message = await sent(by_hand, general, {"content": "x"})
    path = f"/channels/{general.id}/messages/{message.id}"
    assert (await by_hand.ask("PATCH", path, {"content": ""})).code == 50006
    assert (await by_hand.ask("PATCH", path, {"content": "x" * 2001})).code == 50035
    assert (await by_hand.ask("PATCH", path, {"components": [ROW]})).status == 200
    assert (await by_hand.ask("PATCH", path, {"content": ""})).status == 200
    assert (message.text, message.earlier) == ("", ["x", "x"])


async def test_a_reply_to_what_is_gone_may_be_sent_all_the_same(by_hand: Asking, general: Channel) -> None:
    reference = {"message_id": "1", "fail_if_not_exists": False}
    message = await sent(by_hand, general, {"content": "x", "message_reference": reference})
    assert message.reply_to is None


async def test_a_person_may_close_the_private_channel(by_hand: Asking, ann: Person) -> None:
    ann.closes_private_messages()
    told = await by_hand.ask("POST", f"/channels/{ann.private().id}/messages", {"content": "x"})
    assert (told.status, told.code) == (403, 50007)


async def test_a_private_channel_needs_a_person(by_hand: Asking, server: DiscordStandIn) -> None:
    for recipient, code in ((None, 50035), ("1", 10013), (str(server.bot.id), 50033)):
        assert (await by_hand.ask("POST", "/users/@me/channels", {"recipient_id": recipient})).code == code


async def test_a_locked_thread_takes_nothing(by_hand: Asking, server: DiscordStandIn, general: Channel) -> None:
    plans = server.thread(general, "Plans")
    plans.is_archived = plans.is_locked = True
    assert (await by_hand.ask("POST", f"/channels/{plans.id}/messages", {"content": "x"})).code == 160005


async def test_nothing_is_edited_in_an_archived_thread(
    by_hand: Asking, server: DiscordStandIn, general: Channel
) -> None:
    plans = server.thread(general, "plans")
    message = await sent(by_hand, plans, {"content": "x"})
    plans.is_archived = True
    path = f"/channels/{plans.id}/messages/{message.id}"
    assert (await by_hand.ask("PATCH", path, {"content": "y"})).code == 50083
    await sent(by_hand, plans, {"content": "which opens it again"})
    assert (await by_hand.ask("PATCH", path, {"content": "y"})).status == 200


async def test_an_edit_passes_over_flags_that_it_does_not_know(by_hand: Asking, general: Channel) -> None:
    message = await sent(by_hand, general, {"content": "x"})
    path = f"/channels/{general.id}/messages/{message.id}"
    assert (await by_hand.ask("PATCH", path, {"content": "y", "flags": 1 << 12 | 1 << 25})).status == 200
    assert (await by_hand.ask("POST", f"/channels/{general.id}/messages", {"content": "x", "flags": 1 << 25})).code


async def test_a_server_without_the_bot_is_closed_to_it(
    by_hand: Asking, server: DiscordStandIn, general: Channel
) -> None:
    assert general.guild
    here = f"/guilds/{general.guild.id}"
    assert (await by_hand.ask("GET", here)).json["name"] == "Home"
    assert len((await by_hand.ask("GET", "/users/@me/guilds")).json) == 1
    server.throw_out(general.guild)
    assert (await by_hand.ask("GET", here)).code == 50001
    assert (await by_hand.ask("GET", f"/channels/{general.id}")).code == 50001
    assert (await by_hand.ask("GET", "/users/@me/guilds")).json == []


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=x", "before=x", "before=1&after=2"])
async def test_a_page_that_is_refused(by_hand: Asking, general: Channel, query: str) -> None:
    assert (await by_hand.ask("GET", f"/channels/{general.id}/messages?{query}")).code == 50035


async def test_a_page_has_the_newest_first_and_fifty(by_hand: Asking, ann: Person, general: Channel) -> None:
    said = [ann.say(general, str(number)) for number in range(120)]
    here = f"/channels/{general.id}/messages"

    async def page(query: str) -> list[int]:
        return [int(one["content"]) for one in (await by_hand.ask("GET", f"{here}?{query}")).json]

    assert await page("") == list(range(119, 69, -1))
    assert await page("limit=100") == list(range(119, 19, -1))
    assert await page(f"limit=3&after={said[9].id}") == [12, 11, 10]
    assert await page(f"limit=3&before={said[9].id}") == [8, 7, 6]
    assert await page(f"limit=3&around={said[9].id}") == [10, 9, 8]
    assert await page(f"limit=3&after={said[-1].id}") == []


def option_in(locale: str, description: str) -> dict[str, Any]:
    return {"type": 3, "name": "b", "description": "x", "description_localizations": {locale: description}}


COMMANDS: dict[str, Any] = {
    "no list": {},
    "no object": ["help"],
    "no name": [{"description": "x"}],
    "a name in capitals": [{"name": "Help", "description": "x"}],
    "a long name": [{"name": "h" * 33, "description": "x"}],
    "no description": [{"name": "help", "description": ""}],
    "a long description": [{"name": "help", "description": "x" * 101}],
    "a name twice": [{"name": "help", "description": "x"}] * 2,
    "a required option behind another": [{"name": "tell", "description": "x", "options": [{}, {"required": True}]}],
    "translations that are no table": [{"name": "help", "description": "x", "description_localizations": ["de"]}],
    "an unknown locale": [{"name": "help", "description": "x", "description_localizations": {"pt": "x"}}],
    "a long translation": [{"name": "help", "description": "x", "description_localizations": {"de": "x" * 101}}],
    "an empty translation": [{"name": "help", "description": "x", "description_localizations": {"de": ""}}],
    "a translated name in capitals": [{"name": "help", "description": "x", "name_localizations": {"de": "Hilfe"}}],
    "an option in an unknown locale": [{"name": "a", "description": "x", "options": [option_in("xx", "x")]}],
    "too many options": [{"name": "a", "description": "x", "options": [option_in("de", "x")] * 26}],
    "too many": [{"name": f"help{number}", "description": "x"} for number in range(101)],
}


@pytest.mark.parametrize("name", COMMANDS)
async def test_commands_that_are_refused(by_hand: Asking, server: DiscordStandIn, name: str) -> None:
    told = await by_hand.ask("PUT", f"/applications/{server.bot.id}/commands", COMMANDS[name])
    assert (told.status, told.code) == (400, 50035)
    assert server.world.commands == []


async def test_translations_are_told_only_to_those_who_ask(by_hand: Asking, server: DiscordStandIn) -> None:
    here = f"/applications/{server.bot.id}/commands"
    command = {"name": "help", "description": "x", "description_localizations": {"de": "y"}}
    await by_hand.ask("PUT", here, [{**command, "options": [option_in("pt-BR", "z")]}])
    [plain], [whole] = [(await by_hand.ask("GET", f"{here}{query}")).json for query in ("", "?with_localizations=true")]
    assert "description_localizations" not in {**plain, **plain["options"][0]}
    assert (whole["description_localizations"], whole["options"][0]["description_localizations"]) == (
        {"de": "y"},
        {"pt-BR": "z"},
    )


async def test_commands_of_another_application_are_not_the_bots(by_hand: Asking) -> None:
    assert (await by_hand.ask("GET", "/applications/1/commands")).code == 20012


async def test_a_file_may_not_be_too_large(by_hand: Asking, server: DiscordStandIn, general: Channel) -> None:
    form = aiohttp.FormData()
    form.add_field("payload_json", '{"content": "x"}')
    form.add_field("files[0]", io.BytesIO(b"x" * (10 * 1024 * 1024 + 1)), filename="big")
    url, headers = f"{server.base_url}/channels/{general.id}/messages", {"Authorization": f"Bot {server.token}"}
    async with by_hand.session.post(url, data=form, headers=headers) as answer:
        assert (answer.status, (await answer.json())["code"]) == (413, 40005)


@pytest.mark.parametrize("id", [1, "x", None])
async def test_a_file_that_a_body_names_must_come_with_it(
    by_hand: Asking, server: DiscordStandIn, general: Channel, id: object
) -> None:
    form = aiohttp.FormData()
    form.add_field("payload_json", json.dumps({"attachments": [{"id": id, "filename": "a"}]}))
    form.add_field("files[0]", io.BytesIO(b"x"), filename="a")
    url, headers = f"{server.base_url}/channels/{general.id}/messages", {"Authorization": f"Bot {server.token}"}
    async with by_hand.session.post(url, data=form, headers=headers) as answer:
        told = await answer.json()
    assert (answer.status, told["errors"]["attachments"]["0"]["_errors"][0]["code"]) == (400, "ATTACHMENT_NOT_FOUND")


async def test_without_the_intent_history_is_blank_too(
    by_hand: Asking, server: DiscordStandIn, ann: Person, general: Channel
) -> None:
    ann.say(general, "secret")
    server.portal.intents = Intent(0)
    (item,) = (await by_hand.ask("GET", f"/channels/{general.id}/messages")).json
    assert item["content"] == ""


async def test_the_way_to_the_gateway_is_told_to_everyone(by_hand: Asking, server: DiscordStandIn) -> None:
    assert (await by_hand.ask("GET", "/gateway", token="")).json == {"url": server.gateway_url}
    assert (await by_hand.ask("GET", "/gateway/bot", token="")).status == 401
