"""What the Discord stand-in refuses of a message's body, each refusal once, over plain HTTP."""

from typing import Any

import pytest

from tests.stand_ins.bots import Asking
from tests.stand_ins.discord import Channel, DiscordStandIn, Message, Permission

ROW = {"type": 1, "components": [{"type": 2, "style": 1, "label": "Yes", "custom_id": "yes"}]}


def button(**changes: Any) -> list[dict[str, Any]]:
    made = {"type": 2, "style": 1, "label": "Yes", "custom_id": "yes", **changes}
    return [{"type": 1, "components": [{name: value for name, value in made.items() if value is not ...}]}]


async def sent(by_hand: Asking, channel: Channel, body: Any) -> Message:
    told = await by_hand.ask("POST", f"/channels/{channel.id}/messages", body)
    assert told.status == 200, told.body
    return by_hand.server.world.messages[int(told.json["id"])]


def errors(body: Any) -> tuple[str, str]:
    """Where a form is wrong, and Discord's name for it."""
    path, here = [], body["errors"]
    while "_errors" not in here:
        ((name, here),) = here.items()
        path.append(name)
    return ".".join(path), here["_errors"][0]["code"]


MESSAGES: dict[str, tuple[Any, str, str]] = {
    "too long": ({"content": "x" * 2001}, "content", "BASE_TYPE_MAX_LENGTH"),
    "no string": ({"content": ["x"]}, "content", "STRING_TYPE_CONVERT"),
    "too many embeds": ({"embeds": [{}] * 11}, "embeds", "BASE_TYPE_MAX_LENGTH"),
    "an unknown flag": ({"content": "x", "flags": 64}, "flags", "BASE_TYPE_CHOICES"),
    "a long nonce": ({"content": "x", "nonce": "n" * 26}, "nonce", "BASE_TYPE_MAX_LENGTH"),
    "a nonce of no kind": ({"content": "x", "nonce": [1]}, "nonce", "NONCE_TYPE_CONVERT"),
    "mentions of no kind": ({"content": "x", "allowed_mentions": []}, "allowed_mentions", "DICT_TYPE_CONVERT"),
    "mentions unknown": (
        {"content": "x", "allowed_mentions": {"parse": ["all"]}},
        "allowed_mentions.parse.0",
        "BASE_TYPE_CHOICES",
    ),
    "no list to parse": (
        {"content": "x", "allowed_mentions": {"parse": "users"}},
        "allowed_mentions.parse",
        "LIST_TYPE_CONVERT",
    ),
    "mentions twice": (
        {"content": "x", "allowed_mentions": {"parse": ["users"], "users": ["1"]}},
        "allowed_mentions",
        "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
    ),
    "nobody named": (
        {"content": "x", "allowed_mentions": {"users": ["Owner"]}},
        "allowed_mentions.users.0",
        "NUMBER_TYPE_COERCE",
    ),
    "too many named": (
        {"content": "x", "allowed_mentions": {"users": ["1"] * 101}},
        "allowed_mentions.users",
        "BASE_TYPE_MAX_LENGTH",
    ),
    "a reference to nothing": (
        {"content": "x", "message_reference": {"message_id": "1"}},
        "message_reference",
        "REPLIES_UNKNOWN_MESSAGE",
    ),
    "a reference elsewhere": (
        {"content": "x", "message_reference": {"message_id": "1", "channel_id": "2"}},
        "message_reference",
        "REPLIES_CANNOT_REFERENCE_OTHER_CHANNEL",
    ),
    "a reference of no number": (
        {"content": "x", "message_reference": {"message_id": "x"}},
        "message_reference.message_id",
        "NUMBER_TYPE_COERCE",
    ),
    "rows of no kind": ({"components": {}}, "components", "LIST_TYPE_CONVERT"),
    "too many rows": ({"components": [ROW] * 6}, "components", "BASE_TYPE_MAX_LENGTH"),
    "no row": ({"components": [{"type": 2}]}, "components.0.type", "BASE_TYPE_CHOICES"),
    "an empty row": ({"components": [{"type": 1}]}, "components.0.components", "BASE_TYPE_BAD_LENGTH"),
    "too many buttons": (
        {"components": [{"type": 1, "components": ROW["components"] * 6}]},  # type: ignore[operator]
        "components.0.components",
        "BASE_TYPE_BAD_LENGTH",
    ),
    "no button": ({"components": button(type=4)}, "components.0.components.0.type", "BASE_TYPE_CHOICES"),
    "no style": ({"components": button(style=9)}, "components.0.components.0.style", "BASE_TYPE_CHOICES"),
    "no label": ({"components": button(label="")}, "components.0.components.0", "BUTTON_COMPONENT_INVALID"),
    "a long label": (
        {"components": button(label="x" * 81)},
        "components.0.components.0.label",
        "BASE_TYPE_MAX_LENGTH",
    ),
    "no custom id": (
        {"components": button(custom_id=...)},
        "components.0.components.0.custom_id",
        "BASE_TYPE_REQUIRED",
    ),
    "a long custom id": (
        {"components": button(custom_id="x" * 101)},
        "components.0.components.0.custom_id",
        "BASE_TYPE_BAD_LENGTH",
    ),
    "a custom id twice": (
        {"components": [ROW, ROW]},
        "components.1.components.0.custom_id",
        "COMPONENT_CUSTOM_ID_DUPLICATED",
    ),
    "a link to nowhere": ({"components": button(style=5)}, "components.0.components.0.url", "BASE_TYPE_REQUIRED"),
}


