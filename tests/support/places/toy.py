"""Toy as a place: the channel of `tests/channels/toy`, against its server, in Ann's private room."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from bot.core.access import Access, AccessByChannel
from bot.core.channel import Channel
from bot.core.messages import Address, PersonId
from bot.core.network import DEFAULT_NETWORK_ACCESS
from bot.core.platform import BotAccountConfig
from bot.core.rights import EVERY_RIGHT
from tests.channels.toy.platform import PLATFORM, ToySettings, private_room
from tests.support.toy_server import TOKEN, CutOff, ToyServer, toy_server

ANN = 7
ROOM = private_room(ANN)


class ToyPlace:
    def __init__(self, server: ToyServer) -> None:
        self.length: int | None = None
        self.marks_repeats = False
        owner_at = Address(channel=PLATFORM.name, chat=ROOM)
        self.accesses: AccessByChannel = {
            PLATFORM.name: Access(owner_id=PersonId(str(ANN)), owner_address=owner_at, others_rights=EVERY_RIGHT)
        }
        self.server = server

    def channel(self) -> Channel:
        settings = ToySettings(port=self.server.port)
        return PLATFORM.make_channel(
            BotAccountConfig(token=TOKEN, settings=settings, network=DEFAULT_NETWORK_ACCESS), ()
        )

    def size(self, text: str) -> int:
        return len(text)

    def says(self, text: str) -> None:
        self.server.say(ROOM, text)

    def answers(self, option: str) -> None:
        asked = [line for line in self.server.rooms[ROOM].values() if option in line["options"]][-1]
        self.server.say(ROOM, option, question=asked["question"])

    def sees(self) -> Sequence[str]:
        return self.server.texts(ROOM)

    def cuts(self, *, was_taken: bool) -> None:
        self.server.cuts.append(CutOff.AFTER if was_taken else CutOff.BEFORE)


@asynccontextmanager
async def toy() -> AsyncIterator[ToyPlace]:
    async with toy_server() as server:
        yield ToyPlace(server)
