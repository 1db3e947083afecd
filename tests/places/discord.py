"""A private chat on Discord as a place: the real channel and library, and the strict stand-in on sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from bot.access import Access, Accesses
from bot.channel import Channel
from bot.messages import Address, PersonId
from channels.discord.channel import Discord
from tests.discords import QUICK
from tests.servers.discord import DiscordStandIn, Fault, Message, Route, pointed_at


class DiscordPlace:
    def __init__(self, server: DiscordStandIn) -> None:
        self.server = server
        self.ann = server.person("Ann")
        self.room = self.ann.private()
        self.length: int | None = 2_000
        self.marks_repeats = False
        owner_at = Address(channel="discord", chat=f"@{self.ann.id}")
        self.accesses: Accesses = {"discord": Access(owner=PersonId(str(self.ann.id)), owner_at=owner_at)}

    @asynccontextmanager
    async def channel(self) -> AsyncIterator[Channel]:
        yield Discord(self.server.token, self.server.base_url, self.server.gateway_url, times=QUICK)

    def size(self, text: str) -> int:
        """In code points."""
        return len(text)

    def says(self, text: str) -> None:
        self.ann.say(self.room, text)

    def answers(self, option: str) -> None:
        message, custom_id = self.asked(option)
        self.ann.tap(message, custom_id)

    def asked(self, option: str) -> tuple[Message, str]:
        buttons = [(one, each) for one in reversed(self.room.messages) for each in one.buttons]
        return next((one, each["custom_id"]) for one, each in buttons if each["label"] == option)

    def sees(self) -> Sequence[str]:
        return [one.text for one in self.ann.sees(self.room) if one.message.author is self.server.bot]

    def cuts(self, *, was_taken: bool) -> None:
        self.server.faults.on(Route.SEND, Fault.RESET_AFTER if was_taken else Fault.RESET_BEFORE)


@asynccontextmanager
async def discord_place() -> AsyncIterator[DiscordPlace]:
    async with DiscordStandIn() as server:
        server.limits.off()
        with pointed_at(server):
            yield DiscordPlace(server)