@pytest.mark.parametrize("name", MESSAGES)
async def test_a_message_that_is_refused(by_hand: Asking, server: DiscordStandIn, general: Channel, name: str) -> None:
    body, where, code = MESSAGES[name]
    told = await by_hand.ask("POST", f"/channels/{general.id}/messages", body)
    assert (told.status, told.code) == (400, 50035)
    assert errors(told.json) == (where, code)
    assert told.headers["Content-Type"] == "application/json"
    assert not general.messages
    assert [one.code for one in server.refused] == [50035]
    with pytest.raises(AssertionError, match="50035"):
        server.verify()


@pytest.mark.parametrize("body", [{}, {"content": ""}, {"content": " \n"}, {"content": None, "components": []}])
async def test_an_empty_message_is_refused(by_hand: Asking, general: Channel, body: Any) -> None:
    told = await by_hand.ask("POST", f"/channels/{general.id}/messages", body)
    assert (told.status, told.code) == (400, 50006)


async def test_a_message_that_just_fits_is_taken(by_hand: Asking, general: Channel) -> None:
    rows = [
        {"type": 1, "components": [{**ROW["components"][0], "custom_id": f"{row}{place}"} for place in range(5)]}  # type: ignore[index]
        for row in range(5)
    ]
    body = {"content": "\N{GRINNING FACE}" * 2000, "components": rows, "nonce": "n" * 25}
    message = await sent(by_hand, general, body)
    assert len(message.text) == 2000
    assert len(message.buttons) == 25


@pytest.mark.parametrize("raw", [b"{", b'{"content": "\\ud800"}'])
async def test_a_body_that_is_no_json_is_refused(by_hand: Asking, general: Channel, raw: bytes) -> None:
    told = await by_hand.ask("POST", f"/channels/{general.id}/messages", raw)
    assert (told.status, told.code) == (400, 50109)


async def test_a_body_that_is_no_object_is_refused(by_hand: Asking, general: Channel) -> None:
    assert (await by_hand.ask("POST", f"/channels/{general.id}/messages", [1])).code == 50035


async def test_a_nonce_that_is_not_enforced_holds_nothing_back(by_hand: Asking, general: Channel) -> None:
    for enforced in ({}, {"enforce_nonce": False}, {"enforce_nonce": True}):
        await sent(by_hand, general, {"content": "x", "nonce": "n", **enforced})
    assert len(general.messages) == 2


async def test_everyone_is_rung_only_with_the_right_to(by_hand: Asking, general: Channel) -> None:
    assert (await sent(by_hand, general, {"content": "@everyone"})).pings_everyone
    general.denied = Permission.MENTION_EVERYONE
    assert not (await sent(by_hand, general, {"content": "@everyone"})).pings_everyone
