"""Answers to taps and commands: once, in time, and with the token that was given."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.servers.bots import Asking, Told, asking
from tests.servers.discord import DiscordStandIn, Flag, Interaction

START = 1_790_000_000.0
HELLO = {"type": 4, "data": {"content": "Hello."}}


@dataclass
class Clock:
    seconds: float = START

    def __call__(self) -> float:
        return self.seconds


@dataclass
class Tapped:
    """A command that Ann gave, and the ways to answer it."""

    by_hand: Asking
    interaction: Interaction
    clock: Clock

    async def answer(self, body: Any, *, token: str = "", query: str = "") -> Told:
        told = token or self.interaction.token
        # Without the bot's own token: the interaction's is enough.
        return await self.by_hand.ask(
            "POST", f"/interactions/{self.interaction.id}/{told}/callback{query}", body, token=""
        )

    async def later(self, method: str, message: str = "", body: Any = None) -> Told:
        path = f"/webhooks/{self.interaction.application}/{self.interaction.token}"
        return await self.by_hand.ask(method, f"{path}/messages/{message}" if message else path, body, token="")

    @property
    def seen(self) -> list[str]:
        person: Any = self.interaction.person
        return [one.text for one in person.sees(self.interaction.channel)]


@pytest.fixture
async def tapped() -> AsyncIterator[Tapped]:
    clock = Clock()
    async with DiscordStandIn(now=clock) as server, asking(server) as by_hand:
        server.limits.off()
        ann = server.person("Ann")
        general = server.channel(server.guild("Home", ann), "general")
        await by_hand.ask("PUT", f"/applications/{server.bot.id}/commands", [{"name": "help", "description": "x"}])
        yield Tapped(by_hand, ann.command(general, "help"), clock)


async def test_it_is_answered_once(tapped: Tapped) -> None:
    assert (await tapped.answer(HELLO)).status == 204
    again = await tapped.answer(HELLO)
    assert (again.status, again.code) == (400, 40060)
    assert tapped.seen == ["Hello."]


async def test_it_is_answered_within_three_seconds(tapped: Tapped) -> None:
    tapped.clock.seconds += 3.01
    late = await tapped.answer(HELLO)
    assert (late.status, late.code) == (404, 10062)
    assert tapped.interaction.has_failed
    assert tapped.seen == []


async def test_it_has_a_token_of_its_own(tapped: Tapped) -> None:
    assert (await tapped.answer(HELLO, token="another")).code == 10062
    assert (await tapped.by_hand.ask("POST", "/interactions/1/x/callback", HELLO)).code == 10062


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"type": 1}, 50035),
        ({"type": 7, "data": {"content": "x"}}, 50035),  # there is no message to change
        ({"type": 4}, 50006),
        ({"type": 4, "data": []}, 50006),
        ({"type": 4, "data": [1]}, 50035),
        ({"type": 4, "data": {"content": "x" * 2001}}, 50035),
        ({"type": 5, "data": {"flags": 4}}, 50035),
    ],
)
async def test_an_answer_that_is_refused_may_be_given_again(tapped: Tapped, body: Any, code: int) -> None:
    assert (await tapped.answer(body)).code == code
    assert (await tapped.answer(HELLO)).status == 204


async def test_the_answer_can_be_asked_for(tapped: Tapped) -> None:
    told = (await tapped.answer({"type": 4, "data": {"content": "Hello.", "flags": 64}}, query="?with_response=1")).json
    assert told["interaction"]["response_message_ephemeral"]
    assert told["resource"]["message"]["content"] == "Hello."
    assert (await tapped.later("GET", "@original")).json["flags"] == int(Flag.EPHEMERAL)


async def test_what_follows_waits_for_the_answer(tapped: Tapped) -> None:
    assert (await tapped.later("POST", body={"content": "x"})).code == 10015


async def test_what_follows_has_a_quarter_of_an_hour(tapped: Tapped) -> None:
    await tapped.answer(HELLO)
    tapped.clock.seconds += 900
    more = (await tapped.later("POST", body={"content": "More."})).json
    tapped.clock.seconds += 1
    late = await tapped.later("POST", body={"content": "Late."})
    assert (late.status, late.code) == (401, 50027)
    assert (await tapped.later("DELETE", more["id"])).code == 50027
    assert tapped.seen == ["Hello.", "More."]


async def test_a_deferred_answer_is_filled_and_changed(tapped: Tapped) -> None:
    await tapped.answer({"type": 5})
    assert tapped.interaction.is_waited_for
    assert (await tapped.later("POST", body={"content": ""})).code == 50006
    assert (await tapped.later("POST", body={"content": "Done."})).status == 200
    assert (await tapped.later("PATCH", "@original", {"content": "Done, all."})).status == 200
    more = (await tapped.later("POST", body={"content": "More."})).json
    assert (await tapped.later("PATCH", more["id"], {"content": "More still."})).status == 200
    assert tapped.seen == ["Done, all.", "More still."]
    assert (await tapped.later("DELETE", "@original")).status == 204
    assert (await tapped.later("GET", "@original")).code == 10008
    assert tapped.seen == ["More still."]


async def test_an_ephemeral_answer_is_no_message_of_the_channel(tapped: Tapped) -> None:
    await tapped.answer({"type": 4, "data": {"content": "Hush.", "flags": 64}})
    original, here = tapped.interaction.original, f"/channels/{tapped.interaction.channel.id}/messages"
    assert original
    assert (await tapped.by_hand.ask("GET", here)).json == []
    assert (await tapped.by_hand.ask("PATCH", f"{here}/{original.id}", {"content": "x"})).code == 10008
    bob = tapped.by_hand.server.person("Bob")
    assert bob.sees(tapped.interaction.channel) == []
    assert tapped.seen == ["Hush."]


async def test_people_do_only_what_they_can(tapped: Tapped) -> None:
    server, channel = tapped.by_hand.server, tapped.interaction.channel
    bob = server.person("Bob")
    with pytest.raises(AssertionError, match="no command 'stop'"):
        bob.command(channel, "stop")
    with pytest.raises(AssertionError, match="no button"):
        bob.tap(bob.say(channel, "hello"), "yes")
    await tapped.answer(HELLO)
    with pytest.raises(AssertionError, match="only what they wrote"):
        bob.edit(tapped.interaction.original or channel.messages[0], "x")
